"""List files of labelled images or clips: a line for each, with its path and whole numbers behind it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Optional

from core.io.files import is_url, read_bytes

MOST_CLASSES = 1_000_000
"""A larger number of classes, or of frames, is a mistake, and would take gigabytes."""

_LINE = re.compile(r"(.*\S)[ \t]+([0-9]+)", re.DOTALL)
_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
"""A path from a drive, or from a computer, of Windows."""


def read_list(path: str, numbers: Sequence[str] = ("class number",)) -> list[tuple[str, list[int]]]:
    """Read a list.

    Args:
        path: the list file, or its URL: UTF-8; each line that is not blank holds a path and numbers, with spaces or
            tabs between them.
        numbers: what the numbers are.

    Returns:
        Path and numbers of each line.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: a line holds something else, its path starts at a drive of Windows, a number is too large, or there
            are no lines; names file and line.
    """
    samples = []
    for place, line in enumerate(_lines(path), start=1):
        if not line:
            continue
        name = line
        found: list[int] = []
        for kind in reversed(numbers):
            parts = _LINE.fullmatch(name)
            if parts is None:
                wanted = "a path, a space and a class number" if len(numbers) == 1 else f"a path, {', '.join(numbers)}"
                raise ValueError(f"{path}:{place}: a line holds {wanted}, not {line[:200]!r}")
            name, number = parts.groups()
            if len(number.lstrip("0")) >= len(str(MOST_CLASSES)):
                raise ValueError(f"{path}:{place}: a {kind} is less than {MOST_CLASSES:,}, not {number[:20]}")
            found.insert(0, int(number))
        if _OF_WINDOWS.match(name):
            raise ValueError(f"{path}:{place}: {name!r} is a path on a computer with Windows; make it relative")
        samples.append((name, found))
    if not samples:
        raise ValueError(f"{path}: the list is empty")
    return samples


def class_names(path: str, samples: Sequence[tuple[str, int]], names_path: Optional[str]) -> list[str]:
    """Return the names of the classes of a list, or their numbers where no file names them.

    Args:
        path: the list file.
        samples: path and class number of each sample.
        names_path: a file with one class name per line, in the order of the numbers; None: there is none.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: a line of it is blank, or it has fewer names than there are classes.
    """
    count = max(label for _, label in samples) + 1
    if names_path is None:
        return [str(number) for number in range(count)]
    names = _lines(names_path)
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise ValueError(f"{names_path}:{names.index('') + 1}: the line is blank, but a class name is expected")
    if len(names) < count:
        name = next(path for path, label in samples if label == count - 1)
        raise ValueError(f"{names_path}: {len(names)} class names, but {path} has label {count - 1}, of {name!r}")
    return names


def listed_path(root: str, path: str) -> str:
    """Return where a file of a list is; backslashes separate folders, unless a file's name really has them.

    Args:
        root: the folder, or the URL, that the list's paths are relative to.
        path: as the list has it.
    """
    if is_url(root):
        return f"{root.rstrip('/')}/{path}".replace("\\", "/")
    whole = os.path.join(root, path)
    return whole if "\\" not in path or os.path.exists(whole) else os.path.join(root, path.replace("\\", "/"))


def _lines(path: str) -> list[str]:
    """Return a text file's lines without the white space around them; a byte order mark is no part of the first."""
    if not is_url(path) and not os.path.isfile(path):
        raise FileNotFoundError(f"no list file {path!r}")
    try:
        return [line.strip() for line in read_bytes(path).decode("utf-8-sig").split("\n")]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the list as UTF-8 text") from None
