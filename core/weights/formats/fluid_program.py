"""The names of the variables that a static program of Paddle keeps, read from its protocol buffer.

Of the program (``ProgramDesc``) only this is read: its blocks (field 1), their variables (field 3), and of those the
name (1), the type (2, and in it field 1) and whether the variable is kept (3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from core.weights.atomic import PathLike

_FEED, _FETCH, _READER = 9, 10, 15  # kinds of variable that are kept but are no weights


def persistable_names(path: PathLike) -> list[str]:
    """Return the sorted names of a program's weights.

    Args:
        path: ``__model__`` or a ``.pdmodel`` file.

    Raises:
        ValueError: the file is damaged, or is no program.
    """
    with open(path, "rb") as stream:
        content = stream.read()
    names = set()
    try:
        for block in _messages(content, 1):
            for variable in _messages(block, 3):
                name, kind, kept = "", -1, False
                for number, value in fields(variable):
                    if number == 1 and isinstance(value, bytes):
                        name = value.decode("utf-8")
                    elif number == 2 and isinstance(value, bytes):
                        kind = next((part for key, part in fields(value) if key == 1 and isinstance(part, int)), -1)
                    elif number == 3:
                        kept = bool(value)
                if kept and kind not in (_FEED, _FETCH, _READER):
                    names.add(name)
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the names in the program {str(path)!r}: {error}") from None
    return sorted(names)


def fields(message: bytes) -> Iterator[tuple[int, Union[int, bytes]]]:
    """Yield number and value of each field of a protocol-buffer message; numbers as signed 64-bit integers.

    Raises:
        ValueError: the message is damaged.
    """
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = _number(message, place)
            yield number, value - (1 << 64) if value >> 63 else value
            continue
        length = {1: 8, 5: 4}.get(kind)
        if kind == 2:
            length, place = _number(message, place)
        if length is None or place + length > len(message):
            raise ValueError("it is damaged")
        yield number, message[place : place + length]
        place += length


def _messages(message: bytes, wanted: int) -> Iterator[bytes]:
    for number, value in fields(message):
        if number == wanted:
            if not isinstance(value, bytes):
                raise ValueError("it is damaged")
            yield value


def _number(message: bytes, place: int) -> tuple[int, int]:
    """Return a number of seven bits to a byte, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & ((1 << 64) - 1), place
    raise ValueError("it is damaged")
