"""Random numbers of a run: every step's are a function of (seed, step), so that a resumed run draws the same."""

from __future__ import annotations

import random

import numpy as np

import core
from core.kernels.engine.processors import processors


def step_seed(seed: int, step: int, batch: int = 0) -> int:
    """Return the seed of one step, or of a further batch of a step.

    Args:
        seed: the run's seed, not negative.
        step: the step's number, from 0.
        batch: the batch's number in the step, from 0.

    Returns:
        A number below 2**31, different for nearly all pairs.
    """
    return int(np.random.SeedSequence([seed, step, batch] if batch else [seed, step]).generate_state(1)[0]) & 0x7FFFFFFF


def seed_everything(number: int) -> None:
    """Seed the engine, and Python's and numpy's global generators.

    Args:
        number: below 2**31.
    """
    core.seed(number)
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002  # code of the user's that draws from it shall be reproducible too


def threads() -> int:
    """Return how many threads the engine computes with; results with another number differ in the last bits."""
    return processors()
