"""Embeddings as a picture."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.drawing import scatter_plot

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
    rows: np.ndarray, labels: Optional[np.ndarray], title: str = "", method: str = "pca"
) -> np.ndarray:
    """Draw embeddings in two dimensions, a colour for each class.

    Args:
        rows: [nodes, size].
        labels: a class for each node, -1 for none; None: there are none.
        title: a heading.
        method: "pca" or "tsne".

    Returns:
        uint8, shape (H, W, 3).
    """
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), MOST_NODES)).round().astype(np.int64)
    return scatter_plot(plane(rows[chosen], method), None if labels is None else labels[chosen], title=title)
