"""Pictures of what a classifier does: confusion matrix, sheet of predictions, annotated image, heat map."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence

import cv2
import numpy as np
from matplotlib import get_data_path
from matplotlib.figure import Figure
from PIL import Image, ImageDraw, ImageFont

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


def heat_picture(image: np.ndarray, heat: np.ndarray) -> np.ndarray:
    """Return an image under a heat map, half and half: blue where it is 0, over green, to red where it is 1.

    Args:
        image: uint8, shape (H, W, 1) or (H, W, 3).
        heat: from 0 to 1, shape (h, w); interpolated to the image's size.

    Returns:
        uint8, shape (H, W, 3).
    """
    rows, columns = image.shape[:2]
    levels = cv2.resize(heat.astype(np.float32), (columns, rows), interpolation=cv2.INTER_LINEAR)
    colors = cv2.applyColorMap(np.rint(255 * levels.clip(0, 1)).astype(np.uint8), cv2.COLORMAP_JET)[:, :, ::-1]
    return ((image.astype(np.uint16) + colors + 1) // 2).astype(np.uint8)


def annotated(image: np.ndarray, lines: Sequence[str], width: int = 320, most: int = 1600) -> np.ndarray:
    """Return an image with lines of text below it: enlarged when it is small, reduced when it is large.

    Args:
        image: uint8, shape (H, W, 1) or (H, W, 3).
        lines: the text.
        width: the least width in pixels; a narrow image that would become too high gets a white margin.
        most: the greatest height and width in pixels.

    Returns:
        uint8, shape (H', W', 3).
    """
    picture = np.repeat(image, 3, axis=2) if image.shape[2] == 1 else image
    rows, columns = picture.shape[:2]
    scale = min(max(width / columns, 1.0), most / rows, most / columns)
    if scale != 1:
        size = max(round(columns * scale), 1), max(round(rows * scale), 1)
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_NEAREST if scale > 1 else cv2.INTER_AREA)
    margin = max(width - picture.shape[1], 0)
    picture = np.pad(picture, ((0, 0), (0, margin), (0, 0)), constant_values=255)
    height = max(16, picture.shape[1] // 20)
    strip = Image.new("RGB", (picture.shape[1], round(1.4 * height * len(lines)) + height // 2), "white")
    font = ImageFont.truetype(os.path.join(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"), height)
    text = "\n".join(lines)
    ImageDraw.Draw(strip).multiline_text((height // 2, height // 4), text, "black", font, spacing=0.3 * height)
    return np.concatenate([picture, np.asarray(strip)])
