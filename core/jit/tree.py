"""Nested lists, tuples and dicts of tensors, taken apart and put together again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from core.operators.arithmetic.complex_tensor import ComplexTensor
from core.tensor import Tensor


def flatten(tree: Any) -> tuple[list[Tensor], Any]:
    """Return the tensors of a nested structure in order, and its hashable skeleton.

    Args:
        tree: Tensors inside lists, tuples and dicts; anything else is part of the skeleton.

    Raises:
        TypeError: something in it is neither a tensor, a container nor hashable.
    """
    tensors: list[Tensor] = []
    return tensors, _walk(tree, tensors)


def unflatten(skeleton: Any, tensors: list[Any]) -> Any:
    """Put a structure together again from :func:`flatten`'s skeleton and as many items as it had tensors."""
    return _build(skeleton, iter(tensors))


# Functions of the module: one that calls itself from inside another would keep its tensors until garbage is collected.


def _walk(item: Any, tensors: list[Tensor]) -> Any:
    if isinstance(item, ComplexTensor):
        return (ComplexTensor, (_walk(item._real, tensors), _walk(item._imag, tensors)))
    if isinstance(item, Tensor):
        tensors.append(item)
        return _LEAF
    if isinstance(item, (list, tuple)):
        return (type(item), tuple([_walk(part, tensors) for part in item]))
    if isinstance(item, slice):
        return (slice, (_walk(item.start, tensors), _walk(item.stop, tensors), _walk(item.step, tensors)))
    if isinstance(item, dict):
        kind = OrderedDict if isinstance(item, OrderedDict) else dict
        return (kind, tuple(item), tuple([_walk(part, tensors) for part in item.values()]))
    try:
        hash(item)
    except TypeError:
        raise TypeError(
            f"to_static: an argument of type {type(item).__name__} is neither a Tensor, a number, a string nor a"
            " list, tuple or dict of these: pass arrays as to_tensor(array)"
        ) from None
    return (_CONSTANT, type(item), item)


def _build(part: Any, remaining: Iterator[Any]) -> Any:
    if part is _LEAF:
        return next(remaining)
    if part[0] is _CONSTANT:
        return part[2]
    if part[0] is dict or part[0] is OrderedDict:
        return part[0](zip(part[1], [_build(item, remaining) for item in part[2]]))
    items = [_build(item, remaining) for item in part[1]]
    by_place = part[0] in (slice, ComplexTensor) or hasattr(part[0], "_fields")
    return part[0](*items) if by_place else part[0](items)


_LEAF = "tensor"
_CONSTANT = "constant"
