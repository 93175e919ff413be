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
_CONFIGS: dict[str, Any] = {f"{name}_configs": {} for name in _METHODS}
_CONFIGS["pipeline_configs"] = {
    "micro_batch_size": 1,
    "accumulate_steps": 1,
    "schedule_mode": "1F1B",
    "p2p_cache_shape": True,
    "enable_partial_send_recv": True,
}

_ORDER = ("dp", "pp", "sharding", "sep", "mp")
_HYBRID: dict[str, dict[str, Any]] = {
    "mp_configs": {
        "sync_param": True,
        "sync_grad": False,
        "sync_moment": False,
        "sync_mode": "broadcast",
        "mp_async_allreduce": False,
        "mp_skip_c_identity": False,
        "mp_fused_linear_param_grad_add": False,
        "need_broadcast_data": True,
    },
    "pp_configs": {
        "dp_comm_overlap": False,
        "delay_scale_loss": False,
        "enable_timer": False,
        "sharding_comm_overlap": False,
        "profiling": False,
    },
    "sharding_configs": {
        "tensor_fusion": False,
        "accumulate_steps": 1,
        "comm_overlap": False,
        "split_param": False,
        "fuse_optimizer": True,
    },
}


class HybridSettings:
    """Settings of one axis of a grid of processes: one process keeps them, and they change nothing.

    Args:
        name: its name in ``hybrid_configs``.
    """

    _name: str

    def __init__(self, name: str) -> None:
        self.__dict__.update(_HYBRID[name])
        self.__dict__["_name"] = name

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _HYBRID[self._name]:
            raise AttributeError(f"{self._name} has no setting {name!r}: it has {', '.join(_HYBRID[self._name])}")
        self.__dict__[name] = value

    def update(self, values: dict[str, Any]) -> None:
        """Set several.

        Args:
            values: name to value.
        """
        for name, value in values.items():
            setattr(self, name, value)

    def as_dict(self) -> dict[str, Any]:
        """Return name to value of all."""
        return {name: getattr(self, name) for name in _HYBRID[self._name]}


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
        values.update({name: dict(configs) for name, configs in _CONFIGS.items()})
        degrees = {f"{axis}_degree": -1 if axis == "dp" else 1 for axis in ("dp", "mp", "pp", "sharding", "sep")}
        values["hybrid_configs"] = {**degrees, **{name: HybridSettings(name) for name in _HYBRID}}
        values["hybrid_parallel_order"] = list(_ORDER)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"DistributedStrategy has no setting {name!r}")
        if name in _METHODS and value:
            raise NotImplementedError(f"DistributedStrategy.{name} is not built: {_METHODS[name]} instead")
        if name == "hybrid_configs":
            self._set_hybrid(value)
        elif name in _CONFIGS:
            if not isinstance(value, dict):
                raise TypeError(f"DistributedStrategy.{name} must be a dict, not {type(value).__name__}")
            self.__dict__[name] = {**self.__dict__[name], **value}
        else:
            self.__dict__[name] = value

    def _set_hybrid(self, given: dict[str, Any]) -> None:
        configs = self.__dict__["hybrid_configs"]
        for name, value in given.items():
            if name == "order":
                if sorted(value) != sorted(_ORDER):
                    raise ValueError(f"hybrid_configs: order must hold {', '.join(_ORDER)}, not {value!r}")
                self.__dict__["hybrid_parallel_order"] = list(value)
            elif name not in configs:
                raise ValueError(f"hybrid_configs has no setting {name!r}: it has {', '.join(configs)} and order")
        _check_degrees(given)
        for name, value in given.items():
            if isinstance(configs.get(name), HybridSettings):
                configs[name].update(value if isinstance(value, dict) else value.as_dict())
            elif name != "order":
                configs[name] = value


def _check_degrees(configs: dict[str, Any]) -> None:
    for name, degree in configs.items():
        if name.endswith("_degree") and degree not in (-1, 1):
            raise NotImplementedError(
                f"DistributedStrategy.hybrid_configs: {name}={degree}, but training with several processes is not"
                " built: use 1"
            )
