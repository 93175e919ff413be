"""The numbers of a run over its epochs or steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.drawing.figures import label, new_figure, rendered, set_title

STYLES: dict[str, dict[str, Any]] = {
    "train": {"color": "C0", "marker": ".", "markersize": 5},
    "valid": {"color": "C1", "marker": ".", "markersize": 5},
    "test": {"color": "C2", "marker": "*", "markersize": 12, "linestyle": "none"},
}
NO_PANEL = ("split", "step", "epoch", "seconds", "samples_per_second")
"""Keys of a row that are no curves."""

ACROSS, MOST_PANELS = 4, 40
"""Panels that are side by side, and that are drawn."""

MOST_MARKED = 100
"""Points of a longer curve are not marked."""

LARGEST = 1e100
"""Greater numbers count as infinite: axes overflow on them."""


def learning_curve(rows: Sequence[dict[str, Any]], title: str = "") -> np.ndarray:
    """Draw every number of a run: one panel per number, one line per split.

    They stand over the epochs; where a split has several rows of one epoch, over the steps. A number that is not finite
    interrupts its line.

    Args:
        rows: as :func:`core.train.read_metrics` returns them.
        title: a heading.

    Returns:
        uint8, shape (H, W, 3).
    """
    from matplotlib.ticker import MaxNLocator  # matplotlib loads with the first picture

    names = [name for name in dict.fromkeys(key for row in rows for key in row) if name not in NO_PANEL]
    found = {name: curves for name in names if (curves := _curves(rows, name))} or {"loss": {}}
    axis = _axis(rows)
    low, high = min((row[axis] for row in rows), default=0), max((row[axis] for row in rows), default=1)
    margin = 0.04 * (high - low) or 0.5
    panels = list(found)[:MOST_PANELS]
    across = min(len(panels), ACROSS)
    down = -(-len(panels) // across)
    figure = new_figure(4.2 * across, 3.4 * down)
    set_title(figure, title, 12)
    splits: dict[str, Any] = {}
    for number, name in enumerate(panels):
        axes = figure.add_subplot(down, across, number + 1)
        for split, curve in found[name].items():
            style = STYLES[split] if len(curve) <= MOST_MARKED else {**STYLES[split], "marker": "", "linewidth": 1}
            (splits[split],) = axes.plot([row[axis] for row, _ in curve], [value for _, value in curve], **style)
        axes.set_title(label(name.replace("_", " "), 36))
        axes.set_xlabel(axis)
        axes.set_xlim(low - margin, high + margin)
        axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        axes.grid(alpha=0.3)
        heights = [value for curve in found[name].values() for _, value in curve if math.isfinite(value)]
        if heights and min(heights) > 0 and max(heights) > 100 * min(heights) and not name.endswith("learning_rate"):
            axes.set_yscale("log")  # one bad early epoch must not flatten the rest
    if splits:
        shown = [split for split in STYLES if split in splits]
        figure.legend([splits[split] for split in shown], shown, loc="outside lower center", ncols=len(shown))
    return rendered(figure)


def _curves(rows: Sequence[dict[str, Any]], name: str) -> dict[str, list[tuple[dict[str, Any], float]]]:
    """Return for each split the rows that have a number, and the number: NaN where it is not finite."""
    curves: dict[str, list[tuple[dict[str, Any], float]]] = {}
    for row in rows:
        if name in row and row["split"] in STYLES:
            value = math.nan if row[name] is None else row[name]
            if isinstance(value, (int, float)):
                bounded = float(value) if abs(value) < LARGEST else math.nan
                curves.setdefault(row["split"], []).append((row, bounded))
    return {split: curves[split] for split in STYLES if split in curves}


def _axis(rows: Sequence[dict[str, Any]]) -> str:
    """Return what the curves stand over: steps where an epoch is not enough to tell a split's rows apart."""
    places = [(row["split"], row["epoch"]) for row in rows]
    return "step" if len(set(places)) < len(places) else "epoch"
