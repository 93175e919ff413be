"""Seeded weights and inputs of networks that two implementations share: nothing but answers is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from tests.parity.recipe import uniform

SCALED = {"UpBlock.13.weight": 0.25, "gap_fc.weight_orig": 8.0, "gmp_fc.weight_orig": 8.0}
"""Weights that are drawn smaller or larger: of Photo2cartoon the last kernel, as rounding grows in what comes before
it; of U-GAT-IT's discriminator those by which it looks, as otherwise its kernels, divided, say little."""


EQUALISED = (
    (re.compile(r"^style\.\d+\.weight$"), 200.0),
    (re.compile(r"modulation\.weight$|^(convs\.\d|final_conv|final_linear)\..*\.?weight$"), 2.0),
)
"""Weights of StyleGAN2, which its layers multiply by what keeps variances, and by a rate of 0.01 before the styles."""


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return a parameter or running statistic: scales near 1, shifts near 0, kernels that keep magnitudes."""
    kind = name.rpartition(".")[2]
    if kind in ("scale", "_variance") or (kind == "weight" and len(shape) == 1):
        return uniform(name, shape, 0.7, 1.3)
    if len(shape) == 1:
        return uniform(name, shape, -0.2, 0.2)
    for names, size in EQUALISED:
        if names.search(name) and kind == "weight":
            return uniform(name, shape, -size, size)
    bound = SCALED.get(name, 1.0) * float(np.sqrt(4.0 / np.prod(shape[1:] if len(shape) == 4 else shape[:1])))
    return uniform(name, shape, -bound, bound)


def state(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Return the values of a network's state; estimates of singular vectors fit the weights that they belong to.

    Args:
        shapes: name to shape. ``X.weight_u`` and ``X.weight_v``, or ``X.spectral_norm.weight_u`` and so on, belong to
            ``X.weight_orig``.
    """
    values = {name: weight(name, tuple(shape)) for name, shape in shapes.items()}
    for name in shapes:
        if name.endswith(".weight_u"):
            matrix = values[f"{name[:-2]}_orig".replace(".spectral_norm.", ".")].astype("float64")
            matrix = matrix.T if matrix.ndim == 2 else matrix.reshape(len(matrix), -1)  # outputs first
            left = np.ones(len(matrix))
            for _ in range(8):
                right = unit(matrix.T @ left)
                left = unit(matrix @ right)
            values[name], values[f"{name[:-1]}v"] = left.astype("float32"), right.astype("float32")
    return values


def unit(vector: np.ndarray) -> np.ndarray:
    """Return a vector of length 1."""
    return vector / np.linalg.norm(vector)


def images(name: str, *shape: int) -> np.ndarray:
    """Return images in [-1, 1)."""
    return uniform(name, shape, -1.0, 1.0)


def numbers(name: str, count: int, end: int) -> np.ndarray:
    """Return class numbers from 0 to end - 1, int64."""
    return (uniform(name, (count,), 0.0, 1.0) * end).astype(np.int64)


def attributes(name: str, count: int, length: int) -> np.ndarray:
    """Return vectors of 0 and 1, float32."""
    return numbers(name, count * length, 2).reshape(count, length).astype("float32")


def class_map(name: str, count: int, classes: int, size: int) -> np.ndarray:
    """Return maps of classes with one channel for each, float32 (count, classes, size, size)."""
    chosen = numbers(name, count * size * size, classes).reshape(count, size, size)
    return np.eye(classes, dtype="float32")[chosen].transpose(0, 3, 1, 2).copy()
