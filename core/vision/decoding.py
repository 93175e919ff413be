"""From the bytes of an image file to pixels: OpenCV decodes JPEG, for speed, and Pillow everything else.

OpenCV says nothing of a damaged JPEG file but on C's error stream. That stream is caught, and a file of which it
complains is given to Pillow, which refuses what is cut off.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import struct
import threading
import warnings
from collections.abc import Iterator
from typing import Callable, NamedTuple, Optional

import cv2
import numpy as np
from PIL import Image, ImageOps

MAXIMUM_PIXELS = 178_956_970
"""An image that claims more is refused, as Pillow does: it would need most of a computer's memory."""

_OPENCV_FLAGS = {"rgb": cv2.IMREAD_COLOR_RGB, "bgr": cv2.IMREAD_COLOR, "gray": cv2.IMREAD_GRAYSCALE}
_KNOWN = "JPEG, PNG, GIF, BMP, WebP, TIFF, PGM, PPM"
_EXOTIC_MODES = ("PA", "La", "LA", "RGBa")


def decode_image(data: bytes, name: str, color: str = "rgb") -> np.ndarray:
    """Return the pixels of an image file.

    The first picture of an animation is taken. The EXIF orientation is applied; transparency is dropped; of 16-bit
    values the upper 8 bits are kept.

    Args:
        data: the file's bytes.
        name: what to call it in messages.
        color: "rgb", "bgr" or "gray".

    Returns:
        uint8, shape (H, W, 3), or (H, W, 1) for "gray".

    Raises:
        ValueError: the bytes are empty, cut off, damaged or no image, or the image is too large.
    """
    if not data:
        raise ValueError(f"image file {name!r} is empty")
    _refuse_cut(data, name)
    if data[:2] == b"\xff\xd8":
        header = _jpeg_header(data)
        if header is not None and header.precision == 8 and header.components in (1, 3):
            _refuse_huge(header.height, header.width, name)
            pixels = _opencv_pixels(data, color)
            if pixels is not None:
                return pixels
    image = open_with_pillow(data, name)
    return _pillow_pixels(image, name, color)


def open_with_pillow(data: bytes, name: str) -> Image.Image:
    """Return the first picture of an image file, whole, as Pillow reads it.

    Args:
        data: the file's bytes.
        name: what to call it in messages.

    Returns:
        The picture in its own mode; its orientation is not applied.

    Raises:
        ValueError: the bytes are damaged or no image, or the image is too large.
    """
    try:
        with _no_warnings():
            image = Image.open(io.BytesIO(data))
        _refuse_huge(image.height, image.width, name)
        with _error_stream(), _no_warnings() if image.format == "TIFF" else contextlib.nullcontext():
            image.load()
    except _TooLarge:
        raise
    except Image.UnidentifiedImageError:
        raise ValueError(f"{name!r} is not an image file that can be read ({_KNOWN})") from None
    except Image.DecompressionBombError:
        raise _TooLarge(f"image file {name!r} claims more than {MAXIMUM_PIXELS} pixels; it is not read") from None
    except Exception as error:  # Pillow's readers fail in every way that there is
        raise ValueError(f"image file {name!r} is damaged: {_first_line(error)}") from None
    return image


class _TooLarge(ValueError):
    pass


class _JpegHeader(NamedTuple):
    precision: int
    height: int
    width: int
    components: int


def _jpeg_header(data: bytes) -> Optional[_JpegHeader]:
    """Return what the frame header says, or None where there is none."""
    position = 2
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:  # padding
            position += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            if position + 10 > len(data):
                return None
            precision, height, width, components = struct.unpack(">BHHB", data[position + 4 : position + 10])
            return _JpegHeader(precision, height, width, components)
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return None


def _refuse_huge(height: int, width: int, name: str) -> None:
    if height * width > MAXIMUM_PIXELS:
        raise _TooLarge(
            f"image file {name!r} claims {height} x {width} pixels, more than {MAXIMUM_PIXELS}; it is not read"
        )


def _refuse_cut(data: bytes, name: str) -> None:
    """Say of a file without its format's end mark how long it is; decoders may fill the missing part with grey."""
    jpeg_cut = data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-64:] and b"\xff\xd9" not in data
    png_cut = data[:8] == b"\x89PNG\r\n\x1a\n" and b"IEND" not in data[-4096:]
    webp_cut = data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) < int.from_bytes(data[4:8], "little") + 8
    if jpeg_cut or png_cut or webp_cut:
        raise ValueError(f"image file {name!r} is truncated: it ends after {len(data)} bytes, before its end mark")


