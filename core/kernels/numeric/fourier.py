"""Discrete Fourier transforms of numpy arrays: real and imaginary parts as arrays of their own, nothing scaled.

scipy's transforms compute in the precision of their input; numpy's always in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def transform(real: np.ndarray, imaginary: np.ndarray, axes: Sequence[int], inverse: bool) -> tuple[np.ndarray, ...]:
    """Transform complex numbers along axes.

    Args:
        real: Real parts, float32 or float64.
        imaginary: Imaginary parts, of the same shape and type.
        axes: The axes, each of at least one element.
        inverse: Whether the exponents are positive instead of negative.

    Returns:
        The real and the imaginary parts of the sums.
    """
    import scipy.fft  # here because it takes a good part of a second

    numbers = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    numbers.real, numbers.imag = real, imaginary
    if numbers.size:
        function = scipy.fft.ifftn if inverse else scipy.fft.fftn
        numbers = function(numbers, axes=tuple(axes), norm="forward" if inverse else "backward", overwrite_x=True)
    return np.ascontiguousarray(numbers.real), np.ascontiguousarray(numbers.imag)


def transform_real(values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Transform real numbers along the last axis.

    Args:
        values: float32 or float64, of shape (..., n).

    Returns:
        The real and the imaginary parts of the first n // 2 + 1 sums; the others are their conjugates.
    """
    import scipy.fft  # takes a good part of a second to load

    if not values.size:
        empty = np.zeros((*values.shape[:-1], values.shape[-1] // 2 + 1), values.dtype)
        return empty, empty.copy()
    numbers = scipy.fft.rfft(values)
    return np.ascontiguousarray(numbers.real), np.ascontiguousarray(numbers.imag)
