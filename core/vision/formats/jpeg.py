"""JPEG files: their segments as libjpeg finds them."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Optional

from core.vision.formats.header import Damaged, Header
from core.vision.formats.tiff import exif_orientation

_NEXT_MARKER = re.compile(rb"\xff[^\x00\xff]")
_START_OF_IMAGE, _END_OF_IMAGE, _START_OF_SCAN = 0xD8, 0xD9, 0xDA
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_METADATA = frozenset(range(0xE1, 0xF0)) - {0xEE} | {0xFE}  # JFIF's and Adobe's segments say how to read the colours

_MAXIMUM_SCANS = 100
"""Each scan of a few bytes makes libjpeg go over all pixels; encoders write at most some ten."""


def jpeg_header(data: bytes) -> Optional[Header]:
    """Read a JPEG file up to its first scan.

    Args:
        data: the file.

    Returns:
        The header; None where libjpeg finds no picture.

    Raises:
        Damaged: it holds two frame headers, or so many scans that decoding would take minutes.
    """
    components = precision = height = width = frame = marker = start = begin = 0
    orientation, spans = 1, []
    for marker, start, end in _segments(data):
        if marker in _FRAME_HEADERS:
            if frame:
                raise Damaged("it holds two frame headers")
            frame = marker
            precision, height, width, components = struct.unpack_from(">BHHB", data, start + 4)
        elif marker in _METADATA and not data.startswith(b"ICC_PROFILE\0", start + 4):
            if marker == 0xE1 and orientation == 1 and data.startswith(b"Exif\0\0", start + 4):
                orientation = exif_orientation(data[start + 10 : end])
            spans.append((begin, start))
            begin = end
    if marker != _START_OF_SCAN or not height or not width:
        return None
    of_many_scans = frame & 3 == 2 or data[start + 4 : start + 5] < bytes([components])
    if of_many_scans and data.count(b"\xff\xda") > _MAXIMUM_SCANS:  # or thumbnails, or what is behind the picture
        scans = sum(marker == _START_OF_SCAN for marker, _, _ in _segments(data, of_scans=True))
        if scans > _MAXIMUM_SCANS:
            raise Damaged(f"it has {scans} scans; at most {_MAXIMUM_SCANS} are decoded")
    shown = [*spans, (begin, len(data))] if spans else None
    decoder = "opencv" if precision == 8 and components in (1, 3) else "pillow"
    return Header("JPEG", (height, width), orientation, shown, decoder)


def _segments(data: bytes, of_scans: bool = False) -> Iterator[tuple[int, int, int]]:
    """Yield (marker, where it is, end of its segment), up to the first scan, or to the end of the picture."""
    position = 2
    while position + 4 <= len(data):
        marker = data[position + 1]
        if data[position] != 0xFF or marker in (0x00, 0xFF):  # rubbish, which libjpeg skips
            match = _NEXT_MARKER.search(data, position)
            if match is None:
                return
            position = match.end() - 2
        elif marker == 0x01 or 0xD0 <= marker <= 0xD7:  # these have no length
            position += 2
        elif marker in (_START_OF_IMAGE, _END_OF_IMAGE):
            return
        else:
            start, position = position, position + 2 + max(2, data[position + 2] << 8 | data[position + 3])
            yield marker, start, position
            if marker == _START_OF_SCAN and not of_scans:
                return
