"""From the bytes of an image file to pixels: OpenCV decodes JPEG, for speed, and what Pillow would decode wastefully.

A decoder sees only what :mod:`core.vision.formats` has admitted. Decoding takes at most 12 bytes for each pixel, the
result included, and 64 MB.

OpenCV says nothing of a damaged JPEG file but on C's error stream. That stream is caught, and a file of which it
complains is given to Pillow, which refuses what is cut off.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
import warnings
from collections.abc import Iterator
from typing import Optional

import cv2
import numpy as np
from PIL import Image

from core.vision.error_stream import error_stream
from core.vision.formats import FORMATS, Damaged, Header, TooLarge, pixel_limit, read_header, refuse_huge
from core.vision.formats.bmp import run_length_image
from core.vision.formats.webp import read_webp

_OPENCV_FLAGS = {"rgb": cv2.IMREAD_COLOR_RGB, "bgr": cv2.IMREAD_COLOR, "gray": cv2.IMREAD_GRAYSCALE}
_EXOTIC_MODES = ("PA", "La", "LA", "RGBa")
_STRIPE = 1 << 18
"""Pixels that are converted at a time, so that no second image is held."""


def decode_image(data: bytes, name: str, color: str = "rgb", maximum_pixels: Optional[int] = None) -> np.ndarray:
    """Return the pixels of an image file.

    The first picture of an animation is taken. The EXIF orientation is applied; transparency is dropped; of 16-bit
    values the upper 8 bits are kept.

    Args:
        data: the file's bytes.
        name: what to call it in messages.
        color: "rgb", "bgr" or "gray".
        maximum_pixels: how many pixels it may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120 million.

    Returns:
        uint8, shape (H, W, 3), or (H, W, 1) for "gray".

    Raises:
        ValueError: the bytes are empty, cut off, damaged or no image, or the image is too large.
    """
    limit = pixel_limit(maximum_pixels)
    _refuse_cut(data, name)
    header = _admitted(data, name, limit)
    pixels = None
    if header.format == "JPEG" and header.decoder == "opencv":
        pixels = _jpeg_pixels(data, color)
    if pixels is None:
        pixels = _converted(_picture(data, header, name, limit), name, color)
    return _turned(pixels, header.orientation)


def size_of(data: bytes, name: str, maximum_pixels: Optional[int] = None) -> tuple[int, int]:
    """Return height and width of the pixels that :func:`decode_image` gives, which most formats' headers give.

    Args:
        data: the file's bytes.
        name: what to call it in messages.
        maximum_pixels: how many pixels it may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120 million.

    Raises:
        ValueError: the bytes are empty or no image, or the image is too large.
    """
    header = _admitted(data, name, pixel_limit(maximum_pixels))
    if header.size is None or header.format == "TIFF":  # whose size in the header is before its orientation
        height, width = decode_image(data, name, "gray", maximum_pixels).shape[:2]
        return height, width
    height, width = header.size
    return (width, height) if header.orientation > 4 else (height, width)


def open_with_pillow(data: bytes, name: str, maximum_pixels: Optional[int] = None) -> Image.Image:
    """Return the first picture of an image file, whole, as a PIL image.

    Args:
        data: the file's bytes.
        name: what to call it in messages.
        maximum_pixels: how many pixels it may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120 million.

    Returns:
        The picture in its own mode. Its orientation is not applied; of the EXIF data it is all that is kept.

    Raises:
        ValueError: the bytes are damaged or no image, or the image is too large.
    """
    limit = pixel_limit(maximum_pixels)
    header = _admitted(data, name, limit)
    image = _picture(data, header, name, limit)
    if header.orientation != 1:
        exif = Image.Exif()
        exif[0x0112] = header.orientation
        image.info["exif"] = exif.tobytes()
    return image


def _admitted(data: bytes, name: str, limit: int) -> Header:
    """Return the header of a file that a decoder may see."""
    if not data:
        raise ValueError(f"image file {name!r} is empty")
    try:
        header = read_header(data)
    except Damaged as error:
        raise _damaged(name, error) from None
    if header is None:
        raise _unknown(name)
    if header.size is not None:
        refuse_huge(*header.size, name, limit)
    return header


def _unknown(name: str) -> ValueError:
    return ValueError(f"{name!r} is not an image file that can be read ({', '.join(FORMATS)})")


def _damaged(name: str, reason: object) -> ValueError:
    return ValueError(f"image file {name!r} is damaged: {reason}")


def _refuse_cut(data: bytes, name: str) -> None:
    """Say of a file without its format's end mark how long it is; decoders may fill the missing part with grey."""
    jpeg_cut = data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-64:] and b"\xff\xd9" not in data
    png_cut = data[:8] == b"\x89PNG\r\n\x1a\n" and b"IEND" not in data[-4096:]
    webp_cut = data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) < int.from_bytes(data[4:8], "little") + 8
    if jpeg_cut or png_cut or webp_cut:
        raise ValueError(f"image file {name!r} is truncated: it ends after {len(data)} bytes, before its end mark")


