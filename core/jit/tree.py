"""Nested lists, tuples and dicts of tensors, taken apart and put together again."""

from __future__ import annotations

from typing import Any

from core.tensor import Tensor


def flatten(tree: Any) -> tuple[list[Tensor], Any]:
    """Return the tensors of a nested structure in order, and its hashable skeleton.

    Args:
        tree: Tensors inside lists, tuples and dicts; anything else is part of the skeleton.

    Raises:
        TypeError: something in it is neither a tensor, a container nor hashable.
    """
    tensors: list[Tensor] = []

    def walk(item: Any) -> Any:
        if isinstance(item, Tensor):
            tensors.append(item)
            return _LEAF
        if isinstance(item, (list, tuple)):
            return (type(item), tuple([walk(part) for part in item]))
        if isinstance(item, dict):
            return (dict, tuple(item), tuple([walk(part) for part in item.values()]))
        try:
            hash(item)
        except TypeError:
            raise TypeError(
                f"to_static: an argument of type {type(item).__name__} is neither a Tensor, a number, a string nor a"
                " list, tuple or dict of these: pass arrays as to_tensor(array)"
            ) from None
        return (_CONSTANT, type(item), item)

    return tensors, walk(tree)


def unflatten(skeleton: Any, tensors: list[Any]) -> Any:
    """Put a structure together again from :func:`flatten`'s skeleton and as many items as it had tensors."""
    remaining = iter(tensors)

    def build(part: Any) -> Any:
        if part is _LEAF:
            return next(remaining)
        if part[0] is _CONSTANT:
            return part[2]
        if part[0] is dict:
            return dict(zip(part[1], [build(item) for item in part[2]]))
        items = [build(item) for item in part[1]]
        return part[0](*items) if hasattr(part[0], "_fields") else part[0](items)

    return build(skeleton)


_LEAF = "tensor"
_CONSTANT = "constant"
