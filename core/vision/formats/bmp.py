"""BMP files, and those of run lengths: Pillow loses their empty rows, and takes seconds to fill large ones."""

from __future__ import annotations

import struct

from PIL import Image

from core.vision.formats.header import Damaged, Header

_HEADERS = (40, 52, 56, 64, 108, 124)  # bytes; those of Windows, and the second one of OS/2
_RUN_LENGTHS = {(1, 8), (2, 4)}  # (compression, bits of a pixel)


def bmp_header(data: bytes) -> Header:
    """Read the header of a BMP file.

    Args:
        data: the file.

    Returns:
        The header, without a size where its length is another one: Pillow reads it, or says that it cannot.

    Raises:
        struct.error: the file ends before its header.
    """
    if struct.unpack_from("<I", data, 14)[0] not in _HEADERS:
        return Header("BMP")
    width, height, _, bits, compression = struct.unpack_from("<iiHHI", data, 18)
    decoder = "own" if (compression, bits) in _RUN_LENGTHS else "pillow"
    return Header("BMP", (abs(height), abs(width)), decoder=decoder)


def run_length_image(data: bytes) -> Image.Image:
    """Decode a BMP file of run lengths.

    Args:
        data: the file, of which :func:`bmp_header` says that it is one.

    Returns:
        Mode "P".

    Raises:
        Damaged: the file ends before its pixels do, or has no pixels.
        struct.error: the file ends before its header.
    """
    start, length, width, height, _, bits = struct.unpack_from("<IIiiHH", data, 10)
    (colors,) = struct.unpack_from("<I", data, 46)
    if width < 1 or height == 0:
        raise Damaged("it has no pixels")
    palette = data[14 + length : 14 + length + 4 * min(colors or 1 << bits, 256)]
    try:
        pixels = _pixels(data, start, width, abs(height), bits)
    except IndexError:
        raise Damaged("it ends before its pixels do") from None
    image = Image.frombuffer("P", (width, abs(height)), pixels, "raw", "P", 0, 1 if height < 0 else -1)
    image.putpalette(palette, "BGRX")
    return image


def _pixels(data: bytes, position: int, width: int, height: int, bits: int) -> bytearray:
    """Return the numbers of the colours, row by row as the file has them; IndexError where the file ends early."""
    pixels = bytearray(width * height)
    column, row = 0, 0
    while row < height and (column < width or row < height - 1):
        count, value = data[position], data[position + 1]
        position += 2
        if count or value > 2:
            if count:
                run = bytes((value,) if bits == 8 else (value >> 4, value & 15)) * count
            else:
                count, stored = value, value if bits == 8 else (value + 1) // 2
                run = data[position : position + stored]
                if len(run) < stored:
                    raise IndexError
                run = run if bits == 8 else bytes(half for pair in run for half in (pair >> 4, pair & 15))
                position += stored + stored % 2
            count = max(0, min(count, width - column))
            place = row * width + column
            pixels[place : place + count] = run[:count]
            column += count
        elif value == 0:
            column, row = 0, row + 1
        elif value == 1:
            break
        else:
            column, row = column + data[position], row + data[position + 1]
            position += 2
    return pixels
