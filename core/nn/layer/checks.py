"""Checks of constructor arguments that many layers share, and small helpers for their repr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional


def positive(owner: str, argument: str, value: Any) -> int:
    """Return a positive integer argument.

    Args:
        owner: The layer's name.
        argument: The argument's name.
        value: What was given.

    Raises:
        ValueError: it is no positive integer.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < 1:
        raise ValueError(f"{owner}: {argument} must be a positive integer, but got {value!r}")
    return int(value)


def positive_numbers(owner: str, **numbers: int) -> None:
    """Check arguments of a network that count something.

    Args:
        owner: The network's name.
        **numbers: Arguments by name.

    Raises:
        ValueError: one is no positive whole number.
    """
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{owner}: {name} must be a positive whole number, not {number!r}")


def not_false(owner: str, weight_attr: Any, because: str) -> None:
    """Refuse False as the description of a parameter that a layer cannot do without.

    Args:
        owner: The layer's name.
        weight_attr: What was given.
        because: Why it is needed.

    Raises:
        ValueError: it is False.
    """
    if weight_attr is False:
        raise ValueError(f"{owner}: weight_attr cannot be False: {because}")


def one_of(owner: str, argument: str, value: Any, allowed: Sequence[Any]) -> Any:
    """Return an argument that must be one of a few values.

    Args:
        owner: The layer's name.
        argument: The argument's name.
        value: What was given.
        allowed: The values.

    Raises:
        ValueError: it is none of them.
    """
    if value not in allowed:
        choices = ", ".join(repr(item) for item in allowed)
        raise ValueError(f"{owner}: {argument} must be one of {choices}, but got {value!r}")
    return value


def per_axis(owner: str, argument: str, value: Any, axes: int) -> list[int]:
    """Return one positive integer per spatial axis from an integer or a sequence.

    Args:
        owner: The layer's name.
        argument: The argument's name.
        value: An integer for all axes, or one per axis.
        axes: Number of spatial axes.

    Raises:
        ValueError: a value is not positive, or their number is wrong.
    """
    if isinstance(value, (list, tuple)):
        if len(value) != axes:
            raise ValueError(f"{owner}: {argument} needs {axes} value(s), but got {list(value)!r}")
        return [positive(owner, argument, item) for item in value]
    return [positive(owner, argument, value)] * axes


def with_name(text: str, name: Optional[str]) -> str:
    """Append ``name=...`` to a layer's extra_repr where a name was given.

    Args:
        text: The repr so far.
        name: The name or None.
    """
    if not name:
        return text
    return f"{text}, name={name}" if text else f"name={name}"
