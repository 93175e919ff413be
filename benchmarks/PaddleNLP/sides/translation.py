"""The sides of benchmarks.PaddleNLP.translation: a Transformer here, in PyTorch, Paddle, and CTranslate2."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from typing import Any, Callable

from benchmarks.paddlenlp_import import let_import

Steps = Mapping[str, Callable[[], Any]]

SIZES = {
    "base": {"d_model": 512, "d_inner_hid": 2048, "n_head": 8, "layers": 6, "words": 32000},
    "small": {"d_model": 256, "d_inner_hid": 1024, "n_head": 4, "layers": 3, "words": 10000},
}
ROWS, SOURCE, LONGEST, BEAMS = 32, 32, 32, 4
SENTENCES = 8
COUNTS = {"training step": ROWS * SOURCE, "beam 4": SENTENCES}
"""Of each step what is counted: target tokens, or sentences."""

EAGER = "eager training step"
"""Our training step without compilation."""


def batch(size: str) -> tuple[Any, Any]:
    """Return source and target tokens, int64 (ROWS, SOURCE) each; both end with the end token."""
    import numpy as np

    draw = np.random.RandomState(0)
    source, target = draw.randint(3, SIZES[size]["words"], (2, ROWS, SOURCE)).astype("int64")
    source[:, -1] = target[:, -1] = 1
    return source, target


def ours(size: str, file: str) -> Steps:
    """Return a training step, compiled and eager, and an exported search; writes the weights."""
    import numpy as np

    import core
    from core.text.generation import Generation
    from core.train.step import PhaseStep
    from core.train.task import Phase
    from PaddleNLP import create_model
    from PaddleNLP.tasks.translation import Translator

    numbers = SIZES[size]
    core.seed(0)
    network = create_model(
        "transformer", "encoder", src_vocab_size=numbers["words"], trg_vocab_size=numbers["words"], max_length=64,
        num_encoder_layers=numbers["layers"], num_decoder_layers=numbers["layers"], n_head=numbers["n_head"],
        d_model=numbers["d_model"], d_inner_hid=numbers["d_inner_hid"], dropout=0.0,
    )  # fmt: skip
    np.savez(file, **{name: one.numpy() for name, one in network.state_dict().items()})
    source, target = (core.to_tensor(rows) for rows in batch(size))
    start = core.zeros([ROWS, 1], "int64")

    def loss(source: Any, target: Any) -> tuple[Any, Mapping[str, Any]]:
        scores = network(source, core.concat([start, target[:, :-1]], axis=1))
        return core.nn.functional.cross_entropy(scores.reshape([-1, scores.shape[-1]]), target.flatten()), {}

    optimizer = core.optimizer.Adam(1e-6, 0.9, 0.98, 1e-9, parameters=network.parameters())
    phase = Phase("train", loss, network.parameters(), optimizer)
    compiled, eager = (PhaseStep(phase, compiled=way) for way in (True, False))
    settings = Generation(0, 1, LONGEST, "beam", BEAMS, 0, LONGEST - 1)
    translator = Translator(network, settings)
    translator.eval()
    with tempfile.TemporaryDirectory() as folder:
        core.jit.save(core.jit.to_static(translator), folder, [source[:SENTENCES]])
        predictor = core.jit.Predictor(folder)
    sentences = source[:SENTENCES].numpy()

    def train(step: PhaseStep = compiled) -> float:
        return step(0, [[source, target]]).read()["loss"]

    def search() -> list[list[int]]:
        return [row[: LONGEST - 1] for row in predictor.flat_results([sentences])[0][:, 0].tolist()]

    return {"training step": train, EAGER: lambda: train(eager), "beam 4": search}


def paddle(size: str, file: str) -> Steps:
    """Return paddlenlp's Transformer in Paddle: an eager training step, and its search."""
    import numpy as np

    let_import()
    import paddle
    from paddlenlp.transformers import InferTransformerModel, TransformerModel

    numbers = SIZES[size]
    settings = {
        "src_vocab_size": numbers["words"], "trg_vocab_size": numbers["words"], "max_length": 64,
        "num_encoder_layers": numbers["layers"], "num_decoder_layers": numbers["layers"], "n_head": numbers["n_head"],
        "d_model": numbers["d_model"], "d_inner_hid": numbers["d_inner_hid"], "dropout": 0.0, "weight_sharing": True,
    }  # fmt: skip
    network = TransformerModel(**settings)
    searching = InferTransformerModel(**settings, beam_size=BEAMS, max_out_len=LONGEST - 1)
    for one in (network, searching):
        one.set_state_dict(dict(np.load(file)))
    searching.eval()
    source, target = (paddle.to_tensor(rows) for rows in batch(size))
    before = paddle.concat([paddle.zeros([ROWS, 1], "int64"), target[:, :-1]], axis=1)
    optimizer = paddle.optimizer.Adam(1e-6, 0.9, 0.98, 1e-9, parameters=network.parameters())

    def train() -> float:
        scores = network(source, before)
        loss = paddle.nn.functional.cross_entropy(scores.reshape([-1, scores.shape[-1]]), target.flatten())
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    def search() -> list[list[int]]:
        with paddle.no_grad():
            return searching(source[:SENTENCES]).numpy()[:, : LONGEST - 1, 0].tolist()

    return {"training step": train, "beam 4": search}


