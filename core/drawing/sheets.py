"""Sheets: pictures side by side and one below the other, with labels, as one picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional, Union

import cv2
import numpy as np

from core.drawing.images import check_image, in_color
from core.drawing.text import TEXT, text_width, write

GAP = 2
"""Pixels between the pictures of a sheet."""

LEAST, LEAST_CAPTIONED = 96, 144
"""Pictures whose shorter side has fewer pixels are enlarged by a whole factor until it has as many.

Those with captions have more, and places that are never narrower."""

WIDEST = 8192
"""Height and width in pixels that the pictures of a sheet take together, at most; larger ones are reduced."""

LINE = TEXT + 6
"""Height of a line of text."""

LONGEST = 200
"""Width of the labels of rows, at most."""

LONGEST_TITLE = 800
"""A title makes a narrow sheet wider, up to so many pixels."""


class Caption(NamedTuple):
    """What is written below a picture.

    Attributes:
        lines: its lines; each is cut where it does not fit.
        color: of the letters.
    """

    lines: Sequence[str]
    color: str = "black"


class Layout(NamedTuple):
    """Where the pictures of a sheet stand.

    Attributes:
        height: of a picture before it is enlarged.
        width: of a picture before it is enlarged.
        factor: by which pictures are enlarged.
        top: height of the labels above all pictures.
        left: width of the labels beside them.
        below: height of the caption below each picture.
    """

    height: int
    width: int
    factor: int
    top: int
    left: int
    below: int = 0

    def box(self, row: int, column: int) -> tuple[slice, slice]:
        """Return the rows and columns of pixels that a picture takes."""
        tall, wide = self.factor * self.height, self.factor * self.width
        above = self.top + GAP + row * (tall + self.below + GAP)
        before = self.left + GAP + column * (wide + GAP)
        return slice(above, above + tall), slice(before, before + wide)

    def line(self, row: int, column: int, number: int) -> tuple[slice, slice]:
        """Return the rows and columns of pixels of a line of a picture's caption."""
        rows, columns = self.box(row, column)
        top = rows.stop + LINE * number
        return slice(top, top + LINE), slice(columns.start + GAP, columns.stop - GAP)

    def picture(self, sheet: np.ndarray, row: int, column: int) -> np.ndarray:
        """Return a picture of a sheet as it was before it was enlarged."""
        return sheet[self.box(row, column)][:: self.factor, :: self.factor]


