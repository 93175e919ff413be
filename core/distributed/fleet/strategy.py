"""DistributedStrategy: Paddle's many switches, of which one process needs none."""

from __future__ import annotations

from typing import Any

# How gradients travel between processes, or how Paddle's own graphs are run. One process sends nothing.
_TUNING: dict[str, Any] = {
    "build_strategy": None,
    "conv_workspace_size_limit": 512,
    "cudnn_batchnorm_spatial_persistent": False,
    "cudnn_exhaustive_search": False,
    "execution_strategy": None,
    "find_unused_parameters": False,
    "fp16_allreduce": False,
    "fuse_all_reduce_ops": True,
    "fuse_grad_merge": False,
    "fuse_grad_size_in_MB": 32,
    "fuse_grad_size_in_num": 8,
    "gradient_scale_configs": {"scale_strategy": "avg", "scale_gradient": False},
    "hierarchical_allreduce_inter_nranks": 1,
    "last_comm_group_size_MB": 1.0,
    "nccl_comm_num": 1,
    "sync_batch_norm": False,
    "sync_nccl_allreduce": True,
    "use_hierarchical_allreduce": False,
    "without_graph_optimization": True,
}

# What changes the training itself, with what does it here instead.
_METHODS = {
    "a_sync": "train synchronously",
    "adam_d2sum": "use core.optimizer.Adam",
    "adaptive_localsgd": "average in every step",
    "amp": "use core.amp.auto_cast and GradScaler",
    "asp": "train dense weights",
    "auto": "choose the strategy yourself",
    "auto_search": "choose the strategy yourself",
    "dgc": "send whole gradients",
    "gradient_merge": "call backward several times before the optimizer's step",
    "lamb": "use core.optimizer.Lamb",
    "lars": "use core.optimizer.Momentum",
    "localsgd": "average in every step",
    "pipeline": "keep the layers together",
    "qat": "train with floating-point numbers",
    "recompute": "use core.distributed.fleet.utils.recompute in the model",
    "semi_auto": "choose the strategy yourself",
    "sharding": "keep the parameters together",
    "tensor_parallel": "keep the parameters together",
}
_CONFIGS = tuple(f"{name}_configs" for name in _METHODS)


class DistributedStrategy:
    """Settings of a run with several processes.

    Settings of the communication are kept and change nothing. A method of training that is not built is refused when it
    is switched on.

    Example:
        >>> strategy = core.distributed.fleet.DistributedStrategy()
        >>> strategy.find_unused_parameters = True
    """

    def __init__(self) -> None:
        values = self.__dict__
        values.update(_TUNING)
        values.update(dict.fromkeys(_METHODS, False))
        values.update({name: {} for name in _CONFIGS})
        values["hybrid_configs"] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"DistributedStrategy has no setting {name!r}")
        if name in _METHODS and value:
            raise NotImplementedError(f"DistributedStrategy.{name} is not built: {_METHODS[name]} instead")
        if name == "hybrid_configs":
            _check_degrees(value)
        self.__dict__[name] = value


def _check_degrees(configs: dict[str, Any]) -> None:
    for name, degree in configs.items():
        if name.endswith("_degree") and degree not in (-1, 1):
            raise NotImplementedError(
                f"DistributedStrategy.hybrid_configs: {name}={degree}, but training with several processes is not"
                " built: use 1"
            )
