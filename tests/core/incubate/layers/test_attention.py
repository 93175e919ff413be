"""Attention of recurrent decoders, and the cell that is fed with it, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.incubate.layers import Attention, InputFeedingCell
from core.kernels.dispatch.errors import OperatorError
from core.text import Generation, generate
from core.text.generation import repeat_rows
from tests.core.gradient_check import check_gradients

T = core.to_tensor
RNG = np.random.default_rng(8)
QUERY, MEMORY = RNG.standard_normal((3, 4)), RNG.standard_normal((3, 5, 4))
LENGTHS = np.array([5, 0, 2])


def weights_of(layer: Attention, query: np.ndarray, memory: np.ndarray, length: int) -> np.ndarray:
    """Return the weights of one sample's steps by NumPy."""
    state = {name: value.numpy() for name, value in layer.state_dict().items()}
    steps = memory[:length]
    if layer.kind == "dot":
        scores = steps @ query
    elif layer.kind == "general":
        scores = steps @ state["memory_proj.weight"] @ query
    else:
        compared = np.tanh(
            query @ state["query_proj.weight"] + state["query_proj.bias"] + steps @ state["memory_proj.weight"]
        )
        scores = (compared @ state["score_proj.weight"])[:, 0]
    shares = np.exp(scores - scores.max(initial=0))
    return np.concatenate([shares / shares.sum() if length else shares, np.zeros(len(memory) - length)])


@pytest.mark.parametrize("kind", ["general", "dot", "additive"])
def test_weights_and_sums_are_those_of_numpy(kind: str) -> None:
    layer = Attention(4, 4, kind, attention_size=3)
    attended, weights = layer(T(QUERY.astype("float32")), T(MEMORY.astype("float32")), T(LENGTHS))
    for row, length in enumerate(LENGTHS):
        expected = weights_of(layer, QUERY[row], MEMORY[row], int(length))
        np.testing.assert_allclose(weights.numpy()[row], expected, atol=1e-6)
        np.testing.assert_allclose(attended.numpy()[row], expected @ MEMORY[row], atol=1e-5)
    full = layer(T(QUERY.astype("float32")), T(MEMORY.astype("float32")))[1].numpy()
    np.testing.assert_allclose(full[1], weights_of(layer, QUERY[1], MEMORY[1], 5), atol=1e-6)


def test_gradients() -> None:
    layer = Attention(2, 2, "dot")
    lengths = T(np.array([3, 0]))
    check_gradients(lambda q, m: layer(q, m, lengths), QUERY[:2, :2], MEMORY[:2, :3, :2])


class Translator(nn.Layer):
    """An encoder, and a decoder of two fed cells."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(6, 3)
        self.cell = InputFeedingCell([nn.LSTMCell(7, 4), nn.LSTMCell(4, 4)], Attention(4, 4), 4)
        self.decoder = nn.RNN(self.cell)
        self.output = nn.Linear(4, 6)

    def forward(self, words: Any, memory: Any, lengths: Any) -> Any:
        """Return scores of the next words behind given ones."""
        states = self.cell.first_states([(memory[:, 0], memory[:, 1])] * 2, memory.shape[0])
        return self.output(self.decoder(self.words(words), states, memory=memory, lengths=lengths)[0])

    def translate(self, memory: Any, lengths: Any) -> Any:
        """Return the best words by beam search."""
        settings = Generation(0, 1, 4, "beam", 3)
        wide, long = repeat_rows(memory, 3), repeat_rows(lengths, 3)
        keys = self.cell.attention.keys(wide)

        def step(last: Any, time: Any, states: Any) -> Any:
            output, states = self.cell(self.words(last), states, wide, long, keys)
            return self.output(output), states

        states = self.cell.first_states([(memory[:, 0], memory[:, 1])] * 2, memory.shape[0])
        return generate(step, states, memory.shape[0], settings)


def test_a_fed_cell_trains_and_generates_with_equal_scores() -> None:
    model, memory = Translator(), T(MEMORY.astype("float32"))
    found = core.jit.to_static(model.translate)(memory, T(LENGTHS))
    for k in range(3):
        tokens = found.tokens[:, k]
        given = core.concat([tokens[:, :1] * 0, tokens[:, :-1]], axis=1)
        logs = nn.functional.log_softmax(model(given, memory, T(LENGTHS)), -1).numpy()
        chosen = np.take_along_axis(logs, tokens.numpy()[..., None], 2)[..., 0]
        within = np.arange(4) < found.lengths.numpy()[:, k, None]
        np.testing.assert_allclose((chosen * within).sum(1), found.scores.numpy()[:, k], rtol=1e-4)
    model(T(np.array([[0, 2, 3], [0, 4, 1], [0, 5, 5]])), memory, T(LENGTHS)).sum().backward()
    assert all(np.abs(one.grad.numpy()).max() > 0 for one in model.parameters())


def test_messages() -> None:
    with pytest.raises(ValueError, match="kind is 'general', 'dot' or 'additive', not 'max'"):
        Attention(4, 4, "max")
    with pytest.raises(ValueError, match="kind='dot' needs equal sizes, got 4 and 3"):
        Attention(4, 3, "dot")
    with pytest.raises(ValueError, match="cells are the recurrent cells, at least one"):
        InputFeedingCell([], Attention(4, 4), 4)
    with pytest.raises(OperatorError, match=r"query is \(N, Q\) and memory \(N, L, M\), got \[2, 4\], \[3, 5, 4\]"):
        Attention(4, 4)(core.zeros([2, 4]), core.zeros([3, 5, 4]))
