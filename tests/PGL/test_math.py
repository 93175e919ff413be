"""What PGL.math adds to pgl's own uses: second derivatives, compiled code, numbers of rows, and bad input."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from PGL import math
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

T = core.to_tensor
ROWS = np.random.default_rng(0).standard_normal((6, 2))
IDS = np.array([0, 0, 0, 2, 2, 5])


def test_softmax_derivatives_and_compilation() -> None:
    check_gradients(lambda x: math.segment_softmax(x, T(IDS)) ** 2, ROWS)
    check_compiled(lambda x, ids: math.segment_softmax(x, ids), ROWS, IDS)
    assert math.segment_softmax(core.zeros([0, 2]), core.zeros([0], "int64")).shape == [0, 2]


def test_padding_of_any_shape_and_of_nothing() -> None:
    padded, lengths, index = math.segment_padding(T(ROWS[:, 0]), T(IDS))
    assert padded.shape == [6, 3] and lengths.tolist() == [3, 0, 2, 0, 0, 1]
    np.testing.assert_array_equal(core.gather_nd(padded, index).numpy(), ROWS[:, 0])
    padded, lengths, index = math.segment_padding(core.zeros([0, 2]), core.zeros([0], "int64"))
    assert (padded.shape, lengths.shape, index.shape) == ([0, 0, 2], [0], [0, 2])
    check_gradients(lambda x: math.segment_padding(x, T(IDS))[0] ** 2, ROWS)


def test_topk_by_a_number_of_rows() -> None:
    scores = T([0.1, 0.3, 0.2, 0.5, 0.5, 0.0])
    for number, wanted in ((0, []), (1, [1, 3, 5]), (2, [1, 2, 3, 4, 5]), (9, [1, 2, 0, 3, 4, 5])):
        kept, index = math.segment_topk(T(ROWS), scores.reshape([6, 1]), T(IDS), number, return_index=True)
        assert index.tolist() == wanted
        np.testing.assert_array_equal(kept.numpy(), ROWS[wanted])
    assert math.segment_topk(T(ROWS), scores, T(IDS), 0.5).shape == [4, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: math.segment_pool(T(ROWS), T(IDS), "median"), "segment_pool: pool_type 'median' is unknown"),
        (lambda: math.segment_padding(T(ROWS), T(IDS[1:])), "segment_padding: .* one integer for each of 6 rows"),
        (lambda: math.segment_padding(T(ROWS), T(IDS[::-1].copy())), "segment_padding: .* and never fall"),
        (lambda: math.segment_padding(T(ROWS), T(IDS - 1)), "must start at 0 or above"),
        (lambda: math.segment_topk(T(ROWS), T(ROWS), T(IDS), 0.5), "scores must have one number for each of 6 rows"),
        (lambda: math.segment_topk(T(ROWS), T(ROWS[:, 0]), T(IDS), -0.5), "ratio -0.5 is negative"),
        (lambda: math.segment_softmax(T(ROWS), T(IDS[1:])), "segment_softmax: segment_ids must have one number per"),
        (lambda: math.segment_softmax(T(ROWS), T(IDS[::-1].copy())), "segment_softmax: .* never fall"),
        (lambda: math.segment_softmax(T(IDS), T(IDS)), "segment_softmax: .*int64"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
