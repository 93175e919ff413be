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
