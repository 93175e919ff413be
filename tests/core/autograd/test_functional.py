"""Jacobian and Hessian matrices against matrices written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.autograd import hessian, jacobian


def tensor(values, dtype: str = "float64") -> core.Tensor:
    return core.to_tensor(np.asarray(values), dtype=dtype, stop_gradient=False)


def test_rows_are_computed_when_they_are_read() -> None:
    x, w = tensor([1.0, 2.0, 3.0]), tensor([2.0])
    y = x**2 * w
    matrix = jacobian(y, x)
    assert matrix.shape == [3, 3] and matrix._rows == {}
    assert matrix[1].tolist() == [0.0, 8.0, 0.0] and list(matrix._rows) == [1]
    assert matrix[1:, 2].tolist() == [0.0, 12.0] and matrix[-1, 2].item() == 12.0
    assert matrix[:].tolist() == matrix[...].tolist() == np.diag([4.0, 8.0, 12.0]).tolist()
    assert matrix[3:].shape == [0, 3]
    with pytest.raises(IndexError, match="row 3 is outside a matrix of 3 rows"):
        matrix[3]


def test_several_inputs_and_outputs() -> None:
    x, w = tensor([1.0, 2.0, 3.0]), tensor([2.0])
    by_x, by_w = jacobian(x**2 * w, [x, w])
    assert by_x[:].tolist() == np.diag([4.0, 8.0, 12.0]).tolist() and by_w[:].tolist() == [[1.0], [4.0], [9.0]]
    ((double,), (unrelated,)) = jacobian((x * 2, w * 3), (x,))
    assert double[:].tolist() == np.diag([2.0, 2.0, 2.0]).tolist()
    assert unrelated.shape == [1, 3] and unrelated[:].tolist() == [[0.0, 0.0, 0.0]]


def test_numbers_without_axes() -> None:
    x = tensor([1.0, 2.0])
    assert jacobian((x**2).sum(), x).shape == [2] and jacobian((x**2).sum(), x)[:].tolist() == [2.0, 4.0]
    z = tensor(3.0)
    assert jacobian(z**2, z)[...].item() == 6.0 and jacobian(z * x, z)[:].tolist() == [1.0, 2.0]


def test_a_batch_of_matrices() -> None:
    values = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    b = tensor(values)
    y = core.stack([b[:, 0] * b[:, 1], b[:, 0] ** 2], 1)
    expected = np.array([[[v, u], [2 * u, 0]] for u, v in values])
    matrices = jacobian(y, b, batch_axis=0)
    assert matrices.shape == [3, 2, 2]
    np.testing.assert_array_equal(matrices[:].numpy(), expected)
    np.testing.assert_array_equal(matrices[:, 1].numpy(), expected[:, 1])
    np.testing.assert_array_equal(matrices[1:, 0, 1].numpy(), expected[1:, 0, 1])
    np.testing.assert_array_equal(matrices[0, :, 1].numpy(), expected[0, :, 1])
    second = hessian((b**3).sum(1, keepdim=True), b, batch_axis=0)
    np.testing.assert_array_equal(second[:].numpy(), [np.diag(6 * row) for row in values])


def test_second_derivatives() -> None:
    x, w = tensor([1.0, 2.0]), tensor([3.0])
    y = (x**3 * w).sum()
    ((xx, xw), (wx, ww)) = hessian(y, [x, w])
    assert xx[:].tolist() == [[18.0, 0.0], [0.0, 36.0]] and xw[:].tolist() == [[3.0], [12.0]]
    assert wx[:].tolist() == [[3.0, 12.0]] and ww[:].tolist() == [[0.0]]
    matrix = hessian((x**3).sum().reshape([1]), x)
    assert matrix.shape == [2, 2] and matrix[1].tolist() == [0.0, 12.0]
    (third,) = core.grad([matrix[1, 1]], [x])
    assert third.tolist() == [0.0, 6.0]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: jacobian(x.reshape([2, 1]), x), ValueError, r"have 0 or 1 axes .* shape is \[2, 1\]: reshape"),
        (lambda x: jacobian(x, x, batch_axis=1), ValueError, "batch_axis must be None or 0, not 1"),
        (lambda x: jacobian(x, 3), TypeError, "jacobian: xs must be a Tensor, not int"),
        (lambda x: hessian(x * 2, x), ValueError, r"hessian: ys must be one number, but its shape is \[2\]"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call(tensor([1.0, 2.0]))
