"""Rearranging, diagonals and windows against numpy (core.operators.shape.arrangement, diagonals, views)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.nn import functional as F
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients
from tests.sampling import sampled

X = np.arange(24, dtype="float32").reshape(2, 3, 4)
T = core.to_tensor
DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]


def equal(tensor: core.Tensor, expected: Any) -> None:
    assert tensor.shape == list(np.shape(expected))
    np.testing.assert_array_equal(tensor.numpy(), expected)


SAME: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda x: core.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1)),
    (lambda x: core.moveaxis(x, [0, 2], [1, 0]), lambda x: np.moveaxis(x, [0, 2], [1, 0])),
    (lambda x: core.swapaxes(x, 0, -1), lambda x: np.swapaxes(x, 0, -1)),
    (lambda x: x.T, lambda x: x.T),
    (lambda x: x.mT, lambda x: np.swapaxes(x, -1, -2)),
    (lambda x: core.flip(x, 0), lambda x: np.flip(x, 0)),
    (lambda x: core.flip(x, [0, -1]), lambda x: np.flip(x, (0, -1))),
    (lambda x: core.rot90(x), lambda x: np.rot90(x)),
    (lambda x: core.rot90(x, 2, [1, 2]), lambda x: np.rot90(x, 2, (1, 2))),
    (lambda x: core.rot90(x, -1, [2, 0]), lambda x: np.rot90(x, -1, (2, 0))),
    (lambda x: core.rot90(x, 4), lambda x: x),
    (lambda x: core.roll(x, 5), lambda x: np.roll(x, 5)),
    (lambda x: core.roll(x, [1, -6, 2], [0, 1, 2]), lambda x: np.roll(x, [1, -6, 2], [0, 1, 2])),
    (lambda x: core.roll(x, -1, 1), lambda x: np.roll(x, -1, 1)),
    (lambda x: core.tile(x, [2, 1]), lambda x: np.tile(x, [2, 1])),
    (lambda x: core.tile(x, [2, 1, 2, 1]), lambda x: np.tile(x, [2, 1, 2, 1])),
    (lambda x: core.tile(x, 0), lambda x: np.tile(x, 0)),
    (lambda x: core.repeat_interleave(x, 2, 1), lambda x: np.repeat(x, 2, 1)),
    (lambda x: core.repeat_interleave(x, 3), lambda x: np.repeat(x, 3)),
    (lambda x: core.repeat_interleave(x, T([1, 0, 2]), -2), lambda x: np.repeat(x, [1, 0, 2], 1)),
    (lambda x: core.tril(x, 1), lambda x: np.tril(x, 1)),
    (lambda x: core.triu(x, -1), lambda x: np.triu(x, -1)),
    (lambda x: core.diagonal(x), lambda x: np.diagonal(x)),
    (lambda x: core.diagonal(x, 1, 2, 0), lambda x: np.diagonal(x, 1, 2, 0)),
    (lambda x: core.diagonal(x, -2, 1, 2), lambda x: np.diagonal(x, -2, 1, 2)),
    (lambda x: core.diagonal(x, 9), lambda x: np.diagonal(x, 9)),
    (lambda x: core.diag(x[0], 1), lambda x: np.diag(x[0], 1)),
    (lambda x: core.diag(x[0, 1], -2), lambda x: np.diag(x[0, 1], -2)),
    (lambda x: core.diagflat(x[0], 1), lambda x: np.diagflat(x[0], 1)),
    (lambda x: core.flatten(x, 1), lambda x: x.reshape(2, 12)),
    (lambda x: core.flatten(x, 0, -2), lambda x: x.reshape(6, 4)),
    (lambda x: core.expand(x[:1], [2, 5, 3, -1][:1] + [2, 3, -1]), lambda x: np.broadcast_to(x[:1], (2, 2, 3, 4))),
    (lambda x: core.expand_as(x[:1], x), lambda x: np.broadcast_to(x[:1], x.shape)),
    (lambda x: core.unflatten(x, -1, [2, -1]), lambda x: x.reshape(2, 3, 2, 2)),
    (lambda x: core.as_strided(x, [3, 2], [4, 1], 2), lambda x: x.reshape(-1)[[[2, 3], [6, 7], [10, 11]]]),
    (lambda x: core.view(x, [4, -1]), lambda x: x.reshape(4, 6)),
    (lambda x: core.view_as(x, core.ones([6, 4])), lambda x: x.reshape(6, 4)),
]


@pytest.mark.parametrize(("case", "dtype"), sampled([(case, dtype) for case in range(len(SAME)) for dtype in DTYPES]))
def test_numpy_does_the_same(case: int, dtype: str) -> None:
    array = (X % 7).astype(dtype)
    result = SAME[case][0](T(array))
    assert result.dtype == dtype
    equal(result, SAME[case][1](array))


@pytest.mark.parametrize("case", range(len(SAME)))
def test_derivatives_and_compilation(case: int) -> None:
    array = X / 10 + 0.1
    if SAME[case][1](array).size:
        check_gradients(lambda x: SAME[case][0](x) ** 2, array, order=2 if case % 3 == 0 else 1)
        check_compiled(lambda x: SAME[case][0](x) ** 2, array)


def test_diag_embed_and_padding_value() -> None:
    rows = X[0]
    equal(core.diag_embed(T(rows)), np.stack([np.diag(row) for row in rows]))
    equal(core.diag_embed(T(rows), -1), np.stack([np.diag(row, -1) for row in rows]))
    equal(F.diag_embed(T(rows), 0, 0, 2), np.moveaxis(np.stack([np.diag(row) for row in rows]), 0, 1))
    equal(core.diag(T([1.0, 2.0]), 1, padding_value=9), np.array([[9, 1, 9], [9, 9, 2], [9, 9, 9]]))
    check_gradients(lambda x: core.diag_embed(x, 1) ** 2, rows)


def test_triangles_do_not_spread_what_they_drop() -> None:
    x = T(np.full((2, 2), np.inf, "float32"))
    equal(core.tril(x), [[np.inf, 0], [np.inf, np.inf]])
    equal(core.triu(x, 1), [[0, np.inf], [0, 0]])


def test_positions_of_triangles() -> None:
    equal(core.tril_indices(3, 4, 1), np.stack(np.tril_indices(3, 1, 4)))
    equal(core.triu_indices(3, offset=-1, dtype="int32"), np.stack(np.triu_indices(3, -1)))
    assert core.tril_indices(2, dtype="int32").dtype == "int32"


def test_windows() -> None:
    x = np.arange(9.0)
    equal(core.unfold(T(x), 0, 2, 4), [[0, 1], [4, 5]])
    assert core.unfold(T(X), 1, 2, 1).shape == [2, 2, 4, 2]
    equal(core.unfold(T(X), 1, 2, 1)[:, 1], np.moveaxis(X[:, 1:3], 1, -1))
    check_gradients(lambda t: core.unfold(t, 1, 2, 1) ** 2, X[:, :, 0])


def test_sizes_as_tensors() -> None:
    assert (core.numel(T(X)).item(), core.numel(T(X)).dtype, core.numel(T(X)).shape) == (24, "int64", [])
    assert (core.shape(T(X)).numpy().tolist(), core.shape(T(X)).dtype) == ([2, 3, 4], "int32")
    assert (core.rank(T(X)).item(), core.rank(T(X)).dtype) == (3, "int32")


def test_shards() -> None:
    for shard, expected in ((0, [-1, 1, 9]), (1, [6, -1, -1])):
        equal(core.shard_index(T([[16], [1], [9]]), 20, 2, shard), np.array(expected)[:, None])


def test_temporal_shift_moves_channels_between_frames() -> None:
    video = np.arange(24, dtype="float32").reshape(1, 3, 4, 2)  # videos, frames, channels, width
    expected = video.copy()
    expected[:, 1:, 0], expected[:, 0, 0] = video[:, :-1, 0], 0
    expected[:, :-1, 1], expected[:, -1, 1] = video[:, 1:, 1], 0
    frames = video.reshape(3, 4, 1, 2)
    equal(F.temporal_shift(T(frames), 3), expected.reshape(3, 4, 1, 2))
    channels_last = np.moveaxis(frames, 1, -1)
    got = F.temporal_shift(T(channels_last), 3, data_format="NHWC")
    equal(got, np.moveaxis(expected.reshape(3, 4, 1, 2), 1, -1))
    check_gradients(lambda x: F.temporal_shift(x, 3) ** 2, frames)
    check_compiled(lambda x: F.temporal_shift(x, 3) ** 2, frames)


def test_gather_tree_follows_the_beams_back() -> None:
    ids = np.array([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]])
    parents = np.array([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    expected = np.array([[[2, 2], [1, 6]], [[3, 3], [6, 1]], [[0, 1], [9, 0]]])
    equal(F.gather_tree(T(ids), T(parents)), expected)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: core.moveaxis(T(X), [0], [1, 2]), OperatorError, "moveaxis: 1 source axes but 2 destinations"),
        (lambda: core.moveaxis(T(X), [0, 0], [1, 2]), OperatorError, "names one axis twice"),
        (lambda: core.moveaxis(T(X), 3, 0), OperatorIndexError, "moveaxis: axis 3 is outside"),
        (lambda: core.swapaxes(T(X), 0, 3), OperatorIndexError, "swapaxes: axis 3 is outside"),
        (lambda: core.ones([3]).mT, OperatorError, r"mT: a tensor of shape \[3\] has no matrix"),
        (lambda: core.flip(T(X), 3), OperatorIndexError, "flip: axis 3 is outside"),
        (lambda: core.rot90(T(X), 1, [0]), OperatorError, "rot90: expects two axes"),
        (lambda: core.rot90(T(X), 1, [0, -3]), OperatorError, r"rot90: axes \[0, -3\] are the same axis"),
        (lambda: core.roll(T(X), [1, 2], 0), OperatorError, "roll: 2 shifts but 1 axes"),
        (lambda: core.roll(T(X), [1, 2]), OperatorError, "roll: 2 shifts without axes"),
        (lambda: core.tile(T(X), -1), OperatorError, "tile: repeat_times .* has a negative number"),
        (lambda: core.repeat_interleave(T(X), T([1, 2]), 1), OperatorError, "repeats must be 3 numbers, none negative"),
        (lambda: core.repeat_interleave(T(X), -1), OperatorError, "repeats must be at least 0, got -1"),
        (lambda: core.tril(core.ones([3])), OperatorError, "tril: x must have at least two axes"),
        (lambda: core.triu_indices(-1), OperatorError, "triu_indices: sizes must not be negative"),
        (lambda: core.diagonal(T(X), 0, 1, 1), OperatorError, "axis1 1 and axis2 1 are the same axis"),
        (lambda: core.diag(T(X)), OperatorError, "diag: x must have 1 or 2 axes"),
        (lambda: core.diag_embed(T(1.0)), OperatorError, "diag_embed: the input is 0-D"),
        (lambda: core.diag_embed(T(X), 0, 1, 1), OperatorError, "dim1 1 and dim2 1 are the same axis"),
        (lambda: core.flatten(T(X), 2, 1), OperatorError, "flatten: start_axis 2 is after stop_axis 1"),
        (lambda: core.expand(T(X), [3, 3, 4]), OperatorError, r"\[2, 3, 4\] does not broadcast to \[3, 3, 4\]"),
        (lambda: core.view(T(X), "int32"), TypeError, "view: reading the bits as another dtype is not supported"),
        (lambda: core.unfold(T(X), 1, 4, 1), OperatorError, "windows of size 4 at step 1 do not fit an axis of size 3"),
        (lambda: core.as_strided(T(X), [2], [1, 1]), OperatorError, "as_strided: 1 sizes but 2 strides"),
        (lambda: core.as_strided(T(X), [2], [24]), OperatorIndexError, "element 24 is outside a tensor of 24 elements"),
        (lambda: core.unflatten(T(X), 1, [2, 2]), OperatorError, r"axis 1 of \[2, 3, 4\] does not split into \[2, 2\]"),
        (lambda: core.shard_index(T([[1]]), 20, 2, 2), OperatorError, "there is no shard 2 of 2"),
        (lambda: F.temporal_shift(core.ones([3, 4, 1, 1]), 2), OperatorError, "must hold 2 frames per video"),
        (
            lambda: F.temporal_shift(core.ones([4, 4, 1, 1]), 2, data_format="HW"),
            OperatorError,
            "data_format 'HW' is unknown",
        ),
        (lambda: F.gather_tree(T([[1]]), T([[1]])), OperatorError, "ids and parents must have one shape of three axes"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
