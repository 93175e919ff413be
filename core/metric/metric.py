"""What every metric can do."""

from __future__ import annotations

import abc
from typing import Any, Union

import numpy as np


class Metric(abc.ABC):
    """A number gathered over batches: ``compute`` on each, ``update`` with its result, ``accumulate`` at the end."""

    @abc.abstractmethod
    def reset(self) -> None:
        """Forget everything gathered so far."""

    @abc.abstractmethod
    def update(self, *args: Any) -> Any:
        """Take in one batch, given as what :meth:`compute` returned; return the metric of that batch."""

    @abc.abstractmethod
    def accumulate(self) -> Any:
        """Return the metric of everything gathered since the last reset."""

    @abc.abstractmethod
    def name(self) -> Union[str, list[str]]:
        """Return the metric's name, or one name for each of its numbers."""

    def compute(self, *args: Any) -> Any:
        """Prepare a batch for :meth:`update`; by default it passes its arguments on."""
        return args


def as_array(value: Any) -> np.ndarray:
    """Return a Tensor, array, list or number as a numpy array.

    Args:
        value: anything with ``numpy()``, or anything that numpy understands.

    Returns:
        The array.
    """
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def like(result: np.ndarray, example: Any) -> Any:
    """Return ``result`` as a Tensor when ``example`` is one, else as it is.

    Args:
        result: a numpy array.
        example: what the caller was given.

    Returns:
        A Tensor or the array.
    """
    if not hasattr(example, "stop_gradient"):
        return result
    import core  # loads the engine, which not every process needs

    return core.to_tensor(result)
