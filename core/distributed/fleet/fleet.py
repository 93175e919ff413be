"""Fleet: what a process asks about the others, and how a model and an optimizer are prepared for them."""

from __future__ import annotations

from typing import Any, Optional, Union

from core.distributed.environment import ParallelEnv, get_rank, get_world_size, init_parallel_env, require_one_process
from core.distributed.fleet.role_maker import PaddleCloudRoleMaker
from core.distributed.fleet.strategy import DistributedStrategy
from core.distributed.fleet.topology import CommunicateTopology, HybridCommunicateGroup
from core.distributed.fleet.utils.log_util import set_log_level
from core.nn import Layer
from core.optimizer import Optimizer


class Fleet:
    """The processes of a run. ``core.distributed.fleet`` has the methods of one such object as functions."""

    def init(
        self,
        role_maker: Optional[PaddleCloudRoleMaker] = None,
        is_collective: bool = False,
        strategy: Optional[DistributedStrategy] = None,
        log_level: Union[int, str] = "INFO",
    ) -> Fleet:
        """Prepare for operations between processes.

        Args:
            role_maker: what this process is; the environment says it when it is None.
            is_collective: whether all processes are workers.
            strategy: settings.
            log_level: the level of the logger of fleet.

        Returns:
            This object.

        Raises:
            NotImplementedError: there are several processes, or parameter servers.
            TypeError: the strategy is no DistributedStrategy.
        """
        if strategy is not None and not isinstance(strategy, DistributedStrategy):
            raise TypeError(f"fleet.init: strategy must be a DistributedStrategy, not {type(strategy).__name__}")
        set_log_level(log_level)
        self._role_maker = PaddleCloudRoleMaker(is_collective) if role_maker is None else role_maker
        init_parallel_env()
        self._user_defined_strategy = DistributedStrategy() if strategy is None else strategy
        self._topology = CommunicateTopology()
        self._hcg = HybridCommunicateGroup(self._topology)
        return self

    def get_hybrid_communicate_group(self) -> HybridCommunicateGroup:
        """Return the groups of processes that :meth:`init` made.

        Raises:
            AttributeError: it has not been called; programs for one process as well as several catch it.
        """
        if "_hcg" not in vars(self):
            raise AttributeError("fleet.get_hybrid_communicate_group: call fleet.init(is_collective=True) first")
        return self._hcg

    def worker_index(self) -> int:
        """Return the number of this process, from 0."""
        return get_rank()

    def worker_num(self) -> int:
        """Return how many processes there are."""
        return get_world_size()

    def is_first_worker(self) -> bool:
        """Return whether this is process 0."""
        return get_rank() == 0

    def local_rank(self) -> int:
        """Return the number of this process on its machine."""
        return ParallelEnv().local_rank

    def node_num(self) -> int:
        """Return how many machines there are: 1."""
        return 1

    def is_worker(self) -> bool:
        """Return True: there are no parameter servers."""
        return True

    def is_server(self) -> bool:
        """Return False: there are no parameter servers."""
        return False

    def worker_endpoints(self, to_string: bool = False) -> Union[str, list[str]]:
        """Return the addresses of all processes.

        Args:
            to_string: return them as one text, with commas.
        """
        endpoints = [endpoint for endpoint in ParallelEnv().trainer_endpoints if endpoint] or ["127.0.0.1:6170"]
        return ",".join(endpoints) if to_string else endpoints

    def server_num(self) -> int:
        """Return how many parameter servers there are: 0."""
        return 0

    def server_endpoints(self, to_string: bool = False) -> Union[str, list[str]]:
        """Return the addresses of the parameter servers: none.

        Args:
            to_string: return them as one text, with commas.
        """
        return "" if to_string else []

    def barrier_worker(self) -> None:
        """Wait until all processes have come to this point."""
        require_one_process("fleet.barrier_worker")

    def distributed_model(self, model: Layer) -> Layer:
        """Return the model, prepared for several processes: for one, as it is.

        Args:
            model: any layer.

        Raises:
            TypeError: it is none.
            NotImplementedError: there are several processes.
        """
        if not isinstance(model, Layer):
            raise TypeError(f"fleet.distributed_model: model must be a Layer, not {type(model).__name__}")
        require_one_process("fleet.distributed_model")
        return model

    def distributed_optimizer(self, optimizer: Optimizer, strategy: Optional[DistributedStrategy] = None) -> Optimizer:
        """Return the optimizer, prepared for several processes: for one, as it is.

        Args:
            optimizer: any optimizer.
            strategy: settings.

        Raises:
            NotImplementedError: there are several processes.
        """
        require_one_process("fleet.distributed_optimizer")
        return optimizer

    def distributed_scaler(self, scaler: Any) -> Any:
        """Return the loss scaler, prepared for several processes: for one, as it is.

        Args:
            scaler: a GradScaler.

        Raises:
            NotImplementedError: there are several processes.
        """
        require_one_process("fleet.distributed_scaler")
        return scaler
