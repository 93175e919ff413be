"""Which tensors kernels of ours take."""

from __future__ import annotations

from core.kernels import door, engine
from core.kernels.dtypes import float32
from core.tensor import Tensor


def is_for_our_kernel(*tensors: Tensor) -> bool:
    """Return whether all tensors are float32 and in memory where our kernels can write."""
    return engine.on_cpu() and all(tensor.dtype is float32 for tensor in tensors)


def is_exported_or_mixed() -> bool:
    """Return whether what runs is noted down for other run times, which know no kernels of ours, or is in 16 bits."""
    trace = door.state.trace
    return door.state.precision is not None or (trace is not None and trace.symbolic)
