"""``paddle.hapi.model``."""

from __future__ import annotations

from typing import Any

from core import distributed
from core.operators import concat
from core.tensor import Tensor
from core.train.model.model import Model

__all__ = ["Model", "_all_gather"]


def _all_gather(x: Tensor, nranks: Any = None, ring_id: Any = 0, use_calc_stream: Any = True) -> Tensor:
    """Return the rows that all processes have, one after the other.

    Args:
        x: this process's.
        nranks: without meaning, as are the others: the processes are those that the program was started as.
        ring_id: likewise.
        use_calc_stream: likewise.
    """
    gathered: list[Tensor] = []
    distributed.all_gather(gathered, x)
    return concat(gathered, 0)
