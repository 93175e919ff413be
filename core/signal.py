"""Signals cut into overlapping frames, transformed, and put together again (paddle.signal)."""

from __future__ import annotations

from typing import Any, Optional

from core import fft
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import float64
from core.nn import functional as F
from core.operators import cast, moveaxis, ones, pad, reshape, tile, transpose, unfold, unsqueeze
from core.operators._arguments import need_tensor
from core.operators.arithmetic.complex_tensor import ComplexTensor
from core.tensor import Tensor

__all__ = ["frame", "istft", "overlap_add", "stft"]


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
    frames = unfold(x, axis, frame_length, hop_length)  # the place within a frame is the last axis
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


def stft(
    x: Tensor,
    n_fft: int,
    hop_length: Optional[int] = None,
    win_length: Optional[int] = None,
    window: Optional[Tensor] = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Compute the short-time Fourier transform: the transforms of overlapping frames of a signal.

    Args:
        x: (samples) or (batch, samples); real, or complex with ``onesided=False``.
        n_fft: How many samples are transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: What the samples of a frame are multiplied by, real; ones when it is None. A short one is in the
            middle of zeros.
        center: Whether the signal is padded, so that frame t has sample ``t * hop_length`` in its middle.
        pad_mode: How it goes on then: ``reflect`` or ``constant`` (zeros).
        normalized: Whether results are divided by the root of ``n_fft``.
        onesided: Whether to leave out the frequencies that are conjugates of others.
        name: Unused, as in Paddle.

    Returns:
        A complex tensor of shape (batch, n_fft // 2 + 1, frames), or (batch, n_fft, frames) of all frequencies;
        without a batch for one signal.

    Raises:
        OperatorError: a size does not fit the others, or a complex signal is asked for one side.
    """
    caller, norm = "stft", "ortho" if normalized else "backward"
    if need_tensor(x, caller).ndim not in (1, 2):
        raise OperatorError(f"{caller}: x must be (samples) or (batch, samples), but its shape is {x.shape}")
    hop, wide = _window(caller, n_fft, hop_length, win_length, window)
    if n_fft > x.shape[-1]:
        raise OperatorError(f"{caller}: n_fft must be at most the {x.shape[-1]} samples of x, not {n_fft}")
    if center and pad_mode not in ("reflect", "constant"):
        raise OperatorError(f"{caller}: pad_mode must be reflect or constant, not {pad_mode!r}")

    def framed(signal: Tensor) -> Tensor:
        signals: Any = unsqueeze(signal, 0) if signal.ndim == 1 else signal
        if center:
            signals = pad(unsqueeze(signals, 1), [n_fft // 2, n_fft // 2], mode=pad_mode, data_format="NCL")[:, 0]
        frames = unfold(signals, -1, n_fft, hop)
        return frames if wide is None else frames * cast(wide, frames.dtype)

    found: Any
    if isinstance(x, ComplexTensor):
        if onesided:
            raise OperatorError(f"{caller}: a complex signal has no conjugate frequencies: use onesided=False")
        found = fft.fft(ComplexTensor(framed(x._real), framed(x._imag)), norm=norm)
    else:
        found = (fft.rfft if onesided else fft.fft)(framed(x), norm=norm)
    found = found.transpose([0, 2, 1])
    return found[0] if x.ndim == 1 else found


def istft(
    x: Tensor,
    n_fft: int,
    hop_length: Optional[int] = None,
    win_length: Optional[int] = None,
    window: Optional[Tensor] = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
    length: Optional[int] = None,
    return_complex: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Put a signal together from its short-time Fourier transform, with the least squared error.

    Args:
        x: Complex, (frequencies, frames) or (batch, frequencies, frames), as :func:`stft` returns it.
        n_fft: How many samples were transformed at once.
        hop_length: How many samples lie between the starts of frames; ``n_fft // 4`` when it is None.
        win_length: The size of the window; ``n_fft`` when it is None.
        window: The window, real; ones when it is None.
        center: Whether the signal was padded.
        normalized: Whether the numbers were divided by the root of ``n_fft``.
        onesided: Whether the frequencies that are conjugates of others were left out.
        length: How many samples to return; all when it is None.
        return_complex: Whether the signal is complex; needs ``onesided=False``.
        name: Unused, as in Paddle.

    Returns:
        (samples) or (batch, samples).

    Raises:
        OperatorError: a size does not fit the others, or no window covers some sample.
    """
    caller, norm = "istft", "ortho" if normalized else "backward"
    if not isinstance(need_tensor(x, caller), ComplexTensor) or x.ndim not in (2, 3):
        raise OperatorError(
            f"{caller}: x must be complex, (frequencies, frames) or (batch, frequencies, frames), but is {x.dtype.name}"
            f" of shape {x.shape}"
        )
    hop, wide = _window(caller, n_fft, hop_length, win_length, window)
    width = n_fft if win_length is None else win_length
    if hop > width:
        raise OperatorError(f"{caller}: hop_length must be at most win_length {width}, not {hop}")
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if x.shape[-2] != wanted:
        raise OperatorError(f"{caller}: x must have {wanted} frequencies, but its shape is {x.shape}")
    if return_complex and onesided:
        raise OperatorError(f"{caller}: a complex signal needs all frequencies: use onesided=False")
    values: Any = x.unsqueeze(0) if x.ndim == 2 else x
    values = values.transpose([0, 2, 1])
    frames: Any
    if return_complex:
        frames = fft.ifft(values, norm=norm)
    else:
        frames = fft.irfft(values if onesided else values[:, :, : n_fft // 2 + 1], n_fft, norm=norm)
    part = frames._real if return_complex else frames
    weights = ones([n_fft], part.dtype) if wide is None else cast(wide, part.dtype)
    count = x.shape[-1]
    covered = overlap_add(transpose(tile(unsqueeze(weights * weights, 0), [count, 1]), [1, 0]), hop)
    start = n_fft // 2 if center else 0
    stop = covered.shape[0] - start if length is None else start + length
    covered = covered[start:stop]
    if dispatcher.state.trace is None and (not covered.shape[0] or float(covered.detach().abs().min()) < 1e-11):
        raise OperatorError(f"{caller}: no window covers some sample: use a smaller hop_length or another window")

    def joined(values: Tensor) -> Tensor:
        signal = overlap_add(transpose(values * weights, [0, 2, 1]), hop)[:, start:stop]
        return signal / covered

    found: Any = ComplexTensor(joined(frames._real), joined(frames._imag)) if return_complex else joined(frames)
    return found[0] if x.ndim == 2 else found


def _window(
    caller: str, n_fft: int, hop_length: Optional[int], win_length: Optional[int], window: Optional[Tensor]
) -> tuple[int, Optional[Tensor]]:
    """Return the hop, and the window filled up to ``n_fft`` with zeros; None for ones."""
    _check_positive(caller, "n_fft", n_fft)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    _check_positive(caller, "hop_length", hop)
    if not 0 < width <= n_fft:
        raise OperatorError(f"{caller}: win_length must be from 1 to n_fft {n_fft}, not {width}")
    if window is not None:
        if isinstance(need_tensor(window, caller, "window"), ComplexTensor):
            raise OperatorError(f"{caller}: window must be real")
        if window.shape != [width]:
            raise OperatorError(f"{caller}: window must have shape [win_length] {[width]}, not {window.shape}")
    elif width == n_fft:
        return hop, None
    else:
        window = ones([width])
    before = (n_fft - width) // 2
    return hop, window if width == n_fft else pad(window, [before, n_fft - width - before])


def _check_axis(caller: str, axis: Any) -> None:
    if axis not in (0, -1):
        raise OperatorError(f"{caller}: axis must be 0 or -1, not {axis!r}")


def _check_positive(caller: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OperatorError(f"{caller}: {name} must be a positive int, not {value!r}")