def _opencv_pixels(data: bytes, color: str) -> Optional[np.ndarray]:
    """Return a JPEG file's pixels, or None where OpenCV complains."""
    if b"\xff\xd9" not in data[-4096:]:
        return None
    with _error_stream() as complained:
        try:
            pixels = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), _OPENCV_FLAGS[color])
        except cv2.error:
            return None
        if pixels is None or complained():
            return None
    return pixels[:, :, None] if color == "gray" else pixels


def _pillow_pixels(image: Image.Image, name: str, color: str) -> np.ndarray:
    sixteen_bits = image.mode.startswith("I;16") or (image.mode == "I" and image.format in ("PNG", "PPM"))
    try:
        with _no_warnings():
            image = ImageOps.exif_transpose(image)
        if sixteen_bits:
            array = np.clip(np.asarray(image).astype(np.int64) >> 8, 0, 255).astype(np.uint8)
            return array[:, :, None] if color == "gray" else np.repeat(array[:, :, None], 3, axis=2)
        if image.mode in ("I", "F"):
            kind = "32-bit integers" if image.mode == "I" else "floating-point numbers"
            raise ValueError(f"its pixels are {kind}; convert it to an 8-bit or 16-bit image")
        if image.mode in _EXOTIC_MODES or (image.mode == "P" and "transparency" in image.info):
            image = image.convert("RGBA")
        array = np.array(image.convert("L" if color == "gray" else "RGB"))
    except Exception as error:  # an image of a mode that Pillow itself cannot convert, or with broken EXIF data
        raise ValueError(f"image file {name!r} cannot be read: {_first_line(error)}") from None
    if color == "gray":
        return array[:, :, None]
    return array if color == "rgb" else np.ascontiguousarray(array[:, :, ::-1])


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


_warnings_lock = threading.Lock()


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Keep Pillow's remarks on odd headers away; one thread at a time, as warning filters belong to the process."""
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _ErrorStream:
    """C's ``stderr`` during decoding: a small buffer. Python's own error stream is not touched.

    libjpeg and libtiff write their complaints there, and have no other way to make them known through their callers.
    """

    size = 1 << 16

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._variable = ctypes.c_void_p.in_dll(library, "stderr")
        self._tell, self._rewind = library.ftell, library.rewind
        library.fmemopen.restype = ctypes.c_void_p
        library.fmemopen.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
        library.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
        self._tell.restype, self._tell.argtypes = ctypes.c_long, [ctypes.c_void_p]
        self._rewind.restype, self._rewind.argtypes = None, [ctypes.c_void_p]
        self._buffer = library.fmemopen(None, self.size, b"w")
        library.setvbuf(self._buffer, None, 2, 0)  # unbuffered, so that its position tells what was written
        self._original: Optional[int] = None
        self._users = 0
        self._lock = threading.Lock()

    def enter(self) -> int:
        """Catch what is written from now on; return how much was before."""
        with self._lock:
            if self._users == 0:
                self._rewind(self._buffer)
                self._original = self._variable.value
                self._variable.value = self._buffer
            self._users += 1
            return self.written()

    def leave(self) -> None:
        """Give the stream back when the last thread leaves."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._variable.value = self._original

    def abandon(self) -> None:
        """Give the stream back whoever uses it: in a forked process, where only one thread lives on."""
        if self._users > 0:
            self._variable.value = self._original

    def written(self) -> int:
        """Return how many bytes have been caught."""
        return int(self._tell(self._buffer))


_stream: Optional[_ErrorStream] = None
_stream_lock = threading.Lock()


def _after_fork() -> None:
    """Start afresh: a thread that decoded while the process was forked does not come back to free what it held."""
    global _stream, _stream_lock, _warnings_lock
    if _stream is not None:
        _stream.abandon()
    _stream, _stream_lock, _warnings_lock = None, threading.Lock(), threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def _error_stream() -> Iterator[Callable[[], bool]]:
    """Catch C's error stream; yields a function that tells whether this thread, or one beside it, wrote anything."""
    global _stream
    with _stream_lock:
        if _stream is None:
            _stream = _ErrorStream()
    stream = _stream
    before = stream.enter()
    try:
        yield lambda: stream.written() != before or before > stream.size // 2
    finally:
        stream.leave()
