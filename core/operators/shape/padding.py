"""Padding: borders of a constant, of mirrored, repeated or wrapped elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float32
from core.kernels.sizes.dimension import is_known
from core.operators._arguments import Scalar, ShapeLike, need_tensor, shape_argument
from core.operators.creation.creation import cast
from core.operators.indexing.slicing import cut
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import concat
from core.tensor import Tensor, apply

Widths = tuple[tuple[int, int], ...]
"""Elements before and after, per axis."""


def _padded(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [(tuple(size + low + high for size, (low, high) in zip(shape, options["widths"])), dtype)]


def _flat_widths(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {
        "pad_width": tuple(width for pair in options["widths"] for width in pair),
        "mode": options["mode"],
        "constant_value": options["value"],
    }


def _paired_widths(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {"pad_width": options["widths"], "mode": options["mode"], "constant_value": options["value"]}


# the fast kernel: only floats, only 4 or 5 axes, the first two unpadded; three to ten times as fast as the other
_pad = Operator("pad", "Pad", infer=_padded, attributes=_flat_widths)
_pad_integers = Operator("pad_integers", "_npi_pad", infer=_padded, attributes=_paired_widths, differentiable=False)

_ENGINE_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


def pad_exact(x: Tensor, widths: Sequence[tuple[int, int]], mode: str = "constant", value: float = 0.0) -> Tensor:
    """Pad every axis by checked widths; the modes are :func:`pad`'s."""
    target = [size + low + high for size, (low, high) in zip(x.shape, widths)]
    if all(map(_no_border, widths)):
        return x
    if mode == "circular":
        return _circular(x, widths)
    if not x.dtype.is_floating and x.ndim < 2:  # the engine's kernel for integers reads a second axis
        return reshape_exact(pad_exact(reshape_exact(x, [1, *x.shape]), [(0, 0), *widths], mode, value), target)
    if not x.dtype.is_floating:
        return apply(_pad_integers, x, widths=tuple(widths), mode=_ENGINE_MODES[mode], value=value)
    if x.dtype is bfloat16:
        return cast(pad_exact(cast(x, float32), widths, mode, value), bfloat16)
    if x.ndim in (4, 5) and all(map(_no_border, widths[:2])):  # each channel is a task of its own to the kernel
        return apply(_pad, x, widths=tuple(map(tuple, widths)), mode=_ENGINE_MODES[mode], value=value)
    groups = _joined_axes(x.shape, widths)
    while not all(_no_border(width) for _, width in groups):
        window = groups[-3:]
        before = 1
        for size, _ in groups[:-3]:
            before *= size
        ones = [1] * (3 - len(window))
        shape = [1, before, *ones, *[size for size, _ in window]]
        x = reshape_exact(x, shape)
        around = ((0, 0),) * (5 - len(window)) + tuple(width for _, width in window)
        x = apply(_pad, x, widths=around, mode=_ENGINE_MODES[mode], value=value)
        after = 1
        for size, (low, high) in window:
            after *= size + low + high
        groups = _joined_axes(
            [size for size, _ in groups[:-3]] + [after], [width for _, width in groups[:-3]] + [(0, 0)]
        )
    return reshape_exact(x, target)


def _no_border(width: tuple[int, int]) -> bool:
    return is_known(width[0], 0) and is_known(width[1], 0)


def _joined_axes(shape: Sequence[int], widths: Sequence[tuple[int, int]]) -> list[tuple[int, tuple[int, int]]]:
    """Join neighbouring axes that are not padded."""
    groups: list[tuple[int, tuple[int, int]]] = []
    for size, width in zip(shape, widths):
        if groups and _no_border(width) and _no_border(groups[-1][1]):
            groups[-1] = (groups[-1][0] * size, (0, 0))
        else:
            groups.append((size, (width[0], width[1])))
    return groups


def _circular(x: Tensor, widths: Sequence[tuple[int, int]]) -> Tensor:
    for axis, (low, high) in enumerate(widths):
        size = x.shape[axis]
        parts = [cut(x, axis, size - low, size), x, cut(x, axis, 0, high)]
        x = concat([part for part in parts if part.shape[axis]], axis)
    return x


_FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}


def pad(
    x: Tensor,
    pad: ShapeLike,
    mode: str = "constant",
    value: Scalar = 0.0,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    """Add borders.

    Args:
        x: A tensor of 3, 4 or 5 axes; of any rank in constant mode with widths for all axes.
        pad: Widths as (before, after) of the last spatial axis, then of the one before it, and so on; or, with two
            numbers per axis of x in constant mode, from first axis to last. Negative ones cut off (constant mode).
        mode: ``constant``, ``reflect`` (mirror without the edge), ``replicate`` (repeat the edge) or ``circular``.
        value: The number of the constant mode.
        data_format: ``NCL``, ``NLC``, ``NCHW``, ``NHWC``, ``NCDHW`` or ``NDHWC``.
        name: Unused, as in Paddle.

    Returns:
        The padded tensor.

    Raises:
        OperatorError: the widths, the mode or the format do not fit x, or a border is longer than what it is made of.
    """
    rank = need_tensor(x, "pad").ndim
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise OperatorError(f"pad: mode {mode!r} is unknown: use 'constant', 'reflect', 'replicate' or 'circular'")
    numbers = shape_argument(pad, "pad")
    if mode == "constant" and len(numbers) == 2 * rank:
        widths = [(numbers[2 * i], numbers[2 * i + 1]) for i in range(rank)]
        return _with_cuts(x, widths, mode, float(value))
    if rank not in _FORMATS:
        raise OperatorError(f"pad: x has {rank} axes: give 3 to 5 axes, or {2 * rank} widths in constant mode")
    if data_format not in _FORMATS[rank]:
        raise OperatorError(
            f"pad: data_format {data_format!r} does not fit {rank} axes: use {_FORMATS[rank]}"
        )
    spatial = rank - 2
    if len(numbers) == 1:
        numbers = numbers * (2 * spatial)
    if len(numbers) > 2 * spatial or len(numbers) % 2:
        raise OperatorError(f"pad: {len(numbers)} widths for {spatial} spatial axes: give {2 * spatial}")
    widths = [(0, 0)] * rank
    last = rank - 1 if data_format[1] == "C" else rank - 2
    for i in range(len(numbers) // 2):
        widths[last - i] = (numbers[2 * i], numbers[2 * i + 1])
    return _with_cuts(x, widths, mode, float(value))


def _with_cuts(x: Tensor, widths: list[tuple[int, int]], mode: str, value: float) -> Tensor:
    limit = {"reflect": -1, "circular": 0}
    for axis, pair in enumerate(widths):
        size = x.shape[axis]
        if mode != "constant" and min(pair) < 0:
            raise OperatorError(f"pad: {mode} mode cannot cut off: widths {pair} of axis {axis} are negative")
        if (
            mode in limit
            and max(pair) > max(size + limit[mode], 0)
            or mode == "replicate"
            and size == 0
            and max(pair) > 0
        ):
            raise OperatorError(f"pad: {mode} mode cannot make a border of {max(pair)} from axis {axis} of {x.shape}")
        if min(pair) < 0:
            start, end = max(-pair[0], 0), size - max(-pair[1], 0)
            if end < start:
                raise OperatorError(f"pad: widths {pair} cut more than axis {axis} of {x.shape} has")
            x = cut(x, axis, start, end)
    return pad_exact(x, [(max(low, 0), max(high, 0)) for low, high in widths], mode, value)


def zeropad2d(
    x: Tensor, padding: Union[int, Sequence[int]], data_format: str = "NCHW", name: Optional[str] = None
) -> Tensor:
    """Pad images with zeros.

    Args:
        x: A tensor of 4 axes.
        padding: One width, or (left, right, top, bottom).
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        The padded tensor.

    Raises:
        OperatorError: x has not 4 axes or the widths do not fit.
    """
    if need_tensor(x, "zeropad2d").ndim != 4:
        raise OperatorError(f"zeropad2d: x must have 4 axes, got shape {x.shape}")
    return pad(x, [padding] * 4 if isinstance(padding, int) else padding, "constant", 0.0, data_format)


__all__ = ["pad", "zeropad2d"]
