"""Files of features: an array for each video, (steps, features), in NumPy's format or in a pickle of C-TCN's kind."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io.array_file import read_array
from core.weights import read_pickle

ENDINGS = (".npy", ".pkl")


class Features(NamedTuple):
    """Features of a video.

    Attributes:
        values: float32 (T, D).
        duration: seconds; None where the file does not say it.
    """

    values: np.ndarray
    duration: Optional[float] = None


def read_features(path: str, features_first: bool = False) -> Features:
    """Read a file of features.

    Args:
        path: ``NAME.npy``, an array (T, D), or ``NAME.pkl``, a mapping whose ``scores`` are (T, D) or (1, T, D), and
            that may have a ``duration``; it is read without running it. Bytes stand for 0 to 1.
        features_first: an array of a .npy file is (D, T).

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it holds something else, nothing, or numbers that are not finite; names the file.
    """
    if not path.endswith(ENDINGS):
        raise ValueError(f"{path!r} is no file of features: its name should end with {' or '.join(ENDINGS)}")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no file of features {path!r}")
    values, duration = (read_array(path), None) if path.endswith(".npy") else _pickle(path)
    if values.ndim == 3 and len(values) == 1:
        values = values[0]
    if values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
        raise ValueError(
            f"{path!r} should hold numbers (steps, features), not {values.dtype} of shape {values.shape}"
        )
    return Features(checked(values.T if features_first and path.endswith(".npy") else values, repr(path)), duration)


def checked(values: np.ndarray, name: str, width: Optional[int] = None) -> np.ndarray:
    """Return features as float32 (T, D).

    Args:
        values: (T, D); bytes stand for 0 to 1.
        name: of the video or the file, for messages.
        width: how many features a step must have; None: any number.

    Raises:
        ValueError: a step has another number of features, or one is not finite.
    """
    if width is not None and values.shape[1] != width:
        raise ValueError(f"{name} has {values.shape[1]} features a step, not {width}")
    scaled = values / np.float32(255.0) if values.dtype == np.uint8 else values.astype(np.float32)
    scaled = np.asarray(scaled)  # not the view of a file
    steps = np.flatnonzero(~np.isfinite(scaled).all(axis=1))
    if len(steps):
        raise ValueError(f"{name} has features that are no finite numbers, at {len(steps)} steps from {steps[0]} on")
    return scaled


def resampled(values: np.ndarray, length: int) -> np.ndarray:
    """Return features at so many steps of equal length, interpolated linearly, float32 (length, D).

    Args:
        values: (T, D).
        length: how many steps.
    """
    count = len(values)
    if count == length:
        return np.asarray(values, np.float32)
    places = ((np.arange(length) + 0.5) * count / length - 0.5).clip(0, count - 1)
    lower = places.astype(np.int64)
    share = (places - lower)[:, None].astype(np.float32)
    found: np.ndarray = values[lower] * (1 - share) + values[np.minimum(lower + 1, count - 1)] * share
    return found.astype(np.float32)


def _pickle(path: str) -> tuple[np.ndarray, Optional[float]]:
    found: Any = read_pickle(path)
    if not isinstance(found, Mapping) or not isinstance(found.get("scores"), np.ndarray):
        raise ValueError(f"{path!r} should hold a mapping with an array of 'scores'")
    duration = found.get("duration")
    if duration is not None and not (isinstance(duration, (int, float)) and 0 < duration < float("inf")):
        raise ValueError(f"{path!r} should have a positive number of seconds in 'duration', not {duration!r}")
    return found["scores"], None if duration is None else float(duration)
