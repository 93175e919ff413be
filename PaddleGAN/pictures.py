"""Sheets of pictures: from a generator's numbers to one labelled picture in a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

from core.metric.metric import as_array

GAP = 2
"""Pixels between the pictures of a sheet."""

LEAST = 96
"""Pictures whose shorter side has fewer pixels are enlarged by a whole factor until it has as many."""

WIDEST = 8192
"""No sheet is enlarged beyond this height or width in pixels."""

FONT = os.path.join(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
TEXT, SMALLEST_TEXT = 14, 8
"""Height of labels in pixels, and the height down to which a label shrinks before it is cut."""

LINE = TEXT + 6
"""Height of a line of labels."""

LONGEST = 200
"""Width of the labels of rows, at most."""


class Layout(NamedTuple):
    """Where the pictures of a sheet stand.

    Attributes:
        height: of a picture before it is enlarged.
        width: of a picture before it is enlarged.
        factor: by which pictures are enlarged.
        top: height of the labels above all pictures.
        left: width of the labels beside them.
    """

    height: int
    width: int
    factor: int
    top: int
    left: int

    def box(self, row: int, column: int) -> tuple[slice, slice]:
        """Return the rows and columns of pixels in which a picture stands."""
        tall, wide = self.factor * self.height, self.factor * self.width
        above, before = self.top + GAP + row * (tall + GAP), self.left + GAP + column * (wide + GAP)
        return slice(above, above + tall), slice(before, before + wide)

    def picture(self, sheet: np.ndarray, row: int, column: int) -> np.ndarray:
        """Return a picture of a sheet as it was before it was enlarged."""
        return sheet[self.box(row, column)][:: self.factor, :: self.factor]


def layout(
    height: int, width: int, rows: int, columns: int, columns_named: bool, names: Sequence[str], titled: bool
) -> Layout:
    """Return where pictures stand.

    Args:
        height: of each in pixels.
        width: of each.
        rows: how many stand below each other.
        columns: how many stand side by side.
        columns_named: whether columns have labels.
        names: the labels of the rows; none for none.
        titled: whether the sheet has a title.
    """
    widest = max(rows * (height + GAP), columns * (width + GAP))
    factor = max(min(-(-LEAST // min(height, width)), WIDEST // widest), 1)
    widths = [round(_font(TEXT).getlength(_line(name))) for name in names]
    left = min(max(widths, default=-2 * GAP) + 2 * GAP, LONGEST)
    return Layout(height, width, factor, LINE * (columns_named + titled), left)


def as_bytes(images: Any) -> np.ndarray:
    """Return a generator's images as bytes in color; what is no number becomes grey.

    Args:
        images: floating point, shape (N, C, H, W), -1 to 1, an array or a Tensor; C is 1 or 3.

    Returns:
        uint8, shape (N, H, W, 3).
    """
    array = as_array(images).astype(np.float32).transpose(0, 2, 3, 1)
    scaled = (np.nan_to_num(array, nan=0.0, posinf=1.0, neginf=-1.0).clip(-1, 1) + 1) * np.float32(127.5)
    whole = np.rint(scaled).astype(np.uint8)
    return np.repeat(whole, 3, axis=3) if whole.shape[3] == 1 else whole


def sheet(
    rows: Sequence[Sequence[np.ndarray]],
    columns: Sequence[str] = (),
    names: Sequence[str] = (),
    title: str = "",
    background: int = 255,
) -> np.ndarray:
    """Return pictures of one size side by side and one below the other, with gaps and labels.

    Small pictures are enlarged by a whole factor, pixel by pixel, so that nothing is blurred.

    Args:
        rows: for each row its pictures, uint8 (H, W, 3); rows may be of different lengths.
        columns: what stands above each column; none for no such labels.
        names: what stands beside each row; none for no such labels.
        title: what stands above everything; none where it is empty.
        background: grey value of gaps and empty places.

    Returns:
        uint8, shape (height, width, 3).
    """
    height, width = rows[0][0].shape[:2]
    across = max(map(len, rows))
    place = layout(height, width, len(rows), across, bool(columns), names, bool(title))
    last = place.box(len(rows) - 1, across - 1)
    whole = np.full((last[0].stop + GAP, last[1].stop + GAP, 3), background, dtype=np.uint8)
    for row, pictures in enumerate(rows):
        for column, picture in enumerate(pictures):
            enlarged = picture.repeat(place.factor, axis=0).repeat(place.factor, axis=1)
            whole[place.box(row, column)] = enlarged
    whole[: place.top], whole[:, : place.left] = 255, 255
    for column, label in enumerate(columns):
        _write(whole, label, slice(place.top - LINE, place.top), place.box(0, column)[1], centred=True)
    for row, label in enumerate(names):
        _write(whole, label, place.box(row, 0)[0], slice(GAP, place.left - GAP))
    if title:
        _write(whole, title, slice(0, LINE), slice(place.left + GAP, whole.shape[1] - GAP))
    return whole


def grid(pictures: np.ndarray, across: Optional[int] = None, **labels: Any) -> np.ndarray:
    """Return pictures as a sheet.

    Args:
        pictures: uint8 (N, H, W, 3).
        across: how many stand in a row; None: as many as there are rows.
        **labels: as for :func:`sheet`.
    """
    across = across or int(np.ceil(np.sqrt(len(pictures))))
    return sheet([list(pictures[start : start + across]) for start in range(0, len(pictures), across)], **labels)


def _font(height: int) -> Any:
    return ImageFont.truetype(FONT, height, layout_engine=ImageFont.Layout.BASIC)


def _line(label: str) -> str:
    """Return a label as one line that can be drawn, whatever a file's name is made of."""
    line = " ".join(label[:200].split())
    return line if line.isprintable() else line.encode("unicode_escape", "backslashreplace").decode("ascii")


def _write(whole: np.ndarray, text: str, rows: slice, columns: slice, centred: bool = False) -> None:
    """Write a line of text into a part of a sheet: smaller, and in the end cut, where it would not fit."""
    tall, wide = rows.stop - rows.start, columns.stop - columns.start
    if wide < 1 or tall < 1:
        return
    text, size = _line(text), TEXT
    while size > SMALLEST_TEXT and _font(size).getlength(text) > wide:
        size -= 1
    font, shown = _font(size), text
    while len(shown) > 1 and font.getlength(shown) > wide:
        text = text[:-1]
        shown = text + "…"
    line = Image.fromarray(np.ascontiguousarray(whole[rows, columns]))
    left = max((wide - font.getlength(shown)) / 2, 0) if centred else 0
    ImageDraw.Draw(line).text((left, tall / 2), shown, "black", font, anchor="lm")
    whole[rows, columns] = np.asarray(line)
