"""Gradients and parameters of all processes, made equal by hand, and what is inside a wrapped optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.distributed.environment import require_one_process
from core.nn import Layer
from core.tensor import Tensor


def fused_allreduce_gradients(parameter_list: Sequence[Tensor], hcg: Any) -> None:
    """Average the gradients of parameters over all processes: over one, they stay.

    Args:
        parameter_list: the parameters.
        hcg: the groups of processes; None for all.

    Raises:
        NotImplementedError: there are several processes.
    """
    require_one_process("fused_allreduce_gradients")


def fused_allreduce_gradients_with_group(
    parameter_list: Sequence[Tensor], group: Any, bucket_size: int = 128 * 1024 * 1024, scale: Optional[float] = None
) -> None:
    """Add up the gradients of parameters over a group of processes: over one, they stay.

    Args:
        parameter_list: the parameters.
        group: the processes.
        bucket_size: how many bytes are sent at once; nothing is sent.
        scale: what the sums are divided by; the number of processes when it is None.

    Raises:
        NotImplementedError: there are several processes.
    """
    require_one_process("fused_allreduce_gradients_with_group")


def broadcast_input_data(hcg: Any, *inputs: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Replace inputs by those of the first process along the model axis: with one, they stay.

    Args:
        hcg: the groups of processes.
        *inputs: tensors and objects.
        **kwargs: tensors and objects with names.

    Returns:
        The inputs, and those with names.
    """
    require_one_process("broadcast_input_data")
    return inputs, kwargs


def broadcast_mp_parameters(model: Layer, hcg: Any) -> None:
    """Replace parameters by those of the first process along the model axis: with one, they stay.

    Args:
        model: the layer that has them.
        hcg: the groups of processes.
    """
    require_one_process("broadcast_mp_parameters")


def broadcast_dp_parameters(model: Layer, hcg: Any) -> None:
    """Replace parameters by those of the first process along the data axis: with one, they stay.

    Args:
        model: the layer that has them.
        hcg: the groups of processes.
    """
    require_one_process("broadcast_dp_parameters")


def broadcast_sharding_parameters(model: Layer, hcg: Any) -> None:
    """Replace parameters by those of the first process along the sharding axis: with one, they stay.

    Args:
        model: the layer that has them.
        hcg: the groups of processes.
    """
    require_one_process("broadcast_sharding_parameters")


def broadcast_sep_parameters(model: Layer, hcg: Any) -> None:
    """Replace parameters by those of the first process along the segment axis: with one, they stay.

    Args:
        model: the layer that has them.
        hcg: the groups of processes.
    """
    require_one_process("broadcast_sep_parameters")


def obtain_optimizer_parameters_list(optimizer: Any) -> list[Tensor]:
    """Return all parameters of an optimizer.

    Args:
        optimizer: an optimizer, with groups or without.
    """
    groups = getattr(optimizer, "_param_groups", None)
    if groups and isinstance(groups[0], dict):
        return [parameter for group in groups for parameter in group["params"]]
    return list(optimizer._parameter_list)


def unwrap_optimizer(optimizer: Any, optimizer_instances: Union[type, tuple[type, ...]] = ()) -> Any:
    """Return what is inside an optimizer that others wrap.

    Args:
        optimizer: the outermost one.
        optimizer_instances: the classes of wrappers to look into.
    """
    inner: Any = optimizer
    while isinstance(inner, optimizer_instances):
        inner = inner.__dict__["_inner_opt"]
    return inner
