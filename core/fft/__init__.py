"""Discrete Fourier transforms (paddle.fft), with gradients of any order.

Complex results are :class:`core.operators.arithmetic.complex_tensor.ComplexTensor`: tensors of dtype complex64 or
complex128 that keep their real and imaginary parts.
"""

from __future__ import annotations

from core.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from core.fft.transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
