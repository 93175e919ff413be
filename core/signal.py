"""Signals cut into overlapping frames, and put together again (paddle.signal).

``stft`` and ``istft`` are not here: they give and take complex tensors, which core does not have.
:mod:`core.audio.features` has the magnitudes of the short-time Fourier transform.
"""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dtypes import float64
from core.kernels.errors import OperatorError
from core.nn import functional as F
from core.operators import cast, moveaxis, pad, reshape, transpose, unfold, unsqueeze
from core.operators.arguments import need_tensor
from core.operators.fourier import transform_real
from core.tensor import Tensor

__all__ = ["frame", "overlap_add"]


def frame(x: Tensor, frame_length: int, hop_length: int, axis: int = -1, name: Optional[str] = None) -> Tensor:
    """Cut a signal into frames that may overlap.

    Args:
        x: (..., samples), or (samples, ...) with ``axis=0``.
        frame_length: How many samples a frame has.
        hop_length: How many samples lie between the starts of frames.
        axis: 0 or -1.
        name: Unused, as in Paddle.

    Returns:
        (..., frame_length, frames), or (frames, frame_length, ...) with ``axis=0``.

    Raises:
        OperatorError: the axis is another one, a length is not positive, or a frame is longer than the signal.

    Example:
        >>> core.signal.frame(core.arange(8), 4, 2, axis=0).tolist()
        [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]]
    """
    need_tensor(x, "frame")
    _check_axis("frame", axis)
    _check_positive("frame", "frame_length", frame_length)
    _check_positive("frame", "hop_length", hop_length)
    if not x.ndim or frame_length > x.shape[axis]:
        raise OperatorError(f"frame: frame_length {frame_length} is more than the samples of x, of shape {x.shape}")
    frames = unfold(x, axis, frame_length, hop_length)  # the place within a frame stands last
    if axis == -1:
        return moveaxis(frames, -1, -2)
    return frames if x.ndim == 1 else moveaxis(frames, -1, 1)


def overlap_add(x: Tensor, hop_length: int, axis: int = -1, name: Optional[str] = None) -> Tensor:
    """Put frames together to a signal, adding up where they overlap.

    Args:
        x: (..., frame_length, frames), or (frames, frame_length, ...) with ``axis=0``.
        hop_length: How many samples lie between the starts of frames.
        axis: 0 or -1.
        name: Unused, as in Paddle.

    Returns:
        (..., samples), or (samples, ...) with ``axis=0``: (frames - 1) * hop_length + frame_length samples.

    Raises:
        OperatorError: the axis is another one, the hop is not from 1 to the length of a frame, or x has fewer than two
            axes.
    """
    need_tensor(x, "overlap_add")
    _check_axis("overlap_add", axis)
    _check_positive("overlap_add", "hop_length", hop_length)
    if x.ndim < 2:
        raise OperatorError(f"overlap_add: x must have the axes of frames and samples, but its shape is {x.shape}")
    if axis == 0:
        x = moveaxis(x, [1, 0], [-2, -1])
    *others, length, count = x.shape
    if hop_length > length:
        raise OperatorError(f"overlap_add: hop_length {hop_length} is more than the {length} samples of a frame")
    samples = (count - 1) * hop_length + length
    values = x if x.dtype.is_floating else cast(x, float64)
    columns = reshape(values, [-1, length, count])
    signal = F.fold(columns, [1, samples], [1, length], [1, hop_length])
    result = cast(reshape(signal, [*others, samples]), x.dtype)
    return moveaxis(result, -1, 0) if axis == 0 else result


def short_time_parts(
    x: Tensor,
    n_fft: int,
    hop_length: Optional[int] = None,
    win_length: Optional[int] = None,
    window: Optional[Tensor] = None,
    center: bool = True,
    pad_mode: str = "reflect",
) -> tuple[Tensor, Tensor]:
    """Return the real and imaginary parts of the short-time Fourier transform of a real signal.

    Args:
        x: (samples) or (batch, samples), float32 or float64.
        n_fft: How many samples are transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: What the samples of a frame are multiplied by; ones when it is None.
        center: Whether the signal is padded, so that frame t has sample ``t * hop_length`` in its middle.
        pad_mode: ``reflect`` or ``constant``.

    Returns:
        Two tensors of shape (batch, n_fft // 2 + 1, frames), without a batch for one signal.

    Raises:
        OperatorError: a size does not fit the others.
    """
    caller = "stft"
    if need_tensor(x, caller).ndim not in (1, 2):
        raise OperatorError(f"{caller}: x must be (samples) or (batch, samples), but its shape is {x.shape}")
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    _check_positive(caller, "hop_length", hop)
    if not 0 < n_fft <= x.shape[-1]:
        raise OperatorError(f"{caller}: n_fft must be from 1 to the {x.shape[-1]} samples of x, not {n_fft}")
    if not 0 < width <= n_fft:
        raise OperatorError(f"{caller}: win_length must be from 1 to n_fft {n_fft}, not {width}")
    if window is not None and window.shape != [width]:
        raise OperatorError(f"{caller}: window must have win_length {width} numbers, but its shape is {window.shape}")
    signals = unsqueeze(x, 0) if x.ndim == 1 else x
    if center:
        if pad_mode not in ("reflect", "constant"):
            raise OperatorError(f"{caller}: pad_mode must be reflect or constant, not {pad_mode!r}")
        padded: Any = pad(unsqueeze(signals, 1), [n_fft // 2, n_fft // 2], mode=pad_mode, data_format="NCL")
        signals = padded[:, 0]
    frames = unfold(signals, -1, n_fft, hop)
    if window is not None:
        before = (n_fft - width) // 2
        whole = window if width == n_fft else pad(window, [before, n_fft - width - before])
        frames = frames * cast(whole, frames.dtype)
    elif width < n_fft:
        raise OperatorError(f"{caller}: give the window of win_length {width}")
    real, imaginary = (transpose(part, [0, 2, 1]) for part in transform_real(frames))
    return (real[0], imaginary[0]) if x.ndim == 1 else (real, imaginary)


def _check_axis(caller: str, axis: Any) -> None:
    if axis not in (0, -1):
        raise OperatorError(f"{caller}: axis must be 0 or -1, not {axis!r}")


def _check_positive(caller: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OperatorError(f"{caller}: {name} must be a positive int, not {value!r}")
