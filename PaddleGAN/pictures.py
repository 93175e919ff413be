"""From a generator's numbers to pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.metric.metric import as_array


def as_bytes(images: Any) -> np.ndarray:
    """Return a generator's images as bytes in color; what is no number becomes grey.

    Args:
        images: floating point, shape (N, C, H, W), -1 to 1, an array or a Tensor; C is 1 or 3.

    Returns:
        uint8, shape (N, H, W, 3).
    """
    array = as_array(images).astype(np.float32).transpose(0, 2, 3, 1)
    scaled = (np.nan_to_num(array, nan=0.0, posinf=1.0, neginf=-1.0).clip(-1, 1) + 1) * np.float32(127.5)
    whole = np.rint(scaled).astype(np.uint8)
    return np.repeat(whole, 3, axis=3) if whole.shape[3] == 1 else whole


def fractions_as_bytes(images: Any) -> np.ndarray:
    """Return images whose numbers are 0 to 1 as bytes in color; what is no number becomes grey.

    Args:
        images: floating point, shape (N, C, H, W), an array or a Tensor; C is 1 or 3.

    Returns:
        uint8, shape (N, H, W, 3).
    """
    return as_bytes(as_array(images).astype(np.float32) * 2 - 1)
