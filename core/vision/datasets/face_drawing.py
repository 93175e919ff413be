"""Drawing a face as a photograph, and as the outline of the same one; with OpenCV, four times as fine as the result."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from core.vision.datasets.face_factors import Color, Face

FINENESS = 4
HEIGHT = 1.3
"""Half the height of a face, in half widths."""

EYES = (0.42, -0.08)
MOUTH = (0.0, 0.76)
FRINGE = -0.42
"""How far down bangs reach."""

_SHIFT = 4  # OpenCV takes coordinates in sixteenths of a pixel
_INK: Color = (0.12, 0.12, 0.14)
_LINE = 0.035


class Canvas:
    """A picture with the face's own coordinates.

    Args:
        face: whose coordinates.
        size: pixels of a side of the result.
        outline: draw every shape as a dark line around white, on white.
    """

    def __init__(self, face: Face, size: int, outline: bool) -> None:
        self.size = size
        self.side = size * FINENESS
        self.unit = face.half_width * self.side
        self.origin = np.array(face.center) * self.side
        self.outline = outline
        self.pixels = np.full((self.side, self.side, 3), 255, np.uint8)

    def shape(self, points: np.ndarray, color: Color) -> None:
        """Fill a closed curve.

        Args:
            points: shape (N, 2).
            color: to fill it with.
        """
        filled = (255, 255, 255) if self.outline else _bytes(color)
        cv2.fillPoly(self.pixels, [self._fixed(points)], filled, cv2.LINE_AA, _SHIFT)
        if self.outline:
            self.line(points, color, _LINE, closed=True)

    def line(self, points: np.ndarray, color: Color, thickness: float, closed: bool = False) -> None:
        """Draw a curve.

        Args:
            points: shape (N, 2).
            color: of the line.
            thickness: in half widths; an outline's lines are all alike.
            closed: join the ends.
        """
        width = max(int(round((_LINE if self.outline else thickness) * self.unit)), 1)
        ink = _bytes(_INK if self.outline else color)
        cv2.polylines(self.pixels, [self._fixed(points)], closed, ink, width, cv2.LINE_AA, _SHIFT)

    def glow(self, right: float, down: float, radius: float, color: Color, strength: float) -> None:
        """Mix a color in, strongest in a point; an outline has no such thing.

        Args:
            right: of the point.
            down: of the point.
            radius: at which it is 1/e as strong.
            color: what is mixed in.
            strength: at the point.
        """
        if self.outline:
            return
        middle, reach = self.origin + self.unit * np.array([right, down]), radius * self.unit
        left, top = np.maximum(middle - 2 * reach, 0).astype(int)
        part = self.pixels[top : int(middle[1] + 2 * reach), left : int(middle[0] + 2 * reach)]
        rows, columns = np.arange(part.shape[0]) + top - middle[1], np.arange(part.shape[1]) + left - middle[0]
        falloff = strength * np.outer(np.exp(-((rows / reach) ** 2)), np.exp(-((columns / reach) ** 2)))
        part[:] = np.rint(part + falloff[:, :, None] * (np.array(_bytes(color)) - part))

    def result(self) -> np.ndarray:
        """Return the picture: uint8, shape (size, size, 3), RGB."""
        return cv2.resize(self.pixels, (self.size, self.size), interpolation=cv2.INTER_AREA)

    def _fixed(self, points: np.ndarray) -> np.ndarray:
        return np.rint((self.origin + self.unit * points) * (1 << _SHIFT)).astype(np.int32)


def draw_face(face: Face, size: int, outline: bool = False) -> np.ndarray:
    """Draw a face.

    Args:
        face: what to draw.
        size: pixels of a side.
        outline: draw the lines alone, dark on white.

    Returns:
        uint8, shape (size, size, 3), RGB.
    """
    canvas = Canvas(face, size, outline)
    if not outline:
        _background(canvas, face)
    _behind_the_face(canvas, face)
    _head(canvas, face)
    _eyes(canvas, face)
    _nose_and_mouth(canvas, face)
    if face.attributes["Eyeglasses"]:
        _glasses(canvas, face)
    return canvas.result()


def cut_out(face: Face, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a face without a background.

    Args:
        face: what to draw.
        size: pixels of a side.

    Returns:
        Red, green and blue, 0 to 255, times how much of each pixel is covered: float32, shape (size, size, 3); and that
        share, float32, shape (size, size, 1).
    """
    black, white = (
        draw_face(dataclasses.replace(face, background=(color, color), lights=()), size).astype(np.float32)
        for color in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    )
    return black, 1 - (white - black).mean(axis=2, keepdims=True) / 255


