"""Networks on words: what Fluid 1.8.5 computes with the same weights, published sizes, texts without words."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.registry import WORD_NETWORKS, create_model
from tests.parity.recipe import uniform

STORED = Path(__file__).parents[2] / "parity" / "PaddleNLP" / "fluid_word_networks.npz"
TEXTS = [[3, 9, 1, 7, 7], [12], [5, 0, 29, 28, 4, 4, 8, 2]]
WORDS = 30
SMALL = {
    "senta_bow": {"inner_size": 5},
    "senta_cnn": {"filters": 5},
    "textcnn": {"filters": 5},
}
"""Settings with which make_fluid_word_networks.py made its nets, besides 30 words, vectors of 6, and 4 results."""

COUNTS = {
    "senta_bow": 33256 * 128 + (128 * 128 + 128) + (128 * 96 + 96) + (96 * 2 + 2),
    "senta_cnn": 33256 * 128 + (3 * 128 * 128 + 128) + (128 * 96 + 96) + (96 * 2 + 2),
    "textcnn": 240465 * 128 + (6 * 128 * 128 + 3 * 128) + (384 * 96 + 96) + (96 * 2 + 2),
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


def small(name: str, values: dict[str, np.ndarray]) -> Any:
    settings = {"vocab_size": WORDS, "emb_dim": 6, "hidden_size": 4, **SMALL[name]}
    model = create_model(name, num_classes=2, **settings)
    given = model.encoder.renamed(values)
    prefix = model.base_model_prefix
    whole = {key if key.startswith("classifier.") else f"{prefix}.{key}": value for key, value in given.items()}
    assert whole.keys() == model.state_dict().keys()
    model.set_state_dict(whole)
    return model.eval() or model


@pytest.mark.parametrize("name", SMALL)
def test_they_compute_what_fluid_computes(name: str) -> None:
    wanted, values = official(name)
    model = small(name, values)
    np.testing.assert_allclose(model(padded(TEXTS)).numpy(), wanted, atol=2e-6)
    mask = core.to_tensor(np.arange(9) < np.array([[5], [1], [8]]))
    filled = core.to_tensor(np.where(mask.numpy(), padded(TEXTS).numpy(), 0))  # as official batches are filled
    np.testing.assert_allclose(model(filled, attention_mask=mask).numpy(), wanted, atol=2e-6)


@pytest.mark.parametrize("name", SMALL)
def test_a_text_without_words_has_no_part_in_its_batch(name: str) -> None:
    wanted, values = official(name)
    model = small(name, values)
    found = model(padded([*TEXTS, []])).numpy()
    np.testing.assert_allclose(found[:3], wanted, atol=2e-6)
    tokens, pooled = model.encoder(padded([[]]))
    assert np.isfinite(found[3]).all() and np.isfinite(tokens.numpy()).all() and pooled.shape == [1, 4]


@pytest.mark.parametrize("name", COUNTS)
def test_published_sizes(name: str) -> None:
    with core.LazyGuard():
        model = create_model(name, num_classes=2)
    assert sum(one.size for one in model.parameters()) == COUNTS[name]


def test_hub_and_later_names_are_known() -> None:
    model = create_model("senta_bow", vocab_size=5)
    values = {"@HUB_senta_bow@embedding_0.w_0": np.zeros(1), "fc_2.b_0": np.ones(1), "moment": np.ones(1)}
    assert list(model.encoder.renamed(values)) == ["word_embeddings.weight", "classifier.bias", "moment"]
    values = {"embedder.weight": np.zeros(1), "fc1.bias": np.ones(1), "output_layer.weight": np.ones(1)}
    assert list(model.encoder.renamed(values)) == ["word_embeddings.weight", "fc1.bias", "classifier.weight"]


def test_every_one_is_compared() -> None:
    assert set(WORD_NETWORKS) == set(SMALL) == set(COUNTS)
