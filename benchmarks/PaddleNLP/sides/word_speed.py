"""The sides of benchmarks.PaddleNLP.word_speed: the same networks on words here and in PyTorch, and jieba."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

Steps = Mapping[str, Callable[[], Any]]
CLASSES = 3


def text_of(path: str) -> str:
    """Return the sentences of a file of LAC's form, one behind the other."""
    lines = Path(path).read_text(encoding="utf-8").split("\n")[1:]
    return "".join(line.partition("\t")[0].replace("\x02", "") for line in lines).replace(" ", "")


def texts_of(text: str) -> dict[str, list[str]]:
    """Return what is read, by name."""
    return {
        "80 x 25": [text[25 * number : 25 * number + 25] for number in range(80)],
        "1 x 25": [text[:25]],
        "1 x 2000": [text[3000:5000]],
    }


def characters_of(text: str) -> list[str]:
    """Return the vocabulary, in an order that does not depend on the process."""
    return sorted(set(text))


def ours(text: str, folder: str, units: int) -> Steps:
    """Return calls of exported readers; writes the weights of LAC with PyTorch's units, and of TextCNN."""
    import numpy as np

    import core
    from core.jit.input_spec import InputSpec
    from PaddleNLP import create_model, open_reader
    from PaddleNLP.lexical.tags import TAGS
    from PaddleNLP.tokenizing import stored
    from PaddleNLP.word_level import WordLevelTokenizer

    place = Path(folder)
    (place / "vocab.txt").write_text("\n".join(characters_of(text)) + "\n", encoding="utf-8")
    tokenizer = WordLevelTokenizer(place / "vocab.txt", "characters")
    spec = [InputSpec([None, None], "int64", "input_ids", examples={0: (2, 3), 1: (8, 12)})]
    steps: dict[str, Callable[[], Any]] = {}
    for cell in ("fluid", "paddle"):
        core.seed(0)
        size = {"vocab_size": len(tokenizer), "emb_dim": units, "units": units, "cell": cell}
        model = create_model("lac", "crf_token_classification", len(TAGS), **size)
        model.eval()
        if cell == "paddle":
            weights = {name: value.numpy() for name, value in model.state_dict().items() if ".cell_" not in name}
            np.savez(place / "lac.npz", **weights)
        settings = {"units": "characters", "chunked": True, "segmentation": True}
        record = {"reader": "lexical", "max_length": 256, "tokenizer": stored(tokenizer), **settings}
        target = str(place / cell)
        core.jit.save(core.jit.to_static(model), target, spec, preprocessing=record, class_names=TAGS)
        reader = open_reader(target)
        for name, texts in texts_of(text).items():
            steps[f"LAC, {cell}: {name}"] = functools.partial(_words, reader, texts)
    core.seed(0)
    model = create_model("textcnn", num_classes=CLASSES, vocab_size=len(tokenizer))
    model.eval()
    np.savez(place / "textcnn.npz", **{name: value.numpy() for name, value in model.state_dict().items()})
    record = {"reader": "classification", "max_length": 2000, "tokenizer": stored(tokenizer)}
    names = [str(number) for number in range(CLASSES)]
    core.jit.save(core.jit.to_static(model), str(place / "cnn"), spec, preprocessing=record, class_names=names)
    reader = open_reader(place / "cnn")
    for name, texts in texts_of(text).items():
        steps[f"TextCNN: {name}"] = functools.partial(_classes, reader, texts)
    return steps


def _words(reader: Any, texts: list[str]) -> list[list[str]]:
    return [[chunk.text for chunk in found.chunks] for found in reader.predict(texts, 80)]


def _classes(reader: Any, texts: list[str]) -> list[str]:
    return [found.label for found in reader.predict(texts, 80)]


