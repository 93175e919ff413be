"""Reads the references that official implementations left."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def stored_arrays(file: Path) -> dict[str, np.ndarray]:
    """Return all arrays of a file."""
    with np.load(file) as stored:
        return dict(stored)


def texts(array: np.ndarray) -> list[str]:
    """Return names that are stored as bytes."""
    return [item.decode() for item in array]
