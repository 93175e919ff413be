"""Networks on words: what Fluid 1.8.5 computes with the same weights, published sizes, texts without words."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.weights import write_pdparams
from PaddleNLP.models.registry import WORD_NETWORKS, create_model
from tests.parity.recipe import uniform

STORED = Path(__file__).parents[3] / "parity" / "PaddleNLP" / "references" / "fluid_word_networks.npz"
TEXTS = [[3, 9, 1, 7, 7], [12], [5, 0, 29, 28, 4, 4, 8, 2]]
OTHERS = [[3, 9, 2], [11, 6, 6, 20], [1]]
WORDS = 30
SENTA = {
    "senta_bow": {"inner_size": 5},
    "senta_cnn": {"filters": 5},
    "textcnn": {"filters": 5},
    "senta_lstm": {"units": 5},
    "senta_gru": {"units": 5},
    "senta_bilstm": {"units": 5},
}
SIMNET: dict[str, dict[str, int]] = {
    "simnet_bow": {},
    "simnet_cnn": {"filters": 5},
    "simnet_lstm": {"units": 5},
    "simnet_gru": {"units": 5},
    "simnet_mm_dnn": {"units": 5, "filters": 3, "max_length": 8},
}
"""Settings with which make/fluid_word_networks.py made its nets, besides 30 words, vectors of 6, and 4 results."""

RECURRENT = (128 * 512 + 512) + (128 * 512 + 7 * 128)
"""Parameters of a projection and an LSTM with peepholes."""

COUNTS = {
    "senta_bow": 33256 * 128 + (128 * 128 + 128) + (128 * 96 + 96) + (96 * 2 + 2),
    "senta_cnn": 33256 * 128 + (3 * 128 * 128 + 128) + (128 * 96 + 96) + (96 * 2 + 2),
    "textcnn": 240465 * 128 + (6 * 128 * 128 + 3 * 128) + (384 * 96 + 96) + (96 * 2 + 2),
    "senta_lstm": 33256 * 128 + RECURRENT + (128 * 96 + 96) + (96 * 2 + 2),
    "senta_gru": 33256 * 128 + 2 * (128 * 384 + 384) + (128 * 96 + 96) + (96 * 2 + 2),
    "senta_bilstm": 33256 * 128 + 2 * RECURRENT + (256 * 96 + 96) + (96 * 2 + 2),
    "simnet_bow": 33256 * 128 + (256 * 128 + 128) + (128 * 2 + 2),
    "simnet_cnn": 33256 * 128 + (3 * 128 * 256 + 2 * 256) + (512 * 128 + 128) + (128 * 2 + 2),
    "simnet_lstm": 33256 * 128 + RECURRENT + (256 * 128 + 128) + (128 * 2 + 2),
    "simnet_gru": 33256 * 128 + 2 * (128 * 384 + 384) + (256 * 128 + 128) + (128 * 2 + 2),
    "simnet_mm_dnn": 33256 * 128
    + 2 * (128 * 512 + 128 * 512 + 7 * 128)
    + (256 * 32 * 32 + 256)
    + (1024 * 128 + 128)
    + (128 * 2 + 2),
}
"""Parameters at the published sizes."""


def official(name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return what Fluid computed, and its parameters."""
    stored = np.load(STORED)
    values = {}
    for entry in stored[f"{name} parameters"].tolist():
        key, _, shape = entry.partition(" ")
        values[key] = uniform(f"fluid {key}", ast.literal_eval(shape), -0.7, 0.7)
    return stored[name], values


def padded(texts: list[list[int]], length: int = 9) -> Any:
    ids = np.full((len(texts), length), WORDS, np.int64)
    for row, text in zip(ids, texts):
        row[: len(text)] = text
    return core.to_tensor(ids)


def small(name: str, task: str, values: dict[str, np.ndarray]) -> Any:
    """Return a net of the official size with the official weights."""
    size = {"hidden_size": 4, **SENTA[name]} if name in SENTA else {"fc_size": 4, **SIMNET[name]}
    model = create_model(name, task, 2, vocab_size=WORDS, emb_dim=6, **size)
    given = model.encoder.renamed(values)
    heads = tuple(f"{head}." for head in model.head_names)
    whole = {key if key.startswith(heads) else f"{model.base_model_prefix}.{key}": one for key, one in given.items()}
    assert whole.keys() == model.state_dict().keys()
    model.set_state_dict(whole)
    return model.eval() or model


