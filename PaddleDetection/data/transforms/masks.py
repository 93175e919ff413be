"""What transforms do to masks: lists of polygons, run lengths as COCO writes them, or pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
from pycocotools import mask as coco


def is_polygons(mask: Any) -> bool:
    """Return whether an object's mask is a list of polygons, each x1, y1, x2, y2, ..., and not run lengths."""
    return isinstance(mask, (list, tuple))


def mapped(
    masks: Sequence[Any],
    height: int,
    width: int,
    points: Callable[[np.ndarray], np.ndarray],
    pixels: Callable[[np.ndarray], np.ndarray],
) -> list[Any]:
    """Return masks that follow their image.

    Args:
        masks: of each object its polygons, or run lengths.
        height: of the image, pixels.
        width: likewise.
        points: moves the points of a polygon, float (P, 2).
        pixels: moves the pixels of a mask, uint8 (height, width).
    """
    return [
        [points(np.array(polygon, np.float64).reshape(-1, 2)).reshape(-1).tolist() for polygon in mask]
        if is_polygons(mask)
        else encoded(pixels(decoded(mask, height, width)))
        for mask in masks
    ]


def decoded(mask: Any, height: int, width: int) -> np.ndarray:
    """Return the pixels of an object's mask, uint8 (height, width).

    Args:
        mask: polygons, or run lengths.
        height: of the image, pixels.
        width: likewise.

    Raises:
        ValueError: the run lengths are of another size.
    """
    if is_polygons(mask):
        return np.asarray(coco.decode(coco.merge(coco.frPyObjects(list(mask), height, width))))
    lengths = mask if isinstance(mask["counts"], (bytes, str)) else coco.frPyObjects(mask, height, width)
    if list(mask["size"]) != [height, width]:
        found = " x ".join(map(str, mask["size"]))
        raise ValueError(f"a mask's run lengths are of {found} pixels, the image of {height} x {width}")
    return np.asarray(coco.decode(lengths))


def encoded(pixels: np.ndarray) -> Any:
    """Return the run lengths of a mask, uint8 (H, W)."""
    return coco.encode(np.asfortranarray(pixels, np.uint8))


def checked_lengths(mask: Any, height: int, width: int) -> Any:
    """Return run lengths that fit an image; the C code that decodes them checks nothing.

    Args:
        mask: "size" and "counts", a list of numbers or COCO's text.
        height: of the image, pixels.
        width: likewise.

    Raises:
        ValueError: they are of another size, do not sum to the image's pixels, or are none.
    """
    size, counts = mask.get("size"), mask.get("counts")
    if size != [height, width]:
        raise ValueError(f"its run lengths are of size {str(size)[:80]}, its image is {[height, width]}")
    listed = isinstance(counts, list) and all(type(count) is int for count in counts)
    if not listed and not isinstance(counts, str):
        raise ValueError(f"its run lengths must be whole numbers or COCO's text, not {str(counts)[:80]!r}")
    lengths = counts if listed else _lengths(counts)
    if min(lengths, default=0) < 0 or sum(lengths) != height * width:
        raise ValueError("its run lengths do not sum to the image's pixels")
    return coco.frPyObjects(mask, height, width) if listed else mask


def _lengths(text: str) -> list[int]:
    """Return the numbers of COCO's text: groups of five bits, each the difference to the number two before."""
    lengths: list[int] = []
    value = shift = 0
    for sign in text:
        code = ord(sign) - 48
        if not 0 <= code < 64 or shift > 30:
            raise ValueError(f"its run lengths are not COCO's text: {text[:80]!r}")
        value |= (code & 31) << shift
        shift += 5
        if not code & 32:
            value -= (code & 16) << (shift - 4)
            lengths.append(value + (lengths[-2] if len(lengths) > 2 else 0))
            value = shift = 0
    if shift:
        raise ValueError(f"its run lengths are cut off: {text[-80:]!r}")
    return lengths
