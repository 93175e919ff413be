"""Initializers that draw nothing: constants, given values, identity kernels, interpolation kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.nn.initializer.base import Initializer


class Constant(Initializer):
    """One value everywhere.

    Args:
        value: The value.
    """

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return an array filled with the value."""
        return np.full(shape, self.value, dtype)


class Assign(Initializer):
    """Given values.

    Args:
        value: A Tensor, numpy array, list, tuple or number of the parameter's shape.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, value: Any, name: Any = None) -> None:
        del name
        self.value = np.asarray(value.numpy() if hasattr(value, "numpy") else value)

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return the given values.

        Raises:
            ValueError: they have another shape than the parameter.
        """
        if self.value.shape != shape:
            raise ValueError(
                f"Assign: the value has shape {list(self.value.shape)} and the parameter {list(shape)}: give a value of"
                " the parameter's shape"
            )
        return self.value.astype(dtype)


class NumpyArrayInitializer(Assign):
    """Given values from a numpy array (the older name of :class:`Assign`)."""


class Dirac(Initializer):
    """A convolution kernel that passes its input on: channel i of the output is channel i of the input.

    Output channels beyond the input's are zero.

    Args:
        groups: Number of groups of output channels that each start over at input channel 0.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, groups: int = 1, name: Any = None) -> None:
        del name
        if not isinstance(groups, int) or groups < 1:
            raise ValueError(f"Dirac: groups is a positive integer, not {groups!r}")
        self.groups = groups

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return the kernel.

        Raises:
            ValueError: the parameter is not a kernel of a 1-D, 2-D or 3-D convolution, or groups do not fit.
        """
        if len(shape) not in (3, 4, 5):
            raise ValueError(f"Dirac: a parameter of shape {list(shape)} is no convolution kernel (3 to 5 dimensions)")
        if shape[0] % self.groups:
            raise ValueError(f"Dirac: {shape[0]} output channels are not divisible by groups={self.groups}")
        kernel = np.zeros(shape, dtype)
        per_group = shape[0] // self.groups
        centre = tuple(size // 2 for size in shape[2:])
        for group in range(self.groups):
            for channel in range(min(per_group, shape[1])):
                place = (group * per_group + channel, channel, *centre)
                kernel[place] = 1
        return kernel


class Bilinear(Initializer):
    """The kernel with which a transposed convolution interpolates bilinearly.

    For upsampling by an integer factor f: kernel size 2f - f % 2, stride f, padding ceil((f - 1) / 2), one group per
    channel. Paddle 2.6 fills the same kernel with a row coordinate that is not rounded down and
    so tilts it; this is the symmetric kernel that its documentation describes.
    """

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return the kernel.

        Raises:
            ValueError: the parameter has not the shape (channels, channels, size, size).
        """
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ValueError(f"Bilinear: a kernel has the shape [channels, channels, size, size], not {list(shape)}")
        half = np.ceil(shape[3] / 2)
        centre = (2 * half - 1 - half % 2) / (2 * half)
        line = 1 - np.abs(np.arange(shape[3]) / half - centre)
        return np.broadcast_to(np.outer(line, line), shape).astype(dtype)
