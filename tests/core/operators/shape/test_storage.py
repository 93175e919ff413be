"""Methods of Tensor about its storage, and what complex functions give for real numbers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import core


def test_elements_lie_side_by_side_in_memory() -> None:
    x = core.to_tensor(np.arange(6, dtype=np.float32).reshape(1, 2, 3))
    address = ctypes.cast(x.data_ptr(), ctypes.POINTER(ctypes.c_float))
    assert [address[i] for i in range(6)] == [0, 1, 2, 3, 4, 5]
    assert x.strides == x.get_strides() == [6, 3, 1] and x.offset == 0
    assert core.ones([2, 0, 3]).strides == [3, 3, 1] and core.ones([]).strides == []
    assert x.contiguous() is x and x.is_contiguous() and x.is_dense()
    assert not (x.is_sparse() or x.is_sparse_coo() or x.is_sparse_csr() or x.is_selected_rows() or x.is_dist())
    assert x.is_same_shape(core.zeros([1, 2, 3])) and not x.is_same_shape(core.zeros([2, 3]))


def test_to_changes_the_element_type_and_lets_gradients_through() -> None:
    x = core.to_tensor([1.5, 2.5], stop_gradient=False)
    y = x.to("float64")
    assert y.dtype == core.float64 and y.tolist() == [1.5, 2.5]
    (y * y).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]
    assert x.to(core.CPUPlace()) is x and x.to("cpu", "float32", True) is x and x.to(blocking=False) is x
    assert x.to(core.to_tensor([1]), True).dtype == core.int64
    assert x.to("cpu", core.int32).tolist() == [1, 2] and x.to(device="cpu", dtype="int32").dtype == core.int32
    assert x.cpu() is x


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: x.to("gpu:0"), RuntimeError, r"not on Place\(gpu:0\): call core.set_device\('gpu:0'\) before"),
        (lambda x: x.cuda(1), RuntimeError, r"tensors live on Place\(cpu\), not on Place\(gpu:1\)"),
        (lambda x: x.to("tpu"), ValueError, "'tpu' is no device: use 'cpu', 'gpu', 'gpu:N' or a place"),
        (lambda x: x.to(colour=1), TypeError, "to: there is no argument 'colour': use to"),
        (lambda x: x.to("int32", True, 1), TypeError, "to: 3 arguments are too many"),
        (lambda x: core.to_tensor(1.0, place=core.CUDAPinnedPlace()), RuntimeError, "no page-locked memory"),
        (lambda x: setattr(x, "data", core.ones([3])), ValueError, r"data: a value of shape \[3\] does not fit"),
        (lambda x: core.where_(x > 0, 1.0, x), ValueError, "where_: x is what changes, so it must be a tensor"),
        (lambda x: core.angle(core.ones([2], "int64")), TypeError, "angle: x must be floating-point, got int64"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call(core.ones([2]))


def test_data_is_the_tensor_itself_and_can_be_assigned() -> None:
    x = core.ones([2])
    assert x.data is x
    x.data = core.to_tensor([3.0, 4.0])
    assert x.tolist() == [3.0, 4.0]


def test_in_place_forms_without_an_operator_of_their_own() -> None:
    x, y = core.to_tensor([1.0, 2.0]), core.to_tensor([5.0, 6.0])
    mask = core.to_tensor([True, False])
    assert core.where_(mask, x, y) is x and x.tolist() == [1.0, 6.0]
    assert mask.where_(y, x) is y and y.tolist() == [5.0, 6.0]
    z = core.to_tensor(np.arange(6.0).reshape(2, 3))
    assert core.transpose_(z, [1, 0]) is z and z.shape == [3, 2] and core.square_(z).tolist()[2] == [4.0, 25.0]
    w = core.to_tensor([[3.0, 4.0], [0.3, 0.4]])
    np.testing.assert_allclose(w.renorm_(2.0, 0, 1.0).numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)


def test_complex_functions_of_real_numbers() -> None:
    x = core.to_tensor([-2.0, 0.0, 3.0, -np.inf])
    np.testing.assert_array_equal(x.angle().numpy(), np.angle(x.numpy()))
    assert x.conj().tolist() == x.tolist() and not x.is_complex() and not core.is_complex(x)


def test_powers_and_broadcast_shapes() -> None:
    np.testing.assert_allclose(core.logspace(-1, 2, 7).numpy(), np.logspace(-1, 2, 7), rtol=1e-6)
    powers = core.logspace(core.to_tensor(0), 3, core.to_tensor(4), 2, "int64")
    assert powers.dtype == core.int64 and powers.tolist() == [1, 2, 4, 8]
    assert core.broadcast_shape([2, 1], [3]) == [2, 3]
    with pytest.raises(ValueError, match=r"broadcast_shape: shapes \[2\] and \[3\] do not broadcast"):
        core.broadcast_shape([2], [3])
