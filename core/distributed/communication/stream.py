"""The operations between processes, with the choice of a stream (paddle.distributed.communication.stream).

There is one stream here: ``use_calc_stream`` changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

from core.distributed.communication import pairs, tensors
from core.distributed.communication.tensors import Task
from core.distributed.group import Group, ReduceOp, check_stream
from core.tensor import Tensor

__all__ = [
    "all_gather", "all_reduce", "alltoall", "alltoall_single", "broadcast", "gather", "recv", "reduce",
    "reduce_scatter", "scatter", "send",
]  # fmt: skip

TensorOrList = Union[Tensor, list[Tensor]]


def all_gather(
    tensor_or_tensor_list: TensorOrList,
    tensor: Tensor,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Collect the tensors of all processes in a list, or along the first axis of one tensor.

    Args:
        tensor_or_tensor_list: where they go: a list, or a tensor of the joined shape.
        tensor: the tensor of this process.
        group: the processes; all when it is None.
        sync_op: wait until it is done.
        use_calc_stream: run among the computations; needs ``sync_op``.

    Returns:
        An object with ``wait``.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
        ValueError: the list has another number of tensors, or the shapes differ.
    """
    check_stream("all_gather", sync_op, use_calc_stream)
    if isinstance(tensor_or_tensor_list, Tensor):
        return tensors.alltoall_single(tensor, tensor_or_tensor_list, group=group)
    return tensors.all_gather(tensor_or_tensor_list, tensor, group, sync_op)


def all_reduce(
    tensor: Tensor,
    op: int = ReduceOp.SUM,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Replace a tensor by its reduction over all processes; see :func:`core.distributed.all_reduce`.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("all_reduce", sync_op, use_calc_stream)
    return tensors.all_reduce(tensor, op, group, sync_op)


def alltoall(
    out_tensor_or_tensor_list: TensorOrList,
    in_tensor_or_tensor_list: TensorOrList,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Send one tensor to each process and collect what they send; see :func:`core.distributed.alltoall`.

    Args:
        out_tensor_or_tensor_list: where what arrives goes; it comes first here.
        in_tensor_or_tensor_list: a tensor for each process, or one that is cut along its first axis.
        group: the processes; all when it is None.
        sync_op: wait until it is done.
        use_calc_stream: run among the computations; needs ``sync_op``.

    Returns:
        An object with ``wait``.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("alltoall", sync_op, use_calc_stream)
    return tensors.alltoall(in_tensor_or_tensor_list, out_tensor_or_tensor_list, group, sync_op)


def alltoall_single(
    out_tensor: Tensor,
    in_tensor: Tensor,
    out_split_sizes: Optional[Sequence[int]] = None,
    in_split_sizes: Optional[Sequence[int]] = None,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Send a part of a tensor to each process; see :func:`core.distributed.alltoall_single`.

    Args:
        out_tensor: where the parts go; it comes first here.
        in_tensor: what is cut along its first axis.
        out_split_sizes: the size of each part to receive.
        in_split_sizes: the size of each part to send.
        group: the processes; all when it is None.
        sync_op: wait until it is done.
        use_calc_stream: run among the computations; needs ``sync_op``.

    Returns:
        An object with ``wait``.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("alltoall_single", sync_op, use_calc_stream)
    return tensors.alltoall_single(in_tensor, out_tensor, in_split_sizes, out_split_sizes, group, sync_op)


def broadcast(
    tensor: Tensor, src: int, group: Optional[Group] = None, sync_op: bool = True, use_calc_stream: bool = False
) -> Task:
    """Replace a tensor by that of one process; see :func:`core.distributed.broadcast`.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("broadcast", sync_op, use_calc_stream)
    return tensors.broadcast(tensor, src, group, sync_op)


def gather(
    tensor: Tensor,
    gather_list: Optional[list[Tensor]] = None,
    dst: int = 0,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Collect the tensors of all processes on one of them; see :func:`core.distributed.gather`.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("gather", sync_op, use_calc_stream)
    return tensors.gather(tensor, gather_list, dst, group, sync_op)


def recv(
    tensor: Tensor, src: int = 0, group: Optional[Group] = None, sync_op: bool = True, use_calc_stream: bool = False
) -> Task:
    """Refuse to receive a tensor: there is no other process.

    Raises:
        NotImplementedError: always.
    """
    check_stream("recv", sync_op, use_calc_stream)
    return pairs.recv(tensor, src, group, sync_op)


def reduce(
    tensor: Tensor,
    dst: int = 0,
    op: int = ReduceOp.SUM,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Replace a tensor, on one process, by its reduction over all; see :func:`core.distributed.reduce`.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("reduce", sync_op, use_calc_stream)
    return tensors.reduce(tensor, dst, op, group, sync_op)


def reduce_scatter(
    tensor: Tensor,
    tensor_or_tensor_list: TensorOrList,
    op: int = ReduceOp.SUM,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Reduce over all processes and give each a part of the result; see :func:`core.distributed.reduce_scatter`.

    Args:
        tensor: where this process's part goes.
        tensor_or_tensor_list: a tensor for each process, or one that is cut along its first axis.
        op: a member of ReduceOp.
        group: the processes; all when it is None.
        sync_op: wait until it is done.
        use_calc_stream: run among the computations; needs ``sync_op``.

    Returns:
        An object with ``wait``.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("reduce_scatter", sync_op, use_calc_stream)
    return tensors.reduce_scatter(tensor, _listed(tensor_or_tensor_list), op, group, sync_op)


def scatter(
    tensor: Tensor,
    tensor_or_tensor_list: Optional[TensorOrList] = None,
    src: int = 0,
    group: Optional[Group] = None,
    sync_op: bool = True,
    use_calc_stream: bool = False,
) -> Task:
    """Give each process one tensor of a list, or a part of a tensor; see :func:`core.distributed.scatter`.

    Raises:
        RuntimeError: ``use_calc_stream`` without ``sync_op``.
    """
    check_stream("scatter", sync_op, use_calc_stream)
    given = None if tensor_or_tensor_list is None else _listed(tensor_or_tensor_list)
    return tensors.scatter(tensor, given, src, group, sync_op)


def send(
    tensor: Tensor, dst: int = 0, group: Optional[Group] = None, sync_op: bool = True, use_calc_stream: bool = False
) -> Task:
    """Refuse to send a tensor: there is no other process.

    Raises:
        NotImplementedError: always.
    """
    check_stream("send", sync_op, use_calc_stream)
    return pairs.send(tensor, dst, group, sync_op)


def _listed(given: TensorOrList) -> list[Tensor]:
    return [given] if isinstance(given, Tensor) else given
