"""WebP files: the first picture of each, alone in a file of its own, so that every reader agrees on its size."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple, Optional

from core.vision.formats.header import Damaged, Header
from core.vision.formats.tiff import exif_orientation

_ALPHA = 0x10


class WebP(NamedTuple):
    """The first picture of a WebP file.

    Args:
        canvas: (height, width) of the whole, in pixels.
        size: (height, width) of the picture.
        place: (top, left) of the picture on the canvas; the rest of which is transparent black.
        picture: the chunks that the decoder needs: (name, from, to).
        exif: the EXIF data, which may be empty.
    """

    canvas: tuple[int, int]
    size: tuple[int, int]
    place: tuple[int, int]
    picture: list[tuple[bytes, int, int]]
    exif: bytes

    def alone(self, data: bytes) -> bytes:
        """Return a WebP file of nothing but the picture.

        Args:
            data: the file that this was read from.
        """
        parts = []
        if len(self.picture) > 1:
            flags = struct.pack("<I", _ALPHA)
            parts.append(b"VP8X" + struct.pack("<I", 10) + flags + b"".join(map(_three_bytes, self.size[::-1])))
        for name, begin, end in self.picture:
            parts += [name, struct.pack("<I", end - begin), data[begin:end], b"\0" * ((end - begin) % 2)]
        return b"".join([b"RIFF", struct.pack("<I", 4 + sum(map(len, parts))), b"WEBP", *parts])


def webp_header(data: bytes) -> Optional[Header]:
    """Read a WebP file up to its first picture.

    Args:
        data: the file.

    Returns:
        The header; None where there is no picture.

    Raises:
        Damaged: the picture has no key frame or signature, or does not fit its canvas.
        struct.error: the header is cut off.
    """
    found = read_webp(data)
    return found and Header("WEBP", found.canvas, exif_orientation(found.exif), decoder="opencv")


def read_webp(data: bytes) -> Optional[WebP]:
    """Find the first picture of a WebP file, which may be an animation.

    Args:
        data: the file.

    Returns:
        The picture; None where there is none.

    Raises:
        Damaged: the picture has no key frame or signature, or does not fit its canvas.
        struct.error: the header is cut off.
    """
    canvas: Optional[tuple[int, int]] = None
    picture: list[tuple[bytes, int, int]] = []
    size, place, exif = (0, 0), (0, 0), b""
    for name, begin, end in _chunks(data, 12, min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])):
        if name == b"VP8X" and begin == 20:
            canvas = _whole(data, begin + 7) + 1, _whole(data, begin + 4) + 1
        elif name == b"ANMF" and canvas and not size[0]:
            place = 2 * _whole(data, begin + 3), 2 * _whole(data, begin)
            stated = _whole(data, begin + 9) + 1, _whole(data, begin + 6) + 1
            for inner in _chunks(data, begin + 16, end):
                size = size if size[0] else _add(data, picture, *inner)
            if size != stated:
                raise Damaged("its first frame has another size than it states")
        elif name == b"EXIF" and canvas:
            exif = data[begin:end]
        elif not size[0]:
            size = _add(data, picture, name, begin, end)
            if size[0] and canvas and size != canvas:
                raise Damaged("its picture has another size than its canvas")
        if size[0] and not canvas:
            break
    if not size[0]:
        return None
    canvas = canvas or size
    if place[0] + size[0] > canvas[0] or place[1] + size[1] > canvas[1]:
        raise Damaged(f"its picture of {size[0]} x {size[1]} pixels reaches beyond its {canvas[0]} x {canvas[1]}")
    return WebP(canvas, size, place, picture, exif[6:] if exif.startswith(b"Exif\0\0") else exif)


def _add(data: bytes, picture: list[tuple[bytes, int, int]], name: bytes, begin: int, end: int) -> tuple[int, int]:
    """Keep a chunk that is part of a picture; return the picture's (height, width), or zeros before they are known."""
    if name == b"ALPH" and not picture:
        picture.append((name, begin, end))
    elif name == b"VP8 ":
        tag, start, width, height = struct.unpack_from("<B2x3sHH", data, begin)
        if tag & 1 or start != b"\x9d\x01\x2a":
            raise Damaged("its picture has no key frame")
        picture.append((name, begin, end))
        return height & 0x3FFF, width & 0x3FFF
    elif name == b"VP8L":
        signature, bits = struct.unpack_from("<BI", data, begin)
        if signature != 0x2F:
            raise Damaged("its picture has no signature")
        picture[:] = [(name, begin, end)]
        return (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1
    return 0, 0


def _chunks(data: bytes, position: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield (name, from, to) of each chunk."""
    while position + 8 <= end:
        name, length = struct.unpack_from("<4sI", data, position)
        yield name, position + 8, min(end, position + 8 + length)
        position += 8 + length + length % 2


def _whole(data: bytes, position: int) -> int:
    """Return a number of three bytes."""
    low, high = struct.unpack_from("<HB", data, position)
    return int(low | high << 16)


def _three_bytes(size: int) -> bytes:
    return (size - 1).to_bytes(3, "little")
