"""BMP files: whether they hold run lengths, which OpenCV decodes."""

from __future__ import annotations

import struct

from core.vision.formats.header import Header

_RUN_LENGTHS = {(1, 8), (2, 4)}  # (compression, bits of a pixel)


def bmp_header(data: bytes) -> Header:
    """Read the header of a BMP file. Of run lengths Pillow loses empty rows, and takes seconds to fill large ones.

    Args:
        data: the file.

    Returns:
        The header, without a size for the files of OS/2, which only Pillow reads.

    Raises:
        struct.error: the file ends before its header.
    """
    if struct.unpack_from("<I", data, 14)[0] < 40:  # a header of OS/2, which knows no compression
        return Header("BMP")
    width, height, _, bits, compression = struct.unpack_from("<iiHHI", data, 18)
    return Header("BMP", (abs(height), abs(width)), opencv=(compression, bits) in _RUN_LENGTHS)
