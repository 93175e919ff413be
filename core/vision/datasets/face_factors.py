"""What there is to a drawn face: nine attributes with the names of CelebA, and everything else that varies.

Lengths are in half widths of the face, measured from the face's centre to the right and downwards.
"""

from __future__ import annotations

import colorsys
import dataclasses
from collections.abc import Mapping
from typing import Optional

import numpy as np

Color = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""

FACE_ATTRIBUTES = (
    *("Bald", "Bangs", "Black_Hair", "Blond_Hair", "Brown_Hair"),
    *("Eyeglasses", "Mouth_Slightly_Open", "Mustache", "Pale_Skin"),
)
"""The attributes of drawn faces, in CelebA's order."""

HAIR_COLORS = ("Black_Hair", "Blond_Hair", "Brown_Hair")
"""A drawn face has exactly one of these; a bald one shows it above the ears."""

_HAIR: dict[str, Color] = {
    "Black_Hair": (0.09, 0.08, 0.10),
    "Blond_Hair": (0.93, 0.79, 0.40),
    "Brown_Hair": (0.43, 0.26, 0.14),
}
_PALE: Color = (0.97, 0.88, 0.83)
_TAN: tuple[Color, Color] = ((0.86, 0.63, 0.49), (0.66, 0.45, 0.33))
_EYES: tuple[Color, ...] = ((0.27, 0.17, 0.10), (0.20, 0.40, 0.62), (0.25, 0.45, 0.28), (0.36, 0.40, 0.44))
_FRAMES: tuple[Color, ...] = ((0.07, 0.07, 0.08), (0.10, 0.09, 0.24), (0.25, 0.08, 0.07))


@dataclasses.dataclass(frozen=True)
class Face:
    """A face before it is drawn.

    Attributes:
        attributes: each of FACE_ATTRIBUTES, by name.
        center: of the face, right and down, as a share of the picture's side.
        half_width: of the face, likewise.
        skin: its color.
        hair: the hair's color.
        brows: the color of eyebrows and mustache.
        eyes: the color of the irises.
        frame: the color of the frame of the glasses, if it wears them.
        shirt: its color.
        background: two colors, between which the background passes.
        background_angle: the direction of that, in radians.
        lights: soft lights in the background: right, down, radius, as shares of the side.
        hair_length: how far down the hair reaches.
        hairline: where the hair begins on the forehead.
        brow_height: of the eyebrows above their least.
        smile: how far the corners of the mouth are up.
        mouth_width: half of it.
        nose_width: half of it.
        gaze: how far the irises look to the right.
        lens_squareness: 0 for round glasses, 1 for rather square ones.
    """

    attributes: dict[str, bool]
    center: tuple[float, float]
    half_width: float
    skin: Color
    hair: Color
    brows: Color
    eyes: Color
    frame: Color
    shirt: Color
    background: tuple[Color, Color]
    background_angle: float
    lights: tuple[tuple[float, float, float], ...]
    hair_length: float
    hairline: float
    brow_height: float
    smile: float
    mouth_width: float
    nose_width: float
    gaze: float
    lens_squareness: float


def check_fixed(fixed: Mapping[str, bool]) -> None:
    """Refuse attributes that no drawn face has, or that contradict one another.

    Args:
        fixed: the attributes that are given, by name.

    Raises:
        ValueError: one is unknown, a bald face shall have bangs, or hair two colors or none.
    """
    for name in fixed:
        if name not in FACE_ATTRIBUTES:
            raise ValueError(f"drawn faces have no attribute {name!r}; they have {', '.join(FACE_ATTRIBUTES)}")
    if fixed.get("Bald") and fixed.get("Bangs"):
        raise ValueError("a drawn face cannot have Bald and Bangs; drop one of them")
    chosen = [name for name in HAIR_COLORS if fixed.get(name)]
    if len(chosen) > 1:
        raise ValueError(f"a drawn face cannot have {' and '.join(chosen)}; drop one of them")
    if all(fixed.get(name) is not None and not fixed[name] for name in HAIR_COLORS):
        raise ValueError(f"a drawn face has one of {', '.join(HAIR_COLORS)}; leave one of them open")


