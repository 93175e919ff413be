"""Calls of paddle.audio, signal and fft, made with Paddle 2.6.2 (make_references.py) and with core (test_audio.py)."""

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
NUMBERS = SIGNAL[:, :24].reshape(2, 4, 6) + 1j * SIGNAL[:, 24:48].reshape(2, 4, 6)
CASES.update(
    {
        "stft": lambda p: p.signal.stft(p.to_tensor(SIGNAL), 64),
        "stft of all": lambda p: p.signal.stft(
            p.to_tensor(SIGNAL.astype("float32"))[0], 32, 10, 21, p.ones([21]) / 2, normalized=True, onesided=False
        ),
        "stft of complex": lambda p: p.signal.stft(
            p.to_tensor(SIGNAL + 1j * SIGNAL[::-1]), 32, 16, center=False, onesided=False
        ),
        "istft": lambda p: p.signal.istft(p.signal.stft(p.to_tensor(SIGNAL), 64) * 2, 64),
        "istft of a window": lambda p: p.signal.istft(
            p.signal.stft(p.to_tensor(SIGNAL)[0], 32, 8, 20, p.to_tensor(SIGNAL[0, 80:100]) + 2, normalized=True),
            32, 8, 20, p.to_tensor(SIGNAL[0, 80:100]) + 2, normalized=True, length=500,
        ),
        "istft of all": lambda p: p.signal.istft(p.to_tensor(NUMBERS), 4, 2, center=False, onesided=False),
        "istft to complex": lambda p: p.signal.istft(
            p.to_tensor(NUMBERS), 4, 1, onesided=False, return_complex=True
        ),
        "product": lambda p: (p.to_tensor(NUMBERS) * p.to_tensor(NUMBERS[::-1])) / p.to_tensor(NUMBERS + 1),
        "matrices": lambda p: p.to_tensor(NUMBERS) @ p.to_tensor(NUMBERS.transpose(0, 2, 1)),
        "mixed": lambda p: 2j * p.fft.fft(p.to_tensor(POWERS)) + p.to_tensor(POWERS.astype("float32")) - 1,
        "parts": lambda p: p.real(p.to_tensor(NUMBERS)) + p.imag(p.to_tensor(NUMBERS)),
        "magnitude": lambda p: p.abs(p.to_tensor(NUMBERS)),
        "angle": lambda p: p.angle(p.to_tensor(NUMBERS)),
        "conjugates": lambda p: p.conj(p.to_tensor(NUMBERS)),
        "as real": lambda p: p.as_real(p.to_tensor(NUMBERS)),
        "as complex": lambda p: p.as_complex(p.to_tensor(POWERS[:, :2])),
        "of parts": lambda p: p.complex(p.to_tensor(POWERS), p.to_tensor(POWERS[:1])),
        "of magnitudes": lambda p: p.polar(p.to_tensor(POWERS), p.to_tensor(SIGNAL[:1, :9])),
        "frequencies": lambda p: p.fft.fftfreq(7, 0.3),
        "frequencies of real": lambda p: p.fft.rfftfreq(7, 0.3),
        "shift": lambda p: p.fft.fftshift(p.to_tensor(RAMP)),
        "shift back": lambda p: p.fft.ifftshift(p.to_tensor(NUMBERS), [0, 2]),
    }
)  # fmt: skip
for transform in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    given = SIGNAL[:, :24].reshape(2, 4, 6) if transform in ("rfft", "ihfft") else NUMBERS
    many = {"s": [3, 7], "axes": [2, 0], "norm": "ortho"}
    for suffix, keywords in (("", {"n": 5, "axis": 1}), ("2", {}), ("n", many)):
        CASES[f"{transform}{suffix}"] = lambda p, t=transform + suffix, x=given, k=keywords: getattr(p.fft, t)(  # type: ignore[misc]
            p.to_tensor(x), **k
        )
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
