"""DAM: its formulas in NumPy, gradients, published size, names in old files."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import core
from core.weights import write_pdparams
from PaddleNLP.models.dialogue import dam
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.dialogue.oracle import Values, check_loss_gradients, count, drawn, linear, norm, softmax

SMALL: Any = {"vocab_size": 12, "emb_dim": 6, "stacks": 1, "turns": 2, "max_length": 4, "channels": [3, 2]}
TALKS = [([[3, 9, 1], [7]], [2, 5, 5, 1]), ([[4, 4, 8, 2], []], [11])]
"""Turns and a response each; word 12 is padding."""


def ids_of(talks: Any = TALKS, length: int = 4) -> np.ndarray:
    rows = [[*turns, response] for turns, response in talks]
    return np.array([[row + [12] * (length - len(row)) for row in talk] for talk in rows], np.int64)


def block(query: np.ndarray, key: np.ndarray, there: np.ndarray, values: Values, name: str) -> np.ndarray:
    scores = query @ key.T / np.sqrt(query.shape[1]) * there - (1 - there) * (2.0**32 - 1)
    y = norm(query + softmax(scores) @ key, values, f"{name}.norm0")
    inner = np.maximum(linear(y, values, f"{name}.fc0"), 0)
    return norm(y + linear(inner, values, f"{name}.fc1"), values, f"{name}.norm1")


def volume(x: np.ndarray, values: Values, name: str) -> np.ndarray:
    """Return ELU of a convolution of 3 x 3 x 3, and the largest of each 3 x 3 x 3 of its results."""
    view: Any = np.lib.stride_tricks.sliding_window_view
    weight, bias = values[f"{name}.weight"], values[f"{name}.bias"]
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (1, 1)])
    windows = view(padded, (3, 3, 3), (1, 2, 3))
    y = np.einsum("cdhwijk,ocijk->odhw", windows, weight) + bias[:, None, None, None]
    y = np.where(y > 0, y, np.expm1(np.minimum(y, 0)))
    y = np.pad(y, [(0, 0), (1, 1), (1, 1), (1, 1)], constant_values=-np.inf)
    windows = view(y, (3, 3, 3), (1, 2, 3))[:, ::3, ::3, ::3]
    return np.asarray(windows.max((-1, -2, -3)))


def expected_logit(turns: list[list[int]], response: list[int], values: Values, length: int = 4) -> float:
    table = values["dam.word_embeddings.weight"]

    def text(words: list[int]) -> tuple[np.ndarray, np.ndarray]:
        rest = length - len(words)
        return table[words + [0] * rest], np.array([1.0] * len(words) + [0.0] * rest)

    reply, own = text(response)
    replies = [reply, block(reply, reply, np.outer(own, own), values, "dam.response_self.0")]
    channels = []
    for said in turns:
        turn, there = text(said)
        depths = [turn, block(turn, turn, np.outer(there, there), values, "dam.turn_self.0")]
        cross = [
            block(depths[i], replies[i], np.outer(there, own), values, f"dam.turn_to_response.{i}")
            @ block(replies[i], depths[i], np.outer(own, there), values, f"dam.response_to_turn.{i}").T
            for i in range(2)
        ]
        channels.append(np.stack([*cross, *(one @ other.T for one, other in zip(depths, replies))]) / np.sqrt(200))
    similar = np.stack(channels, axis=1)
    for name in ("conv0", "conv1"):
        similar = volume(similar, values, name)
    return float(linear(similar.reshape(-1), values, "classifier")[0])


@pytest.fixture
def model() -> Any:
    return create_model("dam", "response_matching", **SMALL)


def test_it_computes_the_formulas(model: Any) -> None:
    values = drawn(model)
    logits = model(core.to_tensor(ids_of())).numpy()
    assert logits[:, 0].tolist() == [0, 0]
    expected = np.array([expected_logit(*talk, values) for talk in TALKS])
    np.testing.assert_allclose(logits[:, 1], expected, atol=1e-5)
    shorter = model(core.to_tensor(ids_of(TALKS[1:])[:, :, :4])).numpy()  # the batch does not matter
    np.testing.assert_allclose(shorter[0], logits[1], atol=1e-6)
    loss = model.loss(core.to_tensor(logits), core.to_tensor([1, 0]))
    assert loss.item() == pytest.approx(np.log1p(np.exp([-expected[0], expected[1]])).mean(), abs=1e-5)


def test_filters_may_be_pooled_in_parts(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn(model)
    whole = model(core.to_tensor(ids_of())).numpy()
    monkeypatch.setattr(dam, "FILTERS", 2)
    np.testing.assert_allclose(model(core.to_tensor(ids_of())).numpy(), whole, atol=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_recomputing_changes_no_number(model: Any, compiled: bool) -> None:
    again = create_model("dam", "response_matching", recompute=True, **SMALL)
    drawn(model)
    again.set_state_dict(model.state_dict())
    ids, labels, found = core.to_tensor(ids_of()), core.to_tensor([1, 0]), []
    for one in (model, again):
        loss = lambda ids, labels, one=one: one.loss(one(ids), labels)  # noqa: E731
        value = (core.jit.to_static(loss) if compiled else loss)(ids, labels)
        value.backward()
        found.append([value.numpy(), *(parameter.grad.numpy() for parameter in one.parameters())])
    for plain, other in zip(*found):
        np.testing.assert_allclose(other, plain, atol=1e-6)


def test_a_sample_counts_ten_at_most(model: Any) -> None:
    logits = core.to_tensor(np.array([[0, -25.0], [0, 2.0]], np.float32))
    assert model.loss(logits, core.to_tensor([1, 1])).item() == pytest.approx((10 + np.log1p(np.exp(-2.0))) / 2)


def test_gradients(model: Any) -> None:
    drawn(model)
    ids, labels = core.to_tensor(ids_of()), core.to_tensor([1, 0])
    check_loss_gradients(model, lambda: model.loss(model(ids), labels))


def test_published_size() -> None:
    with core.LazyGuard():
        model = create_model("dam", "response_matching")
    block_size = 2 * (200 * 200 + 200) + 4 * 200
    convs = (12 * 32 * 27 + 32) + (32 * 16 * 27 + 16) + (16 * 6 * 6 + 1)
    assert count(model) == 434513 * 200 + 22 * block_size + convs == 88_713_817


def test_a_file_of_fluid_loads(model: Any, tmp_path: Any) -> None:
    values = {name: value.astype(np.float32) for name, value in drawn(model).items()}
    names = model.encoder.official_names()
    assert names["fc_22.w_0"] == "classifier.weight"  # behind 2 of the response, and 10 of each turn
    heads = re.compile("conv|classifier")
    given = {old: values[new if heads.match(new) else f"dam.{new}"] for old, new in names.items()}
    assert len(given) == len(values)
    write_pdparams(given, tmp_path / "dam.pdparams")
    other = create_model("dam", "response_matching", pretrained=tmp_path / "dam.pdparams", **SMALL)
    ids = core.to_tensor(ids_of())
    model.eval(), other.eval()
    np.testing.assert_array_equal(other(ids).numpy(), model(ids).numpy())
