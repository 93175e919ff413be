"""Colours with a meaning."""

from __future__ import annotations

import colorsys

RIGHT, WRONG = "#1a7f37", "#cf222e"
"""Of predictions."""

UNKNOWN = "#b2b2b2"
"""Of what has no class."""

_FIRST = (
    *("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd"),
    *("#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"),
)
"""matplotlib's: the ten of Tableau."""
_GOLDEN = 0.618033988749895
"""Steps of this share of the colour circle stay apart, however many there are."""


def class_color(number: int) -> str:
    """Return the colour of a class, as "#rrggbb": the same one in every picture.

    Args:
        number: of the class; below 0: it has none.
    """
    if number < 0:
        return UNKNOWN
    if number < len(_FIRST):
        return _FIRST[number]
    further = number - len(_FIRST)
    color = colorsys.hsv_to_rgb(further * _GOLDEN % 1, 0.9 - 0.2 * (further % 3), 0.85 - 0.2 * (further % 2))
    return "#" + "".join(f"{round(255 * part):02x}" for part in color)
