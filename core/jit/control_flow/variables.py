"""The variables that a branch or a loop may change: taken apart into leaves, compared, and put together again.

A variable's value is frozen before a branch is traced, so that it can be restored for the other one: lists and dicts
with what they hold, tensors with the value that their handle has.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Callable

import numpy as np

from core.kernels.dispatch.dispatcher import Value
from core.kernels.sizes.dimension import shape_text
from core.tensor import Tensor


class _Undefined:
    """Stands for a variable that has no value yet."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Undefined()


class State:
    """Variables of the user's code, by name, with the way to read and to write them.

    Args:
        names: What to call them in messages.
        get: Returns their values, UNDEFINED for one that has none.
        set: Gives them values.
        carried: Those whose values matter after the branch, or from one iteration to the next.
        needed: Those whose values matter after the branch or loop.
    """

    def __init__(
        self,
        names: Sequence[str],
        get: Callable[[], Sequence[Any]],
        set: Callable[[Sequence[Any]], None],  # noqa: A002
        carried: Collection[str] = (),
        needed: Collection[str] = (),
    ) -> None:
        self.names = list(names)
        self.get = get
        self.set = set
        self.carried = frozenset(carried)
        self.needed = frozenset(needed)

    def freeze(self) -> list[Any]:
        """Return the variables' values as they are now, frozen."""
        return [freeze(value) for value in self.get()]

    def restore(self, frozen: Sequence[Any]) -> None:
        """Give the variables, and the lists and dicts among them, back what they held."""
        self.set([restore(item) for item in frozen])


class Leaf:
    """A tensor: its handle, and the value that the handle had."""

    __slots__ = ("handle", "value")

    def __init__(self, handle: Tensor, value: Value) -> None:
        self.handle = handle
        self.value = value


class Container:
    """A list, tuple or dict: the object itself, and its frozen items."""

    __slots__ = ("whole", "keys", "items")

    def __init__(self, whole: Any, keys: Any, items: list[Any]) -> None:
        self.whole = whole
        self.keys = keys
        self.items = items

    def parts(self, path: str) -> Iterator[tuple[str, Any]]:
        """Yield each item with how to call it."""
        keys = range(len(self.items)) if self.keys is None else self.keys
        for key, item in zip(keys, self.items):
            yield f"{path}[{key!r}]", item


class Copied:
    """A set, a numpy array or the like: the object itself, and what it held."""

    __slots__ = ("whole", "content")

    def __init__(self, whole: Any, content: Any) -> None:
        self.whole = whole
        self.content = content

    def restored(self) -> Any:
        """Return the object with the content that it had."""
        if isinstance(self.whole, np.ndarray):
            if self.whole.flags.writeable:
                self.whole[...] = self.content
        else:
            self.whole.clear()
            (self.whole.update if isinstance(self.whole, set) else self.whole.extend)(self.content)
        return self.whole

    def same(self, other: Any) -> bool:
        """Return whether the other is of the same type and holds the same."""
        if not isinstance(other, Copied) or type(other.whole) is not type(self.whole):
            return False
        if isinstance(self.whole, deque):
            return len(self.content) == len(other.content) and all(map(same_constant, self.content, other.content))
        return bool(np.array_equal(self.content, other.content)) if self.is_array else self.content == other.content

    @property
    def is_array(self) -> bool:
        """Whether it is a numpy array."""
        return isinstance(self.whole, np.ndarray)


def freeze(value: Any) -> Any:
    """Return a Leaf, a Container, a Copied, or the value itself where it is nothing that could change."""
    if isinstance(value, Tensor):
        return Leaf(value, value._value)
    if isinstance(value, (list, tuple)):
        return Container(value, None, [freeze(item) for item in value])
    if isinstance(value, (set, deque, bytearray, np.ndarray)):
        return Copied(value, copy.copy(value))
    if isinstance(value, dict):
        return Container(value, tuple(value), [freeze(item) for item in value.values()])
    return value


def restore(frozen: Any) -> Any:
    """Return what was frozen; lists and dicts are the same objects, with the content that they had."""
    if isinstance(frozen, Leaf):
        return frozen.handle
    if isinstance(frozen, Container):
        return rebuilt(frozen, [restore(item) for item in frozen.items])
    return frozen.restored() if isinstance(frozen, Copied) else frozen


def rebuilt(container: Container, items: list[Any]) -> Any:
    """Return the container with these items: a list or dict is changed in place, a tuple is made again."""
    whole = container.whole
    if isinstance(whole, dict):
        whole.clear()
        whole.update(zip(container.keys, items))
        return whole
    if isinstance(whole, list):
        whole[:] = items
        return whole
    if all(one is other for one, other in zip(whole, items)):
        return whole
    return type(whole)(*items) if hasattr(whole, "_fields") else type(whole)(items)


def same_form(one: Any, other: Any) -> bool:
    """Return whether both are containers of the same type, length and keys."""
    return (
        isinstance(one, Container)
        and isinstance(other, Container)
        and type(one.whole) is type(other.whole)
        and len(one.items) == len(other.items)
        and one.keys == other.keys
    )


def same_constant(one: Any, other: Any) -> bool:
    """Return whether two values that are no tensors are the same to the user's code."""
    if one is other or (isinstance(one, Copied) and one.same(other)):
        return True
    plain = (bool, int, float, complex, str, bytes, slice, range)
    return type(one) is type(other) and isinstance(one, plain) and bool(one == other)


def is_number(value: Any) -> bool:
    """Return whether a Python number can become a tensor."""
    return isinstance(value, (bool, int, float)) and type(value) in (bool, int, float)


def described(frozen: Any) -> str:
    """Say what a frozen value is, for a message."""
    if frozen is UNDEFINED:
        return "not defined"
    if isinstance(frozen, Leaf):
        return f"a Tensor {frozen.value.meta[1].name}{shape_text(frozen.value)}"
    if isinstance(frozen, Container):
        return f"a {type(frozen.whole).__name__} of {len(frozen.items)}"
    if isinstance(frozen, Copied):
        return f"a {type(frozen.whole).__name__} that holds {str(frozen.content)[:60]}".replace("\n", " ")
    if frozen is None or is_number(frozen) or isinstance(frozen, str):
        return repr(frozen)
    return f"a {type(frozen).__name__}"
