"""The learning curve as a picture."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, Union

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from core.weights.atomic import atomic_path


def save_figure(figure: Figure, path: Union[str, os.PathLike[str]]) -> None:
    """Write a figure as a PNG, without a display and without matplotlib's global state.

    Letters that matplotlib's own font lacks, as Chinese ones, become boxes.

    Args:
        figure: the figure.
        path: the file; it appears whole or not at all.
    """
    with atomic_path(path) as temporary, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # said for each letter, by layout and by drawing
        FigureCanvasAgg(figure).print_png(temporary)


STYLES: dict[str, dict[str, Any]] = {
    "train": {"color": "C0", "marker": ".", "markersize": 5},
    "valid": {"color": "C1", "marker": ".", "markersize": 5},
    "test": {"color": "C2", "marker": "*", "markersize": 12, "linestyle": "none"},
}


def learning_curve(rows: Sequence[dict[str, Any]], path: Union[str, os.PathLike[str]], title: str = "") -> None:
    """Draw every number of a run over its epochs: one panel per number, one line per split.

    Args:
        rows: as :func:`core.train.read_metrics` returns them.
        path: the PNG file.
        title: a heading.
    """
    names = [
        name for name in dict.fromkeys(key for row in rows for key in row) if name not in ("split", "step", "epoch")
    ]
    names = [name for name in names if name not in ("seconds", "samples_per_second")] or ["loss"]
    figure = Figure(figsize=(4.2 * len(names), 3.4), layout="constrained")
    figure.suptitle(title)
    for panel, name in enumerate(names):
        axes = figure.add_subplot(1, len(names), panel + 1)
        for split in STYLES:
            points = [(row["epoch"], row[name]) for row in rows if row["split"] == split and row.get(name) is not None]
            if points:
                axes.plot(*zip(*points), label=split, **STYLES[split])
        axes.set_title(name.replace("_", " "))
        axes.set_xlabel("epoch")
        axes.grid(alpha=0.3)
        heights = [row[name] for row in rows if row.get(name) is not None]
        if heights and min(heights) > 0 and max(heights) > 100 * min(heights) and not name.endswith("learning_rate"):
            axes.set_yscale("log")  # one bad early epoch must not flatten the rest
        if axes.lines:
            axes.legend()
    save_figure(figure, path)
