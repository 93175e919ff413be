"""Layers that turn sound into pictures of it (paddle.audio.features)."""

from __future__ import annotations

from typing import Any, Optional, Union

from core.audio.functional import compute_fbank_matrix, create_dct, get_window, power_to_db
from core.kernels.dtypes import DTypeLike
from core.nn import Layer
from core.operators import matmul, transpose
from core.operators import pow as power_of
from core.signal import stft
from core.tensor import Tensor

__all__ = ["MFCC", "LogMelSpectrogram", "MelSpectrogram", "Spectrogram"]

Norm = Union[str, float, None]
Window = Union[str, tuple[Any, ...]]


class Spectrogram(Layer):
    """How strong each frequency is over time: magnitudes of the short-time Fourier transform, to a power.

    Args:
        n_fft: How many samples are transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: Its name, or a tuple of name and parameters; see :func:`core.audio.functional.get_window`.
        power: To which power the magnitudes are raised.
        center: Whether frame t has sample ``t * hop_length`` in its middle.
        pad_mode: How the signal goes on then: ``reflect`` or ``constant``.
        dtype: Element type of the window.

    Shapes:
        input (batch, samples), output (batch, n_fft // 2 + 1, frames).

    Raises:
        ValueError: the power is not positive.
    """

    def __init__(
        self,
        n_fft: int = 512,
        hop_length: Optional[int] = 512,
        win_length: Optional[int] = None,
        window: Window = "hann",
        power: float = 1.0,
        center: bool = True,
        pad_mode: str = "reflect",
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__()
        if power <= 0:
            raise ValueError(f"Spectrogram: power must be positive, not {power}")
        self.power = power
        self.n_fft, self.hop_length = n_fft, hop_length
        self.win_length = n_fft if win_length is None else win_length
        self.center, self.pad_mode = center, pad_mode
        self.fft_window = get_window(window, self.win_length, dtype=dtype)
        self.register_buffer("fft_window", self.fft_window)

    def forward(self, x: Tensor) -> Tensor:
        """Return the spectrogram of signals."""
        spectrum: Any = stft(
            x, self.n_fft, self.hop_length, self.win_length, self.fft_window, self.center, self.pad_mode
        )
        if self.power == 2:
            return spectrum._real * spectrum._real + spectrum._imag * spectrum._imag
        magnitude: Tensor = spectrum.abs()
        return magnitude if self.power == 1 else power_of(magnitude, self.power)


class MelSpectrogram(Layer):
    """A spectrogram whose frequencies are added up in bands at equal distances in mels.

    Args:
        sr: Samples per second.
        n_fft: How many samples are transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: Its name, or a tuple of name and parameters.
        power: To which power the magnitudes are raised.
        center: Whether frame t has sample ``t * hop_length`` in its middle.
        pad_mode: How the signal goes on then: ``reflect`` or ``constant``.
        n_mels: How many bands.
        f_min: The lower end of the first, in hertz.
        f_max: The upper end of the last, in hertz; half the samples per second when it is None.
        htk: Use HTK's scale instead of Slaney's.
        norm: How bands are scaled; see :func:`core.audio.functional.compute_fbank_matrix`.
        dtype: Element type of window and bands.

    Shapes:
        input (batch, samples), output (batch, n_mels, frames).
    """

    def __init__(
        self,
        sr: int = 22050,
        n_fft: int = 2048,
        hop_length: Optional[int] = 512,
        win_length: Optional[int] = None,
        window: Window = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: Optional[float] = None,
        htk: bool = False,
        norm: Norm = "slaney",
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__()
        self._spectrogram = Spectrogram(n_fft, hop_length, win_length, window, power, center, pad_mode, dtype)
        self.n_mels, self.f_min, self.f_max, self.htk, self.norm = n_mels, f_min, f_max, htk, norm
        high = sr // 2 if f_max is None else f_max
        self.fbank_matrix = compute_fbank_matrix(sr, n_fft, n_mels, f_min, high, htk, norm, dtype)
        self.register_buffer("fbank_matrix", self.fbank_matrix)

    def forward(self, x: Tensor) -> Tensor:
        """Return the mel spectrogram of signals."""
        return matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(Layer):
    """A mel spectrogram in decibels.

    Args:
        sr: Samples per second.
        n_fft: How many samples are transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: Its name, or a tuple of name and parameters.
        power: To which power the magnitudes are raised.
        center: Whether frame t has sample ``t * hop_length`` in its middle.
        pad_mode: How the signal goes on then: ``reflect`` or ``constant``.
        n_mels: How many bands.
        f_min: The lower end of the first, in hertz.
        f_max: The upper end of the last, in hertz; half the samples per second when it is None.
        htk: Use HTK's scale instead of Slaney's.
        norm: How bands are scaled; see :func:`core.audio.functional.compute_fbank_matrix`.
        ref_value: The power of 0 decibels.
        amin: Smaller powers count as this.
        top_db: The result is at least the largest one less this; None sets no limit.
        dtype: Element type of window and bands.

    Shapes:
        input (batch, samples), output (batch, n_mels, frames).
    """

    def __init__(
        self,
        sr: int = 22050,
        n_fft: int = 512,
        hop_length: Optional[int] = None,
        win_length: Optional[int] = None,
        window: Window = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: Optional[float] = None,
        htk: bool = False,
        norm: Norm = "slaney",
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: Optional[float] = None,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__()
        self._melspectrogram = MelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk, norm, dtype
        )
        self.ref_value, self.amin, self.top_db = ref_value, amin, top_db

    def forward(self, x: Tensor) -> Tensor:
        """Return the mel spectrogram of signals in decibels."""
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


class MFCC(Layer):
    """Mel-frequency cepstral coefficients: the cosine transform of a mel spectrogram in decibels.

    Args:
        sr: Samples per second.
        n_mfcc: How many coefficients.
        n_fft: How many samples are transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: Its name, or a tuple of name and parameters.
        power: To which power the magnitudes are raised.
        center: Whether frame t has sample ``t * hop_length`` in its middle.
        pad_mode: How the signal goes on then: ``reflect`` or ``constant``.
        n_mels: How many bands.
        f_min: The lower end of the first, in hertz.
        f_max: The upper end of the last, in hertz; half the samples per second when it is None.
        htk: Use HTK's scale instead of Slaney's.
        norm: How bands are scaled; see :func:`core.audio.functional.compute_fbank_matrix`.
        ref_value: The power of 0 decibels.
        amin: Smaller powers count as this.
        top_db: The decibels are at least the largest one less this; None sets no limit.
        dtype: Element type of window and bands.

    Shapes:
        input (batch, samples), output (batch, n_mfcc, frames).

    Raises:
        ValueError: there are more coefficients than bands.
    """

    def __init__(
        self,
        sr: int = 22050,
        n_mfcc: int = 40,
        n_fft: int = 512,
        hop_length: Optional[int] = None,
        win_length: Optional[int] = None,
        window: Window = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: Optional[float] = None,
        htk: bool = False,
        norm: Norm = "slaney",
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: Optional[float] = None,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__()
        if n_mfcc > n_mels:
            raise ValueError(f"MFCC: n_mfcc {n_mfcc} must be at most n_mels {n_mels}")
        self._log_melspectrogram = LogMelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk, norm,
            ref_value, amin, top_db, dtype,
        )  # fmt: skip
        self.dct_matrix = create_dct(n_mfcc, n_mels, dtype=dtype)
        self.register_buffer("dct_matrix", self.dct_matrix)

    def forward(self, x: Tensor) -> Tensor:
        """Return the coefficients of signals."""
        return matmul(transpose(self.dct_matrix, [1, 0]), self._log_melspectrogram(x))
