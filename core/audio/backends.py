"""Reading and writing WAV files of 16 bits, by Python's own ``wave`` (paddle.audio.backends)."""

from __future__ import annotations

import contextlib
import os
import wave
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, Optional, Union, cast

import numpy as np

from core.operators import to_tensor
from core.tensor import Tensor

__all__ = ["AudioInfo", "get_current_backend", "info", "list_available_backends", "load", "save", "set_backend"]

BACKEND = "wave_backend"
Source = Union[str, "os.PathLike[str]", BinaryIO]


class AudioInfo(NamedTuple):
    """What a file says of its sound.

    Attributes:
        sample_rate: Samples per second.
        num_samples: Samples of each channel.
        num_channels: How many channels.
        bits_per_sample: Bits of a sample.
        encoding: ``PCM_S``.
    """

    sample_rate: int
    num_samples: int
    num_channels: int
    bits_per_sample: int
    encoding: str


def list_available_backends() -> list[str]:
    """Return the names of what can read files: ``wave_backend`` alone."""
    return [BACKEND]


def get_current_backend() -> str:
    """Return the name of what reads files."""
    return BACKEND


def set_backend(backend_name: str) -> None:
    """Choose what reads files.

    Args:
        backend_name: ``wave_backend``.

    Raises:
        NotImplementedError: it is another one.
    """
    if backend_name != BACKEND:
        raise NotImplementedError(f"set_backend: there is no backend {backend_name!r}: use {BACKEND!r}")


def info(filepath: Source) -> AudioInfo:
    """Return what a WAV file says of its sound.

    Args:
        filepath: The file, or an open one.

    Raises:
        NotImplementedError: it is no WAV file of whole numbers.
    """
    with _opened(filepath) as file:
        return AudioInfo(
            file.getframerate(), file.getnframes(), file.getnchannels(), 8 * file.getsampwidth(), "PCM_S"
        )


def load(
    filepath: Source,
    frame_offset: int = 0,
    num_frames: int = -1,
    normalize: bool = True,
    channels_first: bool = True,
) -> tuple[Tensor, int]:
    """Read a WAV file of 16 bits.

    Args:
        filepath: The file, or an open one.
        frame_offset: The first sample to return.
        num_frames: How many samples to return; -1 for all that follow.
        normalize: Divide by 2^15, so that samples lie between -1 and 1.
        channels_first: Return (channels, samples) instead of (samples, channels).

    Returns:
        The samples, float32, and how many there are per second.

    Raises:
        NotImplementedError: it is no WAV file of 16 bits.
        ValueError: the offset or the number of samples is negative.
    """
    if frame_offset < 0 or num_frames < -1:
        raise ValueError(f"load: frame_offset {frame_offset} and num_frames {num_frames} must not be negative")
    size = _size(filepath)
    with _opened(filepath) as file:
        bits, channels, rate = 8 * file.getsampwidth(), file.getnchannels(), file.getframerate()
        if bits != 16:
            raise NotImplementedError(f"load: {filepath} has samples of {bits} bits: only 16 are read")
        there = min(file.getnframes(), size // (2 * channels))  # the file may claim more than it has
        count = max(there - frame_offset, 0)
        file.setpos(min(frame_offset, there))
        content = file.readframes(count if num_frames == -1 else min(num_frames, count))
    whole = len(content) // (2 * channels) * 2 * channels  # a file may end in the middle of a sample
    samples = np.frombuffer(content[:whole], "<i2").reshape(-1, channels).astype(np.float32)
    if normalize:
        samples = samples / 2**15
    return to_tensor(np.ascontiguousarray(samples.T) if channels_first else samples), rate


def save(
    filepath: Union[str, os.PathLike[str]],
    src: Tensor,
    sample_rate: int,
    channels_first: bool = True,
    encoding: Optional[str] = None,
    bits_per_sample: Optional[int] = 16,
) -> None:
    """Write a WAV file of 16 bits.

    Args:
        filepath: The file.
        src: Samples, (channels, samples); float32 between -1 and 1 is multiplied by 2^15, what lies outside is cut;
            whole numbers are written as they are.
        sample_rate: How many there are per second.
        channels_first: Whether src is (channels, samples) instead of (samples, channels).
        encoding: Accepted for Paddle's signature: 16 bits of whole numbers.
        bits_per_sample: 16 or None.

    Raises:
        ValueError: src has another number of axes, or other bits are asked for.
    """
    if src.ndim != 2:
        raise ValueError(f"save: src must have the axes of channels and samples, but its shape is {src.shape}")
    if bits_per_sample not in (None, 16):
        raise ValueError(f"save: bits_per_sample must be 16, not {bits_per_sample}")
    samples = src.numpy().T if channels_first else src.numpy()
    if src.dtype.is_floating:
        samples = np.trunc(samples.astype(np.float64) * 2**15)
    content = np.clip(samples, -(2**15), 2**15 - 1).astype("<i2")
    with wave.open(os.fspath(filepath), "wb") as file:
        file.setnchannels(content.shape[1])
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(content.tobytes())


def _size(source: Any) -> int:
    if not hasattr(source, "read"):
        return os.path.getsize(source)
    place = source.tell()
    size: int = source.seek(0, os.SEEK_END)
    source.seek(place)
    return size


@contextlib.contextmanager
def _opened(source: Source) -> Iterator[wave.Wave_read]:
    file: Any = source if hasattr(source, "read") else os.fspath(cast(Any, source))
    try:
        reader = wave.open(file, "rb")
    except (wave.Error, EOFError) as error:
        reason = str(error) or "it is cut off"
        raise NotImplementedError(f"{source} is no WAV file of whole numbers: {reason}") from None
    with reader:
        yield reader
