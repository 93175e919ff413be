"""The primitives of shape, and reshaping where the sizes are known to fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16
from core.kernels.sizes.dimension import same_shape
from core.tensor import Tensor, apply


def _reshaped(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), wanted = metas[0], options["newshape"]
    if math.prod(shape) != math.prod(wanted):  # Reshape takes any, and then reads and writes past the end
        raise OperatorError(f"reshape: a tensor of shape {list(shape)} cannot have the shape {list(wanted)}")
    return [(wanted, dtype)]


reshape = Operator("reshape", "_np_reshape", infer=_reshaped, lacks=None)
transpose = Operator(  # the engine's other one, _np_transpose, takes 2 to 9 times as long
    "transpose", "transpose", lacks=(bfloat16,)  # of which it moves four bytes for each element: memory is overrun
)
broadcast_to = Operator(
    "broadcast_to", "_npi_broadcast_to", infer=lambda metas, options: [(options["shape"], metas[0][1])]
)


def reshape_exact(x: Tensor, shape: Sequence[int]) -> Tensor:
    """Reshape to sizes that are known to fit; unlike :func:`reshape`, a 0 means a size of 0."""
    value = x._value
    if same_shape(x.shape, shape) and not value.is_trainable_leaf:
        return Tensor(value)  # a second handle; only a leaf that needs a gradient must not have two
    return apply(reshape, x, newshape=tuple(shape))
