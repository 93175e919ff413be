"""The recurrent encoder: padding changes nothing, and it computes what GRU layers compute."""

from __future__ import annotations

import numpy as np
import pytest

import core
from PaddleNLP.models.registry import create_model

SIZE = {"vocab_size": 30, "hidden_size": 8, "num_hidden_layers": 2}


def gru(inputs: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """Return the states of a GRU over (L, I) in NumPy; weights are those of inputs, of states, and their biases."""
    state, found = np.zeros(weights[1].shape[1]), []
    for row in inputs:
        given, kept = weights[0] @ row + weights[2], weights[1] @ state + weights[3]
        reset, update, new = np.split(given, 3)
        own = np.split(kept, 3)
        reset, update = 1 / (1 + np.exp(-(reset + own[0]))), 1 / (1 + np.exp(-(update + own[1])))
        state = update * state + (1 - update) * np.tanh(new + reset * own[2])
        found.append(state)
    return np.array(found)


def test_it_computes_what_gru_layers_compute() -> None:
    model = create_model("bigru", "encoder", **SIZE)
    model.eval()
    ids = np.array([[5, 9, 3, 7], [4, 8, 0, 0]])
    sequence, pooled = (one.numpy() for one in model(core.to_tensor(ids)))
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    for row, length in enumerate((4, 2)):
        expected = state["word_embeddings.weight"][ids[row, :length]]
        for layer in range(2):
            ways = []
            for suffix, step in (("", 1), ("_reverse", -1)):
                names = [f"gru.{kind}_l{layer}{suffix}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
                ways.append(gru(expected[::step], [state[name] for name in names])[::step])
            expected = np.concatenate(ways, axis=1)
        np.testing.assert_allclose(sequence[row, :length], expected, atol=1e-5)
        np.testing.assert_allclose(pooled[row], expected.max(axis=0), atol=1e-5)
    assert not sequence[1, 2:].any()


def test_an_odd_size_is_refused() -> None:
    with pytest.raises(ValueError, match="bigru: hidden_size must be even, as each direction gives half of it, not 7"):
        create_model("bigru", hidden_size=7)
