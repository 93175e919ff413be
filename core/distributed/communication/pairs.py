"""Operations between two processes, which one process refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.distributed.communication.tensors import Task
from core.distributed.environment import require_one_process
from core.distributed.group import Group
from core.tensor import Tensor


def _no_partner(what: str) -> NotImplementedError:
    require_one_process(what)
    return NotImplementedError(f"{what}: there is no other process to exchange tensors with: start the code without it")


def send(tensor: Tensor, dst: int = 0, group: Optional[Group] = None, sync_op: bool = True) -> Task:
    """Refuse to send a tensor: there is no other process.

    Raises:
        NotImplementedError: always.
    """
    raise _no_partner("send")


def recv(tensor: Tensor, src: int = 0, group: Optional[Group] = None, sync_op: bool = True) -> Task:
    """Refuse to receive a tensor: there is no other process.

    Raises:
        NotImplementedError: always.
    """
    raise _no_partner("recv")


def isend(tensor: Tensor, dst: int, group: Optional[Group] = None) -> Task:
    """Refuse to send a tensor: there is no other process.

    Raises:
        NotImplementedError: always.
    """
    raise _no_partner("isend")


def irecv(tensor: Tensor, src: Optional[int] = None, group: Optional[Group] = None) -> Task:
    """Refuse to receive a tensor: there is no other process.

    Raises:
        NotImplementedError: always.
    """
    raise _no_partner("irecv")


class P2POp:
    """One call for :func:`batch_isend_irecv`.

    Args:
        op: :func:`isend` or :func:`irecv`.
        tensor: what is sent, or where what is received goes.
        peer: the other process.
        group: the processes; all when it is None.

    Raises:
        ValueError: ``op`` is another function.
    """

    def __init__(self, op: Any, tensor: Tensor, peer: int, group: Optional[Group] = None) -> None:
        if op not in (isend, irecv):
            raise ValueError("P2POp: op must be core.distributed.isend or irecv")
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = group


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Task]:
    """Begin several calls of isend and irecv: with one process, no more than none.

    Args:
        p2p_op_list: the calls.

    Returns:
        An object with ``wait`` for each.

    Raises:
        NotImplementedError: there is a call, and no other process.
    """
    return [call.op(call.tensor, call.peer, call.group) for call in p2p_op_list]
