"""Random numbers for reading data: reproducible sample by sample, and never shared between threads.

While a seeded loader reads sample ``i`` of epoch ``e``, every draw depends on (seed, e, i) alone: not on the order of
reading, on the number of workers, or on what was read before. Outside a seeded loader draws come from numpy's global
generator, as users of ``numpy.random.seed`` expect.
"""

# ruff: noqa: NPY002 -- numpy's global generator is the documented fallback, as in Paddle
from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Optional, Union

import numpy as np


class _CurrentSample(threading.local):
    generator: Optional[np.random.Generator] = None


_current = _CurrentSample()


@contextlib.contextmanager
def sample_scope(seed: int, epoch: int, index: int) -> Iterator[None]:
    """Make this thread's draws depend on (seed, epoch, sample index) alone.

    Args:
        seed: the run's seed, not negative.
        epoch: the epoch's number.
        index: the sample's index in its data set.
    """
    outer = _current.generator
    _current.generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, epoch, index])))
    try:
        yield
    finally:
        _current.generator = outer


def uniform(low: float = 0.0, high: float = 1.0) -> float:
    """Draw a number from [low, high)."""
    source = _current.generator
    return float(np.random.uniform(low, high) if source is None else source.uniform(low, high))


def integer(low: int, high: int) -> int:
    """Draw an integer from low, ..., high - 1."""
    source = _current.generator
    return int(np.random.randint(low, high) if source is None else source.integers(low, high))


def permutation(count: int) -> list[int]:
    """Draw an order of 0, ..., count - 1."""
    source = _current.generator
    return (np.random.permutation(count) if source is None else source.permutation(count)).tolist()


def choice(
    count: int, size: int, replacement: bool, probabilities: Optional[Union[Sequence[float], np.ndarray]] = None
) -> list[int]:
    """Draw ``size`` of the integers 0, ..., count - 1, with the given probabilities (None: all alike)."""
    source = _current.generator
    draw = np.random.choice if source is None else source.choice
    return draw(count, size, replace=replacement, p=probabilities).tolist()


def normal(shape: Sequence[int]) -> np.ndarray:
    """Draw an array of standard normal numbers, float64."""
    source = _current.generator
    return np.random.standard_normal(tuple(shape)) if source is None else source.standard_normal(tuple(shape))


def beta(first: float, second: float) -> float:
    """Draw a number from the beta distribution; both parameters are positive."""
    source = _current.generator
    return float(np.random.beta(first, second) if source is None else source.beta(first, second))
