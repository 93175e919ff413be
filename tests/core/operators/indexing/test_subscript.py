"""Subscripts against numpy, element by element, for reading and writing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

ARRAY = np.arange(120, dtype="float32").reshape(2, 3, 4, 5)
SMALL = np.random.default_rng(0).uniform(0.5, 1.5, (3, 4))

ITEMS: list[Any] = [
    0, -1, (0, 1), (1, -1, 2, 3), (), ..., None, (slice(None), 1), (..., 2), (0, ..., -1), (slice(None), None, 1),
    slice(1, None), slice(None, None, -1), slice(-1, None, -2), slice(5, None), slice(1, 1),
    (slice(None, None, -1), -1, ..., slice(None, None, 2)), (slice(None), slice(2, 0, -1), slice(1, 4, 3)),
    [0, 1, 1], [-1], [], np.array([1, 0]), np.array([[0, 1], [1, 0]]), (slice(None), [2, 0]),
    (slice(None), None, [0, 1]), (..., [0, 4, 4]), (slice(None), [0, 2], [1, 1]),
    (slice(None), [0, 2], slice(None), [1, 1]),
    (slice(None), np.array([[0], [2]]), np.array([1, 3, 0])), ([1, 0], slice(None), [1, 1]), ([0], None, [1]),
    (slice(1, None), [2, 0], slice(None, None, -2)), (slice(None), np.array([True, False, True])), [True, False],
    ARRAY > 60, ARRAY[..., 0] > 60, (0, ARRAY[0] > 10), (ARRAY[:, :, 0, 0] > 30, slice(1, 3)), True, False,
    (np.array([True, True]), [1, 2]), np.int64(1), (np.bool_(True), 0), range(2), np.zeros((2, 0), "int64"),
]  # fmt: skip


@pytest.mark.parametrize("item", ITEMS, ids=[str(i) for i in range(len(ITEMS))])
def test_reading_gives_what_numpy_gives(item: Any) -> None:
    result = core.to_tensor(ARRAY)[item]
    expected = ARRAY[item]
    assert result.shape == list(expected.shape)
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("item", ITEMS, ids=[str(i) for i in range(len(ITEMS))])
def test_writing_gives_what_numpy_gives(item: Any) -> None:
    shape = ARRAY[item].shape
    new = np.arange(1000, 1000 + int(np.prod(shape)), dtype="float32").reshape(shape)
    for value in (-7.0, new, new[:1] if shape and shape[0] else -1.0):
        expected = ARRAY.copy()
        expected[item] = value
        tensor = core.to_tensor(ARRAY)
        tensor[item] = core.to_tensor(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int64", "uint8", "bool"])
def test_all_element_types(dtype: str) -> None:
    array = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    tensor = core.to_tensor(array)
    for item in ((slice(1, None), slice(None, None, -2)), ([0, 2], [1, 1]), array > 2):
        result = tensor[item]
        assert result.dtype == dtype
        np.testing.assert_array_equal(result.numpy(), array[item])
        changed, expected = core.to_tensor(array), array.copy()
        changed[item], expected[item] = 1, 1
        np.testing.assert_array_equal(changed.numpy(), expected)


def test_an_int_beside_index_tensors_only_drops_its_axis_as_in_paddle() -> None:
    x = core.to_tensor(ARRAY)
    np.testing.assert_array_equal(x[0, :, [0, 1]].numpy(), ARRAY[0][:, [0, 1]])
    np.testing.assert_array_equal(x[core.to_tensor(1), :, [0, 1]].numpy(), ARRAY[1][:, [0, 1]])


def test_tensors_are_indices() -> None:
    x = core.to_tensor(ARRAY)
    one = core.to_tensor(1)
    assert x[one].shape == [3, 4, 5]
    np.testing.assert_array_equal(x[one : core.to_tensor(2)].numpy(), ARRAY[1:2])
    np.testing.assert_array_equal(x[:, core.to_tensor([[0, -1]])].numpy(), ARRAY[:, [[0, -1]]])
    np.testing.assert_array_equal(x[[one, 0]].numpy(), ARRAY[[1, 0]])


def test_a_slice_of_nothing_and_an_element_of_a_vector() -> None:
    assert core.zeros([0, 3])[:, 1].shape == [0]
    assert core.zeros([0, 3])[0:5].shape == [0, 3]
    assert core.to_tensor([1.0, 2.0])[0].shape == []
    assert core.to_tensor(3.0)[...].item() == 3.0
    assert core.to_tensor(3.0)[None].shape == [1]


DIFFERENTIABLE: list[Any] = [
    1, (slice(None), 1), (slice(None, None, -1), slice(0, 4, 3)), [0, 0, 2], (slice(None), [1, 1, -1]),
    ([0, 2, 0], [1, 1, 1]), np.arange(12).reshape(3, 4) % 3 == 0, slice(1, 1), (0, 0),
]  # fmt: skip


@pytest.mark.parametrize("item", DIFFERENTIABLE, ids=[str(i) for i in range(len(DIFFERENTIABLE))])
def test_gradient_of_reading(item: Any) -> None:
    check_gradients(lambda x: x[item] ** 3, SMALL)


@pytest.mark.parametrize("item", [1, (slice(None), slice(1, 3)), (slice(None, None, -2), [0, 2]), SMALL > 1, (0, 0)])
def test_gradient_of_writing(item: Any) -> None:
    def write(x: core.Tensor, value: core.Tensor) -> core.Tensor:
        y = x * x
        y[item] = value**3
        return y**2

    check_gradients(write, SMALL, np.array(SMALL[item]))
    check_gradients(write, SMALL, np.array(0.7))


@pytest.mark.parametrize(
    "item",
    [
        0,
        (0, 1),
        (slice(1, None), slice(1, 3)),
        (slice(None), slice(None, None, -2)),
        slice(1, 3),
        (slice(0, 3, 2), 1),
        ...,
    ],
    ids=str,
)
def test_writing_compiles(item: Any) -> None:
    def write(x: core.Tensor, value: core.Tensor) -> core.Tensor:
        y = x * x
        y[item] = value * 2
        return y

    check_compiled(write, SMALL, np.array(SMALL[item]))


def test_reading_and_writing_at_tensors_compile() -> None:
    def function(x: core.Tensor, index: core.Tensor, mask: core.Tensor) -> core.Tensor:
        y = x * 1
        y[index] = y[index, index] ** 2
        y[mask] = 0.5
        return y[:, index]

    check_compiled(function, SMALL[:, :3], np.array([2, 0, -1]), SMALL[:, :3] > 1)


def test_a_buffer_written_inside_a_program_keeps_its_new_value() -> None:
    buffer = core.zeros([3])

    @to_static
    def step(x: core.Tensor) -> core.Tensor:
        buffer[1] = x
        return buffer * 2

    np.testing.assert_array_equal(step(core.to_tensor(4.0)).numpy(), [0, 8, 0])
    np.testing.assert_array_equal(buffer.numpy(), [0, 4, 0])
    step(core.to_tensor(5.0))
    np.testing.assert_array_equal(buffer.numpy(), [0, 5, 0])


def test_a_mask_cannot_be_read_inside_a_program() -> None:
    with pytest.raises(
        OperatorError, match="nonzero: the output shape depends on data, so it cannot be part of a compiled"
    ):
        to_static(lambda x: x[x > 1])(core.to_tensor(SMALL))


def test_writing_leaves_earlier_readers_alone() -> None:
    x = core.to_tensor([1.0, 2.0])
    other = x.detach()
    x[0] = 9.0
    assert other.numpy().tolist() == [1.0, 2.0]


def test_a_leaf_that_needs_a_gradient_cannot_be_written() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(RuntimeError, match="a leaf tensor that needs a gradient cannot be changed in place"):
        x[0] = 1.0
    with core.no_grad():
        x[0] = 5.0
    assert x.numpy().tolist() == [5.0, 2.0]
    assert not x.stop_gradient


@pytest.mark.parametrize(
    "item, kind, message",
    [
        (2, OperatorIndexError, "index 2 is outside axis 0 of a tensor of shape"),
        ((0, -4), OperatorIndexError, "index -4 is outside axis 1"),
        ((0, 0, 0, 0, 0), OperatorIndexError, "5 indices for a tensor of shape .* which has 4 axes"),
        ((..., ...), OperatorIndexError, "only one Ellipsis"),
        ([2], OperatorIndexError, "subscript: index 2 is outside an axis of size 2"),
        ((slice(None), [-4]), OperatorIndexError, "index -4 is outside an axis of size 3"),
        (np.array([True, False, True]), OperatorIndexError, r"a mask of shape \[3\] does not fit axes of shape \[2\]"),
        ((slice(None), np.ones((3, 3), bool)), OperatorIndexError, r"a mask of shape \[3, 3\] does not fit axes"),
        (slice(None, None, 0), OperatorError, "a slice's step must not be 0"),
        (np.array([0.5]), OperatorTypeError, "subscript: index must hold integers, got float64"),
        ("name", OperatorTypeError, "a tensor cannot be indexed by str"),
        (([0, 1], [0, 1, 2]), OperatorError, "subscript: shapes .* do not broadcast"),
    ],
)
def test_what_cannot_be_an_index_is_named(item: Any, kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        core.to_tensor(ARRAY)[item]


def test_a_value_that_does_not_fit_is_named() -> None:
    x = core.zeros([2, 3])
    with pytest.raises(OperatorError, match=r"a value of shape \[2\] cannot be assigned to elements of shape \[2, 3\]"):
        x[:] = core.ones([2])
