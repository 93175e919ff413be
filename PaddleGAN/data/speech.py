"""Sounds as Wav2Lip hears them: WAV files, and their mel spectrograms in decibels."""

from __future__ import annotations

import functools
import math
import os
import warnings

import numpy as np
from scipy import signal
from scipy.io import wavfile

RATE = 16_000
"""Samples per second."""

BANDS, WINDOW, HOP = 80, 800, 200
"""Mel bands, samples of a window, samples between windows: 80 windows a second."""

FRAMES = 16
"""Windows that belong to a picture: a fifth of a second."""

_LOWEST, _HIGHEST = 55.0, 7600.0
_EMPHASIS = 0.97
_FLOOR, _REFERENCE, _LIMIT = -100.0, 20.0, 4.0


def read_wave(path: str) -> np.ndarray:
    """Read a WAV file of whole or floating-point numbers, at 16,000 samples a second, its channels' mean.

    Args:
        path: the file; other rates are resampled.

    Returns:
        Float64, shape (samples,), about -1 to 1.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no WAV file, a damaged one, or has no samples.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no sound file {path!r}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # of parts that are no sound
            rate, samples = wavfile.read(path)
    except Exception as error:  # scipy's reader raises whatever a damaged header leads to
        text = " ".join(str(error).split())
        raise ValueError(f"{path!r} is no WAV file that can be read ({text}); convert it to WAV of 16 bits") from None
    if samples.size == 0 or not 1000 <= rate <= 1_000_000:
        raise ValueError(f"{path!r} has {samples.size} samples at {rate} a second: there is nothing to hear")
    scaled = samples.astype(np.float64)
    if samples.dtype.kind == "u":
        scaled = (scaled - 128) / 128
    elif samples.dtype.kind == "i":
        scaled /= -float(np.iinfo(samples.dtype).min)
    if not np.isfinite(scaled).all():
        raise ValueError(f"{path!r} has samples that are infinite or not numbers")
    mono = scaled if scaled.ndim == 1 else scaled.mean(axis=1)
    if rate == RATE:
        return mono
    shared = math.gcd(int(rate), RATE)
    resampled: np.ndarray = signal.resample_poly(mono, RATE // shared, int(rate) // shared)
    return resampled


def melspectrogram(samples: np.ndarray) -> np.ndarray:
    """Return the mel spectrogram of a sound, in decibels, scaled to -4 to 4: that of ppgan.

    Args:
        samples: shape (samples,), at 16,000 a second.

    Returns:
        Float32, shape (80, 1 + samples / 200, rounded down).

    Raises:
        ValueError: there are fewer samples than half a window.
    """
    if len(samples) <= WINDOW // 2:
        raise ValueError(f"a sound of {len(samples)} samples is too short; it needs more than {WINDOW // 2}")
    emphasised = signal.lfilter([1, -_EMPHASIS], [1], samples)
    padded = np.pad(emphasised, WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    spectrum = np.abs(np.fft.rfft(windows * signal.get_window("hann", WINDOW), axis=1))
    bands = spectrum @ _bank().T
    decibels = 20 * np.log10(np.maximum(10 ** (_FLOOR / 20), bands)) - _REFERENCE
    scaled = 2 * _LIMIT * (decibels - _FLOOR) / -_FLOOR - _LIMIT
    return np.ascontiguousarray(np.clip(scaled, -_LIMIT, _LIMIT).T, np.float32)


def pieces(spectrogram: np.ndarray, frames_per_second: float) -> np.ndarray:
    """Return the sound of each picture, float32 (pictures, 1, 80, 16): a fifth of a second from where it begins.

    Args:
        spectrogram: float32 (80, T).
        frames_per_second: of the pictures.

    Raises:
        ValueError: the sound is shorter than a fifth of a second, or the rate is not positive.
    """
    length = spectrogram.shape[1]
    if not frames_per_second > 0:
        raise ValueError(f"there must be a positive number of pictures a second, not {frames_per_second}")
    if length < FRAMES:
        raise ValueError(f"the sound has {length / 80:.2f} seconds; it needs {FRAMES / 80:.2f} at least")
    found: list[np.ndarray] = []
    while int(len(found) * 80 / frames_per_second) + FRAMES <= length:
        start = int(len(found) * 80 / frames_per_second)
        found.append(spectrogram[:, start : start + FRAMES])
    found.append(spectrogram[:, -FRAMES:])
    return np.stack(found)[:, None]


def _mels(hertz: float) -> float:
    """Return a frequency on Slaney's scale: linear up to 1,000 Hz, then 27 steps to 6.4 times the frequency."""
    return hertz * 3 / 200 if hertz < 1000 else 15 + 27 * math.log(hertz / 1000) / math.log(6.4)


@functools.cache
def _bank() -> np.ndarray:
    """Return the weights of the bands, (80, 401); :mod:`core.audio` has them too, and loads the engine."""
    steps = np.linspace(_mels(_LOWEST), _mels(_HIGHEST), BANDS + 2)
    ends = np.where(steps < 15, steps * 200 / 3, 1000 * np.exp((steps - 15) * math.log(6.4) / 27))
    bins = np.linspace(0, RATE / 2, 1 + WINDOW // 2)
    rising = (bins - ends[:-2, None]) / (ends[1:-1] - ends[:-2])[:, None]
    falling = (ends[2:, None] - bins) / (ends[2:] - ends[1:-1])[:, None]
    triangles: np.ndarray = np.maximum(0, np.minimum(rising, falling)) * (2 / (ends[2:] - ends[:-2]))[:, None]
    return triangles
