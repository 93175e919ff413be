"""Arguments of sliding windows (convolution and pooling): sizes per axis, all forms of padding, layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.sizes.dimension import Dimension, larger
from core.operators.shape.manipulation import transpose
from core.tensor import Tensor

Sizes = Union[int, Sequence[int]]
PaddingLike = Union[int, str, Sequence[Any]]
Pairs = tuple[tuple[int, int], ...]

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def sizes_argument(value: Any, rank: int, caller: str, name: str, minimum: int = 1) -> tuple[int, ...]:
    """Return one int per axis from an int or a list.

    Raises:
        OperatorError: the list has another length, or a size is too small.
    """
    if isinstance(value, (int, Dimension)):
        sizes: tuple[Any, ...] = (value,) * rank
    else:
        if isinstance(value, Tensor):
            value = value.tolist()
        try:
            sizes = tuple([size if isinstance(size, Dimension) else int(size) for size in value])
        except (TypeError, ValueError):
            raise OperatorTypeError(f"{caller}: {name} must be an int or a list of ints, got {value!r}") from None
        if len(sizes) == 1:
            sizes = sizes * rank
    if len(sizes) != rank:
        raise OperatorError(f"{caller}: {name} must be an int or {rank} ints, got {list(sizes)}")
    if any(size < minimum for size in sizes):
        raise OperatorError(f"{caller}: {name} must be at least {minimum}, got {list(sizes)}")
    return sizes


def padding_argument(
    value: PaddingLike,
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    channel_last: bool,
    caller: str,
) -> Pairs:
    """Return (before, after) per axis from any of Paddle's forms of padding.

    Args:
        value: An int; one int per axis; (before, after) of each axis in one list; a list of pairs that includes batch
            and channel; ``SAME`` (as many outputs as the input has strides) or ``VALID`` (none).
        size: Spatial shape of the input.
        kernel: Window.
        stride: Steps.
        channel_last: Where the channel is in a list of pairs.
        caller: Named in messages.

    Raises:
        OperatorError: none of these forms.
    """
    rank = len(size)
    if isinstance(value, int):
        pairs: Pairs = ((value, value),) * rank
    elif isinstance(value, str):
        pairs = _named_padding(value.upper(), size, kernel, stride, caller)
    else:
        items = list(value)
        if items and isinstance(items[0], (list, tuple)):
            pairs = _paired_padding(items, rank, channel_last, caller)
        elif len(items) == 2 * rank and rank > 1 or (rank == 1 and len(items) == 2):
            pairs = tuple([(_width(items[2 * i]), _width(items[2 * i + 1])) for i in range(rank)])
        elif len(items) in (1, rank):
            pairs = tuple([(_width(item), _width(item)) for item in (items * rank if len(items) == 1 else items)])
        else:
            raise OperatorError(
                f"{caller}: padding must be an int, {rank} ints, {2 * rank} ints, {rank + 2} pairs, 'SAME' or 'VALID',"
                f" got {value!r}"
            )
    if any(width < 0 for pair in pairs for width in pair):
        raise OperatorError(f"{caller}: padding must not be negative, got {value!r}")
    return pairs


def _width(value: Any) -> Any:
    return value if isinstance(value, Dimension) else int(value)


def _named_padding(name: str, size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], caller: str) -> Pairs:
    if name == "VALID":
        return ((0, 0),) * len(size)
    if name != "SAME":
        raise OperatorError(f"{caller}: padding must be 'SAME' or 'VALID', got {name!r}")
    pairs = []
    for length, window, step in zip(size, kernel, stride):
        total = larger((-(-length // step) - 1) * step + window - length, 0)
        pairs.append((total // 2, (total + 1) // 2))
    return tuple(pairs)


def _paired_padding(items: Sequence[Sequence[int]], rank: int, channel_last: bool, caller: str) -> Pairs:
    pairs = [(_width(before), _width(after)) for before, after in items]
    if len(pairs) == rank + 2:
        rest = [pairs[0], pairs.pop(-1 if channel_last else 1)]
        pairs.pop(0)
        if rest != [(0, 0), (0, 0)]:
            raise OperatorError(f"{caller}: padding of batch and channel must be [0, 0], got {list(items)}")
    if len(pairs) != rank:
        raise OperatorError(f"{caller}: padding as pairs expects {rank + 2} of them, got {list(items)}")
    return tuple(pairs)


def is_channel_last(data_format: str, rank: int, caller: str) -> bool:
    """Tell whether the channel is the last axis.

    Raises:
        OperatorError: no layout of that many axes.
    """
    first, last = _FORMATS[rank]
    if data_format not in (first, last):
        raise OperatorError(f"{caller}: data_format must be {first!r} or {last!r}, got {data_format!r}")
    return data_format == last


def check_rank(x: Any, rank: int, caller: str) -> None:
    """Refuse an input that has not batch, channel and ``rank`` spatial axes."""
    if not isinstance(x, Tensor):
        raise OperatorTypeError(f"{caller}: x must be a Tensor, got {type(x).__name__}: use to_tensor()")
    if x.ndim != rank + 2:
        raise OperatorError(f"{caller}: x must have {rank + 2} dimensions, got shape {x.shape}")


def channel_first(x: Tensor) -> Tensor:
    """Move the last axis to the second place."""
    return transpose(x, [0, x.ndim - 1, *range(1, x.ndim - 1)])


def channel_last(x: Tensor) -> Tensor:
    """Move the second axis to the last place."""
    return transpose(x, [0, *range(2, x.ndim), 1])