def pytorch(text: str, folder: str, units: int) -> Steps:
    """Return calls of the same networks as one writes them with PyTorch, from text to words and classes."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    numbers = {character: number for number, character in enumerate(characters_of(text))}
    unknown, fill = len(numbers), len(numbers) + 1
    weights = {name: torch.from_numpy(value) for name, value in np.load(Path(folder) / "lac.npz").items()}
    table, tags = weights["lac.word_embeddings.weight"], weights["fc.bias"].shape[0] - 2
    gru = torch.nn.GRU(units, units, 2, bidirectional=True, batch_first=True)
    gru.load_state_dict({name[8:]: value for name, value in weights.items() if name.startswith("lac.gru.")})
    moves = weights["crf.transitions"]
    cnn = {name: torch.from_numpy(value) for name, value in np.load(Path(folder) / "textcnn.npz").items()}

    def ids_of(texts: list[str]) -> tuple[Any, Any]:
        lengths = [len(one) for one in texts]
        ids = np.full((len(texts), max(lengths)), fill)
        for row, one in zip(ids, texts):
            row[: len(one)] = [numbers.get(character, unknown) for character in one]
        return torch.from_numpy(ids), torch.tensor(lengths)

    def vectors(rows: Any, ids: Any) -> Any:
        kept = (ids != fill)[..., None]
        return torch.nn.functional.embedding(ids * kept[..., 0], rows) * kept

    def words(texts: list[str]) -> list[list[str]]:
        texts = [part for one in texts for part in _windows(one)] if max(map(len, texts)) > 256 else texts
        with torch.no_grad():
            ids, lengths = ids_of(texts)
            packed = torch.nn.utils.rnn.pack_padded_sequence(
                vectors(table, ids), lengths, batch_first=True, enforce_sorted=False
            )
            states, _ = torch.nn.utils.rnn.pad_packed_sequence(gru(packed)[0], batch_first=True)
            scores = states @ weights["fc.weight"] + weights["fc.bias"]
            scores = scores[..., :tags]
            inner = moves[:tags, :tags]
            reached, back = scores[:, 0] + moves[-1, :tags], []
            for step in range(1, scores.shape[1]):
                best, source = (reached[:, :, None] + inner).max(1)
                inside = (step < lengths)[:, None]
                reached = torch.where(inside, best + scores[:, step], reached)
                back.append(torch.where(inside, source, torch.arange(tags)))
            last = (reached + moves[-2, :tags]).argmax(-1)
            path = [last]
            for source in reversed(back):
                last = source.gather(1, last[:, None])[:, 0]
                path.append(last)
            rows = torch.stack(path[::-1], 1).tolist()
        return [_cut(one, row) for one, row in zip(texts, rows)]

    def _windows(one: str) -> list[str]:
        return [one[start : start + 256] for start in range(0, len(one), 256)]

    def _cut(one: str, row: list[int]) -> list[str]:
        found: list[str] = []
        before = -1
        for character, tag in zip(one, row):
            kind = tag // 2 if tag < tags - 1 else -1
            begins = tag % 2 == 0 or kind != before if kind >= 0 else before >= 0 or not found
            if begins:
                found.append(character)
            else:
                found[-1] += character
            before = kind
        return found

    def classes(texts: list[str]) -> list[str]:
        with torch.no_grad():
            ids, _ = ids_of(texts)
            given, kept = vectors(cnn["textcnn.word_embeddings.weight"], ids), (ids != fill)[..., None]
            found = []
            for place, size in enumerate((1, 2, 3)):
                wide = torch.nn.functional.pad(given, (0, 0, size // 2, size - 1 - size // 2))
                columns = torch.cat([wide[:, start : start + ids.shape[1]] for start in range(size)], -1)
                name = f"textcnn.convs.{place}"
                results = torch.tanh(columns @ cnn[f"{name}.weight"] + cnn[f"{name}.bias"])
                found.append(results.masked_fill(~kept, -1e4).max(1).values)
            inner = torch.tanh(torch.cat(found, -1) @ cnn["textcnn.fc1.weight"] + cnn["textcnn.fc1.bias"])
            best = (inner @ cnn["classifier.weight"] + cnn["classifier.bias"]).softmax(-1).max(-1)
        return [str(number) for number in best.indices.tolist()]

    steps: dict[str, Callable[[], Any]] = {}
    for name, texts in texts_of(text).items():
        steps[f"LAC, paddle: {name}"] = functools.partial(words, texts)
        steps[f"TextCNN: {name}"] = functools.partial(classes, texts)
    return steps


def jieba(text: str) -> Steps:
    """Return calls of jieba.posseg, which tells words and their parts of speech."""
    from jieba import posseg

    posseg.lcut("一")
    return {
        name: functools.partial(lambda texts: [[pair.word for pair in posseg.lcut(one)] for one in texts], texts)
        for name, texts in texts_of(text).items()
    }
