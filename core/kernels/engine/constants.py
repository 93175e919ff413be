"""Engine arrays of a constant, for kernels that want an input whose numbers do not matter."""

from __future__ import annotations

from collections.abc import Sequence

from core.kernels.dtypes import DType
from core.kernels.engine import engine
from core.kernels.engine.engine import Array, Attributes

_ZEROS = engine.operator_handle("_zeros")


def zeros(shape: Sequence[int], dtype: DType) -> Array:
    """Return an engine array of zeros."""
    return engine.invoke(_ZEROS, [], Attributes({"shape": tuple(shape), "dtype": dtype}))[0]
