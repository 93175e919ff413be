"""Operations between the tensors of all processes, for one process.

Whatever one process reduces, gathers or sends to all it gets back; what it is given stays in the graph of gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.distributed.group import Group, ReduceOp, check_member, check_operation
from core.kernels.engine.engine import wait_all
from core.operators.creation.creation import assign
from core.operators.shape.joining import concat
from core.tensor import Tensor


class Task:
    """An operation that is under way; with one process it is done when it begins."""

    def wait(self) -> bool:
        """Wait until it is done; returns True."""
        return True

    is_completed = wait

    def synchronize(self) -> None:
        """Wait until it is done."""


def _need_tensor(what: str, value: Any, name: str = "tensor") -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{what}: {name} must be a Tensor, not {type(value).__name__}")
    return value


def _only(what: str, tensors: Optional[Sequence[Tensor]], name: str) -> Tensor:
    if tensors is None or len(tensors) != 1:
        count = 0 if tensors is None else len(tensors)
        raise ValueError(f"{what}: {name} must have a tensor for each of the 1 processes, not {count}")
    return _need_tensor(what, tensors[0], f"{name}[0]")


def all_reduce(tensor: Tensor, op: int = ReduceOp.SUM, group: Optional[Group] = None, sync_op: bool = True) -> Task:
    """Replace a tensor by its sum (or another reduction) over all processes: over one, it stays.

    Args:
        tensor: any tensor.
        op: a member of ReduceOp.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.
    """
    check_operation("all_reduce", op)
    check_member("all_reduce", group)
    _need_tensor("all_reduce", tensor)
    return Task()


def reduce(
    tensor: Tensor, dst: int, op: int = ReduceOp.SUM, group: Optional[Group] = None, sync_op: bool = True
) -> Task:
    """Replace a tensor, on one process, by its reduction over all processes: over one, it stays.

    Args:
        tensor: any tensor.
        dst: the process.
        op: a member of ReduceOp.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.
    """
    check_operation("reduce", op)
    check_member("reduce", group, dst)
    _need_tensor("reduce", tensor)
    return Task()


def broadcast(tensor: Tensor, src: int, group: Optional[Group] = None, sync_op: bool = True) -> Task:
    """Replace a tensor by that of one process.

    Args:
        tensor: any tensor.
        src: the process that gives.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.
    """
    check_member("broadcast", group, src)
    _need_tensor("broadcast", tensor)
    return Task()


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Optional[Group] = None, sync_op: bool = True) -> Task:
    """Collect the tensors of all processes.

    Args:
        tensor_list: a list that the tensors are appended to, or which has one tensor for each process to be written.
        tensor: the tensor of this process.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.

    Raises:
        ValueError: the list has another number of tensors.
    """
    if check_member("all_gather", group):
        _collect("all_gather", tensor_list, [_need_tensor("all_gather", tensor)])
    return Task()


def _collect(what: str, collected: list[Tensor], tensors: Sequence[Tensor]) -> None:
    if len(collected) not in (0, len(tensors)):
        raise ValueError(f"{what}: the list must be empty or have {len(tensors)} tensors, not {len(collected)}")
    collected[:] = [assign(tensor) for tensor in tensors]


def gather(
    tensor: Tensor,
    gather_list: Optional[list[Tensor]] = None,
    dst: int = 0,
    group: Optional[Group] = None,
    sync_op: bool = True,
) -> Task:
    """Collect the tensors of all processes on one of them.

    Args:
        tensor: the tensor of this process.
        gather_list: the list to fill, on the receiving process.
        dst: the receiving process.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.

    Raises:
        ValueError: there is no list, or it has another number of tensors.
    """
    if check_member("gather", group, dst):
        if gather_list is None:
            raise ValueError("gather: the receiving process must give a gather_list")
        _collect("gather", gather_list, [_need_tensor("gather", tensor)])
    return Task()


def scatter(
    tensor: Tensor,
    tensor_list: Optional[Sequence[Tensor]] = None,
    src: int = 0,
    group: Optional[Group] = None,
    sync_op: bool = True,
) -> Task:
    """Give each process one tensor of a list.

    Args:
        tensor: where this process's tensor goes.
        tensor_list: the tensors, on the giving process.
        src: the giving process.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.

    Raises:
        ValueError: the list has another number of tensors, or the shapes differ.
    """
    if check_member("scatter", group, src):
        _need_tensor("scatter", tensor).set_value(_only("scatter", tensor_list, "tensor_list"))
    return Task()


def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor],
    op: int = ReduceOp.SUM,
    group: Optional[Group] = None,
    sync_op: bool = True,
) -> Task:
    """Reduce lists of tensors over all processes and give each process one tensor of the result.

    Args:
        tensor: where this process's tensor goes.
        tensor_list: a tensor for each process.
        op: a member of ReduceOp.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.

    Raises:
        ValueError: the list has another number of tensors, or the shapes differ.
    """
    check_operation("reduce_scatter", op)
    if check_member("reduce_scatter", group):
        _need_tensor("reduce_scatter", tensor).set_value(_only("reduce_scatter", tensor_list, "tensor_list"))
    return Task()


def alltoall(
    in_tensor_list: Union[Tensor, Sequence[Tensor]],
    out_tensor_list: Union[Tensor, list[Tensor]],
    group: Optional[Group] = None,
    sync_op: bool = True,
) -> Task:
    """Send one tensor of a list to each process, and collect what they send.

    Args:
        in_tensor_list: a tensor for each process, or one tensor that is cut along its first axis.
        out_tensor_list: the list to fill, or a tensor to write.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.

    Raises:
        ValueError: a list has another number of tensors.
    """
    if not check_member("alltoall", group):
        return Task()
    if isinstance(in_tensor_list, Tensor):
        sent = [in_tensor_list]
    else:
        sent = [_only("alltoall", in_tensor_list, "in_tensor_list")]
    if isinstance(out_tensor_list, Tensor):
        out_tensor_list.set_value(concat(sent))
    else:
        _collect("alltoall", out_tensor_list, sent)
    return Task()


def alltoall_single(
    in_tensor: Tensor,
    out_tensor: Tensor,
    in_split_sizes: Optional[Sequence[int]] = None,
    out_split_sizes: Optional[Sequence[int]] = None,
    group: Optional[Group] = None,
    sync_op: bool = True,
) -> Task:
    """Send a part of a tensor to each process, and join what they send.

    Args:
        in_tensor: what is cut along its first axis.
        out_tensor: where the parts go.
        in_split_sizes: the size of each part to send; equal ones when it is None.
        out_split_sizes: the size of each part to receive; equal ones when it is None.
        group: the processes; all when it is None.
        sync_op: wait until it is done.

    Returns:
        An object with ``wait``.

    Raises:
        ValueError: the sizes are not those of one part, or the shapes differ.
    """
    if not check_member("alltoall_single", group):
        return Task()
    for name, sizes, tensor in (
        ("in_split_sizes", in_split_sizes, _need_tensor("alltoall_single", in_tensor, "in_tensor")),
        ("out_split_sizes", out_split_sizes, _need_tensor("alltoall_single", out_tensor, "out_tensor")),
    ):
        if sizes and list(sizes) != tensor.shape[:1]:
            raise ValueError(f"alltoall_single: {name} {list(sizes)} must be the one size {tensor.shape[:1]}")
    out_tensor.set_value(in_tensor)
    return Task()


def barrier(group: Optional[Group] = None) -> None:
    """Wait until all processes have come to this point.

    Args:
        group: the processes; all when it is None.
    """
    check_member("barrier", group)


def wait(tensor: Tensor, group: Optional[Group] = None, use_calc_stream: bool = True) -> None:
    """Wait until the operations on a tensor are done.

    Args:
        tensor: any tensor.
        group: the processes; all when it is None.
        use_calc_stream: accepted for Paddle's signature.
    """
    check_member("wait", group)
    _need_tensor("wait", tensor)
    wait_all()
