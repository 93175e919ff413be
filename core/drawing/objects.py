"""What a detector finds, drawn on its image: boxes with names and scores, masks, keypoints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Optional

import cv2
import numpy as np
from PIL import ImageColor

from core.drawing.colors import class_color
from core.drawing.images import in_color
from core.drawing.text import text_width, write


def draw_boxes(
    image: np.ndarray,
    boxes: np.ndarray,
    classes: Sequence[int],
    scores: Optional[Sequence[float]] = None,
    class_names: Optional[Sequence[str]] = None,
) -> np.ndarray:
    """Return an image with boxes in the colours of their classes, each with its name and score; the best on top.

    Args:
        image: uint8, shape (H, W), (H, W, 1) or (H, W, 3).
        boxes: left, top, right and bottom in pixels, shape (N, 4); what lies outside is cut off, and a box that is
            empty or has a number that is not finite is not drawn.
        classes: theirs, N.
        scores: theirs, N; None: there are none.
        class_names: of all classes; None: their numbers.

    Returns:
        uint8, shape (H, W, 3).

    Raises:
        ValueError: it is no image, or there are not as many boxes, classes and scores.
    """
    picture = in_color(image).copy()
    corners = np.asarray(boxes, np.float64).reshape(-1, 4)
    _same_count("boxes", corners, classes=classes, scores=classes if scores is None else scores)
    high, wide = picture.shape[:2]
    order = range(len(corners)) if scores is None else np.argsort(np.asarray(scores), kind="stable").tolist()
    shown = [number for number in order if _is_inside(corners[number], high, wide)]
    bounded = np.nan_to_num(corners).clip(-1e6, 1e6).round().astype(int).clip(0, [wide - 1, high - 1] * 2)
    for number in shown:
        left, top, right, bottom = bounded[number].tolist()
        cv2.rectangle(picture, (left, top), (right, bottom), _color(classes[number]), _thickness(picture))
    for number in shown:
        name = str(classes[number]) if class_names is None else class_names[classes[number]]
        text = name if scores is None else f"{scores[number]:.0%} {name}"
        _write_label(picture, text, bounded[number, 0], bounded[number, 1], classes[number])
    return picture


def draw_masks(
    image: np.ndarray, masks: Iterable[np.ndarray], classes: Sequence[int], opacity: float = 0.5
) -> np.ndarray:
    """Return an image under masks in the colours of their classes, each with its outline.

    Args:
        image: uint8, shape (H, W), (H, W, 1) or (H, W, 3).
        masks: N of bool, or 0 where there is nothing, shape (H, W); an array (N, H, W), or what makes one at a time.
        classes: theirs, N.
        opacity: of the masks, from 0 to 1.

    Returns:
        uint8, shape (H, W, 3).

    Raises:
        ValueError: it is no image, or the masks are not of its size or not as many as the classes.
    """
    picture = in_color(image).copy()
    count = 0
    for mask in masks:
        if mask.shape != picture.shape[:2]:
            raise ValueError(f"masks of an image of {picture.shape[:2]} pixels have its size, not {mask.shape}")
        if count < len(classes):
            _draw_mask(picture, mask != 0, classes[count], opacity)
        count += 1
    if count != len(classes):
        raise ValueError(f"{count} masks do not fit {len(classes)} classes")
    return picture


def _draw_mask(picture: np.ndarray, inside: np.ndarray, number: int, opacity: float) -> None:
    """Mix a picture with the colour of a class inside a mask."""
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return
    part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    pixels, within = picture[part], inside[part]
    mixed = (1 - opacity) * pixels[within] + opacity * np.array(_color(number))
    pixels[within] = np.rint(mixed).astype(np.uint8)
    outline, _ = cv2.findContours(within.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    corner = int(columns[0]), int(rows[0])
    cv2.drawContours(picture, outline, -1, _color(number), max(_thickness(picture) // 2, 1), offset=corner)


def draw_keypoints(
    image: np.ndarray, keypoints: np.ndarray, skeleton: Sequence[tuple[int, int]] = (), least: float = 0.0
) -> np.ndarray:
    """Return an image with the keypoints of persons or things, a colour for each of them.

    Args:
        image: uint8, shape (H, W), (H, W, 1) or (H, W, 3).
        keypoints: x, y in pixels and score (or visibility), shape (N, K, 3).
        skeleton: pairs of keypoints that a line joins, where both are drawn.
        least: a keypoint is drawn where its score is greater, and its place is finite.

    Returns:
        uint8, shape (H, W, 3).

    Raises:
        ValueError: it is no image, or the keypoints have another shape.
    """
    picture = in_color(image).copy()
    if keypoints.ndim != 3 or keypoints.shape[2] != 3:
        raise ValueError(f"keypoints have shape (N, K, 3), not {keypoints.shape}")
    drawn = np.isfinite(keypoints).all(axis=2) & (keypoints[:, :, 2] > least)
    places = np.nan_to_num(keypoints[:, :, :2]).clip(-1e4, 1e5).round().astype(int).tolist()
    thick = _thickness(picture)
    for number, (found, points) in enumerate(zip(drawn, places)):
        for start, end in skeleton:
            if found[start] and found[end]:
                cv2.line(picture, points[start], points[end], _color(number), thick)
        for index in np.flatnonzero(found):
            cv2.circle(picture, points[index], 2 * thick, _color(number), -1)
    return picture


def _same_count(name: str, things: np.ndarray, **others: Sequence[Any]) -> None:
    for kind, given in others.items():
        if len(given) != len(things):
            raise ValueError(f"{len(things)} {name} do not fit {len(given)} {kind}")


def _is_inside(corners: np.ndarray, high: int, wide: int) -> bool:
    """Return whether a box is one, and a part of it lies in an image."""
    left, top, right, bottom = corners.tolist()
    return bool(np.isfinite(corners).all()) and left < right and top < bottom and (
        left < wide and top < high and right >= 0 and bottom >= 0
    )


def _color(number: int) -> tuple[int, int, int]:
    red, green, blue = ImageColor.getrgb(class_color(int(number)))[:3]
    return red, green, blue


def _thickness(picture: np.ndarray) -> int:
    return max(round(min(picture.shape[:2]) / 250), 1)


def _write_label(picture: np.ndarray, text: str, left: int, top: int, number: int) -> None:
    """Write a text on the colour of a class above a place, or below it where the picture has no room above."""
    high, wide = picture.shape[:2]
    size = max(12, round(min(high, wide) / 40))
    width = min(text_width(text, size) + 6, wide)
    left, top = min(left, wide - width), top - size - 4 if top >= size + 4 else top
    rows, columns = slice(top, min(top + size + 4, high)), slice(left, left + width)
    color = _color(number)
    picture[rows, columns] = color
    light = np.dot(color, (0.299, 0.587, 0.114)) > 140
    write(picture, text, rows, slice(left + 3, left + width - 3), size, "black" if light else "white")
