"""What is known of an image file before it is decoded, and how large it may be."""

from __future__ import annotations

import os
import re
from typing import NamedTuple, Optional

MAXIMUM_PIXELS = 120_000_000
"""How many pixels an image may have where neither an argument nor the environment says otherwise."""

MAXIMUM_SIDE = 1 << 20
"""How long a side may be, in pixels, as in OpenCV; a decoder's list of rows alone takes 8 bytes for each row."""


class TooLarge(ValueError):
    """An image claims more pixels than the limit."""


class Damaged(ValueError):
    """A file contradicts itself; the message goes behind the file's name."""


class Header(NamedTuple):
    """What an image file says of itself.

    Args:
        format: one of :data:`core.vision.formats.FORMATS`.
        size: (height, width) in pixels, as the decoder will read it; None where only Pillow's own reader can say.
        orientation: that of the EXIF data, 1 to 8; 1 for a TIFF file, whose decoder applies it.
        spans: the parts of the file, from and to, that the decoder shall see; None: all of it.
        decoder: "pillow", "opencv", or "own": :mod:`core.vision.formats.bmp`.
    """

    format: str
    size: Optional[tuple[int, int]] = None
    orientation: int = 1
    spans: Optional[list[tuple[int, int]]] = None
    decoder: str = "pillow"


def pixel_limit(maximum_pixels: Optional[int] = None) -> int:
    """Return how many pixels an image may have.

    Args:
        maximum_pixels: the caller's limit; None: CORE_MAXIMUM_PIXELS of the environment, or else MAXIMUM_PIXELS.

    Raises:
        ValueError: the limit is not a positive number.
    """
    if maximum_pixels is not None:
        if maximum_pixels < 1:
            raise ValueError(f"maximum_pixels must be positive, not {maximum_pixels}")
        return maximum_pixels
    text = os.environ.get("CORE_MAXIMUM_PIXELS")
    if text is None:
        return MAXIMUM_PIXELS
    if not re.fullmatch(r"0*[1-9][0-9]{0,14}", text):
        raise ValueError(f"the environment variable CORE_MAXIMUM_PIXELS is {text[:80]!r}: it must be a positive number")
    return int(text)


def refuse_huge(height: int, width: int, name: str, limit: int) -> None:
    """Refuse an image that claims too many pixels.

    Args:
        height: what it claims.
        width: what it claims.
        name: what to call the file in messages.
        limit: how many pixels it may have.

    Raises:
        TooLarge: it claims more, or a side longer than MAXIMUM_SIDE.
    """
    claim = f"image file {name!r} claims {height} x {width} pixels"
    if height * width > limit:
        raise TooLarge(f"{claim}, more than {limit}; it is not read (CORE_MAXIMUM_PIXELS sets the limit)")
    if max(height, width) > MAXIMUM_SIDE:
        raise TooLarge(f"{claim}, more than {MAXIMUM_SIDE} on one side; it is not read")
