"""What every initializer shares: filling a parameter, fans, gains, and the process-wide default."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dtypes import float64, to_dtype


class Initializer:
    """Base of all initializers: calling one with a parameter fills that parameter.

    Subclasses implement :meth:`sample`.
    """

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return the initial values.

        Args:
            shape: Shape of the parameter.
            dtype: ``float32``, or ``float64`` for a float64 parameter.

        Returns:
            An array of that shape.
        """
        raise NotImplementedError(f"{type(self).__name__} does not implement sample(shape, dtype)")

    def __call__(self, param: Any, block: Any = None) -> None:
        """Write initial values into a parameter or tensor; an abstract parameter stays abstract and remembers them.

        Args:
            param: The parameter (any shape, floating point).
            block: Accepted for Paddle's signature; there are no blocks here.
        """
        del block
        if getattr(param, "is_abstract", False):
            param.initializer = self
            return
        param.set_value(self.values_for(param.shape, param.dtype))

    def forward(self, var: Any, block: Any = None) -> None:
        """Write initial values, as a call does.

        Args:
            var: A parameter or tensor.
            block: Accepted for Paddle's signature; there are no blocks here.
        """
        self(var, block)

    def values_for(self, shape: Sequence[int], dtype: Any) -> np.ndarray:
        """Return values for a parameter of a shape and a core dtype.

        Args:
            shape: Shape of the parameter.
            dtype: Element type of the parameter.

        Returns:
            float64 values for a float64 parameter, else float32.
        """
        wanted = np.dtype("float64") if to_dtype(dtype) is float64 else np.dtype("float32")
        return np.asarray(self.sample(tuple(int(size) for size in shape), wanted), dtype=wanted)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name.lstrip('_')}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Return (fan in, fan out) of a parameter by Paddle's rule.

    A matrix is (in, out), as a Linear's weight is; from three dimensions on it is a kernel (out, in, ...).
    """
    if len(shape) == 0:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    if len(shape) == 2:
        return shape[0], shape[1]
    receptive_field = math.prod(shape[2:])
    return shape[1] * receptive_field, shape[0] * receptive_field


_UNIT_GAINS = (
    "sigmoid",
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv1d_transpose",
    "conv2d_transpose",
    "conv3d_transpose",
)


def calculate_gain(nonlinearity: str, param: Optional[float] = None) -> float:
    """Return the factor by which a layer's weights should grow because of the function that follows it.

    Args:
        nonlinearity: Name of the function, such as ``relu``, ``tanh`` or ``leaky_relu``.
        param: Negative slope of ``leaky_relu``; 0.01 when it is None.

    Raises:
        ValueError: the function has no known gain.
        TypeError: the slope is not a number.
    """
    if nonlinearity in _UNIT_GAINS:
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise TypeError(f"calculate_gain('leaky_relu', param): param is a number, not {slope!r}")
        return math.sqrt(2.0 / (1 + slope**2))
    known = ", ".join((*_UNIT_GAINS, "tanh", "relu", "leaky_relu", "selu"))
    raise ValueError(f"nonlinearity {nonlinearity!r} has no known gain: use one of {known}")


_global: dict[str, Optional[Initializer]] = {"weight": None, "bias": None}


def set_global_initializer(weight_init: Optional[Initializer], bias_init: Optional[Initializer] = None) -> None:
    """Replace the layers' default initializers from now on; one given in a ParamAttr still comes first.

    Args:
        weight_init: For weights; None gives the layers' own defaults back.
        bias_init: For biases; None gives the layers' own defaults back.

    Raises:
        TypeError: an argument is neither an Initializer nor None.
    """
    for name, value in (("weight_init", weight_init), ("bias_init", bias_init)):
        if value is not None and not isinstance(value, Initializer):
            raise TypeError(f"set_global_initializer: {name} is an Initializer or None, not {value!r}")
    _global["weight"] = weight_init
    _global["bias"] = bias_init


def global_initializer(is_bias: bool) -> Optional[Initializer]:
    """Return what :func:`set_global_initializer` set for weights or biases, or None."""
    return _global["bias" if is_bias else "weight"]