def pytorch(size: str, file: str) -> Steps:
    """Return the same in PyTorch: a training step, and a search that keeps keys and values."""
    import numpy as np
    import torch
    from torch.nn import functional as F

    numbers = SIZES[size]
    d, heads, layers = numbers["d_model"], numbers["n_head"], numbers["layers"]
    stored = {name: torch.tensor(value) for name, value in np.load(file).items() if not name.startswith("trg_")}
    positions = stored.pop("src_pos_embedding.pos_encoder.weight")
    weights = {name: torch.nn.Parameter(value) for name, value in stored.items()}
    table = weights["src_word_embedding.word_embedding.weight"]
    known = torch.ones(len(table), 1)
    known[0] = 0  # the start token's vector is zeros

    def linear(x: Any, name: str) -> Any:
        return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        return F.layer_norm(x, (d,), weights[f"{name}.weight"], weights[f"{name}.bias"])

    def embedded(ids: Any, first: int = 0) -> Any:
        return F.embedding(ids, table * known) * math.sqrt(d) + positions[first : first + ids.shape[1]]

    def cut(x: Any) -> Any:
        return x.view(x.shape[0], x.shape[1], heads, d // heads).transpose(1, 2)

    def attend(name: str, x: Any, keys: Any, values: Any, causal: bool = False) -> Any:
        query = cut(linear(x, f"{name}.q_proj"))
        found = F.scaled_dot_product_attention(query, keys, values, is_causal=causal)
        return linear(found.transpose(1, 2).reshape(x.shape), f"{name}.out_proj")

    def pair(name: str, x: Any) -> tuple[Any, Any]:
        return cut(linear(x, f"{name}.k_proj")), cut(linear(x, f"{name}.v_proj"))

    def feed(name: str, x: Any) -> Any:
        return linear(F.relu(linear(x, f"{name}.linear1")), f"{name}.linear2")

    def encode(source: Any) -> Any:
        x = embedded(source)
        for layer in range(layers):
            name = f"transformer.encoder.layers.{layer}"
            y = norm(x, f"{name}.norm1")
            x = x + attend(f"{name}.self_attn", y, *pair(f"{name}.self_attn", y))
            x = x + feed(name, norm(x, f"{name}.norm2"))
        return norm(x, "transformer.encoder.norm")

    def decode(x: Any, crossed: Any, caches: Any = None) -> Any:
        for layer in range(layers):
            name = f"transformer.decoder.layers.{layer}"
            y = norm(x, f"{name}.norm1")
            keys, values = pair(f"{name}.self_attn", y)
            if caches is not None:
                if caches[layer] is not None:
                    keys, values = torch.cat([caches[layer][0], keys], 2), torch.cat([caches[layer][1], values], 2)
                caches[layer] = (keys, values)
            x = x + attend(f"{name}.self_attn", y, keys, values, caches is None)
            x = x + attend(f"{name}.cross_attn", norm(x, f"{name}.norm2"), *crossed[layer])
            x = x + feed(name, norm(x, f"{name}.norm3"))
        return norm(x, "transformer.decoder.norm") @ table.T

    def memory_of(source: Any) -> list[Any]:
        memory = encode(source)
        return [pair(f"transformer.decoder.layers.{layer}.cross_attn", memory) for layer in range(layers)]

    source, target = (torch.tensor(rows) for rows in batch(size))
    optimizer = torch.optim.Adam(weights.values(), 1e-6, (0.9, 0.98), 1e-9)
    before = torch.cat([torch.zeros(ROWS, 1, dtype=torch.int64), target[:, :-1]], 1)

    def train() -> float:
        optimizer.zero_grad()
        scores = decode(embedded(before), memory_of(source))
        loss = F.cross_entropy(scores.view(-1, scores.shape[-1]), target.view(-1))
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    @torch.inference_mode()
    def search() -> list[list[int]]:
        crossed = [tuple(part.repeat_interleave(BEAMS, 0) for part in one) for one in memory_of(source[:SENTENCES])]
        caches: list[Any] = [None] * layers
        last = torch.zeros(SENTENCES * BEAMS, 1, dtype=torch.int64)
        totals = torch.full((SENTENCES, BEAMS), -math.inf)
        totals[:, 0] = 0
        tokens = torch.zeros(SENTENCES * BEAMS, 0, dtype=torch.int64)
        rows = torch.arange(SENTENCES)[:, None] * BEAMS
        for time in range(LONGEST - 1):
            scores = decode(embedded(last, time), crossed, caches)[:, 0]
            logs = F.log_softmax(scores, -1)
            logs[:, 1] = -math.inf
            words = logs.shape[-1]
            totals, places = (totals[:, :, None] + logs.view(SENTENCES, BEAMS, words)).flatten(1).topk(BEAMS)
            parents = (rows + places // words).flatten()
            last = (places % words).view(-1, 1)
            tokens = torch.cat([tokens[parents], last], 1)
            caches = [tuple(part[parents] for part in one) for one in caches]
        return tokens.view(SENTENCES, BEAMS, -1)[:, 0].tolist()

    return {"training step": train, "beam 4": search}


def ctranslate(size: str, file: str, threads: int) -> Steps:
    """Return CTranslate2's search with the same weights."""
    import ctranslate2
    import numpy as np

    numbers = SIZES[size]
    values = dict(np.load(file))
    spec = ctranslate2.specs.TransformerSpec.from_config((numbers["layers"],) * 2, numbers["n_head"], pre_norm=True)
    table = values["src_word_embedding.word_embedding.weight"].copy()
    known = table.copy()
    known[0] = 0
    positions = values["src_pos_embedding.pos_encoder.weight"]

    def norm(target: Any, name: str) -> None:
        target.gamma, target.beta = values[f"{name}.weight"], values[f"{name}.bias"]

    def linear(target: Any, *names: str) -> None:
        target.weight = np.concatenate([values[f"{name}.weight"].T for name in names])
        target.bias = np.concatenate([values[f"{name}.bias"] for name in names])

    for part, embeddings in (("encoder", spec.encoder.embeddings[0]), ("decoder", spec.decoder.embeddings)):
        side = getattr(spec, part)
        embeddings.weight = known
        side.position_encodings.encodings = positions
        norm(side.layer_norm, f"transformer.{part}.norm")
        for number, layer in enumerate(side.layer):
            name = f"transformer.{part}.layers.{number}"
            norms = iter(("norm1", "norm2", "norm3"))
            norm(layer.self_attention.layer_norm, f"{name}.{next(norms)}")
            own = f"{name}.self_attn"
            linear(layer.self_attention.linear[0], f"{own}.q_proj", f"{own}.k_proj", f"{own}.v_proj")
            linear(layer.self_attention.linear[1], f"{own}.out_proj")
            if part == "decoder":
                other = f"{name}.cross_attn"
                norm(layer.attention.layer_norm, f"{name}.{next(norms)}")
                linear(layer.attention.linear[0], f"{other}.q_proj")
                linear(layer.attention.linear[1], f"{other}.k_proj", f"{other}.v_proj")
                linear(layer.attention.linear[2], f"{other}.out_proj")
            norm(layer.ffn.layer_norm, f"{name}.{next(norms)}")
            linear(layer.ffn.linear_0, f"{name}.linear1")
            linear(layer.ffn.linear_1, f"{name}.linear2")
    spec.decoder.projection.weight = table
    words = ["<s>", "<e>", "<unk>", *(f"w{number}" for number in range(3, numbers["words"]))]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.eos_token = "<e>"
    spec.validate()
    with tempfile.TemporaryDirectory() as folder:
        spec.save(folder)
        translator = ctranslate2.Translator(folder, "cpu", intra_threads=threads, inter_threads=1)
    sentences = [[words[number] for number in row] for row in batch(size)[0][:SENTENCES].tolist()]
    places = {word: number for number, word in enumerate(words)}

    def search() -> list[list[int]]:
        found = translator.translate_batch(
            sentences, beam_size=BEAMS, length_penalty=0.0, min_decoding_length=LONGEST - 1,
            max_decoding_length=LONGEST - 1, max_batch_size=SENTENCES, disable_unk=False,
        )  # fmt: skip
        return [[places[word] for word in one.hypotheses[0]] for one in found]

    return {"beam 4": search}
