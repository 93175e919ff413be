"""GIF files: where the first frame is."""

from __future__ import annotations

import struct

from core.vision.formats.header import Header


def gif_header(data: bytes) -> Header:
    """Read a GIF file up to its first frame.

    Args:
        data: the file.

    Returns:
        The header; its size is that of the screen, or larger where the frame reaches beyond it.

    Raises:
        struct.error: the file ends before the frame.
    """
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    position = 13 + (3 << (flags & 7) + 1 if flags & 128 else 0)
    while position < len(data) and data[position] not in b",;":
        if data[position] == 0x21:  # an extension: a label, then blocks up to an empty one
            position += 2
            while position < len(data) and data[position]:
                position += 1 + data[position]
        position += 1
    left, top, across, down = struct.unpack_from("<HHHH", data, position + 1)
    return Header("GIF", (max(height, top + down), max(width, left + across)))
