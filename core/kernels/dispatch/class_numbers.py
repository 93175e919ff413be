"""Checking labels that are class numbers."""

from __future__ import annotations

import numpy as np

from core.kernels.dispatch.errors import OperatorIndexError


def holds_ignored(numbers: np.ndarray, classes: int, ignore_index: int, caller: str) -> bool:
    """Check class numbers; returns whether some of them are the ignored one.

    Args:
        numbers: Integers of any shape.
        classes: How many classes there are.
        ignore_index: The number that stands for no class.
        caller: The public function, for the message.

    Raises:
        OperatorIndexError: a number is neither a class nor ``ignore_index``.
    """
    if not numbers.size:
        return False
    if numbers.min() >= 0 and numbers.max() < classes and not 0 <= ignore_index < classes:
        return False
    ignored = numbers == ignore_index
    wrong = ~ignored & ((numbers < 0) | (numbers >= classes))
    if wrong.any():
        raise OperatorIndexError(
            f"{caller}: label {numbers[wrong].flat[0]} is no class: labels must be in [0, {classes}) or"
            f" ignore_index={ignore_index}"
        )
    return bool(np.any(ignored))
