"""Primitives of Fourier transforms: complex numbers travel as two tensors, of real and of imaginary parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.operator import HostOperator
from core.kernels.numeric import fourier
from core.tensor import Tensor, apply


def _halves(metas: Sequence[Meta], _: Any) -> list[Meta]:
    shape, dtype = metas[0]
    return [((*shape[:-1], shape[-1] // 2 + 1), dtype)] * 2


_fourier = HostOperator("fourier", fourier.transform, infer=lambda metas, _: [metas[0]] * 2)
_fourier_real = HostOperator("fourier_real", fourier.transform_real, infer=_halves)


def transform(real: Tensor, imaginary: Tensor, axes: Sequence[int], inverse: bool = False) -> tuple[Tensor, Tensor]:
    """Return the unscaled transform of complex numbers along axes.

    Args:
        real: Real parts, float32 or float64.
        imaginary: Imaginary parts, of the same shape and type.
        axes: The axes, counted from 0, none empty.
        inverse: Whether the exponents are positive instead of negative.

    Returns:
        Real and imaginary parts, of the same shape and type.
    """
    first, second = apply(_fourier, real, imaginary, axes=tuple(axes), inverse=inverse)
    return first, second


def transform_real(values: Tensor) -> tuple[Tensor, Tensor]:
    """Return the unscaled transform of real numbers along the last axis.

    Args:
        values: (..., n), float32 or float64.

    Returns:
        Real and imaginary parts of the first n // 2 + 1 frequencies.
    """
    first, second = apply(_fourier_real, values)
    return first, second
