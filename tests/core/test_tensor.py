"""Tensor: making, reading and changing one."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", []),
        (1.5, "float32", []),
        (True, "bool", []),
        ([1, 2], "int64", [2]),
        ([[1.0], [2.0]], "float32", [2, 1]),
        (np.float64(2), "float64", []),
        (np.zeros((2, 0), "float16"), "float16", [2, 0]),
        (np.arange(3, dtype="int16"), "int32", [3]),
        ([], "float32", [0]),
    ],
)
def test_to_tensor_infers_shape_and_dtype(data: object, dtype: str, shape: list[int]) -> None:
    tensor = core.to_tensor(data)
    assert (tensor.dtype, tensor.shape, tensor.stop_gradient) == (dtype, shape, True)
    np.testing.assert_array_equal(tensor.numpy(), np.asarray(data))


def test_to_tensor_takes_tensors_inside_lists() -> None:
    x = core.to_tensor([core.to_tensor(1.0), 2.0])
    np.testing.assert_array_equal(x.numpy(), [1, 2])


def test_to_tensor_refuses_what_is_not_numeric() -> None:
    with pytest.raises(ValueError, match="different lengths at one level"):
        core.to_tensor([[1, 2], [3]])
    with pytest.raises(TypeError, match="'text' cannot become a Tensor: give numbers"):
        core.to_tensor("text")


def test_numbers_can_be_read() -> None:
    x = core.to_tensor([[3]])
    assert (int(x), float(x), bool(x), x.item(), x.tolist(), len(x)) == (3, 3.0, True, 3, [[3]], 1)
    assert [10, 20, 30, 40][core.to_tensor(2)] == 30
    assert f"{core.to_tensor(1.25):.1f}" == "1.2"
    half = core.to_tensor(1.5).astype("bfloat16")
    assert (half.shape, half.item(), float(half), f"{half:.1f}") == ([], 1.5, 1.5, "1.5")
    assert "1.5" in repr(half)
    with pytest.raises(ValueError, match=r"bool\(\) expects a tensor of one element, but the shape is \[2\]"):
        bool(core.ones([2]))
    with pytest.raises(ValueError, match="item\\(\\) expects exactly one element"):
        core.ones([2]).item()
    with pytest.raises(TypeError, match="len\\(\\) of a 0-D tensor"):
        len(core.ones([]))
    with pytest.raises(TypeError, match="float32 cannot be an index"):
        [1][core.ones([])]


def test_numpy_is_a_copy() -> None:
    x = core.zeros([2])
    x.numpy()[0] = 5
    assert x.tolist() == [0, 0]


def test_dtypes_compare_with_names_and_numpy_types() -> None:
    assert core.float32 == "float32" == core.float32 and core.float32 == np.float32
    assert core.float32 != "float64" and core.bfloat16 != np.uint16
    assert repr(core.int64) == "paddle.int64"
    assert core.bool == "bool"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("int32", "float32", "float32"),
        ("float16", "bfloat16", "float32"),
        ("float32", "float64", "float64"),
        ("uint8", "int8", "int32"),
        ("bool", "int64", "int64"),
    ],
)
def test_types_are_promoted(left: str, right: str, expected: str) -> None:
    assert (core.ones([1], dtype=left) + core.ones([1], dtype=right)).dtype == expected


def test_python_numbers_are_weak() -> None:
    assert (core.ones([1], "float16") * 2.5).dtype == "float16"
    assert (core.ones([1], "int32") * 2.5).dtype == "float32"
    assert (core.ones([1], "int32") + 1).dtype == "int32"
    assert (core.ones([1], "bool") + 1).dtype == "int64"


@pytest.mark.parametrize("number", [3, 3.0, True, core.to_tensor(3)], ids=str)
def test_full_makes_the_default_float_type_whatever_the_number(number: object) -> None:
    assert core.full([2], number).dtype == "float32"


def test_set_value_keeps_identity_and_checks_the_shape() -> None:
    x = core.zeros([2])
    x.name = "offset"
    x.set_value(np.array([1.0, 2.0]))
    assert x.tolist() == [1, 2] and x.dtype == "float32"
    with pytest.raises(ValueError, match=r"set_value: offset has shape \[2\], the new value \[3\]"):
        x.set_value(np.zeros(3))


def test_copies_and_pickles() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.tolist() == [1, 2] and not other.stop_gradient
        with core.no_grad():
            other.set_value([5.0, 5.0])
    assert x.tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="only leaf tensors can be deep-copied"):
        copy.deepcopy(x * 2)


def test_in_place_rebinds_the_handle_differentiably() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 1
    before = y
    z = y * y
    y.add_(core.ones([2]))
    assert before is y and y.tolist() == [2, 3]
    (z.sum() + y.sum()).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [3, 5])


def test_in_place_on_a_leaf_that_needs_a_gradient_is_refused() -> None:
    x = core.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(RuntimeError, match="add_: a leaf tensor that needs a gradient cannot be changed in place"):
        x.add_(core.ones([1]))
    with core.no_grad():
        x.add_(core.ones([1]))
    assert x.tolist() == [2] and not x.stop_gradient and x.is_leaf


def test_integers_have_no_gradient() -> None:
    with pytest.raises(ValueError, match="int64 cannot have a gradient: cast it to float32 first"):
        core.ones([1], "int64").stop_gradient = False


def test_a_gradient_must_fit() -> None:
    with pytest.raises(ValueError, match=r"a gradient of shape \[3\] does not fit a tensor of shape \[2\]"):
        core.ones([2]).grad = core.ones([3])


def test_repr_shows_shape_type_and_numbers() -> None:
    text = repr(core.to_tensor([1.0, 2.5]))
    assert "shape=[2]" in text and "float32" in text and "2.5" in text


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="core has no attribute 'no_such_operator'"):
        core.no_such_operator  # noqa: B018
    with pytest.raises(OperatorError, match="no permutation"):
        core.ones([2, 3]).transpose([0, 0])


def test_foreign_operands_are_type_errors() -> None:
    with pytest.raises(TypeError):
        core.ones([1]) + "text"
    assert (core.ones([1]) == None) is False  # noqa: E711


def test_every_tensor_has_a_name_of_its_own():
    given = core.to_tensor([1.0])
    given.name = "x"
    data, other = core.to_tensor([1.0]), core.to_tensor(2)
    results = [data + 1, data.clone(), core.concat([data, data])]
    assert given.name == "x" and given.detach().name == "x"
    assert re.fullmatch(r"generated_tensor_\d+", data.name) and data.name == data.name
    assert re.fullmatch(r"generated_tensor_\d+", other.name)
    assert all(re.fullmatch(r"eager_tmp_\d+", result.name) for result in results)
    assert len({tensor.name for tensor in (given, data, other, *results)}) == 6


def test_arguments_of_paddles_constructor() -> None:
    data = np.arange(3.0, dtype="float32")
    tensor = core.Tensor(data, place="cpu", persistable=True, zero_copy=True, name="kept")
    assert (tensor.persistable, tensor.name, tensor.tolist()) == (True, "kept", [0.0, 1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"tensors live on Place\(cpu\), not on Place\(gpu:0\)"):
        core.Tensor(data, place="gpu:0")


def test_whether_a_tensor_has_memory() -> None:
    seen = []

    @core.jit.to_static
    def double(x):
        seen.append((x * 2)._is_initialized())
        return x * 2

    assert double(core.ones([2]))._is_initialized() and seen == [False]
    with core.LazyGuard():
        layer = core.nn.Linear(2, 2)
    assert not layer.weight._is_initialized()
