"""What a network was given, remembered as InputSpecs: a Model without ``inputs`` is exported from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.jit.input_spec import InputSpec
from core.kernels.dtypes import DType


class ObservedInputs:
    """Shapes and types of batches: the batch axis is open, and so is every axis that was seen with two sizes."""

    def __init__(self) -> None:
        self._last: Any = None
        self._types: list[DType] = []
        self._sizes: list[list[list[int]]] = []  # of each input and axis, the first two different sizes

    def add(self, tensors: Sequence[Any]) -> None:
        """Remember a batch; one with other types or numbers of axes takes the place of all before.

        Args:
            tensors: the network's inputs.
        """
        shapes, types = [tensor.shape for tensor in tensors], [tensor.dtype for tensor in tensors]
        if (shapes, types) == self._last:
            return
        self._last = shapes, types
        if types != self._types or [*map(len, shapes)] != [*map(len, self._sizes)]:
            self._types, self._sizes = types, [[[] for _ in shape] for shape in shapes]
        for shape, axes in zip(shapes, self._sizes):
            for size, seen in zip(shape, axes):
                if len(seen) < 2 and size not in seen:
                    seen.append(size)

    def specs(self) -> Optional[list[InputSpec]]:
        """Return an InputSpec for each input; None before the first batch."""
        return [_spec(axes, dtype) for axes, dtype in zip(self._sizes, self._types)] or None


def _spec(axes: Sequence[Sequence[int]], dtype: DType) -> InputSpec:
    shape = [sizes[0] if number and len(sizes) == 1 else None for number, sizes in enumerate(axes)]
    examples = {number: sizes for number, sizes in enumerate(axes) if number and len(sizes) == 2 and min(sizes) > 1}
    return InputSpec(shape, dtype, examples=examples)
