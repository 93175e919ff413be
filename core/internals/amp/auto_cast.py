"""Inner names of ``paddle.amp.auto_cast``."""

from __future__ import annotations

from typing import Optional

from core.amp.casts import Casts
from core.kernels.dispatch import dispatcher

__all__ = ["amp_state"]


def amp_state() -> Optional[Casts]:
    """Return what the mixed precision of this thread casts; None where nothing is."""
    casts = dispatcher.state.precision
    return casts if isinstance(casts, Casts) else None
