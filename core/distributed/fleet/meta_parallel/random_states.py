"""Streams of random numbers by name, of which each rank along the model axis has its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from core.distributed.fleet.topology import current_group
from core.nn import functional as F
from core.operators.creation.random import get_rng_state, set_rng_state
from core.operators.creation.random import seed as set_seed
from core.tensor import Tensor

MODEL_PARALLEL_RNG = "model_parallel_rng"


class RNGStatesTracker:
    """Streams of random numbers by name, each with a seed of its own."""

    def __init__(self) -> None:
        self.states_: dict[str, Any] = {}
        self.seeds_: set[int] = set()

    def reset(self) -> None:
        """Forget all streams."""
        self.states_ = {}
        self.seeds_ = set()

    def add(self, name: str, seed: int) -> None:
        """Add a stream.

        Args:
            name: its name.
            seed: where it begins.

        Raises:
            ValueError: there is a stream of that name or seed.
        """
        if seed in self.seeds_:
            raise ValueError(f"seed {seed} already exists")
        if name in self.states_:
            raise ValueError(f"state {name} already exists")
        self.seeds_.add(seed)
        with _kept_state():
            set_seed(seed)
            self.states_[name] = get_rng_state()

    def get_states_tracker(self) -> dict[str, Any]:
        """Return the state of each stream, by name."""
        return dict(self.states_)

    def set_states_tracker(self, states: dict[str, Any]) -> None:
        """Continue from states that :meth:`get_states_tracker` returned.

        Args:
            states: name to state.
        """
        self.states_ = states

    @contextlib.contextmanager
    def rng_state(self, name: str = MODEL_PARALLEL_RNG) -> Iterator[None]:
        """Draw from a stream within a block.

        Args:
            name: the stream.

        Raises:
            ValueError: there is none of that name.
        """
        if name not in self.states_:
            raise ValueError(f"state {name} does not exist")
        with _kept_state():
            set_rng_state(self.states_[name])
            try:
                yield
            finally:
                self.states_[name] = get_rng_state()


@contextlib.contextmanager
def _kept_state() -> Iterator[None]:
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


_tracker = RNGStatesTracker()


def get_rng_state_tracker() -> RNGStatesTracker:
    """Return the streams of this process."""
    return _tracker


def model_parallel_random_seed(seed: Optional[int] = None) -> None:
    """Seed the common stream, and the one along the model axis with a number of this rank's own.

    Args:
        seed: the common seed; a drawn one when it is None.
    """
    group = current_group()
    place = 0
    if group is not None:
        place = group.get_model_parallel_rank() * group.get_pipe_parallel_world_size() + group.get_stage_id()
    common = seed if seed else int(np.random.default_rng().integers(0, 10000))
    _tracker.reset()
    _tracker.add(MODEL_PARALLEL_RNG, common + 1 + place)
    set_seed(common)


def dropout(
    x: Tensor,
    p: float = 0.5,
    axis: Any = None,
    rng_name: Optional[str] = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: Optional[str] = None,
) -> Tensor:
    """Set elements to zero at random; see :func:`core.nn.functional.dropout`.

    Args:
        x: a floating-point tensor.
        p: how likely an element becomes zero.
        axis: the axes along which the draw differs; all when it is None.
        rng_name: accepted for Paddle's signature: in eager mode the block of :meth:`RNGStatesTracker.rng_state` says
            which stream is drawn from.
        training: whether anything is set to zero.
        mode: ``upscale_in_train`` or ``downscale_in_infer``.
        name: unused, as in Paddle.

    Raises:
        ValueError: both ``axis`` and ``rng_name`` are given.
    """
    if rng_name is not None and axis is not None:
        raise ValueError("dropout: axis must be None where rng_name is given")
    return F.dropout(x, p, axis=axis, training=training, mode=mode)
