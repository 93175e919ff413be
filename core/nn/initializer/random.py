"""Initializers that draw from a distribution."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from core.nn.initializer.base import Initializer, calculate_gain, fans
from core.operators.creation.random import numpy_generator


class Normal(Initializer):
    """A normal distribution.

    Args:
        mean: Mean.
        std: Standard deviation.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: Any = None) -> None:
        del name
        self.mean = mean
        self.std = std

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return normally distributed values."""
        return _normal(shape, dtype, self.mean, self.std)


class TruncatedNormal(Initializer):
    """A normal distribution without its tails beyond two standard deviations.

    Args:
        mean: Mean.
        std: Standard deviation before the tails are cut.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: Any = None) -> None:
        del name
        self.mean = mean
        self.std = std

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return values within two standard deviations of the mean."""
        generator = numpy_generator()
        values = generator.standard_normal(shape, dtype=dtype.type)
        outside = np.abs(values) > 2
        while outside.any():
            values[outside] = generator.standard_normal(int(outside.sum()), dtype=dtype.type)
            outside = np.abs(values) > 2
        return values * dtype.type(self.std) + dtype.type(self.mean)


class Uniform(Initializer):
    """A uniform distribution over [low, high).

    Args:
        low: Lower bound.
        high: Upper bound.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: Any = None) -> None:
        del name
        if low > high:
            raise ValueError(f"Uniform: low={low} lies above high={high}")
        self.low = low
        self.high = high

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return uniformly distributed values."""
        return _uniform(shape, dtype, self.low, self.high)


class XavierNormal(Initializer):
    """Normal with standard deviation sqrt(2 / (fan in + fan out)), after Glorot and Bengio 2010.

    Args:
        fan_in: Number of inputs of one output; from the shape when it is None.
        fan_out: Number of outputs of one input; from the shape when it is None.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, fan_in: Optional[float] = None, fan_out: Optional[float] = None, name: Any = None) -> None:
        del name
        self.fan_in = fan_in
        self.fan_out = fan_out

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return normally distributed values."""
        return _normal(shape, dtype, 0.0, math.sqrt(2.0 / _fan_sum(shape, self.fan_in, self.fan_out)))


class XavierUniform(Initializer):
    """Uniform within ± sqrt(6 / (fan in + fan out)), after Glorot and Bengio 2010; the default of most weights.

    Args:
        fan_in: Number of inputs of one output; from the shape when it is None.
        fan_out: Number of outputs of one input; from the shape when it is None.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, fan_in: Optional[float] = None, fan_out: Optional[float] = None, name: Any = None) -> None:
        del name
        self.fan_in = fan_in
        self.fan_out = fan_out

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return uniformly distributed values."""
        bound = math.sqrt(6.0 / _fan_sum(shape, self.fan_in, self.fan_out))
        return _uniform(shape, dtype, -bound, bound)


class KaimingNormal(Initializer):
    """Normal with standard deviation gain / sqrt(fan in), after He et al. 2015.

    Args:
        fan_in: Number of inputs of one output; from the shape when it is None.
        negative_slope: Slope of the leaky ReLU that follows.
        nonlinearity: The function that follows, see :func:`calculate_gain`.
    """

    def __init__(self, fan_in: Optional[float] = None, negative_slope: float = 0.0, nonlinearity: str = "relu") -> None:
        self.fan_in = fan_in
        self.negative_slope = negative_slope
        self.nonlinearity = nonlinearity

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return normally distributed values."""
        fan_in = fans(shape)[0] if self.fan_in is None else self.fan_in
        gain = calculate_gain(self.nonlinearity, self.negative_slope)
        return _normal(shape, dtype, 0.0, gain / math.sqrt(max(fan_in, 1e-12)))


class KaimingUniform(Initializer):
    """Uniform within ± gain · sqrt(3 / fan in), after He et al. 2015.

    Args:
        fan_in: Number of inputs of one output; from the shape when it is None.
        negative_slope: Slope of the leaky ReLU that follows.
        nonlinearity: The function that follows, see :func:`calculate_gain`.
    """

    def __init__(self, fan_in: Optional[float] = None, negative_slope: float = 0.0, nonlinearity: str = "relu") -> None:
        self.fan_in = fan_in
        self.negative_slope = negative_slope
        self.nonlinearity = nonlinearity

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return uniformly distributed values."""
        fan_in = fans(shape)[0] if self.fan_in is None else self.fan_in
        bound = calculate_gain(self.nonlinearity, self.negative_slope) * math.sqrt(3.0 / max(fan_in, 1e-12))
        return _uniform(shape, dtype, -bound, bound)


class Orthogonal(Initializer):
    """Rows (or columns, whichever are fewer) orthogonal to each other, after Saxe et al. 2013.

    Dimensions after the first are seen as one.

    Args:
        gain: Length of each row.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, gain: float = 1.0, name: Any = None) -> None:
        del name
        self.gain = gain

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return the orthogonal matrix in the parameter's shape.

        Raises:
            ValueError: the parameter has fewer than two dimensions.
        """
        if len(shape) < 2:
            raise ValueError(f"Orthogonal: a parameter of shape {list(shape)} has fewer than two dimensions")
        rows, columns = shape[0], math.prod(shape[1:])
        normal = numpy_generator().standard_normal((max(rows, columns), min(rows, columns)))
        basis, upper = np.linalg.qr(normal)
        basis = basis * np.where(np.diag(upper) < 0, -1.0, 1.0)
        matrix = basis if rows >= columns else basis.T
        return (self.gain * matrix).reshape(shape).astype(dtype)


def _fan_sum(shape: tuple[int, ...], fan_in: Optional[float], fan_out: Optional[float]) -> float:
    own_in, own_out = fans(shape)
    return max((own_in if fan_in is None else fan_in) + (own_out if fan_out is None else fan_out), 1e-12)


def _normal(shape: tuple[int, ...], dtype: np.dtype, mean: float, std: float) -> np.ndarray:
    values = np.asarray(numpy_generator().standard_normal(shape, dtype=dtype.type))
    return values * dtype.type(std) + dtype.type(mean)


def _uniform(shape: tuple[int, ...], dtype: np.dtype, low: float, high: float) -> np.ndarray:
    values = np.asarray(numpy_generator().random(shape, dtype=dtype.type))
    return values * dtype.type(high - low) + dtype.type(low)
