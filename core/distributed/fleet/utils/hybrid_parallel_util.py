"""Gradients of all processes, averaged by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.distributed.environment import require_one_process
from core.tensor import Tensor


def fused_allreduce_gradients(parameter_list: Sequence[Tensor], hcg: Any) -> None:
    """Average the gradients of parameters over all processes: over one, they stay.

    Args:
        parameter_list: the parameters.
        hcg: the groups of processes; None for all.

    Raises:
        NotImplementedError: there are several processes.
    """
    require_one_process("fused_allreduce_gradients")
