"""Pieces of error messages: whatever a file or a server says becomes one printable line of bounded length."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy

_SHORT = reprlib.Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdict = 40
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 100
_SHORT.maxlevel = 4


def one_line(error: object, limit: int = 400) -> str:
    """Return a message as one line; control characters, such as a terminal's escape sequences, are shown as ``\\x1b``.

    Args:
        error: an error or a text.
        limit: the longest line, in characters.
    """
    text = " ".join(str(error).split())
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shown(key: Any, limit: int = 100) -> str:
    """Return a value for a message: text quoted and cut, containers with their first parts alone.

    Args:
        key: the name of an entry, or any other plain value.
        limit: the longest result, in characters.
    """
    if isinstance(key, (str, bytes)):
        return one_line(repr(key[:limit]), limit)
    return one_line(_SHORT.repr(key), limit)


def describe(value: Any) -> str:
    """Return a short description of a value for a message: its type, for an array its data type."""
    if isinstance(value, numpy.ndarray):
        return f"an array of data type {value.dtype}"
    return f"a {type(value).__name__}"


def counted(count: int, noun: str) -> str:
    """Return a number of things: "1 text", "2 texts".

    Args:
        count: how many.
        noun: what one is called, with an -s for more.
    """
    return f"{count} {noun}{'s' * (count != 1)}"
