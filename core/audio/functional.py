"""Scales, filter banks and windows (paddle.audio.functional)."""

from __future__ import annotations

import math
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dtypes import DTypeLike, to_dtype
from core.operators import (
    arange,
    cast,
    clip,
    cos,
    exp,
    linspace,
    log,
    log10,
    maximum,
    minimum,
    normalize,
    to_tensor,
    unsqueeze,
    where,
)
from core.operators import max as largest
from core.tensor import Tensor

__all__ = [
    "compute_fbank_matrix", "create_dct", "fft_frequencies", "get_window", "hz_to_mel", "mel_frequencies", "mel_to_hz",
    "power_to_db",
]  # fmt: skip

WINDOWS = (
    "hamming", "hann", "gaussian", "general_gaussian", "exponential", "triang", "bohman", "blackman", "cosine",
    "tukey", "taylor",
)  # fmt: skip

# Slaney's scale (Auditory Toolbox): linear up to 1000 Hz, then 27 steps to 6.4 times the frequency
_HZ_OF_STEP = 200.0 / 3
_FIRST_HZ = 1000.0
_FIRST_MEL = _FIRST_HZ / _HZ_OF_STEP
_LOG_STEP = math.log(6.4) / 27.0

Number = Union[Tensor, float]


def hz_to_mel(freq: Number, htk: bool = False) -> Number:
    """Convert frequencies to mels.

    Args:
        freq: Hertz, a number or a tensor of any shape.
        htk: Use HTK's scale instead of Slaney's.

    Returns:
        Mels, as the argument.

    Example:
        >>> core.audio.functional.hz_to_mel(0.0)
        0.0
    """
    if htk:
        return 2595.0 * (log10(1.0 + freq / 700.0) if isinstance(freq, Tensor) else math.log10(1.0 + freq / 700.0))
    mels = freq / _HZ_OF_STEP
    if isinstance(freq, Tensor):
        high: Tensor = _FIRST_MEL + log(freq / _FIRST_HZ + 1e-10) / _LOG_STEP
        return where(freq > _FIRST_HZ, high, mels)
    return _FIRST_MEL + math.log(freq / _FIRST_HZ + 1e-10) / _LOG_STEP if freq >= _FIRST_HZ else mels


def mel_to_hz(mel: Number, htk: bool = False) -> Number:
    """Convert mels to frequencies.

    Args:
        mel: Mels, a number or a tensor of any shape.
        htk: Use HTK's scale instead of Slaney's.

    Returns:
        Hertz, as the argument.
    """
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    freqs = _HZ_OF_STEP * mel
    if isinstance(mel, Tensor):
        high: Tensor = _FIRST_HZ * exp(_LOG_STEP * (mel - _FIRST_MEL))
        return where(mel > _FIRST_MEL, high, freqs)
    return _FIRST_HZ * math.exp(_LOG_STEP * (mel - _FIRST_MEL)) if mel >= _FIRST_MEL else freqs


def mel_frequencies(
    n_mels: int = 64, f_min: float = 0.0, f_max: float = 11025.0, htk: bool = False, dtype: DTypeLike = "float32"
) -> Tensor:
    """Return frequencies at equal distances in mels.

    Args:
        n_mels: How many.
        f_min: The lowest, in hertz.
        f_max: The highest, in hertz.
        htk: Use HTK's scale instead of Slaney's.
        dtype: Element type, float32 or float64.

    Returns:
        Hertz, of shape (n_mels).
    """
    mels = linspace(hz_to_mel(f_min, htk), hz_to_mel(f_max, htk), n_mels, dtype=dtype)
    found: Any = mel_to_hz(mels, htk)
    return found


