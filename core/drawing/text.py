"""Text that fits where it is to stand, whatever it is made of."""

from __future__ import annotations

import functools
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFont

TEXT, SMALLEST_TEXT = 14, 10
"""Height of text in pixels where nothing else is said, and the height down to which any shrinks before it is cut."""

MOST_LETTERS = 200
"""What follows in a text is not looked at."""


@functools.lru_cache(maxsize=128)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font of all pictures at a size in pixels: the one that comes with matplotlib, for its figures."""
    from matplotlib import get_data_path  # it loads with the first picture

    file = os.path.join(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)


def text_width(text: str, size: int = TEXT) -> int:
    """Return how many pixels a text takes, drawn on one line and not cut."""
    return round(font(size).getlength(one_line(text)))


def one_line(text: str, most: int = MOST_LETTERS) -> str:
    """Return a text as one line that can be drawn; what is not printable is written as Python escapes it.

    Args:
        text: any, such as a file's name, which may be made of any bytes.
        most: more letters than these are cut.
    """
    line = " ".join(text[: 4 * most].split())
    if not line.isprintable():
        line = line.encode("unicode_escape", "backslashreplace").decode("ascii")
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


def fitted(text: str, width: float, size: int = TEXT) -> tuple[str, int]:
    """Return a text as one line that is no wider than so many pixels, and its size: smaller, then cut.

    Args:
        text: any.
        width: in pixels.
        size: the height of the letters in pixels where they fit; they become 0.7 of it at least.
    """
    shown, smallest = one_line(text), min(size, max(SMALLEST_TEXT, round(0.7 * size)))
    while size > smallest and font(size).getlength(shown) > width:
        size -= 1
    if font(size).getlength(shown) > width:
        fits, more = 0, len(shown)
        while more - fits > 1:
            half = (fits + more) // 2
            fits, more = (half, more) if font(size).getlength(shown[:half] + "…") <= width else (fits, half)
        shown = shown[:fits] + "…"
    return shown, size


def write(
    picture: np.ndarray,
    text: str,
    rows: slice,
    columns: slice,
    size: int = TEXT,
    color: str = "black",
    centred: bool = False,
) -> None:
    """Write a line of text into a part of a picture, halfway between its top and its bottom.

    Args:
        picture: uint8, shape (H, W, 3); written to.
        text: any; smaller, and in the end cut, where it would not fit.
        rows: the part's, start and stop given.
        columns: the part's.
        size: height of the letters in pixels.
        color: theirs.
        centred: whether the line is in the middle instead of on the left.
    """
    tall, wide = rows.stop - rows.start, columns.stop - columns.start
    if wide < 1 or tall < 1:
        return
    shown, size = fitted(text, wide, size)
    part = Image.fromarray(np.ascontiguousarray(picture[rows, columns]))
    left = max((wide - font(size).getlength(shown)) / 2, 0) if centred else 0
    ImageDraw.Draw(part).text((left, tall / 2), shown, color, font(size), anchor="lm")
    picture[rows, columns] = np.asarray(part)
