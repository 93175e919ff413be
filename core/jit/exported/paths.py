"""Paths that a user gives: of a run or an exported folder, of an image, of a video."""

from __future__ import annotations

import os
from typing import Any, Union

PathLike = Union[str, "os.PathLike[str]"]


def path_text(value: Any, what: str, kinds: str = "a path") -> str:
    """Return a path as text.

    Args:
        value: the path.
        what: what is to be found there, for the message: "a video".
        kinds: all that is taken for it, for the message: "a path, a URL, or frames".

    Raises:
        TypeError: it is no path.
    """
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what} is {kinds}, not {type(value).__name__}")
    return os.fspath(value)
