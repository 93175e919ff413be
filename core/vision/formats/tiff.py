"""TIFF files and EXIF data, which have the same directories of tags."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple, Optional

from core.vision.formats.header import Damaged, Header

_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_CODES = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q"}
_WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_HEIGHT, _ORIENTATION = 0x100, 0x101, 0x142, 0x143, 0x112
_STRIP_TAGS = (0x111, 0x117, 0x144, 0x145)
_DIRECTORY_TAGS = (0x8769, 0x8825, 0xA005)  # of EXIF, GPS and interoperability, which Pillow reads, too

_MAXIMUM_ENTRIES = (1 << 16) - 1

_MAXIMUM_STRIPS = 1 << 17
"""Pillow makes a Python object of each strip or tile."""

_MAXIMUM_TILE = 1 << 22
"""Pixels of a tile of a smaller image: a whole tile is decoded, whatever is used of it."""


class _Entry(NamedTuple):
    tag: int
    kind: int
    values: int
    position: int  # of the value, or of its offset where there is no room for it
    room: int  # bytes


class _Directories:
    """The directories of a TIFF file or of EXIF data."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
        if not self._order:
            raise Damaged("it names no byte order")
        self._big = self._numbers("H", 2) == 43
        self.first = self._numbers("Q", 8) if self._big else self._numbers("I", 4)

    def entries(self, offset: int) -> Iterator[_Entry]:
        """Yield the entries of the directory that starts at ``offset``; struct.error where there is none."""
        layout, length, room = ("HHQ", 20, 8) if self._big else ("HHI", 12, 4)
        position = offset + (8 if self._big else 2)
        entries = self._numbers("Q" if self._big else "H", offset)
        if entries > _MAXIMUM_ENTRIES:
            raise Damaged(f"a directory has {entries} entries; there are {_MAXIMUM_ENTRIES} tags")
        for _ in range(entries):
            if position + length > len(self._data):
                return
            tag, kind, count = struct.unpack_from(self._order + layout, self._data, position)
            yield _Entry(tag, kind, count, position + length - room, room)
            position += length

    def value(self, entry: _Entry) -> Optional[int]:
        """Return the value of an entry that is one whole number, else None."""
        code = _CODES.get(entry.kind)
        return None if code is None or entry.values != 1 else self._numbers(code, entry.position)

    def _numbers(self, code: str, position: int) -> int:
        if position > len(self._data):
            raise struct.error("outside the file")
        (number,) = struct.unpack_from(self._order + code, self._data, position)
        return int(number)


def exif_orientation(exif: bytes) -> int:
    """Return the orientation that EXIF data name, 1 to 8; 1 where they name none. Nothing else of them is read.

    Args:
        exif: the data, which begin as a TIFF file does.
    """
    try:
        directories = _Directories(exif)
        entries = directories.entries(directories.first)
        values = [directories.value(entry) for entry in entries if entry.tag == _ORIENTATION]
    except (struct.error, Damaged):
        return 1
    last = values[-1] if values else None
    return last if last is not None and 1 <= last <= 8 else 1


def tiff_header(data: bytes) -> Header:
    """Read the first directory of a TIFF file, and those that belong to it.

    Args:
        data: the file.

    Raises:
        Damaged: its tags claim more bytes than the file has, a size is missing or occurs twice, or its strips or tiles
            are out of proportion to the image.
        struct.error: the directory lies outside the file.
    """
    directories = _Directories(data)
    sizes: dict[int, int] = {}
    waiting, seen, unread = [directories.first], set(), len(data)
    while waiting:
        offset = waiting.pop()
        if offset in seen:
            continue
        seen.add(offset)
        for entry in directories.entries(offset):
            length = entry.values * _BYTES.get(entry.kind, 0)
            unread -= length if length > entry.room else 0
            if unread < 0:
                raise Damaged("its tags claim more bytes than the file has")
            value = directories.value(entry)
            if entry.tag in _DIRECTORY_TAGS and value is not None and value + 8 <= len(data):
                waiting.append(value)
            if offset != directories.first:
                continue
            if entry.tag in _STRIP_TAGS and entry.values > _MAXIMUM_STRIPS:
                raise Damaged(f"it has {entry.values} strips or tiles; at most {_MAXIMUM_STRIPS} are read")
            if entry.tag in (_WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_HEIGHT):
                if value is None or entry.tag in sizes:
                    raise Damaged("it states a size twice, or not as one number")
                sizes[entry.tag] = value
    height, width = sizes.get(_HEIGHT, 0), sizes.get(_WIDTH, 0)
    across, down = sizes.get(_TILE_WIDTH, 0), sizes.get(_TILE_HEIGHT, 0)
    if not height or not width:
        raise Damaged("it states no size")
    if across * down > max(height * width, _MAXIMUM_TILE):
        raise Damaged(f"its tiles of {down} x {across} pixels are larger than its {height} x {width} pixels")
    return Header("TIFF", (height, width))
