"""exp, sigmoid, tanh, erf and GELU in float32, for loops that the compiler turns into vector instructions.

Each is exact to a few units in the last place; what is not a number stays so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import vectorized

_F = np.float32
LOG2_E, _LN2_HIGH, _LN2_LOW = _F(1.4426950408889634), _F(0.693359375), _F(-2.1219444005469057e-4)
LOWEST, _HIGHEST = _F(-87.0), _F(88.0)
_HALF, _ONE, _TWO = _F(0.5), _F(1), _F(2)
# interpolated in Chebyshev's points: exp on ±ln(2) / 2, and tanh(x) / x as a function of x² below _SMALL
_E2, _E3, _E4, _E5, _E6 = (_F(c) for c in (0.5, 0.16666405, 0.04166634, 0.008375968, 0.001394216))
_T1, _T2, _T3, _T4, _T5 = (_F(c) for c in (-0.3333326, 0.13331114, -0.05372011, 0.020588191, -0.005657135))
_SMALL = _F(0.625)
# tanh(x) / x below _FLAT as a quotient of two polynomials in x², fitted for the smallest relative error
_P1, _P2, _P3, _P4 = (_F(c) for c in (0.13444528, 0.0035716323, 2.1895203e-05, 1.5231116e-08))
_Q1, _Q2, _Q3, _Q4 = (_F(c) for c in (0.46777853, 0.026164575, 0.00034113473, 8.522743e-07))
_FLAT = _F(8)
# erf(x) / x below 4 as a quotient of two polynomials in x², fitted for the smallest relative error
_N0, _N1, _N2 = _F(1.1283791065216064), _F(0.19354866445064545), _F(0.05310223624110222)
_N3, _N4, _N5 = _F(0.0038835054729133844), _F(0.0002845707058440894), _F(1.986768666029093e-06)
_D1, _D2, _D3 = _F(0.5048605799674988), _F(0.11535150557756424), _F(0.015207570046186447)
_D4, _D5 = _F(0.001185612753033638), _F(3.742028638953343e-05)
EXP_SERIES = (np.float32(1), np.float32(1), _E2, _E3, _E4, _E5, _E6)
"""exp on ±ln(2) / 2: coefficients of a polynomial, lowest first; without the last two it is right to 5e-5."""
LN2 = (_LN2_HIGH, _LN2_LOW)
"""The natural logarithm of 2, as two numbers that are added up."""
ERF_ABOVE, ERF_BELOW = (_N0, _N1, _N2, _N3, _N4, _N5), (np.float32(1), _D1, _D2, _D3, _D4, _D5)
"""erf(x) / x is the quotient of two polynomials in x² with these coefficients, lowest first."""
ERF_FLAT = 4.0
"""From where on erf is taken to be ±1."""
_FAR, _ROOT_HALF, _DENSITY = _F(ERF_FLAT), _F(0.7071067811865476), _F(0.3989422804014327)
_BIAS, _MANTISSA = np.int32(127), np.int32(23)


@vectorized
def exp(x: Any) -> Any:
    """Return e^x, between the smallest and largest normal numbers."""
    x = LOWEST if x < LOWEST else (_HIGHEST if x > _HIGHEST else x)
    n = np.floor(x * LOG2_E + _HALF)
    x = x - n * _LN2_HIGH - n * _LN2_LOW
    tail = _E2 + x * (_E3 + x * (_E4 + x * (_E5 + x * _E6)))
    power = np.int32((np.int32(n) + _BIAS) << _MANTISSA).view(np.float32)
    return (_ONE + x * (_ONE + x * tail)) * power


@vectorized
def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + e^-x)."""
    return _ONE / (_ONE + exp(-x))


@vectorized
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    size = abs(x)
    large = _ONE - _TWO / (_ONE + exp(_TWO * size))
    square = x * x
    small = x + x * square * (_T1 + square * (_T2 + square * (_T3 + square * (_T4 + square * _T5))))
    return small if size < _SMALL else (large if x > 0 else -large)


@vectorized
def gate_tanh(x: Any) -> Any:
    """Return the hyperbolic tangent to 3e-7, within ±1, in a third of :func:`tanh`'s time."""
    x = _FLAT if x > _FLAT else (-_FLAT if x < -_FLAT else x)
    square = x * x
    above = _ONE + square * (_P1 + square * (_P2 + square * (_P3 + square * _P4)))
    below = _ONE + square * (_Q1 + square * (_Q2 + square * (_Q3 + square * _Q4)))
    return x * above / below


@vectorized
def gate_sigmoid(x: Any) -> Any:
    """Return 1 / (1 + e^-x) to 2e-7, from 0 to 1; small results have fewer digits than :func:`sigmoid`'s."""
    return _HALF + _HALF * gate_tanh(_HALF * x)


@vectorized
def erf(x: Any) -> Any:
    """Return the error function, to 4e-7."""
    x = _FAR if x > _FAR else (-_FAR if x < -_FAR else x)
    square = x * x
    above = _N0 + square * (_N1 + square * (_N2 + square * (_N3 + square * (_N4 + square * _N5))))
    below = _ONE + square * (_D1 + square * (_D2 + square * (_D3 + square * (_D4 + square * _D5))))
    return x * above / below


@vectorized
def gelu(x: Any) -> Any:
    """Return x times the probability that a standard normal number is below it."""
    return _HALF * x * (_ONE + erf(x * _ROOT_HALF))


@vectorized
def gelu_slope(x: Any) -> Any:
    """Return the derivative of :func:`gelu`."""
    return _HALF * (_ONE + erf(x * _ROOT_HALF)) + x * _DENSITY * exp(-_HALF * x * x)