def face_box(face: Face) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a face, from ear to ear and to the chin, as shares of the picture."""
    right, down = face.center
    across, height = face.half_width, face.half_width * HEIGHT
    return right - across, down - height, right + across, down + height


def _background(canvas: Canvas, face: Face) -> None:
    """Fill the picture with a passage of colors and soft lights; both are so smooth that the result's pixels do."""
    first, second = (np.array(_bytes(color), np.float32) for color in face.background)
    steps = (np.arange(canvas.size, dtype=np.float32) + 0.5) / canvas.size
    across, down = (np.float32(part(face.background_angle)) * (steps - 0.5) for part in (np.cos, np.sin))
    share = np.clip(0.5 + 0.7 * (across[None, :] + down[:, None]), 0, 1)
    pixels = first + share[:, :, None] * (second - first)
    for right, below, radius in face.lights:
        falloff = [np.exp(-(((steps - place) / radius) ** 2)) for place in (below, right)]
        pixels += (0.25 * np.outer(*falloff))[:, :, None].astype(np.float32) * (255 - pixels)
    side = (canvas.side, canvas.side)
    canvas.pixels = cv2.resize(np.rint(pixels).astype(np.uint8), side, interpolation=cv2.INTER_NEAREST)


def _behind_the_face(canvas: Canvas, face: Face) -> None:
    bald, length = face.attributes["Bald"], face.hair_length
    if not bald:
        top = _ellipse(0, -0.15, 1.3, 1.42, np.pi, 2 * np.pi)
        sides = np.array([[1.32, length * 0.6], [1.22, length], [-1.22, length], [-1.32, length * 0.6]])
        canvas.shape(np.concatenate([top, sides]), face.hair)
    canvas.shape(np.array([[-0.45, 0.8], [0.45, 0.8], [0.5, 2.2], [-0.5, 2.2]]), _scaled(face.skin, 0.82))
    canvas.shape(_ellipse(0, 2.55, 1.75, 0.95), face.shirt)
    canvas.shape(_ellipse(0, 1.66, 0.5, 0.22, 0, np.pi), _scaled(face.skin, 0.82))
    for side in (-1, 1):
        if bald:
            canvas.shape(_ellipse(side * 1.02, -0.3, 0.28, 0.52), face.hair)
        canvas.shape(_ellipse(side * 1.02, 0.22, 0.15, 0.24), _scaled(face.skin, 0.93))


def _head(canvas: Canvas, face: Face) -> None:
    turn = np.linspace(0, 2 * np.pi, 73)
    down = -HEIGHT * np.cos(turn)
    canvas.shape(np.stack([np.sin(turn) * (1 - 0.14 * np.clip(down, 0, None) ** 2), down], axis=1), face.skin)
    for side in (-1, 1):
        canvas.glow(side * 0.6, 0.38, 0.25, (0.92, 0.42, 0.40), 0.16)
    if face.attributes["Bald"]:
        canvas.glow(-0.25, -0.95, 0.2, (1.0, 1.0, 1.0), 0.25)
        return
    across = np.linspace(-1, 1, 41)
    if face.attributes["Bangs"]:
        edge = FRINGE - 0.05 * np.abs(np.sin(across * 10)) + 0.02
    else:
        edge = face.hairline + 0.55 * across**4
    top = _ellipse(0, -0.15, 1.3, 1.42, np.pi * 1.02, np.pi * 1.98)
    canvas.shape(np.concatenate([np.stack([across[::-1] * 1.02, edge[::-1]], axis=1), top]), face.hair)
    shine = _ellipse(-0.1, -0.35, 0.95, 0.95, np.pi * 1.2, np.pi * 1.6)
    canvas.line(shine, _scaled(face.hair, 1.15, 0.03), 0.07)


