"""What encoder and decoder layers share: settings, feed-forward block, attributes per part."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core.nn import functional as F
from core.nn.layer.checks import positive
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttr


def attributes_per_part(attr: Any, parts: int) -> list[Any]:
    """Return one ParamAttr (or False) for each part of a layer.

    Args:
        attr: One for all parts, or a list of one each.
        parts: Number of parts.

    Raises:
        ValueError: a list has another length.
    """
    if isinstance(attr, (list, tuple)):
        if len(attr) != parts:
            raise ValueError(f"a list of parameter attributes has one for each of the {parts} parts, not {len(attr)}")
        return [ParamAttr._to_attr(item) for item in attr]
    if isinstance(attr, bool) or attr is None:
        return [ParamAttr._to_attr(attr) for _ in range(parts)]
    described = ParamAttr._to_attr(attr)
    settings = {key: value for key, value in vars(described).items() if key != "name"}
    return [
        ParamAttr(name=None if described.name is None else f"{described.name}_{part}", **settings)
        for part in range(parts)
    ]


def function_named(owner: str, activation: str) -> Callable[..., Any]:
    """Return a function of ``core.nn.functional`` by name.

    Args:
        owner: The layer's name.
        activation: The function's name.

    Raises:
        ValueError: there is no such function.
    """
    function = getattr(F, activation, None)
    if function is None:
        raise ValueError(f"{owner}: core.nn.functional has no function {activation!r} to use as activation")
    return function


class TransformerPart(Layer):
    """Base of encoder and decoder layers: keeps and checks the settings.

    Args:
        **settings: The constructor's arguments; kept to make further layers alike.
    """

    _config: dict[str, Any]
    norm1: Any
    norm2: Any
    linear1: Any
    linear2: Any
    dropout: Any

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        owner = type(self).__name__
        for name in ("d_model", "nhead", "dim_feedforward"):
            positive(owner, name, settings[name])
        self._config = settings
        self.normalize_before: bool = settings["normalize_before"]
        self.activation = function_named(owner, settings["activation"])

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


def or_default(value: Optional[float], default: float) -> float:
    """Return a dropout probability, or the general one where it is None.

    Args:
        value: The probability or None.
        default: The general one.
    """
    return default if value is None else value
