"""What all readers of annotations share: boxes are put right, or refused, in the same way and in the same words."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from core.io.files import join_path, read_bytes
from core.vision.formats import pixel_limit


class Repairs:
    """Counts what is put right while annotations are read, and says so once.

    Args:
        path: of the annotations, for the message.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.left_out: list[str] = []
        self.clipped: list[str] = []
        self.others: dict[str, list[str]] = {}

    def box(
        self, corners: Sequence[float], where: str, width: float, height: float, pixel: float = 1.0
    ) -> tuple[float, ...]:
        """Return a box within its image; none, (), where nothing of it is left.

        Args:
            corners: x1, y1, x2, y2.
            where: the box, for the message.
            width: of the image, in the unit of the corners; infinite where it is not known.
            height: likewise.
            pixel: length of a pixel in that unit; a box that reaches out by less is clipped without a word.

        Raises:
            ValueError: a corner is no finite number.
        """
        left, top, right, bottom = corners
        if 0 <= left < right <= width and 0 <= top < bottom <= height and right + bottom < math.inf:  # most are good
            if right - left > 1e-5 * pixel < bottom - top:
                return left, top, right, bottom
        if not all(math.isfinite(value) for value in corners):
            raise ValueError(f"{self.path}: {where}: the box has a corner that is no finite number: {list(corners)}")
        inside = max(left, 0.0), max(top, 0.0), min(right, width), min(bottom, height)
        if inside[2] - inside[0] <= 1e-5 * pixel or inside[3] - inside[1] <= 1e-5 * pixel:
            self.left_out.append(where)
            return ()
        if max(abs(value - given) for value, given in zip(inside, corners)) > pixel:
            self.clipped.append(where)
        return inside

    def note(self, what: str, where: str) -> None:
        """Count something else that is put right.

        Args:
            what: what is done, after "3 objects", such as "that are points are left out".
            where: the object.
        """
        self.others.setdefault(what, []).append(where)

    def report(self) -> None:
        """Warn of what was put right."""
        lines = [
            f"{len(found)} {what}, the first is {found[0]}"
            for what, found in (
                ("boxes of no area, or outside their images, are left out", self.left_out),
                ("boxes that reach out of their images are clipped", self.clipped),
                *((f"objects {what}", found) for what, found in self.others.items()),
            )
            if found
        ]
        if lines:
            warnings.warn(f"{self.path}: {'; '.join(lines)}", stacklevel=3)


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
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where} must be a number, not {str(value)[:80]!r}") from None


def whole(value: Any, where: str, least: int = -(2**63), most: int = 2**63 - 1) -> int:
    """Return a whole number of an annotation.

    Args:
        value: a number, or its text.
        where: for the message.
        least: the smallest that it may be.
        most: the largest.

    Raises:
        ValueError: it is none, or out of this range.
    """
    found = value if type(value) is int else number(value, where)
    if not least <= found <= most or found != int(found):
        raise ValueError(f"{where} must be a whole number from {least} to {most}, not {str(value)[:80]!r}")
    return int(found)


def image_name(value: Any, where: str) -> str:
    """Return the path of an image as an annotation has it.

    Args:
        value: the path.
        where: for the message.

    Raises:
        ValueError: it is no text, empty, or longer than paths are.
    """
    if not isinstance(value, str) or not 0 < len(value) <= 1000:
        raise ValueError(f"{where} must name the image, not {str(value)[:80]!r}")
    return value


def image_sides(height: Any, width: Any, where: str) -> tuple[int, int]:
    """Return an image's height and width as an annotation says them.

    Args:
        height: a number, or its text; 0 where it is not known.
        width: likewise.
        where: for the message.

    Raises:
        ValueError: they are no whole numbers, negative, or those of an image that is too large to be read.
    """
    sides = [whole(side, f"{where}: {name}", 0) for name, side in (("height", height), ("width", width))]
    if sides[0] * sides[1] > pixel_limit():
        raise ValueError(f"{where}: an image of {sides[0]} x {sides[1]} pixels is too large (CORE_MAXIMUM_PIXELS)")
    return sides[0], sides[1]


def polygon(values: Any, where: str, height: float, width: float) -> list[float]:
    """Return the coordinates of a polygon.

    Args:
        values: x1, y1, x2, y2, ..., pixels.
        where: the object, for the message.
        height: of the image; 0 or infinite where it is not known.
        width: likewise.

    Raises:
        ValueError: they are no numbers, or far outside of the image.
    """
    reach = 2 * max(side if 0 < side < math.inf else 10**5 for side in (height, width))
    try:
        total = sum(values)  # no number where one of them is none
        inside = not values or (total == total and -reach <= min(values) and max(values) <= reach)
    except (TypeError, OverflowError):
        inside = None
    if inside is None or not isinstance(values, list):
        raise ValueError(f"{where}: a polygon must be a list of numbers, not {str(values)[:80]!r}")
    if not inside:
        raise ValueError(f"{where}: a point of a polygon is no finite number, or far outside of the image")
    return values


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


def class_list(folder: str, given: Union[str, Sequence[str]]) -> list[str]:
    """Return the names of classes.

    Args:
        folder: what the path of a text file is relative to, local or a URL.
        given: a text file with a name in each line; or the names themselves.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a name is empty, or there twice, or there are none.
    """
    path = join_path(folder, given) if isinstance(given, str) else "label_list"
    names = text_lines(path) if isinstance(given, str) else list(given)
    if not names or len(set(names)) < len(names) or "" in names:
        where = "each line must hold" if isinstance(given, str) else "each of its entries must be"
        raise ValueError(f"{path}: {where} a class name of its own")
    return names


def refuse_repeated(path: str, files: Sequence[str]) -> None:
    """Refuse a list that names an image twice, as its objects would count twice.

    Args:
        path: of the list, for the message.
        files: the images.

    Raises:
        ValueError: one of them is there twice.
    """
    repeated = [file for file, times in Counter(files).items() if times > 1]
    if repeated:
        raise ValueError(f"{path}: the list names {repeated[0]!r} twice")


def json_object(path: str) -> dict[str, Any]:
    """Return the content of a small JSON file whose top is an object.

    Args:
        path: a local path or a URL.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is no such file.
    """
    try:
        content = json.loads(read_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a JSON file: {str(error)[:200]}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: the file must hold one JSON object, not {str(content)[:80]!r}")
    return content


def bounding_box(points: np.ndarray) -> tuple[float, float, float, float]:
    """Return the corners x1, y1, x2, y2 of the box around points, (P, 2)."""
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return left, top, right, bottom


def outline(box: Sequence[float]) -> list[float]:
    """Return a box, x1, y1, x2, y2, as a polygon: the mask of an object that has none of its own."""
    left, top, right, bottom = box
    return [left, top, right, top, right, bottom, left, bottom]


def boxes_of(rows: Union[Sequence[Sequence[float]], np.ndarray]) -> np.ndarray:
    """Return boxes as float32 (G, 4), also where there are none."""
    return np.array(rows, np.float32).reshape(-1, 4)


def column(values: Union[Sequence[int], np.ndarray]) -> np.ndarray:
    """Return one number of each object, int32 (G, 1)."""
    return np.array(values, np.int32).reshape(-1, 1)
