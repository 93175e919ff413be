"""Optimizers whose work several processes share; for one they take the inner optimizer's step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.distributed.fleet.strategy import DistributedStrategy
from core.distributed.fleet.topology import HybridCommunicateGroup
from core.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
from core.tensor import Tensor


class WrappedOptimizer:
    """An optimizer that hands everything on to another; what it lacks is looked up there.

    Args:
        optimizer: the inner one.

    Raises:
        TypeError: it has no ``step``.
    """

    def __init__(self, optimizer: Any) -> None:
        if not callable(getattr(optimizer, "step", None)):
            raise TypeError(f"{type(self).__name__}: optimizer must be an optimizer, not {type(optimizer).__name__}")
        self._inner_opt = optimizer

    def step(self) -> None:
        """Take the inner optimizer's step."""
        self._inner_opt.step()

    def minimize(
        self, loss: Tensor, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> Any:
        """Take the inner optimizer's step; see :meth:`core.optimizer.Optimizer.minimize`."""
        return self._inner_opt.minimize(loss, startup_program, parameters, no_grad_set)

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Forget the gradients.

        Args:
            set_to_zero: keep them as zeros.
        """
        self._inner_opt.clear_grad(set_to_zero)

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of an earlier optimizer.

        Args:
            state_dict: what ``state_dict`` returned.
        """
        self._inner_opt.set_state_dict(state_dict)

    def __getattr__(self, name: str) -> Any:
        if name == "_inner_opt":  # not there yet: while it is copied or read from a file
            raise AttributeError(name)
        return getattr(self._inner_opt, name)


class HybridParallelOptimizer(WrappedOptimizer):
    """An optimizer of a model that is shared along several axes.

    Args:
        optimizer: the inner one.
        hcg: the groups of processes.
        strategy: settings.
    """

    def __init__(
        self, optimizer: Any, hcg: HybridCommunicateGroup, strategy: Optional[DistributedStrategy] = None
    ) -> None:
        super().__init__(optimizer)
        self._hcg = hcg
        self._strategy = strategy
        self._need_dp = self._dp_enable = self._sharding_enable = self._sep_enable = False


class DygraphShardingOptimizer(WrappedOptimizer):
    """An optimizer whose state is spread over ranks, each with whole parameters (ZeRO, arXiv 1910.02054).

    Args:
        optimizer: the inner one, without groups of parameters.
        hcg: the groups of processes.

    Raises:
        TypeError: the optimizer has groups of parameters.
    """

    def __init__(self, optimizer: Any, hcg: HybridCommunicateGroup) -> None:
        super().__init__(optimizer)
        if isinstance(optimizer._parameter_list[0], dict):
            raise TypeError(f"{type(self).__name__}: give the optimizer a list of parameters, not groups")
        self._hcg = hcg
        self._parameter_list = optimizer._parameter_list
        self._origin_parameter_list = self._parameter_list
        self._sharding_world_size = hcg.get_sharding_parallel_world_size()
        self._sharding_rank = hcg.get_sharding_parallel_rank()
        self._rank2params = {self._sharding_rank: list(self._parameter_list)}
        self._param2rank = {parameter.name: self._sharding_rank for parameter in self._parameter_list}
        self.tensor_fusion = self.comm_overlap = self.pp_overlap = False

    def filter_parameters(self, parameter_list: Sequence[Tensor], hcg: HybridCommunicateGroup) -> list[Tensor]:
        """Return those of some parameters that this rank has the state of.

        Args:
            parameter_list: the parameters.
            hcg: the groups of processes.
        """
        own = {parameter.name for parameter in self._rank2params[hcg.get_sharding_parallel_rank()]}
        return [parameter for parameter in parameter_list if parameter.name in own]

    def reduce_gradients(self, parameter_list: Sequence[Tensor], hcg: HybridCommunicateGroup) -> None:
        """Average gradients over the ranks: over one, they stay.

        Args:
            parameter_list: the parameters.
            hcg: the groups of processes.
        """
        fused_allreduce_gradients(parameter_list, hcg)


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """An optimizer whose state is spread over ranks, each with a part of every parameter; one rank has the whole."""


class GroupShardedOptimizerStage2(WrappedOptimizer):
    """An optimizer whose state and gradients are spread over ranks.

    Args:
        params: the parameters.
        optim: the inner optimizer.
        group: the ranks; all when it is None.
        offload: keep the state in the host's memory, where it is.
        device: accepted for Paddle's signature.
        pertrain_sync_models: accepted likewise.
        dp_group: accepted likewise.
        **kw: accepted likewise.
    """

    def __init__(
        self,
        params: Sequence[Tensor],
        optim: Any,
        group: Any = None,
        offload: bool = False,
        device: str = "cpu",
        pertrain_sync_models: bool = True,
        dp_group: Any = None,
        **kw: Any,
    ) -> None:
        super().__init__(optim)
        self._local_params = list(params)
        self._group = group
        self.offload = offload
