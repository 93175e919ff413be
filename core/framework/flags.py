"""Paddle's global flags. Two are obeyed, most tune an engine that is not there, and what would matter is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from core.kernels.dispatch import dispatcher
from core.kernels.engine import engine

# they tune memory, kernels and communication of Paddle's own engine: kept, and without effect
_FLAGS: dict[str, Any] = {
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_call_stack_level": 1,
    "FLAGS_conv_workspace_size_limit": 512,
    "FLAGS_cudnn_batchnorm_spatial_persistent": False,
    "FLAGS_cudnn_deterministic": False,
    "FLAGS_cudnn_exhaustive_search": False,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_embedding_deterministic": 0,
    "FLAGS_enable_cublas_tensor_op_math": False,
    "FLAGS_fast_eager_deletion_mode": True,
    "FLAGS_fraction_of_cpu_memory_to_use": 1.0,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_fuse_parameter_groups_size": 1,
    "FLAGS_fuse_parameter_memory_size": -1.0,
    "FLAGS_gemm_use_half_precision_compute_type": False,
    "FLAGS_gpu_memory_limit_mb": 0,
    "FLAGS_initial_cpu_memory_in_mb": 500,
    "FLAGS_initial_gpu_memory_in_mb": 0,
    "FLAGS_inner_op_parallelism": 0,
    "FLAGS_max_inplace_grad_add": 0,
    "FLAGS_memory_fraction_of_eager_deletion": 1.0,
    "FLAGS_reallocate_gpu_memory_in_mb": 0,
    "FLAGS_selected_gpus": "",
    "FLAGS_sync_nccl_allreduce": True,
    "FLAGS_use_autotune": False,
    "FLAGS_use_mkldnn": False,
    "FLAGS_use_pinned_memory": True,
    "FLAGS_use_stride_kernel": False,
    "FLAGS_use_system_allocator": False,
}
_REFUSED = {"FLAGS_check_nan_inf": "look for them with core.isfinite"}
_OBEYED = ("FLAGS_benchmark", "FLAGS_set_to_1d")


def _check(name: str, action: str) -> None:
    if name not in _FLAGS and name not in _REFUSED and name not in _OBEYED:
        raise ValueError(f"{action}: there is no flag {name!r}")


def set_flags(flags: dict[str, Any]) -> None:
    """Set global flags.

    ``FLAGS_benchmark`` waits after each operator, as ``CORE_SYNC=1`` does. With ``FLAGS_set_to_1d``, for code that was
    written before Paddle 2.5, one element that a subscript takes out of a tensor, and an array that ``numpy()`` reads
    from a tensor without axes, have one axis. Flags that tune Paddle's engine are kept and change nothing.

    Args:
        flags: name to value.

    Raises:
        TypeError: ``flags`` is no dictionary.
        ValueError: there is no such flag; none has been set.
        NotImplementedError: the flag asks for something that is not built; none has been set.
    """
    if not isinstance(flags, dict):
        raise TypeError(f"set_flags: flags must be a dict, not {type(flags).__name__}")
    for name, value in flags.items():
        _check(name, "set_flags")
        if name in _REFUSED and value:
            raise NotImplementedError(f"set_flags: {name} is not built: {_REFUSED[name]}")
    for name, value in flags.items():
        if name == "FLAGS_benchmark":
            engine.SYNCHRONOUS = bool(value)
        elif name == "FLAGS_set_to_1d":
            dispatcher.at_least_1d = bool(value)
        elif name not in _REFUSED:
            _FLAGS[name] = value


def get_flags(flags: Union[str, Sequence[str]]) -> dict[str, Any]:
    """Return global flags.

    Args:
        flags: a name, or a list or tuple of names.

    Returns:
        Name to value.

    Raises:
        TypeError: ``flags`` is neither.
        ValueError: there is no such flag.
    """
    if not isinstance(flags, (str, list, tuple)):
        raise TypeError(f"get_flags: flags must be a name or a list of names, not {type(flags).__name__}")
    names = [flags] if isinstance(flags, str) else list(flags)
    for name in names:
        _check(name, "get_flags")
    obeyed = {"FLAGS_benchmark": engine.SYNCHRONOUS, "FLAGS_set_to_1d": dispatcher.at_least_1d}
    values = {**_FLAGS, **dict.fromkeys(_REFUSED, False), **obeyed}
    return {name: values[name] for name in names}
