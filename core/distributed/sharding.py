"""Parameters, gradients and optimizer state spread over processes (paddle.distributed.sharding), so far for one."""

from __future__ import annotations

import os
from typing import Any, Optional

from core.distributed.environment import require_one_process
from core.distributed.fleet.optimizers import GroupShardedOptimizerStage2
from core.nn import Layer
from core.optimizer import Optimizer
from core.weights import save

__all__ = ["group_sharded_parallel", "save_group_sharded_model"]

LEVELS = ("os", "os_g", "p_g_os")


def group_sharded_parallel(
    model: Layer,
    optimizer: Optimizer,
    level: str,
    scaler: Any = None,
    group: Any = None,
    offload: bool = False,
    sync_buffers: bool = False,
    buffer_max_size: int = 2**23,
    segment_size: int = 2**20,
    sync_comm: bool = False,
    dp_group: Any = None,
    exclude_layer: Any = None,
) -> tuple[Layer, Any, Any]:
    """Spread a model's training over processes: one has all of it.

    Args:
        model: the layer to train.
        optimizer: its optimizer.
        level: what is spread: ``os`` (optimizer state), ``os_g`` (gradients too), ``p_g_os`` (parameters too).
        scaler: a GradScaler, or None.
        group: the processes; all when it is None.
        offload: keep what is not used in the host's memory, where it is.
        sync_buffers: accepted for Paddle's signature.
        buffer_max_size: accepted likewise.
        segment_size: accepted likewise.
        sync_comm: accepted likewise.
        dp_group: accepted likewise.
        exclude_layer: accepted likewise.

    Returns:
        The model, an optimizer and the scaler to train with.

    Raises:
        TypeError: the model is no Layer, or the optimizer none.
        ValueError: there is no such level.
        NotImplementedError: there are several processes.
    """
    require_one_process("group_sharded_parallel")
    if not isinstance(model, Layer):
        raise TypeError(f"group_sharded_parallel: model must be a Layer, not {type(model).__name__}")
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"group_sharded_parallel: optimizer must be an Optimizer, not {type(optimizer).__name__}")
    if level not in LEVELS:
        raise ValueError(f"group_sharded_parallel: level must be one of {', '.join(LEVELS)}, not {level!r}")
    if level != "p_g_os":
        return model, GroupShardedOptimizerStage2(model.parameters(), optimizer, group, offload), scaler
    return model, optimizer, scaler


def save_group_sharded_model(model: Layer, output: str, optimizer: Optional[Any] = None) -> None:
    """Save what :func:`group_sharded_parallel` returned as ``model.pdmodel`` and ``model.pdopt``.

    Args:
        model: the model.
        output: the folder.
        optimizer: the optimizer, if its state is wanted.

    Raises:
        ValueError: the folder is the name of a file.
    """
    require_one_process("save_group_sharded_model")
    if os.path.isfile(output):
        raise ValueError(f"save_group_sharded_model: output must be a folder, but {output} is a file")
    os.makedirs(output, exist_ok=True)
    save(model.state_dict(), os.path.join(output, "model.pdmodel"))
    if optimizer is not None:
        save(optimizer.state_dict(), os.path.join(output, "model.pdopt"))


def sharded_scaler(scaler: Any) -> Any:
    """Return a GradScaler that looks for overflows on all processes: with one, the scaler itself.

    Args:
        scaler: a GradScaler.
    """
    require_one_process("GroupShardedScaler")
    return scaler
