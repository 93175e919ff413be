"""What model files say about mixed precision in static programs (paddle.static.amp)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["fp16_guard"]


@contextlib.contextmanager
def fp16_guard() -> Iterator[None]:
    """Mark operators for Paddle's static float16 training.

    Nothing follows from it here, as in Paddle outside of such training: ``core.amp.auto_cast`` says what is
    computed in which type.
    """
    yield
