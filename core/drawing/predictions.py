"""The sheet of an evaluation: which images it shows, and what is written below them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from core.drawing.colors import RIGHT, WRONG
from core.drawing.sheets import Caption, grid

ACROSS, LARGEST = 8, 192
"""Images in a row, and pixels of their longer side, at most."""


def prediction_sheet(
    images: Sequence[np.ndarray],
    labels: Sequence[int],
    predictions: Sequence[int],
    confidences: Sequence[float],
    class_names: Sequence[str],
    title: str = "",
) -> np.ndarray:
    """Draw images with what they were taken for, green where that is right and red where it is wrong.

    Args:
        images: uint8, each (H, W, 1) or (H, W, 3).
        labels: true classes.
        predictions: predicted classes.
        confidences: their probabilities.
        class_names: the classes' names.
        title: a heading.

    Returns:
        uint8, shape (height, width, 3).
    """
    captions = []
    for label, predicted, confidence in zip(labels, predictions, confidences):
        lines = [f"{confidence:.0%} {class_names[predicted]}"]
        if label != predicted:
            lines.append(f"true: {class_names[label]}")
        captions.append(Caption(lines, RIGHT if label == predicted else WRONG))
    return grid(images, ACROSS, captions, title=title, largest=LARGEST)


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
