"""Results of a fixed size: what is selected for each image, padded, for compiled and exported programs."""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError

IN_PROGRAMS = "pass padded=True, or compute it outside to_static"
"""What is said about operators that have such a form, where a program is being compiled without it."""


def padded_rows(rows: np.ndarray, counts: np.ndarray, size: int, fill: Any) -> np.ndarray:
    """Return rows that stand image by image as an array of as many for each image.

    Args:
        rows: Shape [selected, columns].
        counts: How many are each image's, [images].
        size: How many rows an image gets; more than that are left out.
        fill: What rows without a selection hold, a number or one for each column.

    Returns:
        Shape [images, size, columns].
    """
    table = np.empty((len(counts), size, rows.shape[1]), rows.dtype)
    table[:] = fill
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    owner = np.repeat(np.arange(len(counts)), counts)
    inside = place < size
    table[owner[inside], place[inside]] = rows[inside]
    return table


def kept_rows_argument(value: Union[int, None], padded: bool, caller: str, name: str) -> int:
    """Return how many rows are kept at most, -1 for all.

    Args:
        value: What was given.
        padded: Whether so many rows are returned, whatever the data.
        caller: The function's name, for the message.
        name: The argument's name.

    Raises:
        OperatorError: there is no such number where it is needed.
    """
    if padded and (value is None or value < 1):
        raise OperatorError(f"{caller}: padded=True returns {name} rows, which must be 1 or more, got {value}")
    return -1 if value is None else int(value)
