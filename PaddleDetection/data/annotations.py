"""What all readers of annotations share: boxes are put right, or refused, in the same way and in the same words."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.io.files import read_bytes


class Repairs:
    """Counts what is put right while annotations are read, and says so once.

    Args:
        path: of the annotations, for the message.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.left_out: list[str] = []
        self.clipped: list[str] = []

    def box(self, corners: Sequence[float], where: str, width: float, height: float) -> tuple[float, ...]:
        """Return a box within its image; none, (), where nothing of it is left.

        Args:
            corners: x1, y1, x2, y2, pixels.
            where: the box, for the message.
            width: of the image, pixels; infinite where it is not known.
            height: likewise.

        Raises:
            ValueError: a corner is no finite number.
        """
        if not all(math.isfinite(value) for value in corners):
            raise ValueError(f"{self.path}: {where}: the box has a corner that is no finite number: {list(corners)}")
        left, top, right, bottom = corners
        inside = max(left, 0.0), max(top, 0.0), min(right, width), min(bottom, height)
        if inside[2] - inside[0] <= 1e-5 or inside[3] - inside[1] <= 1e-5:
            self.left_out.append(where)
            return ()
        if max(abs(value - given) for value, given in zip(inside, corners)) > 1:
            self.clipped.append(where)
        return inside

    def report(self) -> None:
        """Warn of boxes that were clipped or left out."""
        told = [
            f"{len(found)} boxes {what}, the first is {found[0]}"
            for what, found in (
                ("of no area, or outside their images, are left out", self.left_out),
                ("that reach out of their images are clipped", self.clipped),
            )
            if found
        ]
        if told:
            warnings.warn(f"{self.path}: {'; '.join(told)}", stacklevel=3)


def number(value: Any, where: str) -> float:
    """Return a number of an annotation.

    Args:
        value: a number, or its text.
        where: for the message.

    Raises:
        ValueError: it is none.
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{where} must be a number, not {str(value)[:80]!r}") from None


def text_lines(path: str) -> list[str]:
    """Return the lines of a text file, stripped; those that are blank at the end are left out.

    Args:
        path: a local path or a URL; UTF-8.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is not UTF-8.
    """
    try:
        lines = [line.strip() for line in read_bytes(path).decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from None
    while lines and not lines[-1]:
        lines.pop()
    return lines


def boxes_of(rows: Sequence[Sequence[float]]) -> np.ndarray:
    """Return boxes as float32 (G, 4), also where there are none."""
    return np.array(rows, np.float32).reshape(-1, 4)


def column(values: Sequence[int]) -> np.ndarray:
    """Return one number of each object, int32 (G, 1)."""
    return np.array(values, np.int32).reshape(-1, 1)
