"""``paddle.distributed.communication.reduce``."""

from core.distributed.communication.tensors import reduce
from core.distributed.group import ReduceOp, check_operation

__all__ = ["ReduceOp", "_get_reduce_op", "reduce"]


def _get_reduce_op(reduce_op: int, func_name: str) -> int:
    return check_operation(func_name, reduce_op)
