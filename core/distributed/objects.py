"""Operations between the Python objects of all processes, for one process: no object is changed, each is copied."""

from __future__ import annotations

import pickle
from typing import Any, Optional

from core.distributed.group import Group, check_member


def _copy(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def all_gather_object(object_list: list[Any], obj: Any, group: Optional[Group] = None) -> None:
    """Collect the objects of all processes.

    Args:
        object_list: a list that the objects, copied, are appended to.
        obj: the object of this process, which pickle can write.
        group: the processes; all when it is None.
    """
    if check_member("all_gather_object", group):
        object_list.append(_copy(obj))


def broadcast_object_list(object_list: list[Any], src: int, group: Optional[Group] = None) -> None:
    """Replace a list of objects by that of one process.

    Args:
        object_list: the list.
        src: the process that gives.
        group: the processes; all when it is None.
    """
    if check_member("broadcast_object_list", group, src):
        object_list[:] = [_copy(value) for value in object_list]


def scatter_object_list(
    out_object_list: list[Any],
    in_object_list: Optional[list[Any]] = None,
    src: int = 0,
    group: Optional[Group] = None,
) -> None:
    """Give each process one object of a list.

    Args:
        out_object_list: the list that this process's object, copied, goes to.
        in_object_list: the objects, on the giving process.
        src: the giving process.
        group: the processes; all when it is None.

    Raises:
        ValueError: the list has another number of objects.
    """
    if check_member("scatter_object_list", group, src):
        if in_object_list is None or len(in_object_list) != 1:
            count = 0 if in_object_list is None else len(in_object_list)
            raise ValueError(f"scatter_object_list: there must be an object for each of the 1 processes, not {count}")
        out_object_list[:] = [_copy(in_object_list[0])]
