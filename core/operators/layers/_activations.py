"""All activations by their names, for functions that take one as a word."""

from __future__ import annotations

from typing import Any, Callable

from core.operators.layers import activation, activation_shrink, activation_smooth, activation_softmax

ACTIVATIONS: dict[str, Callable[..., Any]] = {
    name: getattr(family, name)
    for family in (activation, activation_shrink, activation_smooth, activation_softmax)
    for name in family.__all__
}
