"""Pictures of intervals: what was found in a video over time, and what is true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.drawing import class_color
from core.drawing.figures import label, new_figure, rendered, set_title

SHOWN = 8
"""How many classes a video has a row for, at most."""

MOST_BARS = 40
"""How many of the found intervals are drawn, the best ones."""


class Line(NamedTuple):
    """What is drawn of a video.

    Attributes:
        title: a heading.
        duration: of the video, seconds.
        found: class, score, begin and end in seconds, (M, 4).
        truth: class, begin and end, (G, 3); None: not known.
    """

    title: str
    duration: float
    found: np.ndarray
    truth: Optional[np.ndarray] = None


def timelines(lines: Sequence[Line], class_names: Sequence[str], title: str = "") -> np.ndarray:
    """Draw when which action happens: a row for each class, darker bars where scores are higher, the truth as frames.

    Args:
        lines: the videos, one at least, one below the other.
        class_names: the classes, in the order of their numbers.
        title: a heading over all.

    Returns:
        uint8 (H, W, 3).
    """
    rows = [_rows(line) for line in lines]
    heights = [max(len(numbers), 1) for numbers in rows]
    figure = new_figure(8, 0.6 + sum(0.7 + 0.3 * height for height in heights))
    places = figure.subplots(len(lines), 1, squeeze=False, height_ratios=[0.4 + height for height in heights])
    for axes, line, numbers in zip(places[:, 0], lines, rows):
        _draw(axes, line, numbers)
        axes.set_yticks(range(len(numbers)), [label(class_names[number]) for number in numbers])
        axes.set_title(label(line.title, 60), fontsize=8, loc="left")
    places[-1, 0].set_xlabel("seconds")
    set_title(figure, title)
    return rendered(figure)


def _rows(line: Line) -> list[int]:
    """Return the classes that a video has a row for: true ones first, then those that were found best."""
    order = [] if line.truth is None else line.truth[:, 0].astype(int).tolist()
    best = line.found[np.argsort(-line.found[:, 1], kind="stable"), 0].astype(int).tolist()
    return list(dict.fromkeys([*order, *best]))[:SHOWN]


def _draw(axes: Any, line: Line, numbers: Sequence[int]) -> None:
    best = line.found[np.argsort(-line.found[:, 1], kind="stable")][:MOST_BARS]
    highest = max(float(best[:, 1].max(initial=0.0)), 1e-9)
    for kind, score, begin, end in best[::-1]:
        if int(kind) in numbers:
            shade = min(0.1 + 0.9 * max(float(score), 0.0) / highest, 1.0)  # 0.1 + 0.9 may be a little more
            place = numbers.index(int(kind))
            axes.barh(place, end - begin, 0.5, begin, color=class_color(int(kind)), alpha=shade)
    for kind, begin, end in () if line.truth is None else line.truth:
        if int(kind) in numbers:
            place = numbers.index(int(kind))
            axes.barh(place, end - begin, 0.8, begin, fill=False, edgecolor="black", linewidth=1.2)
    axes.set_xlim(0, line.duration)
    axes.set_ylim(max(len(numbers), 1) - 0.4, -0.6)
