"""Random numbers for reading data: reproducible sample by sample, and never shared between threads.

While a seeded loader reads sample ``i`` of epoch ``e``, every draw depends on (seed, e, i) alone: not on the order of
reading, on the number of workers, or on what was read before. Outside a seeded loader draws come from numpy's global
generator, as users of ``numpy.random.seed`` expect.
"""

# ruff: noqa: NPY002 -- numpy's global generator is the documented fallback, as in Paddle
from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator, Sequence
from typing import Callable, Optional, Union, cast

import numpy as np


class _CurrentSample(threading.local):
    identity: Optional[tuple[int, int, Union[int, Callable[[], int]], tuple[int, ...]]] = None
    generator: Optional[np.random.Generator] = None
    numpy_random: Optional[np.random.RandomState] = None
    python_random: Optional[random.Random] = None


_current = _CurrentSample()


@contextlib.contextmanager
def sample_scope(
    seed: int, epoch: int, index: Union[int, Callable[[], int]], purpose: Sequence[int] = ()
) -> Iterator[None]:
    """Make this thread's draws depend on (seed, epoch, sample index) alone.

    Args:
        seed: the run's seed, not negative.
        epoch: the epoch's number.
        index: the sample's index in its data set, or a function that gives it at the first draw.
        purpose: non-negative numbers that tell different uses for one sample apart.
    """
    outer = dict(vars(_current))
    vars(_current).clear()
    _current.identity = seed, epoch, index, tuple(purpose)
    try:
        yield
    finally:
        vars(_current).clear()
        vars(_current).update(outer)


@contextlib.contextmanager
def batch_scope(seed: int, epoch: int, number: int, purpose: int = 0) -> Iterator[None]:
    """Make the draws from numpy's and Python's global generators depend on (seed, epoch, batch number) alone.

    For data sets that draw from these. Only where no other thread draws from them: in a worker, or without a reader.

    Args:
        seed: the run's seed, not negative.
        epoch: the epoch's number.
        number: the batch's number in its epoch.
        purpose: tells different uses for one batch apart.
    """
    states = np.random.get_state(), random.getstate()
    seed_global_generators(seed, epoch, number, purpose)
    try:
        yield
    finally:
        np.random.set_state(states[0])
        random.setstate(states[1])


def seed_global_generators(*numbers: int) -> None:
    """Seed numpy's and Python's global generators with some non-negative numbers."""
    words = np.random.SeedSequence([*numbers, 1]).generate_state(4)
    np.random.seed(words)
    random.seed(words.tobytes())


def current_epoch() -> Optional[int]:
    """Return the epoch that a seeded loader reads in this thread; None outside of one."""
    return None if _current.identity is None else _current.identity[1]


def uniform(low: float = 0.0, high: float = 1.0) -> float:
    """Draw a number from [low, high)."""
    source = _source()
    return float(np.random.uniform(low, high) if source is None else source.uniform(low, high))


def integer(low: int, high: int) -> int:
    """Draw an integer from low, ..., high - 1."""
    source = _source()
    return int(np.random.randint(low, high) if source is None else source.integers(low, high))


def permutation(count: int) -> list[int]:
    """Draw an order of 0, ..., count - 1."""
    source = _source()
    return (np.random.permutation(count) if source is None else source.permutation(count)).tolist()


def choice(
    count: int, size: int, replacement: bool, probabilities: Optional[Union[Sequence[float], np.ndarray]] = None
) -> list[int]:
    """Draw ``size`` of the integers 0, ..., count - 1, with the given probabilities (None: all alike)."""
    source = _source()
    draw = np.random.choice if source is None else source.choice
    return draw(count, size, replace=replacement, p=probabilities).tolist()


def normal(shape: Sequence[int]) -> np.ndarray:
    """Draw an array of standard normal numbers, float64."""
    source = _source()
    return np.random.standard_normal(tuple(shape)) if source is None else source.standard_normal(tuple(shape))


def beta(first: float, second: float) -> float:
    """Draw a number from the beta distribution; both parameters are positive."""
    source = _source()
    return float(np.random.beta(first, second) if source is None else source.beta(first, second))


def numpy_random() -> np.random.RandomState:
    """Return what draws as ``numpy.random`` does: the sample's own, or outside a seeded loader the global generator.

    For a transform that draws call by call as the one that it follows, so that both agree from one seed.
    """
    if _current.identity is None:
        return cast(np.random.RandomState, np.random)
    if _current.numpy_random is None:
        _current.numpy_random = np.random.RandomState(_seed_sequence(1).generate_state(4))
    return _current.numpy_random


def python_random() -> random.Random:
    """Return what draws as the module ``random`` does; see :func:`numpy_random`."""
    if _current.identity is None:
        return cast(random.Random, random)
    if _current.python_random is None:
        _current.python_random = random.Random(_seed_sequence(2).generate_state(4).tobytes())
    return _current.python_random


def _source() -> Optional[np.random.Generator]:
    if _current.generator is None and _current.identity is not None:
        _current.generator = np.random.Generator(np.random.PCG64(_seed_sequence()))
    return _current.generator


def _seed_sequence(*stream: int) -> np.random.SeedSequence:
    """Return the seeds of one of the current sample's generators, which are independent of each other."""
    assert _current.identity is not None
    seed, epoch, index, purpose = _current.identity
    words = [seed, epoch, int(index() if callable(index) else index), *purpose]
    return np.random.SeedSequence(words, spawn_key=stream)
