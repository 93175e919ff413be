"""InputSpec: what a program's input looks like (paddle.static.InputSpec)."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dtypes import DType, DTypeLike, dtype_of_numpy, to_dtype
from core.tensor import Tensor, given_name

BATCH_EXAMPLES = (7, 11)
SIZE_EXAMPLES = (224, 256)


class InputSpec:
    """The shape and type of one input tensor; unknown sizes are None or -1.

    Args:
        shape: Size of each axis; None or -1 where any size may be given.
        dtype: Element type.
        name: What to call the input, in messages and in the exported program.
        stop_gradient: Whether no gradient flows into it.
        examples: For an axis of unknown size, two different sizes that the program accepts, with which it is traced:
            ``{2: (32, 64)}``. Without it, 7 and 11 serve for axis 0 and 224 and 256 for others.

    Raises:
        ValueError: a size is negative or no int, or the examples do not fit the shape.
    """

    def __init__(
        self,
        shape: Sequence[Optional[int]],
        dtype: DTypeLike = "float32",
        name: Optional[str] = None,
        stop_gradient: bool = False,
        examples: Optional[Mapping[int, Sequence[int]]] = None,
    ) -> None:
        if not isinstance(shape, (list, tuple)):
            raise TypeError(f"InputSpec: shape must be a list or tuple, got {shape!r}")
        for size in shape:
            if size is not None and (isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < -1):
                raise ValueError(f"InputSpec: shape {list(shape)} has the size {size!r}: use an int, or None for any")
        self.shape = tuple([-1 if size is None else int(size) for size in shape])
        self.dtype: DType = to_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient
        self.examples = {axis: _two_sizes(axis, sizes, self.shape) for axis, sizes in (examples or {}).items()}

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: Optional[str] = None) -> InputSpec:
        """Return the spec of a tensor, with all its sizes known.

        Args:
            tensor: Gives shape, type and name.
            name: Another name.

        Raises:
            ValueError: it is no Tensor.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"InputSpec.from_tensor: expected a Tensor, got {type(tensor).__name__}")
        return cls(tensor.shape, tensor.dtype, name or given_name(tensor))

    @classmethod
    def from_numpy(cls, ndarray: np.ndarray, name: Optional[str] = None) -> InputSpec:
        """Return the spec of a numpy array, with all its sizes known.

        Args:
            ndarray: Gives shape and type.
            name: What to call the input.
        """
        return cls(ndarray.shape, dtype_of_numpy(ndarray), name)

    def batch(self, batch_size: int) -> InputSpec:
        """Put an axis of this size in front, in place, and return this spec; -1 for any size.

        Raises:
            TypeError: the size is no int.
            ValueError: the size is neither -1 nor positive.
        """
        if isinstance(batch_size, bool) or not isinstance(batch_size, (int, np.integer)):
            raise TypeError(f"InputSpec.batch: the size must be an int, got {batch_size!r}")
        if batch_size < 1 and batch_size != -1:
            raise ValueError(f"InputSpec.batch: the size must be positive, or -1 for any, got {batch_size}")
        self.shape = (int(batch_size), *self.shape)
        self.examples = {axis + 1: sizes for axis, sizes in self.examples.items()}
        return self

    def unbatch(self) -> InputSpec:
        """Drop the first axis, in place, and return this spec.

        Raises:
            ValueError: there is no axis.
        """
        if not self.shape:
            raise ValueError("InputSpec.unbatch: the shape has no axis to drop")
        self.shape = self.shape[1:]
        self.examples = {axis - 1: sizes for axis, sizes in self.examples.items() if axis > 0}
        return self

    def traced_shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shape with each unknown size replaced by its first, and by its second example."""
        shapes = []
        for hypothesis in (0, 1):
            filled = []
            for axis, size in enumerate(self.shape):
                defaults = SIZE_EXAMPLES if axis else BATCH_EXAMPLES
                filled.append(self.examples.get(axis, defaults)[hypothesis] if size == -1 else size)
            shapes.append(tuple(filled))
        return shapes[0], shapes[1]

    def disagreement(self, tensor: Any) -> Optional[str]:
        """Return what is wrong with a tensor given for this input, as ``expected ..., got ...``; None if it fits."""
        expected = f"expected {self.dtype.name}{self._shape_text()}"
        if not isinstance(tensor, Tensor):
            return f"{expected}, got {type(tensor).__name__}"
        fits = len(self.shape) == tensor.ndim and all(
            size == -1 or size == given for size, given in zip(self.shape, tensor._value.meta[0])
        )
        if fits and tensor.dtype is self.dtype:
            return None
        return f"{expected}, got {tensor.dtype.name}{list(tensor._value.meta[0])}"

    def _shape_text(self) -> str:
        return f"[{', '.join('None' if size == -1 else str(size) for size in self.shape)}]"

    def __repr__(self) -> str:
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name},"
            f" stop_gradient={self.stop_gradient})"
        )

    def _key(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.name, self.stop_gradient

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def check_arguments(
    function: Callable[..., Any], specs: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Make sure that a call is one of those that the specs describe.

    Args:
        function: What is called.
        specs: Its specs, in the order of its parameters and nested like the arguments.
        args: Positional arguments.
        kwargs: Named arguments.

    Raises:
        ValueError: an argument contradicts its spec.
    """
    bound = inspect.signature(function).bind(*args, **kwargs)
    given: list[tuple[str, Any]] = []
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            given += [(f"{name}[{i}]", item) for i, item in enumerate(value)]
        elif kind is not inspect.Parameter.VAR_KEYWORD:
            given.append((name, value))
    title = getattr(function, "__qualname__", "function")
    if len(specs) > len(given):
        raise ValueError(f"{title}: input_spec describes {len(specs)} arguments, but {len(given)} were given")
    for spec, (name, value) in zip(specs, given):
        _check_argument(title, spec, name, value)


def _check_argument(title: str, spec: Any, name: str, value: Any) -> None:
    if isinstance(spec, InputSpec):
        wrong = spec.disagreement(value)
        if wrong is not None:
            raise ValueError(f"{title}: argument {name} contradicts its input_spec: {wrong}")
    elif isinstance(spec, (list, tuple)):
        if not isinstance(value, (list, tuple)) or len(value) != len(spec):
            got = f"{len(value)} items" if isinstance(value, (list, tuple)) else type(value).__name__
            raise ValueError(
                f"{title}: argument {name} contradicts its input_spec: expected a list of {len(spec)} items, got {got}"
            )
        for i, (inner, item) in enumerate(zip(spec, value)):
            _check_argument(title, inner, f"{name}[{i}]", item)
    elif isinstance(spec, dict):
        for key, inner in spec.items():
            if not isinstance(value, dict) or key not in value:
                raise ValueError(f"{title}: argument {name} contradicts its input_spec: there is no key {key!r}")
            _check_argument(title, inner, f"{name}[{key!r}]", value[key])


def _two_sizes(axis: int, sizes: Sequence[int], shape: tuple[int, ...]) -> tuple[int, int]:
    if not 0 <= axis < len(shape) or shape[axis] != -1:
        raise ValueError(f"InputSpec: examples are given for axis {axis}, which is no unknown axis of {list(shape)}")
    if len(sizes) != 2 or sizes[0] == sizes[1] or min(sizes) < 2:
        raise ValueError(f"InputSpec: axis {axis} needs two different examples of at least 2, got {list(sizes)}")
    return int(sizes[0]), int(sizes[1])


def is_spec(item: Any) -> bool:
    """Return whether an item stands for an input tensor."""
    return isinstance(item, (InputSpec, Tensor))
