"""The check of lengths of sequences that are padded to one length."""

from __future__ import annotations

import numpy as np

from core.kernels.dispatch.errors import OperatorError


def check_lengths(lengths: np.ndarray, steps: int, caller: str) -> None:
    """Refuse lengths beyond the padding.

    Args:
        lengths: Integers (N,).
        steps: How many steps there are.
        caller: Named in the message.

    Raises:
        OperatorError: a length is below 0 or above the number of steps.
    """
    if lengths.size and not 0 <= lengths.min() <= lengths.max() <= steps:
        raise OperatorError(f"{caller}: lengths are from 0 to {steps}, got {lengths.min()} to {lengths.max()}")
