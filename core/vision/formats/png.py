"""PNG files: their chunks."""

from __future__ import annotations

import struct

from core.vision.formats.header import Damaged, Header
from core.vision.formats.tiff import exif_orientation

_SHOWN_TO_PILLOW = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"pHYs"))
"""Not texts, of which it would unpack 64 million characters, nor the frames of animations."""


def png_header(data: bytes) -> Header:
    """Read the chunks of a PNG file.

    Args:
        data: the file.

    Raises:
        Damaged: it does not begin with the header, or holds two.
        struct.error: the header is cut off.
    """
    if data[12:16] != b"IHDR":
        raise Damaged("its first chunk is not IHDR")
    width, height = struct.unpack_from(">II", data, 16)
    spans, position, begin, orientation = [], 8, 0, 1
    while position + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if kind == b"IHDR" and position > 8:
            raise Damaged("it holds two IHDR chunks")
        if kind == b"IEND" or end > len(data) or not kind.isalpha():  # Pillow says what is wrong
            break
        if kind == b"eXIf":
            orientation = exif_orientation(data[position + 8 : end - 4])
        if kind not in _SHOWN_TO_PILLOW:
            spans.append((begin, position))
            begin = end
        position = end
    return Header("PNG", (height, width), orientation, [*spans, (begin, len(data))] if spans else None)