def _jpeg_pixels(data: bytes, color: str) -> Optional[np.ndarray]:
    """Return a JPEG file's pixels, or None where OpenCV complains."""
    if not data.endswith(b"\xff\xd9") and b"\xff\xd9" not in data[-4096:]:
        return None
    with error_stream() as complained:
        pixels = _opencv_pixels(data, _OPENCV_FLAGS[color])
        if pixels is None or complained.anything():
            return None
    return pixels[:, :, None] if color == "gray" else pixels


def _opencv_pixels(data: bytes, flags: int) -> Optional[np.ndarray]:
    try:
        return cv2.imdecode(np.frombuffer(data, dtype=np.uint8), flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None


def _picture(data: bytes, header: Header, name: str, limit: int) -> Image.Image:
    if header.format == "WEBP":
        return Image.fromarray(_webp_pixels(data, name))
    if header.decoder == "own":
        try:
            return run_length_image(data)
        except Damaged as error:
            raise _damaged(name, error) from None
    return _pillow_image(data, header, name, limit)


def _webp_pixels(data: bytes, name: str) -> np.ndarray:
    """Decode a WebP file's first picture, (H, W, 3) or (H, W, 4); Pillow would hold its canvas four times."""
    found = read_webp(data)
    pixels = None if found is None else _opencv_pixels(found.alone(data), cv2.IMREAD_UNCHANGED)
    if found is None or pixels is None or pixels.shape[:2] != found.size:
        raise _damaged(name, "its picture cannot be decoded")
    cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGBA if pixels.shape[2] == 4 else cv2.COLOR_BGR2RGB, dst=pixels)
    if found.canvas != found.size:
        canvas = np.zeros((*found.canvas, pixels.shape[2]), dtype=np.uint8)
        (top, left), (height, width) = found.place, found.size
        canvas[top : top + height, left : left + width] = pixels
        pixels = canvas
    return pixels


def _pillow_image(data: bytes, header: Header, name: str, limit: int) -> Image.Image:
    if header.spans is not None:
        view = memoryview(data)
        data = b"".join([view[begin:end] for begin, end in header.spans])
    try:
        with _no_warnings():
            image = Image.open(io.BytesIO(data), formats=(header.format,))
        refuse_huge(image.height, image.width, name, limit)
        with error_stream(), _no_warnings() if image.format == "TIFF" else contextlib.nullcontext():
            image.load()
    except TooLarge:
        raise
    except Image.UnidentifiedImageError:
        raise _unknown(name) from None
    except Image.DecompressionBombError:
        raise TooLarge(
            f"image file {name!r} claims more pixels than Pillow reads; it is not read "
            "(PIL.Image.MAX_IMAGE_PIXELS sets its limit)"
        ) from None
    except Exception as error:  # Pillow's readers fail in every way that there is
        raise _damaged(name, _first_line(error)) from None
    return image


def _converted(image: Image.Image, name: str, color: str) -> np.ndarray:
    """Return a picture's pixels, converted in stripes."""
    pixels = np.empty((image.height, image.width, 1 if color == "gray" else 3), dtype=np.uint8)
    rows = max(1, _STRIPE // image.width)
    try:
        for top in range(0, image.height, rows):
            bottom = min(top + rows, image.height)
            stripe = image if rows >= image.height else image.crop((0, top, image.width, bottom))
            pixels[top:bottom] = _stripe_pixels(stripe, image.format, color)
    except Exception as error:  # an image of a mode that Pillow itself cannot convert
        raise ValueError(f"image file {name!r} cannot be read: {_first_line(error)}") from None
    return pixels


def _stripe_pixels(image: Image.Image, format: Optional[str], color: str) -> np.ndarray:
    if image.mode.startswith("I;16") or (image.mode == "I" and format in ("PNG", "PPM")):
        return np.clip(np.asarray(image).astype(np.int64) >> 8, 0, 255)[:, :, None]
    if image.mode in ("I", "F"):
        kind = "32-bit integers" if image.mode == "I" else "floating-point numbers"
        raise ValueError(f"its pixels are {kind}; convert it to an 8-bit or 16-bit image")
    if image.mode in _EXOTIC_MODES or (image.mode == "P" and "transparency" in image.info):
        image = image.convert("RGBA")
    array = np.asarray(image.convert("L" if color == "gray" else "RGB"))
    if color == "gray":
        return array[:, :, None]
    return array if color == "rgb" else array[:, :, ::-1]


def _turned(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """Apply an EXIF orientation, 1 to 8."""
    if orientation == 1:
        return pixels
    height, width, channels = pixels.shape
    if orientation >= 5:
        pixels = cv2.transpose(pixels)
    flips = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}
    if orientation in flips:
        pixels = cv2.flip(pixels, flips[orientation])
    return pixels.reshape((width, height, channels) if orientation >= 5 else (height, width, channels))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


_warnings_lock = threading.Lock()


def _after_fork() -> None:
    """Start afresh: a thread that decoded while the process was forked does not come back to free what it held."""
    global _warnings_lock
    _warnings_lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Keep Pillow's remarks on odd headers away; one thread at a time, as warning filters belong to the process."""
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
