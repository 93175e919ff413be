"""Padding against numpy.pad (core.operators.shape.padding)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
T = core.to_tensor

# shape, widths as Paddle takes them, data format, the same widths per axis as numpy takes them
LAYOUTS: list[tuple[Any, Any, str, Any]] = [
    ((1, 2, 4), [1, 2], "NCL", [(0, 0), (0, 0), (1, 2)]),
    ((1, 4, 2), [1, 2], "NLC", [(0, 0), (1, 2), (0, 0)]),
    ((2, 2, 3, 4), [1, 2, 2, 0], "NCHW", [(0, 0), (0, 0), (2, 0), (1, 2)]),
    ((2, 3, 4, 2), [1, 2, 2, 0], "NHWC", [(0, 0), (2, 0), (1, 2), (0, 0)]),
    ((1, 2, 3, 2, 3), [1, 2, 1, 1, 2, 0], "NCDHW", [(0, 0), (0, 0), (2, 0), (1, 1), (1, 2)]),
    ((1, 3, 2, 3, 2), [1, 2, 1, 1, 2, 0], "NDHWC", [(0, 0), (2, 0), (1, 1), (1, 2), (0, 0)]),
]


def expected_of(array: np.ndarray, widths: Any, mode: str, value: float) -> np.ndarray:
    if mode == "constant":
        return np.pad(array, widths, constant_values=array.dtype.type(value))
    return np.pad(array, widths, mode=MODES[mode])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape, widths, layout, pairs", LAYOUTS)
def test_every_mode_and_layout(mode: str, shape: Any, widths: Any, layout: str, pairs: Any) -> None:
    array = np.random.default_rng(0).uniform(0, 9, shape)
    for dtype in ("float32", "float64", "float16", "int64", "int32", "uint8", "bool"):
        typed = array.astype(dtype)
        result = F.pad(T(typed), widths, mode, 3, layout)
        assert result.dtype == dtype
        np.testing.assert_array_equal(result.numpy(), expected_of(typed, pairs, mode, 3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape, widths, layout, pairs", LAYOUTS[2:4])
def test_derivatives_and_compilation(mode: str, shape: Any, widths: Any, layout: str, pairs: Any) -> None:
    array = np.random.default_rng(0).uniform(0.5, 1.5, (1, *shape[1:]))

    def padded(x: core.Tensor) -> core.Tensor:
        return F.pad(x, widths, mode, 1.5, layout) ** 2

    check_gradients(padded, array)
    check_compiled(padded, array)


def test_derivatives_of_volumes() -> None:
    array = np.random.default_rng(0).uniform(0.5, 1.5, (1, 3, 2, 2, 1))
    for mode in MODES:
        check_gradients(lambda x, mode=mode: F.pad(x, [1, 0, 1, 1, 2, 0], mode, 1.0, "NDHWC") ** 2, array)


def test_widths_for_every_axis_go_from_the_first_to_the_last() -> None:
    array = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(
        F.pad(T(array), [1, 0, 0, 2], value=7).numpy(), np.pad(array, [(1, 0), (0, 2)], constant_values=7)
    )
    deep = np.random.default_rng(0).uniform(0.5, 1.5, (1, 2, 1, 2, 1, 1))
    widths = [1, 0, 1, 1, 2, 0, 0, 1, 1, 1, 1, 0]
    expected = np.pad(deep, [(widths[2 * i], widths[2 * i + 1]) for i in range(6)])
    np.testing.assert_array_equal(F.pad(T(deep), widths).numpy(), expected)
    check_gradients(lambda x: F.pad(x, widths) ** 2, deep[:, :, :, :1])


def test_negative_widths_cut_off() -> None:
    array = np.arange(12.0).reshape(1, 1, 3, 4)
    got = F.pad(T(array), [-1, 1, 0, -2], value=5).numpy()
    np.testing.assert_array_equal(got, np.pad(array[:, :, :1, 1:], [(0, 0), (0, 0), (0, 0), (0, 1)], constant_values=5))


def test_nothing_to_pad_and_nothing_at_all() -> None:
    x = core.ones([1, 1, 2, 2])
    assert F.pad(x, [0, 0, 0, 0], "reflect").shape == [1, 1, 2, 2]
    np.testing.assert_array_equal(
        F.pad(core.zeros([1, 1, 0, 2]), [1, 1, 1, 0], value=4.0).numpy(), np.full((1, 1, 1, 4), 4.0)
    )
    np.testing.assert_array_equal(F.pad(core.zeros([1, 0], "int64"), [0, 0, 1, 1], value=4).numpy(), [[4, 4]])
    assert F.pad(core.zeros([0, 1, 2, 2]), [1, 1, 1, 1], "replicate").shape == [0, 1, 4, 4]


def test_zeropad2d() -> None:
    x = np.ones((1, 2, 2, 1))
    np.testing.assert_array_equal(
        F.zeropad2d(T(x), [1, 0, 2, 0], "NHWC").numpy(), np.pad(x, [(0, 0), (2, 0), (1, 0), (0, 0)])
    )
    assert F.zeropad2d(T(x), 1).shape == [1, 2, 4, 3]


def test_bfloat16() -> None:
    x = core.ones([1, 1, 2, 2]).cast("bfloat16")
    padded = F.pad(x, [1, 1, 1, 1], "reflect")
    assert padded.dtype == "bfloat16"
    np.testing.assert_array_equal(padded.cast("float32").numpy(), np.ones((1, 1, 4, 4)))


IMAGE = np.ones((1, 1, 3, 4), "float32")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: F.pad(T(IMAGE), [1, 1], "mirror"), "pad: mode 'mirror' is unknown"),
        (lambda: F.pad(T(IMAGE), [1] * 6), "pad: 6 widths for 2 spatial axes: give 4"),
        (lambda: F.pad(T(IMAGE), [1, 1, 1]), "pad: 3 widths for 2 spatial axes"),
        (lambda: F.pad(T(IMAGE), [1] * 4, data_format="NCL"), "data_format 'NCL' does not fit 4 axes"),
        (lambda: F.pad(core.ones([2, 3]), [1, 1]), "pad: x has 2 axes: give 3 to 5 axes, or 4 widths in constant mode"),
        (lambda: F.pad(T(IMAGE), [4, 0, 0, 0], "reflect"), "reflect mode cannot make a border of 4 from axis 3"),
        (lambda: F.pad(T(IMAGE), [0, 0, 4, 0], "circular"), "circular mode cannot make a border of 4 from axis 2"),
        (lambda: F.pad(core.ones([1, 1, 0, 2]), [0, 0, 1, 0], "replicate"), "replicate mode cannot make a border of 1"),
        (lambda: F.pad(T(IMAGE), [-1, 0, 0, 0], "reflect"), "reflect mode cannot cut off"),
        (lambda: F.pad(T(IMAGE), [-3, -3, 0, 0]), r"widths \(-3, -3\) cut more than axis 3"),
        (lambda: F.zeropad2d(core.ones([2, 3]), 1), "zeropad2d: x must have 4 axes"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(OperatorError, match=message):
        call()
