"""How arguments and results are nested, as plain data: what an exported program keeps of lists, tuples and dicts.

A form is ``("tensor", number)``, ``("list" | "tuple", [form, ...])``, ``("dict", [(key, form), ...])`` or
``("constant", value)``; the numbers count the tensors from 0 in order. A dict of a class of
its own (a model's output) has the form of a plain one: its keys are what it is read by.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Callable

CONSTANTS = (type(None), bool, int, float, str)


def form_of(item: Any, is_tensor: Callable[[Any], bool], caller: str) -> tuple[Any, list[Any]]:
    """Take a nested structure apart.

    Args:
        item: Tensors, numbers and text in lists, tuples and dicts.
        is_tensor: Tells what counts as a tensor.
        caller: What the error says is wrong, such as ``the result``.

    Returns:
        Its form, and its tensors in order.

    Raises:
        TypeError: something in it cannot be written down.
    """
    tensors: list[Any] = []

    def walk(part: Any) -> Any:
        if is_tensor(part):
            tensors.append(part)
            return ("tensor", len(tensors) - 1)
        if type(part) in (list, tuple):
            return (type(part).__name__, [walk(inner) for inner in part])
        if isinstance(part, dict) and all(type(key) in (str, int) for key in part):
            return ("dict", [(key, walk(inner)) for key, inner in part.items()])
        if type(part) in CONSTANTS:
            return ("constant", part)
        raise TypeError(
            f"{caller} holds an object of type {type(part).__name__}, which a program cannot express: use tensors,"
            " numbers and text in lists, tuples and dicts with text or int keys"
        )

    return walk(item), tensors


def filled(form: Any, tensors: Sequence[Any]) -> Any:
    """Put a structure together again from its form and its tensors."""
    kind, content = form
    if kind == "tensor":
        return tensors[content]
    if kind == "list":
        return [filled(part, tensors) for part in content]
    if kind == "tuple":
        return tuple([filled(part, tensors) for part in content])
    if kind == "dict":
        return {key: filled(part, tensors) for key, part in content}
    return content


def matched(form: Any, item: Any, place: str) -> list[Any]:
    """Return the tensors of an argument that must be nested like a form.

    Args:
        form: The form.
        item: The argument; lists and tuples are one.
        place: Its name, for the error.

    Raises:
        TypeError: it is nested otherwise, or holds another constant.
    """
    kind, content = form
    if kind == "tensor":
        return [item]
    if kind == "constant":
        if type(item) is not type(content) or item != content:
            raise TypeError(f"{place} was {content!r} when the program was made and cannot be {item!r}: export again")
        return []
    if kind == "dict":
        if not isinstance(item, dict) or list(item) != [key for key, _ in content]:
            wanted = ", ".join(repr(key) for key, _ in content)
            raise TypeError(f"{place} must be a dict with the keys {wanted}")
        return list(itertools.chain(*[matched(part, item[key], f"{place}[{key!r}]") for key, part in content]))
    if not isinstance(item, (list, tuple)) or len(item) != len(content):
        raise TypeError(f"{place} must be a {kind} of {len(content)} items")
    found = [matched(part, inner, f"{place}[{i}]") for i, (part, inner) in enumerate(zip(content, item))]
    return list(itertools.chain(*found))


def tensor_names(form: Any, place: str) -> list[str]:
    """Return a name for each tensor of a form: ``states``, or ``states.0`` and ``states.h`` inside a structure."""
    kind, content = form
    if kind == "tensor":
        return [place]
    if kind in ("list", "tuple"):
        content = list(enumerate(content))
    elif kind == "constant":
        return []
    return [name for key, part in content for name in tensor_names(part, f"{place}.{key}")]
