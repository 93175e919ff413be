"""Single images: with lines of text below them, or under a heat map."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from core.drawing.text import write


def in_color(image: np.ndarray) -> np.ndarray:
    """Return an image as one of three channels.

    Args:
        image: uint8, shape (H, W), (H, W, 1) or (H, W, 3).

    Returns:
        uint8, shape (H, W, 3); the same array where it is one already.

    Raises:
        ValueError: it is no such image, or has no pixels.
    """
    check_image(image)
    array = image[:, :, None] if image.ndim == 2 else image
    return np.repeat(array, 3, axis=2) if array.shape[2] == 1 else array


def check_image(image: np.ndarray) -> None:
    """Refuse what is no image with a ValueError."""
    channels = 1 if image.ndim == 2 else image.shape[2] if image.ndim == 3 else 0
    if image.dtype != np.uint8 or channels not in (1, 3) or image.size == 0:
        raise ValueError(
            "an image to draw is uint8 of shape (H, W), (H, W, 1) or (H, W, 3) with at least one pixel, "
            f"not {image.dtype} of shape {image.shape}"
        )


def annotated(image: np.ndarray, lines: Sequence[str], width: int = 320, most: int = 1600) -> np.ndarray:
    """Return an image with lines of text below it: enlarged when it is small, reduced when it is large.

    Args:
        image: uint8, shape (H, W), (H, W, 1) or (H, W, 3).
        lines: the text; a line that is too long is cut.
        width: the least width in pixels; a narrow image that would become too high gets a white margin.
        most: the greatest height and width of the image in pixels.

    Returns:
        uint8, shape (H', W', 3).

    Raises:
        ValueError: it is no image.
    """
    check_image(image)
    rows, columns = image.shape[:2]
    scale = min(max(width / columns, 1.0), most / rows, most / columns)
    if scale != 1:
        size = max(round(columns * scale), 1), max(round(rows * scale), 1)
        image = cv2.resize(image, size, interpolation=cv2.INTER_NEAREST if scale > 1 else cv2.INTER_AREA)
    picture = in_color(image)
    wide = max(picture.shape[1], width)
    text = max(16, min(wide // 20, len(picture) // 8))  # no larger than suits a strip
    pitch = round(1.4 * text)
    whole = np.full((len(picture) + pitch * len(lines) + text // 2, wide, 3), 255, np.uint8)
    whole[: len(picture), : picture.shape[1]] = picture
    for number, line in enumerate(lines):
        top = len(picture) + text // 4 + pitch * number
        write(whole, line, slice(top, top + pitch), slice(text // 2, wide - text // 2), text)
    return whole


def heat_overlay(image: np.ndarray, heat: np.ndarray) -> np.ndarray:
    """Return an image under a heat map, half and half: blue where it is 0, over green, to red where it is 1.

    Args:
        image: uint8, shape (H, W), (H, W, 1) or (H, W, 3).
        heat: from 0 to 1, shape (h, w); interpolated to the image's size. What is no number counts as 0.

    Returns:
        uint8, shape (H, W, 3).

    Raises:
        ValueError: it is no image.
    """
    picture = in_color(image)
    rows, columns = picture.shape[:2]
    finite = np.nan_to_num(heat.astype(np.float32), nan=0.0, posinf=1.0, neginf=0.0)
    levels = cv2.resize(finite, (columns, rows), interpolation=cv2.INTER_LINEAR)
    colors = cv2.applyColorMap(np.rint(255 * levels.clip(0, 1)).astype(np.uint8), cv2.COLORMAP_JET)[:, :, ::-1]
    return ((picture.astype(np.uint16) + colors + 1) // 2).astype(np.uint8)