def draw_factors(seed: int, index: int, fixed: Optional[Mapping[str, bool]] = None) -> Face:
    """Draw a face's attributes and everything else from (seed, index) alone.

    What is fixed changes nothing else, but for what contradicts it: the same face with and without glasses.

    Args:
        seed: not negative.
        index: not negative.
        fixed: attributes that are given and not drawn, by name.

    Returns:
        The face.

    Raises:
        ValueError: see :func:`check_fixed`.
    """
    given = dict(fixed or {})
    check_fixed(given)
    source = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, index])))
    attributes = _attributes(source.uniform(size=len(FACE_ATTRIBUTES)), given)
    tone, tint = source.uniform(), source.uniform(-0.02, 0.02)
    skin = _PALE if attributes["Pale_Skin"] else _between(*_TAN, tone)
    blond, brow = source.uniform(-0.04, 0.04), source.uniform()
    hair = next(_HAIR[name] for name in HAIR_COLORS if attributes[name])
    eyes, frame = _EYES[source.integers(len(_EYES))], _FRAMES[source.integers(len(_FRAMES))]
    return Face(
        attributes=attributes,
        center=(0.5 + source.uniform(-0.05, 0.05), 0.53 + source.uniform(-0.03, 0.03)),
        half_width=source.uniform(0.245, 0.28),
        skin=_shifted(skin, tint),
        hair=_shifted(hair, blond),
        brows=_between((0.13, 0.09, 0.07), (0.30, 0.19, 0.11), brow),
        eyes=eyes,
        frame=frame,
        shirt=colorsys.hsv_to_rgb(source.uniform(), source.uniform(0.3, 0.7), source.uniform(0.45, 0.95)),
        background=(_background(source), _background(source)),
        background_angle=source.uniform(0, 2 * np.pi),
        lights=tuple((source.uniform(), source.uniform(0, 0.7), source.uniform(0.05, 0.16)) for _ in range(4)),
        hair_length=source.choice([source.uniform(0.0, 0.4), source.uniform(1.3, 1.8)]),
        hairline=source.uniform(-0.95, -0.86),
        brow_height=source.uniform(0, 0.05),
        smile=source.uniform(-0.02, 0.09),
        mouth_width=source.uniform(0.27, 0.34),
        nose_width=source.uniform(0.09, 0.14),
        gaze=source.uniform(-0.04, 0.04),
        lens_squareness=source.uniform(),
    )


def _attributes(draws: np.ndarray, fixed: Mapping[str, bool]) -> dict[str, bool]:
    """Return all attributes from one number in [0, 1) for each."""
    drawn = dict(zip(FACE_ATTRIBUTES, (draws < 0.5).tolist()))
    drawn["Bald"] = bool(draws[0] < 0.3)
    open_colors = [name for name in HAIR_COLORS if fixed.get(name, True)]
    wanted = [name for name in HAIR_COLORS if fixed.get(name)] or open_colors
    color = wanted[int(draws[2] * len(wanted))]
    drawn.update({name: name == color for name in HAIR_COLORS})
    drawn.update({name: bool(value) for name, value in fixed.items()})
    if drawn["Bald"] and drawn["Bangs"]:
        drawn["Bald" if fixed.get("Bangs") else "Bangs"] = False
    return drawn


def _background(source: np.random.Generator) -> Color:
    """Draw a color that is not a skin's: greenish, blue or violet, of moderate strength."""
    return colorsys.hsv_to_rgb(source.uniform(0.30, 0.78), source.uniform(0.12, 0.5), source.uniform(0.5, 0.95))


def _between(first: Color, second: Color, share: float) -> Color:
    red, green, blue = ((1 - share) * one + share * other for one, other in zip(first, second))
    return red, green, blue


def _shifted(color: Color, amount: float) -> Color:
    red, green, blue = (min(max(value + amount, 0.0), 1.0) for value in color)
    return red, green, blue
