"""Groups of processes, and the ways to reduce what they hold."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Sequence
from typing import Optional

from core.distributed.environment import get_rank, is_initialized, require_one_process

_TIMEOUT = datetime.timedelta(minutes=30)


class ReduceOp:
    """Numbers of the ways to reduce the tensors of several processes to one."""

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


class Group:
    """Processes that communicate with each other.

    Args:
        rank_in_group: the number of this process within the group; -1 when it is no member.
        id: the number of the group; 0 is the group of all processes.
        ranks: the numbers of the processes.
        name: its name.
    """

    def __init__(self, rank_in_group: int, id: int, ranks: Sequence[int], name: Optional[str] = None) -> None:
        self.rank = rank_in_group
        self.id = id
        self.ranks = list(ranks)
        self.name = name or f"_default_pg{id}"

    @property
    def nranks(self) -> int:
        """How many processes belong to it."""
        return len(self.ranks)

    world_size = nranks

    def is_member(self) -> bool:
        """Return whether this process belongs to it."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """Return the number within the group of a process; -1 when it is no member.

        Args:
            rank: its number among all processes.
        """
        return self.ranks.index(rank) if rank in self.ranks else -1

    def __repr__(self) -> str:
        ranks = ", ".join(map(str, self.ranks))
        return f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: {ranks}; name: {self.name}"


_groups: dict[int, Group] = {}


def new_group(
    ranks: Optional[Sequence[int]] = None, backend: Optional[str] = None, timeout: datetime.timedelta = _TIMEOUT
) -> Group:
    """Make a group of processes.

    Args:
        ranks: their numbers; all when it is None.
        backend: accepted for Paddle's signature; one process needs none.
        timeout: accepted likewise.

    Raises:
        ValueError: there is no process of that number.
        NotImplementedError: there are several processes.
    """
    require_one_process("new_group")
    members = [get_rank()] if ranks is None else sorted(ranks)
    wrong = [rank for rank in members if rank != 0]
    if wrong:
        raise ValueError(f"new_group: there is no process {wrong[0]}: the only one is 0")
    group = Group(0 if members else -1, max(_groups, default=0) + 1, members)
    _groups[group.id] = group
    return group


def get_group(id: int = 0) -> Optional[Group]:
    """Return a group by its number.

    Args:
        id: the number; 0 is the group of all processes, which ``init_parallel_env`` makes.

    Returns:
        The group, or None with a warning where there is none.
    """
    if id == 0 and is_initialized():
        return global_group()
    if id not in _groups:
        warnings.warn(f"get_group: there is no group {id}", stacklevel=2)
    return _groups.get(id)


def global_group() -> Group:
    """Return the group of all processes."""
    require_one_process("the group of all processes")
    return Group(0, 0, [0])


def get_backend(group: Optional[Group] = None) -> str:
    """Return the name of what carries the communication.

    Args:
        group: the group; that of all processes when it is None.

    Returns:
        ``LOCAL``: there is one process.
    """
    require_one_process("get_backend")
    return "LOCAL"


def check_member(what: str, group: Optional[Group], rank: Optional[int] = None) -> bool:
    """Check who takes part in an operation.

    Args:
        what: the operation's name.
        group: its group.
        rank: the process that gives or receives; None where there is no such one.

    Returns:
        Whether this process takes part.

    Raises:
        ValueError: there is no process of that number.
        NotImplementedError: there are several processes.
    """
    require_one_process(what)
    if rank not in (None, 0):
        raise ValueError(f"{what}: there is no process {rank}: the only one is 0")
    return group is None or group.is_member()


def check_operation(what: str, operation: int) -> int:
    """Refuse what is no way to reduce.

    Args:
        what: the operation's name.
        operation: a member of ReduceOp.

    Returns:
        That member.

    Raises:
        ValueError: it is none.
    """
    if operation not in range(ReduceOp.AVG + 1):
        raise ValueError(f"{what}: {operation!r} is no member of ReduceOp: use SUM, MAX, MIN, PROD or AVG")
    return operation


def check_stream(what: str, sync_op: bool, use_calc_stream: bool) -> None:
    """Refuse an operation among the computations that is not waited for.

    Args:
        what: the operation's name.
        sync_op: whether it is waited for.
        use_calc_stream: whether it runs among the computations.

    Raises:
        RuntimeError: it does, and is not.
    """
    if use_calc_stream and not sync_op:
        raise RuntimeError(f"{what}: use_calc_stream=True needs sync_op=True")
