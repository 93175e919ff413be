"""Pictures of what a classifier does: confusion matrix and sheet of predictions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from core.train.curve import save_figure

RIGHT, WRONG = "#1a7f37", "#cf222e"


def confusion_picture(matrix: np.ndarray, class_names: Sequence[str], path: str, title: str = "") -> None:
    """Draw a confusion matrix; counts are written in the cells of up to 30 classes.

    Args:
        matrix: int64, shape (C, C); row = true class, column = predicted class.
        class_names: C names.
        path: the PNG file.
        title: a heading.
    """
    count = len(matrix)
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    side = min(max(4.0, 0.45 * count + 1.5), 24.0)
    figure = Figure(figsize=(side, side), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    axes.set_title(title)
    if count <= 30:
        axes.set_xticks(range(count), class_names, rotation=90 if max(map(len, class_names)) > 2 else 0)
        axes.set_yticks(range(count), class_names)
        for row, column in zip(*np.nonzero(matrix)):
            color = "white" if shares[row, column] > 0.5 else "black"
            axes.text(column, row, str(matrix[row, column]), ha="center", va="center", color=color, fontsize=8)
    save_figure(figure, path)


def prediction_sheet(
    images: Sequence[np.ndarray],
    labels: Sequence[int],
    predictions: Sequence[int],
    confidences: Sequence[float],
    class_names: Sequence[str],
    path: str,
    title: str = "",
) -> None:
    """Draw images with what they were taken for, green where that is right and red where it is wrong.

    Args:
        images: uint8, each (H, W, 1) or (H, W, 3).
        labels: true classes.
        predictions: predicted classes.
        confidences: their probabilities.
        class_names: the classes' names.
        path: the PNG file.
        title: a heading.
    """
    columns = 8
    rows = max((len(images) + columns - 1) // columns, 1)
    figure = Figure(figsize=(1.35 * columns, 1.7 * rows + 0.5), layout="constrained")
    figure.suptitle(title)
    for position, image in enumerate(images):
        axes = figure.add_subplot(rows, columns, position + 1)
        axes.imshow(np.squeeze(image), cmap="gray", interpolation="nearest")
        axes.set_xticks([])
        axes.set_yticks([])
        right = labels[position] == predictions[position]
        name = class_names[predictions[position]]
        text = f"{name}  {confidences[position]:.0%}" + ("" if right else f"\ntrue: {class_names[labels[position]]}")
        axes.set_title(text, fontsize=9, color=RIGHT if right else WRONG)
    save_figure(figure, path)


def sheet_selection(
    labels: Sequence[int], predictions: Sequence[int], count: int = 32, mistakes: int = 16
) -> list[int]:
    """Choose images for a sheet: mistakes of every kind first, then images spread evenly over the rest.

    A kind is a true class and the class that is taken for it. Each gives one image before any gives a second; where
    there are more kinds than places, the most frequent ones are shown.

    Args:
        labels: true classes.
        predictions: predicted classes.
        count: how many images at most.
        mistakes: how many mistakes at most.

    Returns:
        Image numbers.
    """
    kinds: dict[tuple[int, int], list[int]] = {}
    for i, kind in enumerate(zip(labels, predictions)):
        if kind[0] != kind[1]:
            kinds.setdefault(kind, []).append(i)
    frequent_first = sorted(kinds.values(), key=len, reverse=True)
    wrong = [i for turn in itertools.zip_longest(*frequent_first) for i in turn if i is not None][:mistakes]
    rest = [i for i in range(len(labels)) if labels[i] == predictions[i]]
    places = np.linspace(0, len(rest) - 1, min(count - len(wrong), len(rest))).round().astype(int).tolist()
    return wrong + [rest[place] for place in places]
