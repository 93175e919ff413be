"""exp, sigmoid and tanh in float32, written so that the compiler turns loops over them into vector instructions.

Each is exact to a few units in the last place; what is not a number stays so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.compiled import serial

_F = np.float32
_LOG2_E, _LN2_HIGH, _LN2_LOW = _F(1.4426950408889634), _F(0.693359375), _F(-2.1219444005469057e-4)
_LOWEST, _HIGHEST = _F(-87.0), _F(88.0)
_HALF, _ONE, _TWO = _F(0.5), _F(1), _F(2)
# interpolated in Chebyshev's points: exp on ±ln(2) / 2, and tanh(x) / x as a function of x² below _SMALL
_E2, _E3, _E4, _E5, _E6 = (_F(c) for c in (0.5, 0.16666405, 0.04166634, 0.008375968, 0.001394216))
_T1, _T2, _T3, _T4, _T5 = (_F(c) for c in (-0.3333326, 0.13331114, -0.05372011, 0.020588191, -0.005657135))
_SMALL = _F(0.625)
_BIAS, _MANTISSA = np.int32(127), np.int32(23)


@serial
def exp(x: Any) -> Any:
    """Return e^x, between the smallest and largest normal numbers."""
    x = _LOWEST if x < _LOWEST else (_HIGHEST if x > _HIGHEST else x)
    n = np.floor(x * _LOG2_E + _HALF)
    x = x - n * _LN2_HIGH - n * _LN2_LOW
    tail = _E2 + x * (_E3 + x * (_E4 + x * (_E5 + x * _E6)))
    power = np.int32((np.int32(n) + _BIAS) << _MANTISSA).view(np.float32)
    return (_ONE + x * (_ONE + x * tail)) * power


@serial
def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + e^-x)."""
    return _ONE / (_ONE + exp(-x))


@serial
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    size = abs(x)
    large = _ONE - _TWO / (_ONE + exp(_TWO * size))
    square = x * x
    small = x + x * square * (_T1 + square * (_T2 + square * (_T3 + square * (_T4 + square * _T5))))
    return small if size < _SMALL else (large if x > 0 else -large)
