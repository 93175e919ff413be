"""The best path through a chain of tags, against a search through all paths and stored answers of Paddle 2.6.2."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.text import ViterbiDecoder, viterbi_decode

RNG = np.random.default_rng(0)
SCORES = RNG.standard_normal((3, 5, 4)).astype("float32")
MOVES = RNG.standard_normal((4, 4)).astype("float32")
LENGTHS = np.array([5, 2, 3])
T = core.to_tensor
PADDLE = {  # paddle.text.viterbi_decode of the same arrays
    True: ([7.884058, 3.326992, 9.25078], [[0, 2, 3, 2, 3], [2, 0, 0, 0, 0], [2, 3, 0, 0, 0]]),
    False: ([6.2582235, 2.5989032, 7.6001396], [[3, 2, 3, 2, 3], [1, 0, 0, 0, 0], [1, 3, 0, 0, 0]]),
}


def best(scores: np.ndarray, length: int, tagged: bool) -> tuple[float, tuple[int, ...]]:
    def total(path: tuple[int, ...]) -> float:
        parts = sum(scores[i, tag] for i, tag in enumerate(path)) + sum(MOVES[a, b] for a, b in zip(path, path[1:]))
        return float(parts + (MOVES[-1, path[0]] + MOVES[-2, path[-1]] if tagged else 0))

    path = max(itertools.product(range(4), repeat=length), key=total)
    return total(path), path


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("tagged", [True, False])
def test_the_best_of_all_paths(tagged: bool, dtype: str) -> None:
    scores, paths = viterbi_decode(T(SCORES.astype(dtype)), T(MOVES.astype(dtype)), T(LENGTHS), tagged)
    assert (scores.dtype, paths.dtype, scores.stop_gradient) == (dtype, "int64", True)
    np.testing.assert_allclose(scores.numpy(), PADDLE[tagged][0], rtol=1e-6)
    np.testing.assert_array_equal(paths.numpy(), PADDLE[tagged][1])
    for row, length in enumerate(LENGTHS):
        value, path = best(SCORES[row], length, tagged)
        np.testing.assert_allclose(scores.numpy()[row], value, rtol=1e-5)
        np.testing.assert_array_equal(paths.numpy()[row, :length], path)


def test_paths_are_as_long_as_the_longest_sequence() -> None:
    for lengths, scores, paths in (  # of Paddle
        ([2, 2, 1], [3.2309115, 2.5989032, 1.5139238], [[3, 2], [1, 0], [1, 0]]),
        ([0, 1, 2], [0.64042264, 1.3664634, 4.7945433], [[0, 0], [1, 0], [1, 3]]),
    ):
        found = viterbi_decode(T(SCORES), T(MOVES), T(np.array(lengths)), False)
        np.testing.assert_allclose(found[0].numpy(), scores, rtol=1e-6)
        np.testing.assert_array_equal(found[1].numpy(), paths)


def test_the_first_of_equals_wins() -> None:
    scores, paths = viterbi_decode(core.zeros([1, 3, 4]), core.zeros([4, 4]), T(np.array([3])))
    assert paths.tolist() == [[0, 0, 0]] and scores.tolist() == [0.0]


class Tagger(core.nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.transitions = self.create_parameter([4, 4])
        self.transitions.set_value(MOVES)
        self.decoder = ViterbiDecoder(self.transitions)

    def forward(self, potentials: Any, lengths: Any) -> Any:
        return self.decoder(potentials, lengths)


def test_a_decoder_compiles_and_is_loaded_elsewhere(tmp_path: Path) -> None:
    tagger = Tagger()
    assert list(tagger.state_dict()) == ["transitions", "decoder.transitions"]
    compiled = core.jit.to_static(tagger)
    scores, paths = compiled(T(SCORES), T(LENGTHS))
    np.testing.assert_array_equal(paths.numpy(), PADDLE[True][1])
    core.jit.save(Tagger(), str(tmp_path / "tagger"), [T(SCORES), T(LENGTHS)])
    np.save(tmp_path / "scores.npy", SCORES)
    code = (
        "import sys, numpy as np, core\n"
        "program = core.jit.load(sys.argv[1] + '/tagger')\n"
        "scores = core.to_tensor(np.load(sys.argv[1] + '/scores.npy'))\n"
        "print(program(scores, core.to_tensor(np.array([2, 4, 1])))[1].tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    expected = viterbi_decode(T(SCORES), T(MOVES), T(np.array([2, 4, 1])))[1].tolist()
    assert done.stdout.strip() == str([[*path, 0] for path in expected])  # a program cannot cut by what it computes


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ((T(SCORES), T(MOVES[:3]), T(LENGTHS)), OperatorError, r"got \[3, 5, 4\], \[3, 4\], \[3\]"),
        ((T(SCORES), T(MOVES), T(LENGTHS[:2])), OperatorError, r"\(batch,\), got"),
        ((T(SCORES[0]), T(MOVES), T(LENGTHS)), OperatorError, r"potentials, transition_params and lengths are"),
        ((T(SCORES), T(MOVES), T(np.array([6, 1, 1]))), OperatorError, "lengths are from 0 to 5, got 1 to 6"),
        ((T(SCORES), T(MOVES), T(np.array([-1, 1, 1]))), OperatorError, "lengths are from 0 to 5, got -1 to 1"),
        ((T(SCORES), T(MOVES), T(LENGTHS.astype("int32"))), OperatorTypeError, "lengths are int64, got int32"),
        ((T(LENGTHS), T(MOVES), T(LENGTHS)), OperatorTypeError, "viterbi_decode: .*floating-point"),
        ((T(SCORES[:, :0]), T(MOVES), T(LENGTHS)), OperatorError, "have no step"),
        ((T(SCORES[:, :, :1]), T(MOVES[:1, :1]), T(LENGTHS)), OperatorError, "no tags for start and end"),
    ],
)
def test_messages(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        viterbi_decode(*arguments)
