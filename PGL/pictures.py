"""Embeddings as a picture."""

from __future__ import annotations

import os
from typing import Optional, Union

import numpy as np
from matplotlib.figure import Figure

from core.train.curve import save_figure

MOST_NODES = 5000
"""More nodes than these are a blot; so many are drawn, spread evenly over their numbers."""


def plane(rows: np.ndarray, method: str) -> np.ndarray:
    """Return rows in two dimensions, float [nodes, 2].

    Args:
        rows: finite, [nodes, size].
        method: "pca": the plane in which they differ most; "tsne": near ones stay near
            (https://jmlr.org/papers/v9/vandermaaten08a.html).
    """
    if method == "tsne" and len(rows) > 3:
        from sklearn.manifold import TSNE

        spread = min(30.0, (len(rows) - 1) / 3)
        return TSNE(perplexity=spread, init="pca", random_state=0).fit_transform(rows.astype(np.float32))
    centred = rows - rows.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    flat = centred @ directions[:2].T
    return np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))


def embedding_picture(
    rows: np.ndarray,
    labels: Optional[np.ndarray],
    path: Union[str, os.PathLike[str]],
    title: str = "",
    method: str = "pca",
) -> None:
    """Draw embeddings in two dimensions, a colour for each class.

    Args:
        rows: [nodes, size].
        labels: a class for each node, -1 for none; None: there are none.
        path: the PNG file.
        title: a heading.
        method: "pca" or "tsne".
    """
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), MOST_NODES)).round().astype(np.int64)
    points = plane(rows[chosen], method)
    figure = Figure(figsize=(6, 6), layout="constrained")
    axes = figure.add_subplot()
    classes = np.full(len(chosen), -1) if labels is None else labels[chosen]
    for number in np.unique(classes):
        own = points[classes == number]
        color = "0.7" if number < 0 else f"C{number % 10}"
        axes.scatter(own[:, 0], own[:, 1], s=4, color=color, label=None if number < 0 else str(number), linewidths=0)
    if 1 < len(np.unique(classes)) <= 10:
        axes.legend(title="class", markerscale=3, fontsize="small")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title)
    save_figure(figure, path)
