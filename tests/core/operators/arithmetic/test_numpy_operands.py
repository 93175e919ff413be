"""NumPy's numbers and arrays beside Tensors, in both orders; and NumPy's functions of Tensors."""

from __future__ import annotations

import operator
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.jit import to_static

VALUES = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
ARITHMETIC = [getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")]
COMPARISONS = [getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")]
LOGIC = [operator.and_, operator.or_, operator.xor]
OTHERS: list[Any] = [
    np.float64(2.0), np.float32(2.0), np.int64(2), np.int32(3), np.array([2.0, 3.0]), np.array([2, 3]), np.array(2.0),
    np.array([2.0, 3.0], np.float32), np.array([2, 3], np.uint8),
]  # fmt: skip


def _named(function: Callable[..., Any]) -> str:
    return function.__name__


@pytest.mark.parametrize("function", ARITHMETIC + COMPARISONS, ids=_named)
def test_both_orders_give_a_tensor_with_its_gradient(function: Callable[..., Any]) -> None:
    for other in OTHERS:
        for given in (VALUES, VALUES[0, 0]):
            tensor = core.to_tensor(given, stop_gradient=False)
            for first, second in ((other, tensor), (tensor, other)):
                result = function(first, second)
                assert isinstance(result, core.Tensor), (other, given)
                expected = function(*[x.numpy() if x is tensor else x for x in (first, second)])
                np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)
                continuous = function not in COMPARISONS and function is not operator.floordiv
                assert result.stop_gradient is not continuous


@pytest.mark.parametrize("function", LOGIC, ids=_named)
def test_logic_of_both_orders(function: Callable[..., Any]) -> None:
    for given, others in (
        (np.array([6, 3]), [np.int64(5), np.array([5, 1]), np.array(4)]),
        (np.array([True, False]), [np.bool_(True), np.array([True, True])]),
    ):
        for other in others:
            result = function(other, core.to_tensor(given))
            assert isinstance(result, core.Tensor)
            np.testing.assert_array_equal(result.numpy(), function(other, given))


def test_gradients_of_products_with_arrays() -> None:
    for product in (lambda t: np.float64(2.0) * t, lambda t: np.full(2, 2.0, np.float32) * t):
        tensor = core.to_tensor(VALUES, stop_gradient=False)
        product(tensor).sum().backward()
        np.testing.assert_array_equal(tensor.grad.numpy(), np.full((2, 2), 2.0))
    tensor = core.to_tensor(VALUES, stop_gradient=False)
    (np.array([[1.0, 2.0]]) @ tensor).sum().backward()
    np.testing.assert_array_equal(tensor.grad.numpy(), [[1.0, 1.0], [2.0, 2.0]])
    np.testing.assert_array_equal((tensor @ np.array([1.0, 2.0])).numpy(), [5.0, 11.0])


def test_types_are_paddles() -> None:
    """As paddlepaddle 2.6.2 answers, where it answers something that makes sense."""
    single, whole = core.to_tensor(VALUES), core.to_tensor(np.array([1, 2]))
    doubles = np.array([2.0, 3.0])
    for function in (operator.add, operator.sub, operator.mul):
        assert function(doubles, single).dtype == function(single, doubles).dtype == core.float64
    for function in (operator.truediv, operator.pow):
        assert function(doubles, single).dtype == function(single, doubles).dtype == core.float32
    assert (single // doubles).dtype == (single % doubles).dtype == core.float32
    assert (whole / doubles).dtype == (doubles / whole).dtype == core.float32
    for function in ARITHMETIC:
        assert function(np.float64(2.0), single).dtype == function(single, np.float64(2.0)).dtype == core.float32
        assert function(np.int64(2), whole).dtype == (core.float32 if function is operator.truediv else core.int64)
    assert (np.float64(2.0) * whole).dtype == core.float32
    assert (np.int64(2) * single).dtype == (np.array([1, 2]) * single).dtype == core.float32
    assert (np.array([1.0, 2.0]) @ single).dtype == core.float32


def test_in_place_forms() -> None:
    tensor = core.to_tensor(VALUES)
    tensor += np.float64(1.0)
    tensor *= np.array([2.0, 1.0], np.float32)
    assert tensor.dtype == core.float32
    np.testing.assert_array_equal(tensor.numpy(), (VALUES + 1) * np.array([2, 1]))
    array = kept = np.ones((2, 2))
    array += core.to_tensor(VALUES)
    assert array is kept  # NumPy's own memory
    np.testing.assert_array_equal(array, VALUES + 1)
    number = np.float64(1.0)
    number += core.to_tensor(VALUES)
    assert isinstance(number, core.Tensor)


def test_in_a_traced_function() -> None:
    scale = np.array([2.0, 3.0], np.float32)

    def function(x: Any) -> Any:
        return np.float64(2.0) * x + scale / x - (np.float32(1.5) < x).astype("float32") + scale @ x

    tensor = core.to_tensor(VALUES, stop_gradient=False)
    traced = to_static(function)(tensor)
    np.testing.assert_allclose(traced.numpy(), function(core.to_tensor(VALUES)).numpy(), rtol=1e-6)
    traced.sum().backward()
    np.testing.assert_allclose(tensor.grad.numpy(), 2 - scale / VALUES**2 + 2 * scale[:, None], rtol=1e-6)


def test_functions_of_numpy_take_tensors_as_arrays() -> None:
    tensor = core.to_tensor(VALUES, stop_gradient=False)
    for function in (np.sin, np.sqrt, np.isnan, np.asarray, np.argmax, lambda x: np.add(x, 1), np.add.reduce):
        result = function(tensor)  # type: ignore[operator]
        assert not isinstance(result, core.Tensor)
        np.testing.assert_array_equal(result, function(VALUES))  # type: ignore[operator]
    np.testing.assert_array_equal(np.concatenate([tensor, tensor]), np.concatenate([VALUES, VALUES]))
    np.testing.assert_array_equal(np.stack([tensor, tensor]), np.stack([VALUES, VALUES]))
    assert (np.array([1 + 2j]) * tensor).dtype == np.complex128  # no type of Tensors
    place = np.zeros((2, 2))
    assert np.multiply(np.ones(2), tensor, out=place) is place
    with pytest.raises(TypeError, match="operand type"):
        np.add(VALUES, 1, out=tensor)  # type: ignore[call-overload]
