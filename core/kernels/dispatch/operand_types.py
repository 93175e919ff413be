"""Which type operands take that meet in one operator."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dtypes import DType, bfloat16, float16, float32, promote

_CAST = (float32, float16, bfloat16)


def operand_type(*dtypes: DType) -> Optional[DType]:
    """Return the type to cast operands to that meet in one operator.

    Args:
        dtypes: Those of the operands.

    Returns:
        Their common type; None where they stay as they are: they have one type already, or mixed precision, which
        chooses between float32 and 16 bits, casts them.
    """
    if all(dtype is dtypes[0] for dtype in dtypes):
        return None
    if dispatcher.is_mixed() and all(dtype in _CAST for dtype in dtypes):
        return None
    common = dtypes[0]
    for dtype in dtypes[1:]:
        common = promote(common, dtype)
    return common