@pytest.mark.parametrize("name", SENTA)
def test_senta_s_compute_what_fluid_computes_whatever_is_beside_a_text(name: str) -> None:
    wanted, values = official(name)
    model = small(name, "sequence_classification", values)
    ids = padded([*TEXTS, []])  # a text without words has no part in its batch
    found = model(ids).numpy()
    np.testing.assert_allclose(found[:3], wanted, atol=2e-6)
    assert np.isfinite(found[3]).all()
    mask = np.arange(9) < np.array([[5], [1], [8], [0]])
    filled = core.to_tensor(np.where(mask, ids.numpy(), 0))  # as official batches are filled
    np.testing.assert_allclose(model(filled, attention_mask=core.to_tensor(mask)).numpy(), found, atol=2e-6)
    tokens, pooled = model.encoder(ids)
    assert tokens.shape == [4, 9, model.encoder.token_size] and pooled.shape == [4, 4]


@pytest.mark.parametrize("name", SIMNET)
def test_simnet_s_compute_what_fluid_computes(name: str) -> None:
    wanted, values = official(name)
    model = small(name, "pair_classification", values)
    ids = core.stack([padded([*TEXTS, []]), padded([*OTHERS, [4]])], axis=1)
    found = model(ids).numpy()
    np.testing.assert_allclose(found[:3], wanted, atol=2e-6)
    assert np.isfinite(found[3]).all()


def test_simnet_s_cosine_is_fluid_s() -> None:
    wanted, values = official("simnet_bow pairwise")
    model = small("simnet_bow", "similarity", values)
    ids = core.stack([padded(TEXTS), padded(OTHERS), padded(TEXTS)], axis=1)
    found = model(ids)
    np.testing.assert_allclose(found[:, :1].numpy(), wanted, atol=2e-6)
    np.testing.assert_allclose(found[:, 1].numpy(), 1, atol=2e-6)
    expected = np.maximum(0, 1 - wanted + 0.1).mean()
    assert model.loss(found).item() == pytest.approx(expected, rel=1e-5)


def test_bilstm_may_take_the_backward_state_that_has_seen_all_words() -> None:
    _, values = official("senta_bilstm")
    model = small("senta_bilstm", "sequence_classification", values)
    states = model.encoder(padded(TEXTS))[0].numpy()
    model.encoder.official_last_step = False
    pooled = model.encoder(padded(TEXTS))[1].numpy()
    last = np.concatenate([states[range(3), [4, 0, 7], :5], states[:, 0, 5:]], axis=1)
    expected = np.tanh(last @ values["fc_2.w_0"] + values["fc_2.b_0"])
    np.testing.assert_allclose(pooled, expected, atol=2e-6)


@pytest.mark.parametrize("name", COUNTS)
def test_published_sizes(name: str) -> None:
    with core.LazyGuard():
        model = create_model(name, "pair_classification" if name in SIMNET else "sequence_classification", 2)
    assert sum(one.size for one in model.parameters()) == COUNTS[name]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("senta_bow", "sequence_classification"),
        ("simnet_cnn", "pair_classification"),
        ("lac", "crf_token_classification"),
    ],
)
def test_official_files_load(name: str, task: str, tmp_path: Path) -> None:
    _, values = official(name)
    file = tmp_path / "official.pdparams"
    write_pdparams({f"@HUB_{name}@{key}": value for key, value in values.items()}, file)
    size = {"senta_bow": {"hidden_size": 4, "inner_size": 5}, "simnet_cnn": {"fc_size": 4, "filters": 5}}
    settings = {"vocab_size": WORDS, "emb_dim": 6, **size.get(name, {"units": 5})}
    model = create_model(name, task, 7 if name == "lac" else 2, pretrained=str(file), **settings)
    state = {key.replace(f"{name}.", "", 1): value.numpy() for key, value in model.state_dict().items()}
    for key, value in model.encoder.renamed(values).items():
        np.testing.assert_array_equal(state[key], value)
    with pytest.raises(ValueError, match="is of a vocabulary of 30 tokens, the model has 31: pass vocab_size=30"):
        create_model(name, task, 2, pretrained=str(file), **{**settings, "vocab_size": 31})


def test_hub_and_later_names_are_known() -> None:
    model = create_model("senta_bow", vocab_size=5)
    values = {"@HUB_senta_bow@embedding_0.w_0": np.zeros(1), "fc_2.b_0": np.ones(1), "moment": np.ones(1)}
    assert list(model.encoder.renamed(values)) == ["word_embeddings.weight", "classifier.bias", "moment"]
    values = {"embedder.weight": np.zeros(1), "fc1.bias": np.ones(1), "output_layer.weight": np.ones(1)}
    assert list(model.encoder.renamed(values)) == ["word_embeddings.weight", "fc1.bias", "classifier.weight"]


def test_every_one_is_compared() -> None:
    assert set(WORD_NETWORKS) == {*SENTA, *SIMNET, "lac"} == {*COUNTS, "lac"}  # test_lac.py
