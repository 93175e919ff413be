"""Weight normalisation (Salimans and Kingma 2016, arXiv:1602.07868): a weight as length times direction."""

from __future__ import annotations

from typing import Any, Optional

from core.nn.initializer import Assign
from core.nn.param_attr import ParamAttr
from core.nn.parameter import make_parameter


class WeightNorm:
    """The pre-forward hook that makes ``weight`` from ``weight_g`` and ``weight_v``.

    Args:
        name: Name of the weight.
        dim: Axis whose slices each have a length of their own; None for one length.
    """

    def __init__(self, name: str, dim: Optional[int]) -> None:
        self.name = name
        self.dim = dim

    def compute(self, layer: Any) -> Any:
        """Return the weight.

        Args:
            layer: The layer that owns length and direction.
        """
        direction = getattr(layer, f"{self.name}_v")
        length = getattr(layer, f"{self.name}_g")
        scale = length / length_along(direction, self.dim)
        if self.dim is not None:
            scale = scale.reshape([-1 if axis == self.dim else 1 for axis in range(len(direction.shape))])
        return direction * scale

    def __call__(self, layer: Any, inputs: Any) -> None:
        """Set the layer's weight.

        Args:
            layer: The layer.
            inputs: The layer's inputs, not looked at.
        """
        layer.__dict__[self.name] = self.compute(layer)


def length_along(weight: Any, dim: Optional[int]) -> Any:
    """Return the Euclidean length of each slice of a weight.

    Args:
        weight: The weight.
        dim: Axis that numbers the slices; None for one length of everything.
    """
    axes = [axis for axis in range(len(weight.shape)) if axis != dim]
    return (weight * weight).sum(axis=axes).sqrt()


def weight_norm(layer: Any, name: str = "weight", dim: Optional[int] = 0) -> Any:
    """Replace a layer's parameter by its lengths (``weight_g``) and directions (``weight_v``), both trained.

    Args:
        layer: The layer.
        name: Name of the parameter.
        dim: Axis whose slices each have a length of their own; None for one length.

    Returns:
        The layer.

    Raises:
        ValueError: the layer has no such parameter, the weight is normalised already, or it has no such axis.
    """
    weight = layer._parameters.get(name)
    if weight is None:
        raise ValueError(f"weight_norm: {type(layer).__name__} has no parameter {name!r}, or it is normalised already")
    rank = len(weight.shape)
    if dim is not None and not -rank <= dim < rank:
        raise ValueError(f"weight_norm: dim={dim} is outside a weight of {rank} dimensions")
    hook = WeightNorm(name, None if dim is None or dim == -1 else dim % rank)
    lengths = length_along(weight.detach(), hook.dim)
    values = {"v": weight, "g": lengths}
    del layer._parameters[name]
    for suffix, value in values.items():
        attr = ParamAttr(name=f"{weight.name}_{suffix}", initializer=Assign(value.detach()))
        layer.add_parameter(f"{name}_{suffix}", make_parameter(value.shape, value.dtype, attr))
    layer.__dict__[name] = hook.compute(layer)
    layer.register_forward_pre_hook(hook)
    return layer


def remove_weight_norm(layer: Any, name: str = "weight") -> Any:
    """Make a weight-normalised parameter an ordinary one again, with its present value.

    Args:
        layer: The layer.
        name: Name of the parameter.

    Returns:
        The layer.

    Raises:
        ValueError: the parameter is not weight-normalised.
    """
    for key, hook in list(layer._forward_pre_hooks.items()):
        if isinstance(hook, WeightNorm) and hook.name == name:
            value = hook.compute(layer).detach()
            attr = ParamAttr(name=layer._parameters[f"{name}_v"].name[: -len("_v")], initializer=Assign(value))
            del layer._forward_pre_hooks[key], layer._parameters[f"{name}_v"], layer._parameters[f"{name}_g"]
            layer.__dict__.pop(name, None)
            layer.add_parameter(name, make_parameter(value.shape, value.dtype, attr))
            return layer
    raise ValueError(f"remove_weight_norm: {name!r} of {type(layer).__name__} is not weight-normalised")
