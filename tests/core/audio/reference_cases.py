"""Calls of paddle.audio and paddle.signal, made with Paddle (make_references.py) and with core (test_audio.py)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

Case = Callable[[Any], Any]

HZ = np.array([0.0, 440.0, 1000.0, 1000.1, 8000.0])
MELS = np.array([0.0, 6.0, 15.0, 15.5, 40.0])
SIGNAL = np.sin(np.arange(1200).reshape(2, 600) ** 1.5 / 40) * np.linspace(0.1, 1, 600)
RAMP = np.arange(48, dtype="int64").reshape(2, 4, 6)
POWERS = np.abs(SIGNAL[:, :9]) ** 8

CASES: dict[str, Case] = {
    "mel frequencies": lambda p: p.audio.functional.mel_frequencies(8, 50.0, 7000.0, dtype="float64"),
    "mel frequencies htk": lambda p: p.audio.functional.mel_frequencies(8, 50.0, 7000.0, True),
    "fft frequencies": lambda p: p.audio.functional.fft_frequencies(16000, 17),
    "bands": lambda p: p.audio.functional.compute_fbank_matrix(16000, 64, 7, dtype="float64"),
    "bands htk": lambda p: p.audio.functional.compute_fbank_matrix(8000, 64, 6, 100.0, 3000.0, True, None, "float64"),
    "bands of norm 2": lambda p: p.audio.functional.compute_fbank_matrix(8000, 64, 6, norm=2.0, dtype="float64"),
    "cosines": lambda p: p.audio.functional.create_dct(5, 8, dtype="float64"),
    "cosines without norm": lambda p: p.audio.functional.create_dct(5, 8, None, "float64"),
    "decibels": lambda p: p.audio.functional.power_to_db(p.to_tensor(POWERS), 0.5, 1e-6, 30.0),
    "decibels without limit": lambda p: p.audio.functional.power_to_db(p.to_tensor(POWERS), top_db=None),
    "frames": lambda p: p.signal.frame(p.to_tensor(RAMP), 3, 2),
    "frames first": lambda p: p.signal.frame(p.to_tensor(RAMP), 2, 1, axis=0),
    "frames of floats": lambda p: p.signal.frame(p.to_tensor(SIGNAL), 16, 100),
    "overlapping": lambda p: p.signal.overlap_add(p.to_tensor(RAMP), 3),
    "overlapping first": lambda p: p.signal.overlap_add(p.to_tensor(RAMP), 1, axis=0),
    "overlapping floats": lambda p: p.signal.overlap_add(p.to_tensor(SIGNAL.reshape(2, 20, 30)), 7),
}
for htk in (False, True):
    for dtype in ("float32", "float64"):
        CASES[f"hz to mel {htk} {dtype}"] = lambda p, htk=htk, dtype=dtype: p.audio.functional.hz_to_mel(  # type: ignore[misc]
            p.to_tensor(HZ.astype(dtype)), htk
        )
        CASES[f"mel to hz {htk} {dtype}"] = lambda p, htk=htk, dtype=dtype: p.audio.functional.mel_to_hz(  # type: ignore[misc]
            p.to_tensor(MELS.astype(dtype)), htk
        )

WINDOWS: tuple[Any, ...] = (
    "hamming", "hann", ("gaussian", 3.0), ("general_gaussian", 1.5, 3.0), ("exponential", None, 3.0), "triang",
    "bohman", "blackman", "cosine", "tukey", ("tukey", 0.25), "taylor", ("taylor", 5, 40),
)  # fmt: skip
for window in WINDOWS:
    for length in (8, 9):
        for periodic in (True, False):
            CASES[f"window {window} {length} {periodic}"] = (
                lambda p, window=window, length=length, periodic=periodic: p.audio.functional.get_window(  # type: ignore[misc]
                    window, length, fftbins=periodic
                )
            )

FEATURES: dict[str, Case] = {
    "spectrogram": lambda p: p.audio.features.Spectrogram(64, 32, dtype="float64"),
    "spectrogram of a short window": lambda p: p.audio.features.Spectrogram(
        64, 20, 41, "hamming", 2.0, False, dtype="float64"
    ),
    "spectrogram in zeros": lambda p: p.audio.features.Spectrogram(
        63, None, None, ("gaussian", 9), 1.5, pad_mode="constant", dtype="float64"
    ),
    "mel spectrogram": lambda p: p.audio.features.MelSpectrogram(8000, 128, 64, n_mels=8, dtype="float64"),
    "log mel spectrogram": lambda p: p.audio.features.LogMelSpectrogram(
        8000, 128, n_mels=8, top_db=40.0, dtype="float64"
    ),
    "coefficients": lambda p: p.audio.features.MFCC(8000, 6, 128, n_mels=8, dtype="float64"),
}


def feature(package: Any, name: str, dtype: str = "float64") -> Any:
    """Compute a feature of the signals."""
    return FEATURES[name](package)(package.to_tensor(SIGNAL.astype(dtype)))
