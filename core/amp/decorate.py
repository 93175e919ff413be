"""decorate: layers whose weights are 16-bit, and optimizers that keep float32 ones beside them."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core.amp.auto_cast import TYPES
from core.amp.support import is_bfloat16_supported, is_float16_supported
from core.kernels.dtypes import to_dtype
from core.nn.layer.instance_norm import InstanceNorm1D, InstanceNorm2D, InstanceNorm3D
from core.nn.layer.layers import Layer
from core.nn.layer.norm import LayerNorm
from core.operators.creation.creation import cast
from core.optimizer import Optimizer
from core.tensor import Tensor

_FLOAT32_BESIDE_FLOAT16 = (LayerNorm, InstanceNorm1D, InstanceNorm2D, InstanceNorm3D)
_SAVED = ("float16", "bfloat16", "float32", "float64")


def decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: Optional[bool] = None,
    save_dtype: Optional[str] = None,
    master_grad: bool = False,
    excluded_layers: Any = None,
) -> Any:
    """Prepare layers and optimizers for mixed precision: at level O2 parameters become 16-bit, at O1 nothing changes.

    Batch normalisation keeps float32 parameters; for float16 layer and instance normalisation do too. On a device that
    does not compute in the type nothing changes either.

    Args:
        models: A Layer or a list of them.
        optimizers: An Optimizer or a list of them.
        level: ``O1`` or ``O2``.
        dtype: ``bfloat16`` or ``float16``.
        master_weight: False: an optimizer keeps no float32 copies of the weights that it moves.
        save_dtype: The floating-point type in which ``state_dict`` gives parameters and buffers; None: their own.
        master_grad: Whether the parameters' gradients are float32.
        excluded_layers: A Layer or Layer class, or a list of them, whose parameters stay as they are.

    Returns:
        The models, or the models and the optimizers: what was given, changed in place.

    Raises:
        ValueError: the level or a type is unknown.
        TypeError: a model is no Layer, an optimizer no Optimizer, or an excluded layer neither Layer nor class.
    """
    if level not in ("O1", "O2"):
        raise ValueError(f"decorate: level is 'O1' or 'O2', not {level!r}")
    if dtype not in TYPES:
        raise ValueError(f"decorate: dtype is 'bfloat16' or 'float16', not {dtype!r}")
    if save_dtype is not None and save_dtype not in _SAVED:
        raise ValueError(f"decorate: save_dtype is one of {', '.join(_SAVED)}, not {save_dtype!r}")
    layers = _listed(models, Layer, "models")
    listed = [] if optimizers is None else _listed(optimizers, Optimizer, "optimizers")
    excluded = _excluded(excluded_layers)
    supported = is_float16_supported() if dtype == "float16" else is_bfloat16_supported()
    if level == "O2" and supported:
        for layer in [layer for model in layers for layer in model.sublayers(include_self=True)]:
            if not (layer._keeps_float32 or excluded(layer)):
                if not (dtype == "float16" and isinstance(layer, _FLOAT32_BESIDE_FLOAT16)):
                    layer._convert_dtype(to_dtype(dtype))
        for optimizer in listed:
            optimizer._multi_precision = master_weight is not False
        for model in layers:
            if master_grad:
                _upcast_gradients(model)
            if save_dtype is not None:
                model.register_state_dict_hook(_converter(save_dtype))
    return models if optimizers is None else (models, optimizers)


def _listed(given: Any, kind: type, argument: str) -> list[Any]:
    entries = list(given) if isinstance(given, (list, tuple)) else [given]
    for entry in entries:
        if not isinstance(entry, kind):
            raise TypeError(f"decorate: {argument} must be of {kind.__name__}, not {type(entry).__name__}")
    return entries


def _excluded(chosen: Any) -> Callable[[Any], bool]:
    """Return a function that says whether a layer is excluded."""
    entries = [] if chosen is None else list(chosen) if isinstance(chosen, (list, tuple)) else [chosen]
    classes: list[type] = []
    instances: set[int] = set()
    for entry in entries:
        if isinstance(entry, type) and issubclass(entry, Layer):
            classes.append(entry)
        elif isinstance(entry, Layer):
            instances.update(id(layer) for layer in entry.sublayers(include_self=True))
        else:
            raise TypeError(f"decorate: excluded_layers holds Layers and Layer classes, not {entry!r}")
    return lambda layer: isinstance(layer, tuple(classes)) or id(layer) in instances


def _upcast_gradients(model: Any) -> None:
    for parameter in model.parameters():
        if not parameter.stop_gradient and parameter.dtype.size == 2:
            parameter.register_hook(lambda gradient: cast(gradient, "float32"))


def _converter(dtype: str) -> Callable[[dict[str, Any]], None]:
    def convert(state: dict[str, Any]) -> None:
        for key, tensor in state.items():
            if isinstance(tensor, Tensor) and tensor.dtype.is_floating and tensor.dtype.name != dtype:
                converted = cast(tensor, dtype).detach()
                converted.name = tensor.name
                state[key] = converted

    return convert


amp_decorate = decorate
