"""The attributes of drawn faces, measured on any picture: by colors in known places, without a network.

The face is found first, as what looks most like the mean of drawn ones, and brought to a standard place and size.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import cv2
import numpy as np

from core.vision.datasets.face_drawing import EYES, draw_face
from core.vision.datasets.face_factors import FACE_ATTRIBUTES, draw_factors
from PaddleGAN.metrics.pictures import as_pictures

_SIDE = 96  # pictures are measured at this size
_UNIT = 24  # pixels of half a face in the standard picture, which reaches 1.5 units around the face's centre
_REACH = 1.5
_HALF_WIDTHS = np.linspace(0.238, 0.287, 7)
_CENTERS = ((42, 55), (46, 57))  # columns and rows among which a face's centre is sought
_DRAWN = 64
_ANY_SPREAD = 0.35
_LUMINANCE = np.array([0.299, 0.587, 0.114], np.float32)


def measure_attributes(images: Any) -> np.ndarray:
    """Tell which attributes the faces of pictures have.

    Args:
        images: uint8, shape (N, H, W, 3); or floating point, shape (N, 3, H, W), -1 to 1, as a generator gives them.

    Returns:
        Bool, shape (N, 9): the attributes of FACE_ATTRIBUTES. Of the hair's colors each face has one.

    Raises:
        ValueError: the images have another shape or type.
    """
    return attribute_margins(images) > 0


def attribute_margins(images: Any) -> np.ndarray:
    """Tell how clearly faces have attributes.

    Args:
        images: as for :func:`measure_attributes`.

    Returns:
        Float32, shape (N, 9): positive for an attribute that is there, and the larger the clearer.

    Raises:
        ValueError: the images have another shape or type.
    """
    pictures = _as_pictures(images)
    rows = [_margins(picture) for picture in pictures]
    return np.array(rows, np.float32).reshape(len(pictures), len(FACE_ATTRIBUTES))


def find_face(picture: np.ndarray) -> tuple[float, float, float]:
    """Find the face in a picture: where colors are likeliest to be a face's, and not those of any picture.

    Args:
        picture: float32, shape (96, 96, 3), 0 to 1.

    Returns:
        The centre, right and down, and half the width, as shares of the picture's side.
    """
    relative = _relative(picture)
    best = (-np.inf, 0.0, 0.0, 0.0)
    for half_width, (squared, linear, constant) in zip(_HALF_WIDTHS, _templates()):
        reach = squared.shape[0] // 2
        wide = cv2.copyMakeBorder(relative, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
        (left, right), (top, bottom) = _CENTERS
        window = wide[top : bottom + 2 * reach, left : right + 2 * reach]
        likelihood = cv2.matchTemplate(window**2, squared, cv2.TM_CCORR)
        likelihood = likelihood + cv2.matchTemplate(window, linear, cv2.TM_CCORR) + constant
        row, column = divmod(int(likelihood.argmax()), likelihood.shape[1])
        place = (left + column + 0.5) / _SIDE, (top + row + 0.5) / _SIDE
        best = max(best, (float(likelihood[row, column]), *place, float(half_width)))
    return best[1:]


def _relative(picture: np.ndarray) -> np.ndarray:
    """Return a picture's colors less that of the skin in its middle."""
    middle = picture[int(0.54 * _SIDE) : int(0.64 * _SIDE), int(0.38 * _SIDE) : int(0.62 * _SIDE)]
    return picture - np.percentile(middle.reshape(-1, 3), 65, axis=0).astype(np.float32)


@functools.cache
def _templates() -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Return the logarithm of the likelihood for each half width: factors of x^2 and x, and the rest.

    Each color of each pixel is normal with the mean and spread of drawn faces, or else with those of any picture.
    """
    pictures = []
    for index in range(_DRAWN):
        face = dataclasses.replace(draw_factors(_DRAWN, index), center=(0.5, 0.5), half_width=_UNIT / _SIDE)
        pictures.append(_relative(_as_pictures(draw_face(face, _SIDE // 2)[None])[0]))
    fine = (np.arange(_SIDE) + 0.5 - _SIDE / 2) / _UNIT
    mean = np.mean(pictures, axis=0)
    variance = np.minimum(np.var(pictures, axis=0) + 0.08**2, _ANY_SPREAD**2)
    squared, linear = 1 / _ANY_SPREAD**2 - 1 / variance, 2 * mean / variance
    constant = np.log(_ANY_SPREAD**2 / variance) - mean**2 / variance
    parts = [part * _oval(fine[None, :], fine[:, None])[:, :, None] for part in (squared, linear, constant)]
    templates = []
    for half_width in _HALF_WIDTHS:
        scale = half_width * _SIDE / _UNIT
        reach = int(np.ceil(1.45 * _UNIT * scale))
        shift = reach - scale * (_SIDE - 1) / 2
        matrix = np.array([[scale, 0, shift], [0, scale, shift]])
        scaled = [cv2.warpAffine(part.astype(np.float32), matrix, (2 * reach + 1,) * 2) for part in parts]
        templates.append((scaled[0], scaled[1], float(scaled[2].sum())))
    return templates


def _oval(across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Return 1 where a face and what borders it is, else 0."""
    return ((across / 1.25) ** 2 + (down / 1.4) ** 2 < 1).astype(np.float64)


