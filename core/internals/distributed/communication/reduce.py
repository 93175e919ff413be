"""``paddle.distributed.communication.reduce``."""

from core.distributed.communication.tensors import reduce
from core.distributed.group import ReduceOp

__all__ = ["ReduceOp", "reduce"]
