"""Words and how texts are cut into them: vocabularies of all layouts, and data that is cut otherwise."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Callable

import numpy as np
import pytest
import yaml

import PaddleNLP
from core.train.runner.experiment import open_run
from PaddleNLP import eval as evaluation
from PaddleNLP import export, infer, train
from PaddleNLP.config import TOOLKIT
from PaddleNLP.models.words.network import WordNetwork
from PaddleNLP.tokenizing import learned, restored, stored
from PaddleNLP.word_level import WordLevelTokenizer, half_width

WORDS = "房间\n很\n小\n服务员\n热情\n"


def write(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content, encoding="utf-8")
    return str(folder / name)


def test_unknown_words_have_the_last_number_and_padding_the_one_behind(tmp_path: Path) -> None:
    tokenizer = WordLevelTokenizer(write(tmp_path, "vocab.txt", WORDS))
    assert tokenizer("房间 很 大")["input_ids"] == [0, 1, 5]
    assert (len(tokenizer), tokenizer.unk_token_id, tokenizer.pad_token_id) == (6, 5, 6)
    found = tokenizer("很  小 ", return_offsets_mapping=True)
    assert found["offset_mapping"] == [(0, 1), (3, 4)] and found["input_ids"] == [1, 2]
    words = tokenizer(["房间", "a b"], is_split_into_words=True, return_word_ids=True)
    assert words["input_ids"] == [0, 5] and words["word_ids"] == [0, 1]


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ("[PAD]\n[UNK]\n很\n小\n", [2, 1, 3]),
        ("很\t0\n小\t1\n<unk>\t2\n", [0, 2, 1]),
        ("0\tOOV\n1\t很\n2\t小\n3\t3\n", [1, 0, 2]),
    ],
)
def test_official_layouts_of_a_vocabulary(content: str, ids: list[int], tmp_path: Path) -> None:
    tokenizer = WordLevelTokenizer(write(tmp_path, "vocab.txt", content))
    assert tokenizer("很 大 小")["input_ids"] == ids
    assert tokenizer.pad_token_id == (0 if "[PAD]" in content else len(tokenizer))
    tokenizer.save_pretrained(tmp_path / "kept")
    assert WordLevelTokenizer.from_pretrained(tmp_path / "kept")("很 大 小")["input_ids"] == ids


def test_a_dictionary_goes_with_the_tokeniser(tmp_path: Path) -> None:
    words = write(tmp_path, "dict.txt", "服务员 30\n服务 20\n房间 10\n")
    tokenizer = WordLevelTokenizer(write(tmp_path, "vocab.txt", WORDS), "dictionary", words)
    assert tokenizer.words("房间很小， 服务员热情") == ["房间", "很", "小", "，", "服务员", "热", "情"]
    again = restored(json.loads(json.dumps(stored(tokenizer))))
    assert again.segmenter == "dictionary" and again.words("服务员的服务") == ["服务员", "的", "服务"]
    assert again.segmentation.place("房间 小")[1] == [(0, 2), (3, 4)]


def test_wide_characters_are_looked_up_as_narrow_ones(tmp_path: Path) -> None:
    assert half_width("Ａｂ１，。\u3000～中") == "Ab1,。 ~中"
    vocab = write(tmp_path, "v.txt", "a\n1\n")
    tokenizer = WordLevelTokenizer(vocab, "characters", do_lower_case=True, half_width=True)
    assert tokenizer("Ａ １b")["input_ids"] == [0, 1, 2]


def test_words_are_learnt_by_how_often_they_are_there() -> None:
    texts = ["b a <unk>", "b c", "b a"]
    tokenizer = learned("WordLevelTokenizer", texts, 3, {})
    assert tokenizer.get_vocab() == {"b": 0, "a": 1, "<unk>": 2}
    assert learned("WordLevelTokenizer", ["好不好"], 9, {"segmenter": "characters"}).get_vocab() == {
        "好": 0, "不": 1, "<unk>": 2
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0\ta\n1\tb\n2\tc\nd\n", r"v.txt, line 4: 'd' is not id<TAB>word, as the first lines are"),
        ("0\ta\n1\tb\n2\ta\n", r"v.txt, line 3: 'a' is there twice"),
        ("0\ta\n1\tb\n1\tc\n", r"v.txt: ids must be 0, 1, 2, ..., each of one word"),
        ("0\ta\n1\tb\n999999999\tc\n", r"v.txt: ids must be 0, 1, 2, ..., each of one word"),
        ("", r"v.txt: a vocabulary without tokens"),
    ],
)
def test_a_broken_vocabulary(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        WordLevelTokenizer(write(tmp_path, "v.txt", content))


def test_a_segmenter_and_its_dictionary_go_together(tmp_path: Path) -> None:
    vocab = write(tmp_path, "v.txt", WORDS)
    with pytest.raises(ValueError, match="tokenizer.segmenter dictionary needs word_dict"):
        WordLevelTokenizer(vocab, "dictionary")
    with pytest.raises(ValueError, match="tokenizer.segmenter spaces reads no word_dict; leave it out, or choose"):
        WordLevelTokenizer(vocab, word_dict=vocab)
    with pytest.raises(ValueError, match="d.txt, line 1: '房 间 小 大' is not a word"):
        WordLevelTokenizer(vocab, "dictionary", write(tmp_path, "d.txt", "房 间 小 大\n"))


def experiment(folder: Path, segmenter: str = "spaces", train_text: str = "") -> Path:
    rows = [f"{n % 2}\t服务员 {'很' if n % 2 else '不'} 热情 ， 第 {n // 2} 次" for n in range(16)]
    (folder / "a.tsv").write_text("\n".join([*rows, *([f"1\t{train_text}"] * 40 if train_text else [])]) + "\n")
    split = {"dataset": {"name": "Senta", "path": "a.tsv"}, "batch_size": 8, "batching": {"buckets": [16]}}
    tokenizer = {"name": "WordLevelTokenizer", "learn": 30, "segmenter": segmenter, "max_length": 16}
    if segmenter == "dictionary":
        write(folder, "dict.txt", "服务员\n热情\n")
        tokenizer["word_dict"] = "dict.txt"
    config = {
        "output": str(folder / "run"),
        "task": {"name": "Classification"},
        "tokenizer": tokenizer,
        "network": {"name": "senta_bow", "emb_dim": 8, "inner_size": 8, "hidden_size": 8},
        "data": {"root": str(folder), "train": {**split, "shuffle": True}, "valid": split, "test": split},
        "optimizer": {"name": "Adam"},
        "schedule": {"name": "Constant", "learning_rate": 0.05},
        "train": {"epochs": 6, "tensorboard": False},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return folder / "config.yaml"


def test_a_run_and_its_export_say_how_texts_are_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["-c", str(experiment(tmp_path))]) == 0
    run = tmp_path / "run"
    assert evaluation.main([str(run)]) == 0 and export.main([str(run)]) == 0
    assert json.loads((run / "evaluation_test" / "results.json").read_text())["test"]["accuracy"] == 1
    texts = ["服务员 很 热情", "服务员 不 热情", "", "  ", "\U0001f600 外星"]  # no words, and none that is known
    for folder in (run, run / "exported"):
        assert infer.main([str(folder), *texts, "--output", str(tmp_path / "out")]) == 0
        lines = [json.loads(line) for line in (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()]
        assert [line["label"] for line in lines[:2]] == ["1", "0"]
        assert [line["segmenter"] for line in lines] == ["spaces"] * 5
        with pytest.raises(ValueError, match="words are separated by spaces, and there are none in '服务"):
            PaddleNLP.open_reader(folder).predict("服务员很热情服务员很热情")
    features = [str(tmp_path / "a.npy"), str(tmp_path / "b.npy")]
    assert infer.main([str(run), texts[0], "--features", features[0], "--token-features", features[1]]) == 0
    assert [np.load(file).shape for file in features] == [(1, 8), (3, 8)]


def test_lexical_analysis_cuts_texts(run_of: Callable[[str], Path], tmp_path: Path) -> None:
    run = run_of("LexicalAnalysis")
    assert export.main([str(run), "--output", str(tmp_path / "lac")]) == 0
    expected = PaddleNLP.LAC(run, "seg").run("李雷在上海。 他")
    tokenizer = WordLevelTokenizer(write(tmp_path, "v.txt", WORDS), "lac", lac=tmp_path / "lac")
    record = json.loads(json.dumps(stored(tokenizer)))
    for one in (tokenizer, restored(record)):
        assert one.words("李雷在上海。 他") == [word for text in expected for word in text.split()]
        assert one.segmenter == "lac" and "".join(one.words("王小明")) == "王小明"
    assert tokenizer.segmentation.files == restored(record).segmentation.files
    with pytest.raises(ValueError, match="tokenizer.lac: .* is no folder that PaddleNLP/export.py wrote"):
        WordLevelTokenizer(write(tmp_path, "v.txt", WORDS), "lac", lac=run)
    for name, method in (("../a", zipfile.ZIP_STORED), ("b", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w", method) as file:
            file.writestr(name, "a" * 999)
        with pytest.raises(ValueError, match="bad.zip: no archive of an exported folder: it holds other files"):
            WordLevelTokenizer(write(tmp_path, "v.txt", WORDS), "lac", lac=tmp_path / "bad.zip")


def test_data_that_is_cut_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"data.train: 40 of 56 texts are cut otherwise; \S*a.tsv:17: words are"):
        train.main(["-c", str(experiment(tmp_path, "spaces", "服务员很热情服务员很热情"))])
    with pytest.raises(ValueError, match=r"data.train: 16 of 16 .*a.tsv:1: '服务 员 不 .*by dictionary it would be '"):
        config = experiment(tmp_path, "dictionary")
        (tmp_path / "a.tsv").write_text((tmp_path / "a.tsv").read_text().replace("服务员", "服务 员"))
        train.main(["-c", str(config)])
    reader = WordLevelTokenizer(write(tmp_path, "v.txt", WORDS), "dictionary", str(tmp_path / "dict.txt"))
    assert not reader.problem("服务员 热情") and not reader.problem("服务员热情") and not reader.problem("a b")
    assert reader.problem("服务 员 热情").startswith("'服务 员 热情' is cut into words, but by dictionary it would be")


def test_a_network_on_words_starts_with_vectors_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    start = WordNetwork.start_from_vectors
    monkeypatch.setattr(WordNetwork, "start_from_vectors", lambda *given: started.append(given[1]) or start(*given))
    vector = "0.5 0.25 -1 2 0 1 1 3"
    file = Path(write(tmp_path, "vectors.txt", f"2 8\n热情 {vector}\n房间 {vector}\n"))
    still = ["-o", "word_vectors=vectors.txt", "-o", "schedule.learning_rate=1e-9", "-o", "train.epochs=1"]
    assert train.main(["-c", str(experiment(tmp_path)), *still]) == 0
    assert "1 of them start with vectors of vectors.txt" in capsys.readouterr().out
    assert len(started) == 1  # the network is built once
    file.unlink()  # only a fresh run reads it
    task, _ = open_run(TOOLKIT, str(tmp_path / "run"), "newest")
    table, place = task.network.encoder.word_embeddings.weight.numpy(), task.tokenizer.get_vocab()["热情"]
    np.testing.assert_allclose(table[place], [float(number) for number in vector.split()], atol=1e-6)
    assert np.abs(np.delete(table, place, 0)).max() < 1
    assert train.main(["--resume", str(tmp_path / "run"), "-o", "train.epochs=2"]) == 0


def test_word_vectors_that_do_not_fit_the_network(tmp_path: Path) -> None:
    write(tmp_path, "vectors.txt", "2 3\n热情 1 2 3\n")
    options = ["-c", str(experiment(tmp_path)), "-o", "word_vectors=vectors.txt"]
    with pytest.raises(
        ValueError, match=r"word_vectors: \S*vectors.txt: its vectors have 3 numbers, but"
    ):
        train.main(options)
    small = "network={name: ernie, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}"
    with pytest.raises(ValueError, match="word_vectors: ernie starts with none .*LAC .*; leave it out"):
        train.main([*options, "-o", small, "-o", "tokenizer={name: ErnieTokenizer, learn: 30, max_length: 16}"])