def _margins(picture: np.ndarray) -> list[float]:
    """Return the margins of the attributes, in their order."""
    face = _standard(picture)
    gray = face @ _LUMINANCE
    skin = np.median(face[_box(0.45, 0.75, 0.38, 0.62, both=True)], axis=0)
    hair = np.median(face[_box(1.08, 1.22, -0.5, -0.14, both=True)], axis=0)
    brightness, hair_brightness = max(float(skin @ _LUMINANCE), 1e-3), float(hair @ _LUMINANCE)
    found = {
        "Bald": _nearer(face, _box(-0.4, 0.4, -1.2, -0.98), skin, hair),
        "Bangs": -_nearer(face, _box(-0.5, 0.5, -0.72, -0.52), skin, hair),
        "Black_Hair": 0.19 - hair_brightness,
        "Blond_Hair": hair_brightness - 0.54,
        "Brown_Hair": min(hair_brightness - 0.19, 0.54 - hair_brightness),
        "Eyeglasses": 0.8 - _frame_brightness(gray) / brightness,
        "Mouth_Slightly_Open": 0.53 - _darkest_row(gray, 0.72, 0.95) / brightness,
        "Mustache": 0.75 - float(gray[_box(-0.28, 0.28, 0.5, 0.58)].mean()) / brightness,
        "Pale_Skin": brightness - 0.765,
    }
    found["Bangs"] = min(found["Bangs"], -found["Bald"])
    return [found[name] for name in FACE_ATTRIBUTES]


def _standard(picture: np.ndarray) -> np.ndarray:
    """Bring the face to the middle, half of it ``_UNIT`` pixels wide: float32, shape (72, 72, 3)."""
    right, down, half_width = find_face(picture)
    step = half_width * _SIDE / _UNIT
    start = np.array([right, down]) * _SIDE - 0.5 - step * (_REACH * _UNIT - 0.5)
    matrix = np.array([[step, 0, start[0]], [0, step, start[1]]])
    size = int(2 * _REACH * _UNIT)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(picture, matrix, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE)


@functools.cache
def _box(left: float, right: float, top: float, bottom: float, both: bool = False) -> np.ndarray:
    """Return a rectangle of the standard picture as a mask; with ``both``, its mirror image too."""
    places = (np.arange(2 * _REACH * _UNIT) + 0.5) / _UNIT - _REACH
    columns = np.abs(places) if both else places
    return ((places > top) & (places < bottom))[:, None] & ((columns > left) & (columns < right))[None, :]


def _nearer(face: np.ndarray, where: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """Return how much nearer a place's color is to one color than to another: -1 to 1."""
    color = np.median(face[where], axis=0)
    to_one, to_other = np.linalg.norm(color - one), np.linalg.norm(color - other)
    return float((to_other - to_one) / (to_one + to_other + 1e-6))


def _darkest_row(gray: np.ndarray, top: float, bottom: float) -> float:
    """Return how bright the middle of the face is at the darkest height between two."""
    box = gray[_box(-0.13, 0.13, top, bottom)].reshape(-1, _box(-0.13, 0.13, top, bottom).any(axis=0).sum())
    return float(cv2.blur(box.mean(axis=1), (1, 3)).min())


def _frame_brightness(gray: np.ndarray) -> float:
    """Return how bright the arc is below the eyes, where a frame would be; the darkest of some heights."""
    turns = np.deg2rad(np.arange(55, 126, 5))
    arcs = []
    for stretch in np.arange(0.84, 1.2, 0.06):
        points = [
            (side * EYES[0] + 0.31 * stretch * np.cos(turns), EYES[1] + 0.03 + 0.28 * stretch * np.sin(turns))
            for side in (-1, 1)
        ]
        across, down = (np.concatenate(part) for part in zip(*points))
        arcs.append(_sampled(gray, across, down).mean())
    return float(min(arcs))


def _sampled(gray: np.ndarray, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    x, y = (((place + _REACH) * _UNIT - 0.5).astype(np.float32) for place in (across, down))
    return cv2.remap(gray, x, y, cv2.INTER_LINEAR)


def _as_pictures(images: Any) -> list[np.ndarray]:
    """Return color images as float32 (96, 96, 3), 0 to 1."""
    pictures = as_pictures("attributes", images) / np.float32(255)
    if pictures.shape[3] != 3:
        raise ValueError("attributes: they are measured on images in color; these are grey")
    way = cv2.INTER_AREA if pictures.shape[1] > _SIDE else cv2.INTER_LINEAR
    return [cv2.resize(picture, (_SIDE, _SIDE), interpolation=way) for picture in pictures]
