"""The image formats that are read, and what a file's header says by the rules of the decoder that will read the file.

A decoder allocates memory for what a file claims. So the claim is compared with a limit first, and parts that could
make a decoder allocate more than the pixels need (texts, EXIF directories, further pictures) are kept from it.
"""

from __future__ import annotations

import re
import struct
from typing import Callable, Optional

from core.vision.formats.bmp import bmp_header
from core.vision.formats.gif import gif_header
from core.vision.formats.header import Damaged, Header, TooLarge, pixel_limit, refuse_huge
from core.vision.formats.jpeg import jpeg_header
from core.vision.formats.png import png_header
from core.vision.formats.tiff import tiff_header
from core.vision.formats.webp import webp_header

__all__ = ["FORMATS", "Damaged", "Header", "TooLarge", "image_format", "pixel_limit", "read_header", "refuse_huge"]

FORMATS = ("JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
"""By Pillow's names; "PPM" stands for PBM and PGM, too."""

_SIGNATURE = re.compile(
    rb"(?P<JPEG>\xff\xd8\xff)|(?P<PNG>\x89PNG\r\n\x1a\n)|(?P<GIF>GIF8[79]a)|(?P<BMP>BM)|(?P<WEBP>RIFF....WEBP)"
    rb"|(?P<TIFF>II[*+]\0|MM\0[*+])|(?P<PPM>P[1-6]\s)",
    re.DOTALL,
)
_READERS: dict[str, Callable[[bytes], Optional[Header]]] = {
    "JPEG": jpeg_header,
    "PNG": png_header,
    "GIF": gif_header,
    "BMP": bmp_header,
    "WEBP": webp_header,
    "TIFF": tiff_header,
}


def image_format(data: bytes) -> Optional[str]:
    """Return the format that a file's first bytes name, one of FORMATS; None for any other file."""
    match = _SIGNATURE.match(data)
    return match and match.lastgroup


def read_header(data: bytes) -> Optional[Header]:
    """Read the header of an image file.

    Args:
        data: the file.

    Returns:
        What it says; None if this is no image file of a known format, or one that ends within its header.

    Raises:
        Damaged: the header contradicts itself, or asks for more than the pixels need.
    """
    format = image_format(data)
    if format is None:
        return None
    try:
        return _READERS[format](data) if format in _READERS else Header(format)
    except struct.error:
        return None