def _eyes(canvas: Canvas, face: Face) -> None:
    apart, level = EYES
    for side in (-1, 1):
        x = side * apart
        canvas.shape(_ellipse(x, level, 0.21, 0.135), (0.97, 0.97, 0.96))
        canvas.shape(_ellipse(x + face.gaze, level, 0.11, 0.115), face.eyes)
        canvas.shape(_ellipse(x + face.gaze, level, 0.055, 0.06), (0.04, 0.04, 0.05))
        canvas.shape(_ellipse(x + face.gaze + 0.04, level - 0.04, 0.025, 0.025), (1.0, 1.0, 1.0))
        canvas.line(_ellipse(x, level, 0.22, 0.145, np.pi * 1.03, np.pi * 1.97), _scaled(face.brows, 0.8), 0.045)
        height = -0.27 - face.brow_height
        arc = np.array([[x - side * 0.2, height + 0.03], [x + side * 0.02, height - 0.04], [x + side * 0.23, height]])
        canvas.line(arc, face.brows, 0.07)


def _nose_and_mouth(canvas: Canvas, face: Face) -> None:
    shade, half = _scaled(face.skin, 0.78), face.nose_width
    canvas.line(_ellipse(0, 0.3, half, 0.07, 0, np.pi), shade, 0.05)
    canvas.line(np.array([[half * 0.5, -0.02], [half * 0.85, 0.2]]), _scaled(face.skin, 0.9), 0.04)
    if face.attributes["Mustache"]:
        for side in (-1, 1):
            lobe = [[0, 0.44], [0.2, 0.42], [0.4, 0.52], [0.47, 0.62], [0.3, 0.61], [0, 0.58]]
            canvas.shape(np.array(lobe) * np.array([side, 1]), face.brows)
    right, down = MOUTH
    width, corner = face.mouth_width, face.smile
    lips = (face.skin[0] * 0.92, face.skin[1] * 0.52, face.skin[2] * 0.55)
    across = np.linspace(-1, 1, 21)
    bend = down - corner * across**2
    depth = np.sqrt(1 - across**2)
    if face.attributes["Mouth_Slightly_Open"]:
        canvas.shape(_between(right + width * across, bend - 0.13 * depth, bend + 0.21 * depth), lips)
        inner = _between(right + 0.8 * width * across, bend - 0.085 * depth, bend + 0.16 * depth)
        canvas.shape(inner, (0.20, 0.05, 0.07))
        teeth = _between(right + 0.6 * width * across, bend - 0.075 * depth, bend - 0.035 * depth)
        canvas.shape(teeth, (0.96, 0.95, 0.92))
    else:
        canvas.shape(_between(right + width * across, bend - 0.07 * depth, bend + 0.085 * depth), lips)
        canvas.line(np.stack([right + width * across, bend], axis=1), _scaled(lips, 0.8), 0.03)


def _glasses(canvas: Canvas, face: Face) -> None:
    apart, level = EYES
    power = 1 - 0.45 * face.lens_squareness
    for side in (-1, 1):
        turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
        circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        rounded = np.sign(circle) * np.abs(circle) ** power
        lens = rounded * np.array([0.31, 0.28]) + np.array([side * apart, level + 0.03])
        canvas.line(lens, face.frame, 0.085, closed=True)
        canvas.line(np.array([[side * 0.73, level], [side * 0.99, level - 0.06]]), face.frame, 0.08)
    canvas.line(np.array([[-0.11, level], [0, level - 0.04], [0.11, level]]), face.frame, 0.085)


def _ellipse(
    right: float, down: float, width: float, height: float, start: float = 0.0, end: float = 2 * np.pi
) -> np.ndarray:
    """Return points of an ellipse, clockwise from the right, shape (N, 2)."""
    turn = np.linspace(start, end, 49)
    return np.stack([right + width * np.cos(turn), down + height * np.sin(turn)], axis=1)


def _between(across: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Return the closed curve between two edges, shape (2 N, 2)."""
    return np.concatenate([np.stack([across, upper], axis=1), np.stack([across, lower], axis=1)[::-1]])


def _scaled(color: Color, factor: float, offset: float = 0.0) -> Color:
    red, green, blue = (min(max(value * factor + offset, 0.0), 1.0) for value in color)
    return red, green, blue


def _bytes(color: Color) -> tuple[int, int, int]:
    red, green, blue = (int(round(255 * value)) for value in color)
    return red, green, blue
