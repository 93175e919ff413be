"""LAC's network: what Fluid 1.8.5 and paddlenlp 2.8.1 compute with the same weights, published sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.words.test_networks import STORED, TEXTS, WORDS, official, padded

TAGS = 7
LENGTHS = [len(text) for text in TEXTS]
PLACES = [(row, place) for row, length in enumerate(LENGTHS) for place in range(length)]
LAST = np.cumsum(LENGTHS) - 1


def small(cell: str, values: dict[str, np.ndarray]) -> Any:
    """Return a net with official weights."""
    model = create_model("lac", "crf_token_classification", TAGS, vocab_size=WORDS, emb_dim=6, units=5, cell=cell)
    heads = tuple(f"{name}." for name in model.head_names)
    given = model.encoder.renamed(values)
    whole = {key if key.startswith(heads) else f"lac.{key}": value for key, value in given.items()}
    whole["crf_loss.crf.transitions"] = whole["crf.transitions"]
    assert whole.keys() == {name for name in model.state_dict() if ".cell_" not in name}  # cuDNN's stand there twice
    model.set_state_dict(whole)
    return model.eval() or model


def test_it_computes_what_fluid_computes() -> None:
    stored = np.load(STORED)
    _, values = official("lac")
    model = small("fluid", values)
    ids = padded([*TEXTS, []])
    emissions, lengths = model.emissions(ids), model.lengths(ids)
    found = np.array([emissions.numpy()[place] for place in PLACES])
    np.testing.assert_allclose(found, stored["lac"], atol=2e-6)
    path = model(ids).numpy()
    assert [path[place] for place in PLACES] == stored["lac path"].reshape(-1).tolist()
    labels = np.zeros((4, 9), np.int64)
    for place, tag in zip(PLACES, stored["lac"].argmax(axis=1)):
        labels[place] = tag
    loss = model.crf_loss(emissions, lengths, core.to_tensor(labels)).numpy()
    np.testing.assert_allclose(loss, [*stored["lac loss"].reshape(-1), 0], rtol=1e-5)
    assert model.loss(emissions, core.to_tensor(labels), lengths).item() == pytest.approx(loss.mean())


def test_it_computes_what_paddlenlp_computes() -> None:
    stored = np.load(STORED.with_name("paddlenlp_lac.npz"))
    values = {name.partition(" ")[2]: value for name, value in stored.items() if name.startswith("weight ")}
    model = small("paddle", values)
    ids = padded(TEXTS)
    emissions = model.emissions(ids).numpy()
    for row, length in enumerate(LENGTHS):
        np.testing.assert_allclose(emissions[row, :length], stored["emissions"][row, :length], atol=2e-6)
        path = stored["path"][row, :length]
        if path.max() < TAGS:  # paddlenlp may say that a text is its own end
            assert model(ids).numpy()[row, :length].tolist() == path.tolist()
    assert model(ids).numpy().max() < TAGS <= stored["path"].max()


@pytest.mark.parametrize("units", [128, 768])
@pytest.mark.parametrize("cell", ["fluid", "paddle"])
def test_published_sizes(cell: str, units: int) -> None:
    with core.LazyGuard():
        model = create_model("lac", "crf_token_classification", 57, emb_dim=units, units=units, cell=cell)
    count = sum({id(one): one.size for one in model.parameters()}.values())
    biases = {"fluid": 6, "paddle": 6}[cell]
    layers = sum(2 * (size * 3 * units + units * 3 * units + biases * units) for size in (units, 2 * units))
    tags = 57 if cell == "fluid" else 59
    chain = 59 * 57 if cell == "fluid" else 59 * 59
    assert count == 20940 * units + layers + (2 * units * tags + tags) + chain


@pytest.mark.parametrize("cell", ["fluid", "paddle"])
def test_numbers_are_dropped_in_training_alone(cell: str) -> None:
    settings: Any = {"vocab_size": WORDS, "emb_dim": 6, "units": 5, "cell": cell}
    plain = create_model("lac", "crf_token_classification", TAGS, **settings)
    model = create_model("lac", "crf_token_classification", TAGS, hidden_dropout_prob=0.5, **settings)
    model.set_state_dict(plain.state_dict())
    plain.eval()
    ids = padded(TEXTS)
    expected = plain.emissions(ids).numpy()
    model.train()
    core.seed(0)
    assert not np.allclose(model.emissions(ids).numpy(), expected)
    model.eval()
    np.testing.assert_array_equal(model.emissions(ids).numpy(), expected)
