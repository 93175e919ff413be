"""Sizes as tensors: what ``core.shape(x)`` gives while a size is unknown, and still serves as a size afterwards."""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from core.kernels.dimension import Dimension, combine, contains_dimension
from core.kernels.dtypes import DTypeLike
from core.operators.creation import cast, to_tensor
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
            return SizeTensor(self.known[item], self.dtype)
        return super().__getitem__(item)

    def cast(self, dtype: DTypeLike) -> Tensor:
        """Convert to another type; integers remain sizes."""
        plain = cast(self, dtype)
        return SizeTensor(self.known, dtype) if plain.dtype.is_integer else plain

    astype = cast

    def _combined(self, sign: str, other: Any, turned: bool = False) -> Any:
        number = other.known if isinstance(other, SizeTensor) else other
        if isinstance(self.known, list) or not isinstance(number, (int, Dimension)):
            return NotImplemented
        pair = (number, self.known) if turned else (self.known, number)
        return SizeTensor(combine(sign, *pair), self.dtype)


def _method(name: str, sign: str, turned: bool) -> Any:
    def method(self: SizeTensor, other: Any) -> Any:
        result = self._combined(sign, other, turned)
        return getattr(Tensor, name)(self, other) if result is NotImplemented else result

    return method


for _word, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("floordiv", "//"), ("mod", "%")):
    setattr(SizeTensor, f"__{_word}__", _method(f"__{_word}__", _sign, False))
    setattr(SizeTensor, f"__r{_word}__", _method(f"__r{_word}__", _sign, True))


def size_tensor(known: Known, dtype: DTypeLike) -> Tensor:
    """Return sizes as a tensor; where one is unknown, its elements remain sizes."""
    return SizeTensor(known, dtype) if contains_dimension(known) else to_tensor(known, dtype)
