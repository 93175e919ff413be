"""Handwritten digits that ship inside scikit-learn, in a fixed split: what toolkits classify, draw and find.

Source: E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
https://archive.ics.uci.edu/dataset/80 (its test set).
"""

from __future__ import annotations

import functools

import numpy as np

SPLITS = ("train", "valid", "test")


def split_indices(labels: np.ndarray) -> dict[str, np.ndarray]:
    """Divide samples so that each class is divided alike: a fifth to test, a tenth to validate, the rest to train.

    Args:
        labels: class numbers, shape (N,).

    Returns:
        Sorted sample numbers for each split; the same at every call.
    """
    source = np.random.RandomState(0)  # its stream is frozen, whatever numpy's version
    parts: dict[str, list[int]] = {split: [] for split in SPLITS}
    for digit in np.unique(labels):
        members = source.permutation(np.flatnonzero(labels == digit)).tolist()
        test, valid = round(0.2 * len(members)), round(0.1 * len(members))
        parts["test"] += members[:test]
        parts["valid"] += members[test : test + valid]
        parts["train"] += members[test + valid :]
    return {split: np.sort(np.array(members, dtype=np.int64)) for split, members in parts.items()}


@functools.lru_cache(maxsize=1)
def read_digits() -> tuple[np.ndarray, np.ndarray]:
    """Return all images, uint8 (1797, 8, 8), white on black, and their digits, int64 (1797,)."""
    from sklearn.datasets import load_digits  # a second that only these images take

    raw = load_digits()
    return np.round(raw.images * (255.0 / 16.0)).astype(np.uint8), raw.target.astype(np.int64)
