"""How a public name is written down for comparison: its kind, its parameters and their defaults."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from typing import Any

PLAIN = (bool, int, float, str, type(None))


def default_text(value: Any) -> str:
    """Return a default value as text that is the same in both libraries."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(default_text(item) for item in value) + "]"
    if isinstance(value, enum.Enum):
        return f"<{value.name}>"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return repr(value) if isinstance(value, PLAIN) else f"<{type(value).__name__}>"
    return repr(float(value))


def signature_text(function: Any) -> str:
    """Return the parameters of a function or class, or "" where Python cannot find them."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ""
    words, only_named = [], False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            only_named = True
            words.append(f"*{parameter.name}")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not only_named:
            only_named = True
            words.append("*")
        word = f"**{parameter.name}" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
        words.append(word if parameter.default is parameter.empty else f"{word}={default_text(parameter.default)}")
    return "(" + ", ".join(words) + ")"


def kind_of(value: Any) -> str:
    """Return class, function, property or value."""
    if inspect.isclass(value):
        return "class"
    if isinstance(value, property) or inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value):
        return "property"
    if inspect.ismodule(value):
        return "module"
    return "function" if callable(value) else "value"


def method_names(owner: type, others: set[type]) -> Iterator[str]:
    """Yield the public methods and properties of a class that it does not have from another listed class."""
    inherited = {name for base in owner.__mro__[1:] if base in others or base is object for name in dir(base)}
    for name in dir(owner):
        if not name.startswith("_") and (name not in inherited or name in owner.__dict__):
            yield name
