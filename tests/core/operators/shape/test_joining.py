"""Joining, splitting and spreading tensors against numpy (core.operators.shape.joining, partition, lifting)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

A = np.arange(12, dtype="float32").reshape(3, 4)
DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "int8", "bool"]


def equal(tensor: core.Tensor, expected: np.ndarray) -> None:
    assert tensor.shape == list(expected.shape)
    np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_and_stack(dtype: str, axis: int) -> None:
    parts = [A.astype(dtype), (A[:, ::-1] % 3).astype(dtype)]
    tensors = [core.to_tensor(part) for part in parts]
    equal(core.concat(tensors, axis), np.concatenate(parts, axis))
    equal(core.stack(tensors, axis), np.stack(parts, axis))
    assert core.concat(tensors, axis).dtype == dtype


def test_empty_parts_do_not_disturb() -> None:
    empty = np.zeros((0, 4), "float32")
    equal(core.concat([core.to_tensor(x) for x in (empty, A, empty)]), A)
    equal(core.concat([core.to_tensor(empty)] * 2), empty)
    equal(core.stack([core.to_tensor(empty)] * 2, 1), np.stack([empty] * 2, 1))
    equal(core.stack([core.to_tensor(1.0), core.to_tensor(2.0)]), np.array([1.0, 2.0]))


def test_different_types_are_joined_in_their_common_one() -> None:
    assert core.concat([core.ones([2], "int32"), core.ones([2], "float32")]).dtype == "float32"
    assert core.stack([core.ones([2], "int32"), core.ones([2], "int64")]).dtype == "int64"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "sections, axis, places", [(3, 0, 3), ([1, 3], 1, [1]), ([-1, 1], 1, [3]), ([0, 3], 0, [0]), (2, -1, 2), (1, 0, 1)]
)
def test_split(dtype: str, sections: Any, axis: int, places: Any) -> None:
    array = (A % 2).astype(dtype)
    parts = core.split(core.to_tensor(array), sections, axis)
    expected = np.split(array, places, axis)
    assert len(parts) == len(expected)
    for part, wanted in zip(parts, expected):
        equal(part, wanted)


@pytest.mark.parametrize("places", [2, 5, [1, 2], [-1], [3, 1], [0, 9]], ids=str)
def test_tensor_split(places: Any) -> None:
    for part, wanted in zip(core.hsplit(core.to_tensor(A), places), np.array_split(A, places, 1)):
        equal(part, wanted)
    for part, wanted in zip(core.tensor_split(core.to_tensor(A), places, 1), np.array_split(A, places, 1)):
        equal(part, wanted)
    cube = A.reshape(1, 3, 4)
    for part, wanted in zip(core.dsplit(core.to_tensor(cube), places), np.array_split(cube, places, 2)):
        equal(part, wanted)
    assert [part.shape for part in core.hsplit(core.to_tensor([1.0, 2.0, 3.0, 4.0]), 2)] == [[2], [2]]


def test_vsplit_takes_sizes_as_split_does() -> None:
    assert [part.shape for part in core.vsplit(core.to_tensor(A), [1, -1])] == [[1, 4], [2, 4]]
    with pytest.raises(OperatorIndexError, match="vsplit: x must have at least 2 axes"):
        core.vsplit(core.ones([3]), 1)


def test_chunk_unbind_and_unstack() -> None:
    x = core.to_tensor(A)
    assert [part.shape for part in core.chunk(x, 2, -1)] == [[3, 2], [3, 2]]
    for function in (core.unbind, core.unstack):
        for i, part in enumerate(function(x, 1)):
            equal(part, A[:, i])
    assert core.unbind(core.zeros([0, 2])) == []


def test_meshgrid_and_broadcast_tensors() -> None:
    for got, wanted in zip(
        core.meshgrid(core.to_tensor([1, 2]), core.to_tensor([3, 4, 5])), np.meshgrid([1, 2], [3, 4, 5], indexing="ij")
    ):
        equal(got, wanted)
    assert [x.shape for x in core.meshgrid([core.to_tensor(1.0), core.ones([2])])] == [[1, 2], [1, 2]]
    first, second = core.broadcast_tensors([core.to_tensor(A[:1]), core.to_tensor(A[:, :1])])
    equal(first, np.broadcast_to(A[:1], (3, 4)))
    equal(second, np.broadcast_to(A[:, :1], (3, 4)))


def test_lifting() -> None:
    for array in (np.array(1.0), np.arange(3.0), np.ones((2, 3)), np.ones((1, 2, 3))):
        for rank, function in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), start=1):
            equal(getattr(core, f"atleast_{rank}d")(core.to_tensor(array)), function(array))
    assert [x.shape for x in core.atleast_1d(1.0, core.ones([2]))] == [[1], [2]]


FUNCTIONS: list[tuple[Callable[..., Any], int]] = [
    (lambda x, y: core.concat([x, y**2, x], 1), 2),
    (lambda x, y: core.stack([x, y**2], -1) ** 2, 2),
    (lambda x: core.split(x**2, [1, 2], 0), 1),
    (lambda x: core.split(x**2, 2, 1)[1] ** 2, 1),
    (lambda x: [part**2 for part in core.unbind(x, 1)], 1),
    (lambda x: core.tensor_split(x**2, [1, 1], 1), 1),
    (lambda x, y: core.meshgrid(x[0] ** 2, y[0])[0] * core.meshgrid(x[0], y[0])[1], 2),
    (lambda x, y: [t**2 for t in core.broadcast_tensors([x[:1], y])], 2),
]


@pytest.mark.parametrize("function, count", FUNCTIONS)
def test_gradients_and_compilation(function: Callable[..., Any], count: int) -> None:
    arrays = [np.random.default_rng(i).uniform(0.5, 1.5, (3, 4)) for i in range(count)]
    check_gradients(function, *arrays)
    check_compiled(function, *arrays)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: core.concat([]), OperatorError, "concat: the list of tensors is empty"),
        (
            lambda: core.concat([core.ones([2, 3]), core.ones([3, 2])]),
            OperatorError,
            r"x\[1\] \[3, 2\]: only axis 0 may differ",
        ),
        (lambda: core.concat([core.to_tensor(1.0)]), OperatorError, "0-D tensors have no axis"),
        (lambda: core.concat([core.ones([2])], 1), OperatorIndexError, "concat: axis 1 is outside"),
        (lambda: core.concat([np.ones(2)]), OperatorTypeError, r"concat: x\[0\] must be a Tensor, got ndarray"),
        (lambda: core.concat(3), OperatorTypeError, "concat: x must be a list of Tensors, got int"),
        (
            lambda: core.stack([core.ones([2]), core.ones([3])]),
            OperatorError,
            r"stack: x\[0\] has shape \[2\], x\[1\] \[3\]",
        ),
        (lambda: core.stack([core.ones([2])], 2), OperatorIndexError, "stack: axis 2 is outside"),
        (lambda: core.split(core.ones([5]), 2), OperatorError, r"axis 0 of \[5\] does not divide into 2 equal parts"),
        (lambda: core.split(core.ones([5]), [2, 2]), OperatorError, "do not add up to axis 0"),
        (lambda: core.split(core.to_tensor(1.0), 1), OperatorError, "a 0-D tensor has no axis to be cut"),
        (lambda: core.unstack(core.ones([5]), num=4), OperatorError, "num is 4, but axis 0 of .* has size 5"),
        (lambda: core.tensor_split(core.ones([5]), 0), OperatorError, "must be at least 1, got 0"),
        (lambda: core.vsplit(core.ones([5]), 1), OperatorIndexError, "vsplit: x must have at least 2 axes"),
        (lambda: core.meshgrid(core.ones([2, 2])), OperatorError, r"meshgrid: tensors must be 1-D, but args\[0\]"),
        (lambda: core.broadcast_tensors([core.ones([2]), core.ones([3])]), OperatorError, "do not broadcast"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
