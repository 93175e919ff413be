"""Sizes as tensors: what ``core.shape(x)`` gives in a traced program, and what still serves as a size afterwards."""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from core.kernels.dispatch import dispatcher
from core.kernels.dtypes import DTypeLike
from core.kernels.sizes.dimension import COMPARISONS, Dimension, combine, contains_dimension
from core.operators.creation.creation import cast, to_tensor
from core.tensor import Tensor

Known = Union[int, Dimension, list[Any]]


class SizeTensor(Tensor):
    """An integer tensor of a traced program whose numbers are sizes that the trace knows, as ints or symbols.

    Args:
        known: One size, or a list of them.
        dtype: Element type.
    """

    def __init__(self, known: Known, dtype: DTypeLike = "int32") -> None:
        super().__init__(to_tensor(known, dtype)._value)
        self.known = known

    @property
    def is_constant(self) -> bool:
        """Whether its numbers are the same in every run of the program."""
        return not contains_dimension(self.known)

    def item(self, *index: int) -> Any:
        """Return one size, an int or a symbol."""
        known = self.known[index[0]] if index and isinstance(self.known, list) else self.known
        return known[0] if isinstance(known, list) and len(known) == 1 else known

    def tolist(self) -> Any:
        """Return the sizes, ints or symbols."""
        return list(self.known) if isinstance(self.known, list) else self.known

    def _one_element(self, use: str) -> Any:
        return self.item() if self.size == 1 else super()._one_element(use)

    def __getitem__(self, item: Any) -> Tensor:
        if isinstance(self.known, list) and isinstance(item, (int, np.integer, slice)):
            part = self.known[item]
            return SizeTensor([part] if dispatcher.at_least_1d and not isinstance(part, list) else part, self.dtype)
        return super().__getitem__(item)

    def cast(self, dtype: DTypeLike) -> Tensor:
        """Convert to another type; integers remain sizes."""
        plain = cast(self, dtype)
        return SizeTensor(self.known, dtype) if plain.dtype.is_integer else plain

    astype = cast

    __hash__ = Tensor.__hash__

    def _combined(self, other: Any, sign: str, turned: bool) -> Any:
        """Return sizes where both are sizes or whole numbers; several are combined one by one."""
        number = other.known if isinstance(other, SizeTensor) else other
        sizes, numbers = [item if isinstance(item, list) else [item] for item in (self.known, number)]
        whole = all(isinstance(item, (int, Dimension)) and not isinstance(item, bool) for item in sizes + numbers)
        lengths = {len(sizes), len(numbers)}
        if not whole or 0 in lengths or len(lengths - {1}) > 1:
            return NotImplemented
        longest = max(lengths)
        pairs = zip(sizes * (longest // len(sizes)), numbers * (longest // len(numbers)))
        results = [combine(sign, second, first) if turned else combine(sign, first, second) for first, second in pairs]
        listed = isinstance(self.known, list) or isinstance(number, list)
        return SizeTensor(results if listed else results[0], self.dtype)

    def _compared(self, other: Any, sign: str) -> Any:
        """Return the outcome at once where both are known; an unknown size is compared when the program runs."""
        number = other.known if isinstance(other, SizeTensor) else other
        if not isinstance(self.known, int) or not isinstance(number, (int, float)):
            return NotImplemented
        return SizeTensor(COMPARISONS[sign](self.known, number), "bool")

    def __neg__(self) -> Tensor:
        return self * -1


def _attach(name: str, compute: Any, **how: Any) -> None:
    def method(self: SizeTensor, other: Any) -> Any:
        result = compute(self, other, **how)
        return getattr(Tensor, name)(self, other) if result is NotImplemented else result

    setattr(SizeTensor, name, method)


for _word, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("floordiv", "//"), ("mod", "%")):
    _attach(f"__{_word}__", SizeTensor._combined, sign=_sign, turned=False)
    _attach(f"__r{_word}__", SizeTensor._combined, sign=_sign, turned=True)
for _word, _sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    _attach(f"__{_word}__", SizeTensor._compared, sign=_sign)


def size_tensor(known: Known, dtype: DTypeLike) -> Tensor:
    """Return sizes as a tensor; in a program that is being traced its elements remain sizes."""
    return SizeTensor(known, dtype) if dispatcher.is_tracing() else to_tensor(known, dtype)
