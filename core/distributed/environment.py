"""Which process of how many this is: Paddle's launcher says it in environment variables."""

from __future__ import annotations

import os
from typing import Any, Optional

_state = {"initialized": False}


def _number(variable: str, default: int) -> int:
    text = os.environ.get(variable, "")
    if text and not text.isdigit():
        raise ValueError(f"the environment variable {variable} is {text!r}: it must be a number")
    return int(text) if text else default


class ParallelEnv:
    """This process among the processes of a run, as the environment says when the object is made.

    Raises:
        ValueError: a variable of the environment is no number.
    """

    def __init__(self) -> None:
        self._rank = _number("PADDLE_TRAINER_ID", 0)
        self._world_size = _number("PADDLE_TRAINERS_NUM", 1)
        self._endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self._endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")
        self._device = _number("FLAGS_selected_gpus", 0)

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return self._rank

    local_rank = rank

    @property
    def world_size(self) -> int:
        """How many processes there are."""
        return self._world_size

    nranks = world_size

    @property
    def device_id(self) -> int:
        """The number of the GPU that was chosen for this process; 0 where none was."""
        return self._device

    dev_id = device_id

    @property
    def device_type(self) -> str:
        """The kind of device that was chosen for this process; empty where none was."""
        return os.environ.get("PADDLE_XCCL_BACKEND", "")

    @property
    def current_endpoint(self) -> str:
        """The address of this process; empty where there is one process."""
        return self._endpoint

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses of all processes."""
        return self._endpoints

    @property
    def nrings(self) -> int:
        """How many communication rings there are: 1."""
        return 1

    @property
    def pg_timeout(self) -> int:
        """How long an operation may wait for other processes, in milliseconds."""
        return _number("PADDLE_PG_TIMEOUT", 1800000)


class ParallelMode:
    """Numbers of the ways to divide the work among processes."""

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


def require_one_process(what: str) -> None:
    """Refuse an operation between several processes.

    Args:
        what: its name, for the message.

    Raises:
        NotImplementedError: the environment says that there are several.
    """
    count = ParallelEnv().world_size
    if count != 1:
        raise NotImplementedError(
            f"{what}: the environment names {count} processes (PADDLE_TRAINERS_NUM), but training with several is not"
            " built: start one"
        )


def init_parallel_env() -> None:
    """Prepare for operations between processes.

    Raises:
        NotImplementedError: there are several processes.
    """
    require_one_process("init_parallel_env")
    _state["initialized"] = True


def is_initialized() -> bool:
    """Return whether :func:`init_parallel_env` has been called."""
    return _state["initialized"]


def is_available() -> bool:
    """Return whether this package can be used."""
    return True


def destroy_process_group(group: Optional[Any] = None) -> None:
    """Undo :func:`init_parallel_env`.

    Args:
        group: the group to destroy; all when it is None.
    """
    if group is None or group.id == 0:
        _state["initialized"] = False


def get_rank(group: Optional[Any] = None) -> int:
    """Return the number of this process, from 0.

    Args:
        group: the group in which it is counted; all processes when it is None.
    """
    rank = ParallelEnv().rank
    return rank if group is None else int(group.get_group_rank(rank))


def get_world_size(group: Optional[Any] = None) -> int:
    """Return how many processes there are.

    Args:
        group: the group whose processes are counted; all when it is None.
    """
    return ParallelEnv().world_size if group is None else int(group.nranks)
