"""Beam search against the official one, and the loop with a decoder of one's own."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.kernels.dispatch.errors import OperatorError

_spec = importlib.util.spec_from_file_location("decode_cases", Path(__file__).parent / "decode_cases.py")
assert _spec is not None and _spec.loader is not None
decode_cases = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = decode_cases
_spec.loader.exec_module(decode_cases)

STORED = np.load(decode_cases.STORED)


@pytest.mark.parametrize("kind", ["GRU", "LSTM"])
@pytest.mark.parametrize("name", list(decode_cases.CASES))
def test_the_official_beams(name: str, kind: str) -> None:
    for i, got in enumerate(decode_cases.run(core, kind, decode_cases.CASES[name])):
        expected = STORED[f"{kind} {name}/{i}"]
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["GRU", "LSTM"])
def test_a_program_finds_the_same_beams_in_one_loop(kind: str) -> None:
    generator = np.random.default_rng(12)
    embedding, output, cell = nn.Embedding(7, 5), nn.Linear(5, 7), getattr(nn, f"{kind}Cell")(5, 5)
    for layer in (embedding, output, cell):
        for parameter in layer.parameters():
            parameter.set_value(generator.normal(0, 2, parameter.shape).astype("float32"))
    calls = []

    def counted(inputs: Any, states: Any) -> Any:
        calls.append(1)
        return cell(inputs, states)

    decoder = nn.BeamSearchDecoder(counted, 0, 1, 4, embedding, output)
    first = core.to_tensor(generator.normal(size=(3, 5)).astype("float32"))

    def decode(first: Any) -> Any:
        states = first if kind == "GRU" else (first, first * 0.5)
        tokens, last, lengths = nn.dynamic_decode(decoder, states, max_step_num=24, return_length=True)
        return tokens, lengths, last.log_probs

    eager = decode(first)
    steps = eager[0].shape[1]
    assert 1 < steps == len(calls) <= 25
    compiled = core.jit.to_static(decode)
    calls.clear()
    tokens, lengths, scores = compiled(first)
    assert len(calls) <= 3 and tokens.shape[1] == 25
    np.testing.assert_array_equal(tokens.numpy()[:, :steps], eager[0].numpy())
    assert (tokens.numpy()[:, steps:] == 1).all()
    np.testing.assert_array_equal(lengths.numpy(), eager[1].numpy())
    np.testing.assert_allclose(scores.numpy(), eager[2].numpy(), rtol=1e-5)
    calls.clear()
    compiled(first * 0.5)
    assert not calls
    with pytest.raises(OperatorError, match="a compiled program needs max_step_num"):
        core.jit.to_static(lambda x: nn.dynamic_decode(decoder, x)[0])(first)


class Countdown:
    """Counts each sample down to 0 and says so; keeps no track of ends itself."""

    def initialize(self, inits: core.Tensor) -> tuple[Any, ...]:
        return inits, inits, inits <= 0

    def step(self, time: core.Tensor, inputs: core.Tensor, states: core.Tensor, by: int = 1) -> tuple[Any, ...]:
        states = states - by
        return {"left": states}, states, inputs, states <= 0


def test_a_decoder_of_ones_own() -> None:
    start = core.to_tensor([3, 1, 2])
    outputs, states, lengths = nn.dynamic_decode(Countdown(), start, return_length=True)
    assert outputs["left"].tolist() == [[2, 1, 0], [0, -1, -2], [1, 0, -1]]
    assert lengths.tolist() == [3, 1, 2] and states.tolist() == [0, -2, -1]
    outputs, states = nn.dynamic_decode(Countdown(), start, impute_finished=True, output_time_major=True)
    assert states.tolist() == [0, 0, 0] and outputs["left"].shape == [3, 3]
    outputs, _ = nn.dynamic_decode(Countdown(), start, max_step_num=0, by=2)
    assert outputs["left"].tolist() == [[1], [-1], [0]]


def test_samples_are_repeated_for_their_beams() -> None:
    tiled = nn.BeamSearchDecoder.tile_beam_merge_with_batch(core.arange(4).reshape([2, 2]), 3)
    assert tiled.tolist() == [[0, 1]] * 3 + [[2, 3]] * 3


def test_messages() -> None:
    with pytest.raises(OperatorError, match="all sequences have ended before the first step"):
        nn.dynamic_decode(Countdown(), core.to_tensor([0]))
    decoder = nn.BeamSearchDecoder(lambda inputs, states: (inputs, states), 0, 1, 2)
    with pytest.raises(TypeError, match="states are Tensors in tuples, lists and dicts, not int"):
        decoder.initialize(3)
    with pytest.raises(OperatorError, match="the cell's states hold no tensor"):
        decoder.initialize([])


def test_a_subclass_builds_its_step_of_the_protected_methods() -> None:
    weights = core.to_tensor(np.random.RandomState(0).randn(4, 5).astype("float32"))

    def cell(tokens: core.Tensor, state: core.Tensor) -> tuple[core.Tensor, core.Tensor]:
        state = core.tanh(state + nn.functional.one_hot(tokens, 4))
        return state.matmul(weights), state

    class Own(nn.decode.BeamSearchDecoder):
        def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, ...]:
            outputs, after = cell(self._merge_batch_beams(inputs) % 4, self._merge_batch_beams(states.cell_states))
            found, state = self._beam_search_step(
                time, self._split_batch_beams(outputs), self._split_batch_beams(after), states
            )
            assert isinstance(found, self.OutputWrapper) and isinstance(state, self.StateWrapper)
            return found, state, found.predicted_ids, state.finished

    start = core.to_tensor(np.random.RandomState(1).randn(2, 4).astype("float32"))
    usual = nn.BeamSearchDecoder(lambda tokens, state: cell(tokens % 4, state), 0, 1, 3)
    own, theirs = (nn.dynamic_decode(decoder, start, max_step_num=4)[0] for decoder in (Own(None, 0, 1, 3), usual))
    assert own.tolist() == theirs.tolist() and own.shape[0] == 2 and own.shape[2] == 3
    batched = usual._expand_to_beam_size(start)
    assert batched.shape == [2, 3, 4] and (batched[:, 2] == start).all()
    masked = usual._mask_probs(core.zeros([1, 2, 3]), core.to_tensor([[True, False]]))
    assert masked.tolist() == [[[-1e9, 0.0, -1e9], [0.0, 0.0, 0.0]]]


def test_a_decoder_that_lacks_a_method_says_which() -> None:
    with pytest.raises(NotImplementedError, match=r"Decoder does not define initialize\(inits\)"):
        nn.dynamic_decode(nn.decode.Decoder())
    with pytest.raises(NotImplementedError, match=r"Decoder does not define step\(time, inputs, states\)"):
        nn.decode.Decoder().step(0, None, None)