def fft_frequencies(sr: int, n_fft: int, dtype: DTypeLike = "float32") -> Tensor:
    """Return the frequencies of a Fourier transform of real numbers.

    Args:
        sr: Samples per second.
        n_fft: How many samples are transformed.
        dtype: Element type, float32 or float64.

    Returns:
        Hertz, of shape (n_fft // 2 + 1).
    """
    return linspace(0, float(sr) / 2, 1 + n_fft // 2, dtype=dtype)


def compute_fbank_matrix(
    sr: int,
    n_fft: int,
    n_mels: int = 64,
    f_min: float = 0.0,
    f_max: Optional[float] = None,
    htk: bool = False,
    norm: Union[str, float, None] = "slaney",
    dtype: DTypeLike = "float32",
) -> Tensor:
    """Return the weights of triangular bands at equal distances in mels.

    Args:
        sr: Samples per second.
        n_fft: How many samples are transformed.
        n_mels: How many bands.
        f_min: The lower end of the first, in hertz.
        f_max: The upper end of the last, in hertz; half the samples per second when it is None.
        htk: Use HTK's scale instead of Slaney's.
        norm: ``slaney`` for bands of equal area; a number for that norm of each band to be 1; None for peaks of 1.
        dtype: Element type, float32 or float64.

    Returns:
        A tensor of shape (n_mels, n_fft // 2 + 1).
    """
    high = float(sr) / 2 if f_max is None else f_max
    bins = fft_frequencies(sr, n_fft, dtype)
    ends = mel_frequencies(n_mels + 2, f_min, high, htk, dtype)
    width = unsqueeze(ends[1:] - ends[:-1], 1)
    ramps = unsqueeze(ends, 1) - unsqueeze(bins, 0)
    weights: Tensor = clip(minimum(-ramps[:n_mels] / width[:n_mels], ramps[2:] / width[1:]), 0.0)
    if norm == "slaney":
        return weights * unsqueeze(2.0 / (ends[2:] - ends[:n_mels]), 1)
    if isinstance(norm, (int, float)):
        return normalize(weights, p=norm, axis=-1)
    return weights


def power_to_db(
    spect: Tensor, ref_value: float = 1.0, amin: float = 1e-10, top_db: Optional[float] = 80.0
) -> Tensor:
    """Convert powers to decibels: 10 · log10(power / reference).

    Args:
        spect: Powers, of any shape.
        ref_value: The reference.
        amin: Smaller powers count as this.
        top_db: The result is at least the largest one less this; None sets no limit.

    Returns:
        Decibels, of the same shape.

    Raises:
        ValueError: the reference or ``amin`` is not positive, or ``top_db`` is negative.
    """
    for name, value in (("amin", amin), ("ref_value", ref_value)):
        if value <= 0:
            raise ValueError(f"power_to_db: {name} must be positive, not {value}")
    if top_db is not None and top_db < 0:
        raise ValueError(f"power_to_db: top_db must not be negative, not {top_db}")
    decibels: Tensor = 10.0 * log10(clip(spect, amin)) - 10.0 * math.log10(max(ref_value, amin))
    return decibels if top_db is None else maximum(decibels, largest(decibels) - top_db)


def create_dct(n_mfcc: int, n_mels: int, norm: Optional[str] = "ortho", dtype: DTypeLike = "float32") -> Tensor:
    """Return the matrix of the discrete cosine transform of type 2.

    Args:
        n_mfcc: How many coefficients.
        n_mels: How many bands.
        norm: ``ortho`` for an orthogonal matrix, None for twice the cosines.
        dtype: Element type, float32 or float64.

    Returns:
        A tensor of shape (n_mels, n_mfcc).

    Raises:
        ValueError: the norm is another one.
    """
    if norm not in (None, "ortho"):
        raise ValueError(f"create_dct: norm must be 'ortho' or None, not {norm!r}")
    bands = unsqueeze(arange(n_mels, dtype=dtype), 1)
    coefficients = arange(n_mfcc, dtype=dtype)
    matrix: Tensor = cos(math.pi / n_mels * (bands + 0.5) * coefficients)
    if norm is None:
        return matrix * 2.0
    return matrix * where(coefficients == 0, math.sqrt(1.0 / n_mels), math.sqrt(2.0 / n_mels) + 0 * coefficients)


def get_window(
    window: Union[str, tuple[Any, ...]], win_length: int, fftbins: bool = True, dtype: DTypeLike = "float64"
) -> Tensor:
    """Return a window by its name.

    Args:
        window: ``hamming``, ``hann``, ``gaussian``, ``general_gaussian``, ``exponential``, ``triang``, ``bohman``,
            ``blackman``, ``cosine``, ``tukey`` or ``taylor``; with parameters a tuple, such as ``("gaussian", 7)``.
        win_length: How many samples.
        fftbins: Whether it goes on periodically; otherwise it is symmetric.
        dtype: Element type, float32 or float64.

    Returns:
        A tensor of shape (win_length).

    Raises:
        ValueError: there is no such window, or it lacks parameters.
        TypeError: the window is neither a name nor a tuple.

    Example:
        >>> core.audio.functional.get_window("hann", 4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    from scipy.signal import windows  # here because it takes a second

    if not isinstance(window, (str, tuple)):
        raise TypeError(f"get_window: window must be a name or a tuple, not {type(window).__name__}")
    name, *parameters = (window,) if isinstance(window, str) else window
    if name not in WINDOWS:
        raise ValueError(f"get_window: there is no window {name!r}: use one of {', '.join(WINDOWS)}")
    if name in ("gaussian", "general_gaussian", "exponential") and not parameters:
        raise ValueError(f"get_window: {name} needs parameters: give a tuple such as ({name!r}, 7)")
    if isinstance(win_length, bool) or int(win_length) != win_length or win_length < 0:
        raise ValueError(f"get_window: win_length must be an int of 0 or more, not {win_length!r}")
    try:
        values = getattr(windows, name)(int(win_length), *parameters, sym=not fftbins)
    except TypeError as error:
        raise ValueError(f"get_window: {name} does not take the parameters {parameters}: {error}") from None
    return cast(to_tensor(np.asarray(values, np.float64)), to_dtype(dtype))
