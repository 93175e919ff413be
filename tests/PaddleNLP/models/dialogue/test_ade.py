"""ADE: its formulas in NumPy, both losses, gradients, published size, the second stage from the first one's weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.weights import write_pdparams
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.dialogue.oracle import Values, check_loss_gradients, count, drawn, linear, sigmoid

SMALL: Any = {"vocab_size": 12, "emb_dim": 5, "units": 4}
PAIRS = [([3, 9, 1], [7, 2]), ([4], [8, 8, 2, 5])]


def ids_of() -> Any:
    return core.to_tensor(np.array([[row + [12] * (4 - len(row)) for row in pair] for pair in PAIRS], np.int64))


def last_state(words: list[int], values: Values) -> np.ndarray:
    """Return the last state of Fluid's LSTM with peepholes: candidate, input, forget, output."""
    weight, bias = values["ade.lstm.weight"], values["ade.lstm.bias"].reshape(-1)
    size = len(weight)
    state, memory, (own, kept, out) = np.zeros(size), np.zeros(size), bias[4 * size :].reshape(3, size)
    for word in words:
        x = linear(values["ade.word_embeddings.weight"][word], values, "ade.fc") + bias[: 4 * size] + state @ weight
        new, entry, forget, exit_ = x.reshape(4, size)
        memory = sigmoid(forget + kept * memory) * memory + sigmoid(entry + own * memory) * np.tanh(new)
        state = sigmoid(exit_ + out * memory) * np.tanh(memory)
    return np.asarray(state)


def expected(values: Values) -> np.ndarray:
    found = [
        last_state(context, values) @ values["bilinear.weight"][0] @ last_state(response, values)
        for context, response in PAIRS
    ]
    return np.array(found) + values["bilinear.bias"][0, 0]


def test_it_computes_the_formulas() -> None:
    model = create_model("ade", "response_matching", **SMALL)
    values = drawn(model)
    logits = model(ids_of())
    np.testing.assert_allclose(logits.numpy()[:, 1], expected(values), atol=1e-5)
    loss = np.log1p(np.exp(np.array([-1, 1]) * expected(values))).mean()
    assert model.loss(logits, core.to_tensor([1, 0])).item() == pytest.approx(loss, abs=1e-6)


def test_the_second_stage_has_the_firsts_weights(tmp_path: Any) -> None:
    first = create_model("ade", "response_matching", **SMALL)
    values = drawn(first)
    write_pdparams({name: one.numpy() for name, one in first.state_dict().items()}, tmp_path / "first.pdparams")
    model = create_model("ade", "response_quality", pretrained=tmp_path / "first.pdparams", **SMALL)
    found = model(ids_of())
    np.testing.assert_allclose(found.numpy()[:, 0], 2 * sigmoid(expected(values)), atol=1e-5)
    labels = np.array([2.0, 0.5], np.float32)
    loss = ((2 * sigmoid(expected(values)) - labels) ** 2 / 4).mean()
    assert model.loss(found, core.to_tensor(labels)).item() == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize("task", ["response_matching", "response_quality"])
def test_gradients(task: str) -> None:
    model = create_model("ade", task, **SMALL)
    drawn(model)
    labels = core.to_tensor(np.array([1, 0], np.int64 if task == "response_matching" else np.float32))
    check_loss_gradients(model, lambda: model.loss(model(ids_of()), labels))


def test_published_size_and_names() -> None:
    with core.LazyGuard():
        model = create_model("ade", "response_matching")
    parts = (256 * 1024 + 1024) + (256 * 1024 + 7 * 256) + (256 * 256 + 1)
    assert count(model) == 484016 * 256 + parts == 124_500_737
    names = {new if new.startswith("bilinear") else f"ade.{new}" for new in model.encoder.official_names().values()}
    assert names == set(model.state_dict())
