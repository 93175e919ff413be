"""How processes are arranged in a grid of data, pipeline, sharding, segment and model parallelism."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence
from itertools import product
from typing import Any, Optional

from core.distributed.environment import ParallelMode, get_rank, get_world_size
from core.distributed.group import Group, new_group

AXES = ("data", "pipe", "sharding", "sep", "model")


class CommunicateTopology:
    """A grid of processes; the last axis is the one along which neighbours have consecutive numbers.

    Args:
        hybrid_group_names: the names of its axes.
        dims: its size along each.

    Raises:
        ValueError: there are more names than sizes, or fewer.

    Example:
        >>> grid = core.distributed.fleet.CommunicateTopology(["data", "model"], [2, 2])
        >>> grid.get_comm_list("model")
        [[0, 1], [2, 3]]
    """

    def __init__(self, hybrid_group_names: Sequence[str] = AXES, dims: Sequence[int] = (1, 1, 1, 1, 1)) -> None:
        if len(hybrid_group_names) != len(dims):
            raise ValueError(f"CommunicateTopology: {len(hybrid_group_names)} names of axes but {len(dims)} sizes")
        self._parallel_names = list(hybrid_group_names)
        self._dims = list(dims)
        make: Any = namedtuple  # its fields are known only now
        self.coordinate = make("Coordinate", self._parallel_names)
        self._world_size = math.prod(self._dims)
        self._rank2coord = [self.coordinate(*place) for place in product(*(range(size) for size in self._dims))]
        self._coord2rank = {place: rank for rank, place in enumerate(self._rank2coord)}

    def get_hybrid_group_names(self) -> list[str]:
        """Return the names of the axes."""
        return self._parallel_names

    def get_dim(self, axis_name: str) -> int:
        """Return the size along an axis.

        Args:
            axis_name: the axis.

        Raises:
            ValueError: there is no such axis.
        """
        return self._dims[self._axis(axis_name)]

    get_dim_size = get_dim

    def world_size(self) -> int:
        """Return how many processes the grid has."""
        return self._world_size

    def get_rank(self, **args: int) -> int:
        """Return the number of the process at a place.

        Args:
            **args: its position along every axis.

        Raises:
            ValueError: an axis is missing, unknown or shorter.
        """
        place = self.coordinate(**args) if set(args) == set(self._parallel_names) else None
        if place not in self._coord2rank:
            raise ValueError(f"CommunicateTopology: there is no process at {args} of {self._described()}")
        return self._coord2rank[place]

    def get_coord(self, rank: int) -> Any:
        """Return the place of a process, a named tuple.

        Args:
            rank: its number.

        Raises:
            ValueError: there is no such process.
        """
        if not 0 <= rank < self._world_size:
            raise ValueError(f"CommunicateTopology: there is no process {rank} among {self._world_size}")
        return self._rank2coord[rank]

    def get_axis_list(self, axis_name: str, index: int) -> list[int]:
        """Return the processes at a position along an axis.

        Args:
            axis_name: the axis.
            index: the position.
        """
        axis = self._axis(axis_name)
        return [rank for rank, place in enumerate(self._rank2coord) if place[axis] == index]

    def get_comm_list(self, axis_name: str) -> list[list[int]]:
        """Return the groups of processes that differ only along one axis.

        Args:
            axis_name: the axis.
        """
        return self.get_fused_ranks([axis_name])

    def get_fused_ranks(self, fused_axis: Sequence[str]) -> list[list[int]]:
        """Return the groups of processes that differ only along some axes.

        Args:
            fused_axis: those axes.
        """
        axes = [self._axis(name) for name in fused_axis]
        groups: dict[tuple[int, ...], list[int]] = {}
        for rank, place in enumerate(self._rank2coord):
            groups.setdefault(tuple(at for axis, at in enumerate(place) if axis not in axes), []).append(rank)
        return list(groups.values())

    def get_rank_from_stage(self, global_rank: int, **kwargs: int) -> int:
        """Return the process that has the place of another but for some axes.

        Args:
            global_rank: the other process.
            **kwargs: the positions along those axes.
        """
        return self.get_rank(**{**self.get_coord(global_rank)._asdict(), **kwargs})

    def _axis(self, name: str) -> int:
        if name not in self._parallel_names:
            raise ValueError(f"CommunicateTopology: there is no axis {name!r}: use {', '.join(self._parallel_names)}")
        return self._parallel_names.index(name)

    def _described(self) -> str:
        return " x ".join(f"{name} {size}" for name, size in zip(self._parallel_names, self._dims))


_current: list[HybridCommunicateGroup] = []


def current_group() -> Optional[HybridCommunicateGroup]:
    """Return the last HybridCommunicateGroup that was made, or None."""
    return _current[-1] if _current else None


class HybridCommunicateGroup:
    """The groups that this process belongs to along each axis of a grid of processes.

    Args:
        topology: the grid; of one process.

    Raises:
        ValueError: the grid has another number of processes than there are, or lacks an axis.
    """

    def __init__(self, topology: CommunicateTopology) -> None:
        self.nranks = get_world_size()
        self.global_rank = get_rank()
        self._topo = topology
        self._dp_degree, self._pp_degree, self._sharding_degree, self._sep_degree, self._mp_degree = (
            topology.get_dim(name) for name in AXES
        )
        if topology.world_size() != self.nranks:
            size = topology.world_size()
            raise ValueError(f"HybridCommunicateGroup: the topology has {size} processes, but there are {self.nranks}")
        place = topology.get_coord(self.global_rank)
        self._data_parallel_id, self.stage_id, self._sharding_parallel_id = place.data, place.pipe, place.sharding
        self._sep_parallel_id, self._model_parallel_id = place.sep, place.model
        groups = {name: new_group([self.global_rank]) for name in ("pipe", "data", "model", "sharding")}
        self._pp_comm_group, self._dp_comm_group = groups["pipe"], groups["data"]
        self._mp_comm_group, self._sharding_comm_group = groups["model"], groups["sharding"]
        self._check_comm_group = new_group([self.global_rank])
        self.sharding_check_comm_group = new_group([self.global_rank])
        self.is_first_stage = self.stage_id == 0
        self.is_last_stage = self.stage_id == self._pp_degree - 1
        _current[:] = [self]

    def get_parallel_mode(self) -> Optional[int]:
        """Return the ParallelMode of the outermost axis along which there are several processes; None for one."""
        modes = (
            (self._pp_degree, ParallelMode.PIPELINE_PARALLEL),
            (self._mp_degree, ParallelMode.TENSOR_PARALLEL),
            (self._sep_degree, ParallelMode.SEGMENT_PARALLEL),
            (self._sharding_degree, ParallelMode.SHARDING_PARALLEL),
            (self._dp_degree, ParallelMode.DATA_PARALLEL),
        )
        return next((mode for degree, mode in modes if degree > 1), None)

    def topology(self) -> CommunicateTopology:
        """Return the grid."""
        return self._topo

    def get_global_rank(self) -> int:
        """Return the number of this process among all."""
        return self.global_rank

    def get_data_parallel_rank(self) -> int:
        """Return the position of this process along the data axis."""
        return int(self._data_parallel_id)

    def get_data_parallel_world_size(self) -> int:
        """Return the size of the grid along the data axis."""
        return self._dp_degree

    def get_data_parallel_group(self) -> Group:
        """Return the group along the data axis."""
        return self._dp_comm_group

    def get_data_parallel_group_src_rank(self) -> int:
        """Return the first process of the group along the data axis."""
        return self._dp_comm_group.ranks[0]

    def get_model_parallel_rank(self) -> int:
        """Return the position of this process along the model axis."""
        return int(self._model_parallel_id)

    def get_model_parallel_world_size(self) -> int:
        """Return the size of the grid along the model axis."""
        return self._mp_degree

    def get_model_parallel_group(self) -> Group:
        """Return the group along the model axis."""
        return self._mp_comm_group

    def get_model_parallel_group_src_rank(self) -> int:
        """Return the first process of the group along the model axis."""
        return self._mp_comm_group.ranks[0]

    def get_stage_id(self) -> int:
        """Return the position of this process along the pipeline."""
        return int(self.stage_id)

    def get_pipe_parallel_world_size(self) -> int:
        """Return the size of the grid along the pipeline."""
        return self._pp_degree

    def get_pipe_parallel_group(self) -> Group:
        """Return the group along the pipeline."""
        return self._pp_comm_group

    def get_rank_from_stage(self, stage_id: int, **kwargs: int) -> int:
        """Return the process at another stage of this one's pipeline.

        Args:
            stage_id: the stage.
            **kwargs: positions along other axes.
        """
        return self._topo.get_rank_from_stage(self.global_rank, pipe=stage_id, **kwargs)

    def get_sharding_parallel_rank(self) -> int:
        """Return the position of this process along the sharding axis."""
        return int(self._sharding_parallel_id)

    def get_sharding_parallel_world_size(self) -> int:
        """Return the size of the grid along the sharding axis."""
        return self._sharding_degree

    def get_sharding_parallel_group(self) -> Group:
        """Return the group along the sharding axis."""
        return self._sharding_comm_group

    def get_sharding_parallel_group_src_rank(self) -> int:
        """Return the first process of the group along the sharding axis."""
        return self._sharding_comm_group.ranks[0]

    def get_sep_parallel_rank(self) -> int:
        """Return the position of this process along the segment axis."""
        return int(self._sep_parallel_id)

    def get_sep_parallel_world_size(self) -> int:
        """Return the size of the grid along the segment axis."""
        return self._sep_degree

    def get_check_parallel_group(self, sharding: bool = False) -> Group:
        """Return the group whose gradients' norm is one number.

        Args:
            sharding: for parameters that are sharded.
        """
        return self.sharding_check_comm_group if sharding else self._check_comm_group
