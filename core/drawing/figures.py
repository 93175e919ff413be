"""Diagrams by matplotlib, without a display and without its global state."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from core.drawing.colors import class_color
from core.drawing.text import fitted, one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 100
"""Pixels per inch of every figure."""

MOST_NAMED = 30
"""A confusion matrix of more classes has neither names nor counts."""

LONGEST_NAME = 24
"""Letters of a class's name in a figure, at most."""

MOST_IN_LEGEND = 20
"""More classes than these have no legend."""


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches."""
    from matplotlib.figure import Figure  # matplotlib, which takes half a second, loads with the first picture

    return Figure(figsize=(width, height), dpi=DPI, layout="constrained")


def rendered(figure: Figure) -> np.ndarray:
    """Return a figure as a picture, uint8 (H, W, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # with the first picture, as above

    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # said for each letter, by layout and by drawing
        canvas.draw()
    return np.array(canvas.buffer_rgba())[:, :, :3]


def label(text: str, most: int = LONGEST_NAME) -> str:
    """Return a text as one line for matplotlib, which would take what is between dollars for a formula."""
    return one_line(text, most).replace("$", r"\$")


def set_title(figure: Figure, title: str, points: float = 10) -> None:
    """Write a heading over a figure: smaller, and in the end cut, where it is long; none where it is empty."""
    if title:
        text, size = fitted(title, 0.95 * figure.bbox.width, round(points * DPI / 72))
        figure.suptitle(text.replace("$", r"\$"), fontsize=min(points, size * 72 / DPI))


def _mark(**style: Any) -> Any:
    """Return a line of a legend."""
    from matplotlib.lines import Line2D  # with the first picture, as above

    return Line2D([], [], **style)


def confusion_matrix(matrix: np.ndarray, class_names: Sequence[str], title: str = "") -> np.ndarray:
    """Draw a confusion matrix, darker where more of a true class; counts are in the cells of up to 30 classes.

    Args:
        matrix: counts, shape (C, C); row = true class, column = predicted class.
        class_names: C names.
        title: a heading.

    Returns:
        uint8, shape (H, W, 3).
    """
    count = len(matrix)
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    names = [label(name) for name in class_names] if count <= MOST_NAMED else []
    longest = max(map(len, names), default=0)
    side = min(max(4.0, 0.45 * count + 1.3 + 0.09 * longest), 24.0)
    figure = new_figure(side, side)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    set_title(figure, title)
    if names:
        axes.set_xticks(range(count), names, rotation=90 if longest > 2 else 0)
        axes.set_yticks(range(count), names)
        for row, column in zip(*np.nonzero(matrix)):
            color = "white" if shares[row, column] > 0.5 else "black"
            text = _short(int(matrix[row, column]))
            axes.text(column, row, text, ha="center", va="center", color=color, fontsize=8)
    return rendered(figure)


def reliability_diagram(
    edges: np.ndarray, accuracy: np.ndarray, counts: np.ndarray, title: str = "", remark: str = ""
) -> np.ndarray:
    """Draw accuracy over confidence; a well calibrated network's bars end on the diagonal.

    Args:
        edges: bounds of the bins of confidence, shape (bins + 1,).
        accuracy: share of a bin's predictions that is right, shape (bins,).
        counts: predictions of a bin, shape (bins,); empty bins have no bar.
        title: a heading.
        remark: a second line of it.

    Returns:
        uint8, shape (H, W, 3).
    """
    figure = new_figure(4.5, 4.5)
    axes = figure.add_subplot()
    filled = counts > 0
    axes.bar(edges[:-1][filled], accuracy[filled], np.diff(edges)[filled], align="edge", edgecolor="white")
    axes.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("confidence")
    axes.set_ylabel("share that is right")
    set_title(figure, title, 9)
    axes.set_title(label(remark, 60), fontsize=9)
    return rendered(figure)


def precision_recall_curves(
    curves: Sequence[tuple[np.ndarray, np.ndarray]], names: Sequence[str], title: str = ""
) -> np.ndarray:
    """Draw precision over recall, a colour for each class; up to 20 classes are named beside them.

    Args:
        curves: of each class recall and precision, both of shape (points,).
        names: theirs.
        title: a heading.

    Returns:
        uint8, shape (H, W, 3).
    """
    figure = new_figure(7, 5)
    axes = figure.add_subplot()
    for number, (recall, precision) in enumerate(curves):
        if len(recall):
            first, last = (0.0, precision[0]), (recall[-1], 0.0)
            x, y = zip(first, *zip(recall.tolist(), precision.tolist()), last)
            axes.plot(x, y, color=class_color(number), linewidth=1.5)
    if 0 < len(curves) <= MOST_IN_LEGEND:
        marks = [_mark(color=class_color(number)) for number in range(len(curves))]
        figure.legend(marks, [label(name) for name in names], fontsize="small", loc="outside right upper")
    axes.set_xlim(0, 1.01)
    axes.set_ylim(0, 1.01)
    axes.set_xlabel("recall")
    axes.set_ylabel("precision")
    axes.grid(alpha=0.3)
    set_title(figure, title)
    return rendered(figure)


def scatter_plot(
    points: np.ndarray,
    classes: Optional[np.ndarray] = None,
    class_names: Optional[Sequence[str]] = None,
    title: str = "",
) -> np.ndarray:
    """Draw points of the plane, a colour for each class; up to 20 classes are named beside them.

    Args:
        points: shape (N, 2); one that is not finite is not drawn.
        classes: int, shape (N,), -1 for none; None: there are none.
        class_names: their names; None: their numbers.
        title: a heading.

    Returns:
        uint8, shape (H, W, 3).
    """
    figure = new_figure(7, 6)
    axes = figure.add_subplot()
    finite = np.isfinite(points).all(axis=1)
    shown = points[finite]
    numbers = np.full(len(shown), -1) if classes is None else np.asarray(classes)[finite]
    order = np.argsort(numbers, kind="stable")
    found, places = np.unique(numbers, return_inverse=True)
    colors = np.array([class_color(int(number)) for number in found], dtype=object)
    axes.scatter(shown[order, 0], shown[order, 1], s=4, color=list(colors[places[order]]), linewidths=0)
    if 1 < len(found) <= MOST_IN_LEGEND:
        named = [(number, color) for number, color in zip(found, colors) if number >= 0]
        marks = [_mark(linestyle="none", marker=".", markersize=9, color=color) for _, color in named]
        names = [str(number) if class_names is None else label(class_names[number]) for number, _ in named]
        figure.legend(marks, names, title="class", fontsize="small", loc="outside right upper")
    axes.set_xticks([])
    axes.set_yticks([])
    set_title(figure, title)
    return rendered(figure)


def loglog_plot(x: np.ndarray, y: np.ndarray, x_label: str, y_label: str, title: str = "") -> np.ndarray:
    """Draw points over logarithmic axes, as of a distribution of degrees.

    Args:
        x: shape (N,); a point with a number that is not positive and finite is not drawn.
        y: shape (N,).
        x_label: what x is.
        y_label: what y is.
        title: a heading.

    Returns:
        uint8, shape (H, W, 3).
    """
    figure = new_figure(5, 3.5)
    axes = figure.add_subplot()
    drawn = np.isfinite(x) & np.isfinite(y) & (np.asarray(x) > 0) & (np.asarray(y) > 0)
    axes.loglog(x[drawn], y[drawn], ".")
    axes.set_xlabel(label(x_label, 40))
    axes.set_ylabel(label(y_label, 40))
    axes.grid(alpha=0.3)
    set_title(figure, title)
    return rendered(figure)


def _short(count: int) -> str:
    """Return a count as at most five letters."""
    for power, letter in ((9, "G"), (6, "M"), (3, "k")):
        if count >= 10 ** max(power, 5):
            return f"{count // 10**power}{letter}"
    return str(count)