def layout(
    height: int,
    width: int,
    rows: int,
    columns: int,
    columns_named: bool,
    names: Sequence[str],
    titled: bool,
    lines: int = 0,
    largest: int = WIDEST,
) -> Layout:
    """Return where pictures stand.

    Args:
        height: of the highest in pixels.
        width: of the widest.
        rows: how many stand below each other.
        columns: how many are side by side.
        columns_named: whether columns have labels.
        names: the labels of the rows; none for none.
        titled: whether the sheet has a title.
        lines: of the longest caption.
        largest: no picture is enlarged beyond so many pixels, and larger ones are reduced to them.
    """
    below, tall, wide = _room(rows, columns, lines, largest)
    height, width = _reduced(height, width, tall, wide)
    least = LEAST_CAPTIONED if lines else LEAST
    factor = max(min(-(-least // min(height, width)), tall // height, wide // width), 1)
    if lines:
        width = max(width, -(-LEAST_CAPTIONED // factor))
    left = min(max(map(text_width, names), default=-2 * GAP) + 2 * GAP, LONGEST)
    return Layout(height, width, factor, LINE * (columns_named + titled), left, below)


def sheet(
    rows: Iterable[Sequence[np.ndarray]],
    columns: Sequence[str] = (),
    names: Sequence[str] = (),
    title: str = "",
    background: int = 255,
    captions: Sequence[Sequence[Caption]] = (),
    largest: int = WIDEST,
) -> np.ndarray:
    """Return pictures side by side and one below the other, with gaps and labels.

    Small pictures are enlarged by whole factors, pixel by pixel, so that nothing is blurred; pictures of several sizes
    are in the middle of places of one size.

    Args:
        rows: for each row its pictures, uint8 (H, W), (H, W, 1) or (H, W, 3); rows may be of different lengths.
        columns: what is written above each column; none for no such labels.
        names: what is beside each row; none for no such labels.
        title: what is written above everything; none where it is empty.
        background: grey value of gaps and empty places.
        captions: for each row what is written below its pictures; none for no captions.
        largest: no picture is enlarged beyond so many pixels, and larger ones are reduced to them.

    Returns:
        uint8, shape (height, width, 3).

    Raises:
        ValueError: a picture is no image.
    """
    pictures = [list(row) for row in rows] or [[]]
    for picture in (picture for row in pictures for picture in row):
        check_image(picture)
    sizes = [(len(picture), picture.shape[1]) for row in pictures for picture in row] or [(1, 1)]
    across = max(*map(len, pictures), 1)
    lines = max((len(caption.lines) for row in captions for caption in row), default=0)
    _, tall, wide = _room(len(pictures), across, lines, largest)
    height, width = (max(side) for side in zip(*(_reduced(*size, tall, wide) for size in sizes)))
    place = layout(height, width, len(pictures), across, bool(columns), names, bool(title), lines, largest)
    last = place.box(len(pictures) - 1, across - 1)
    titled = min(place.left + text_width(title) + 3 * GAP, LONGEST_TITLE) if title else 0
    shape = last[0].stop + place.below + GAP, max(last[1].stop + GAP, titled), 3
    whole = np.full(shape, background, dtype=np.uint8)
    whole[: place.top], whole[:, : place.left], whole[:, last[1].stop + GAP :] = 255, 255, 255
    for row, shown in enumerate(pictures):
        for column, picture in enumerate(shown):
            _put(whole, picture, *place.box(row, column))
    for row, below in enumerate(captions):
        for column, caption in enumerate(below):
            above, beside = place.box(row, column)
            whole[above.stop : above.stop + place.below, beside] = 255
            for number, line in enumerate(caption.lines):
                write(whole, line, *place.line(row, column, number), color=caption.color, centred=True)
    for column, label in enumerate(columns):
        write(whole, label, slice(place.top - LINE, place.top), place.box(0, column)[1], centred=True)
    for row, label in enumerate(names):
        write(whole, label, place.box(row, 0)[0], slice(GAP, place.left - GAP))
    if title:
        write(whole, title, slice(0, LINE), slice(place.left + GAP, whole.shape[1] - GAP))
    return whole


def grid(
    pictures: Union[Sequence[np.ndarray], np.ndarray],
    across: Optional[int] = None,
    captions: Sequence[Caption] = (),
    **labels: Any,
) -> np.ndarray:
    """Return pictures as a sheet.

    Args:
        pictures: uint8, each (H, W), (H, W, 1) or (H, W, 3); an array (N, H, W, 3), too.
        across: how many are in a row; None: as many as there are rows.
        captions: what is written below each.
        **labels: as for :func:`sheet`.
    """
    across = across or max(int(np.ceil(np.sqrt(len(pictures)))), 1)
    starts = range(0, len(pictures), across)
    below = [captions[start : start + across] for start in starts] if captions else ()
    return sheet([list(pictures[start : start + across]) for start in starts], captions=below, **labels)


def _room(rows: int, columns: int, lines: int, largest: int) -> tuple[int, int, int]:
    """Return the height of captions of so many lines, and the greatest height and width of the pictures above them."""
    below = LINE // 2 + LINE * lines if lines else 0
    return below, max(min(WIDEST // rows - GAP - below, largest), 1), max(min(WIDEST // columns - GAP, largest), 1)


def _reduced(height: int, width: int, tall: int, wide: int) -> tuple[int, int]:
    """Return a picture's size, reduced where it is larger than its place."""
    scale = min(tall / height, wide / width, 1.0)
    return max(round(height * scale), 1), max(round(width * scale), 1)


def _put(whole: np.ndarray, picture: np.ndarray, rows: slice, columns: slice) -> None:
    """Put a picture into the middle of its place, enlarged by the greatest whole factor or reduced to fit."""
    tall, wide = rows.stop - rows.start, columns.stop - columns.start
    factor = min(tall // picture.shape[0], wide // picture.shape[1])
    if factor < 1:
        size = _reduced(len(picture), picture.shape[1], tall, wide)
        shown = in_color(cv2.resize(picture, size[::-1], interpolation=cv2.INTER_AREA))
    else:
        shown = in_color(picture).repeat(factor, axis=0).repeat(factor, axis=1)
    top, left = rows.start + (tall - len(shown)) // 2, columns.start + (wide - shown.shape[1]) // 2
    whole[top : top + len(shown), left : left + shown.shape[1]] = shown
