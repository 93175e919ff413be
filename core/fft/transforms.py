"""The transforms along one, two and more axes, made of three primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.fft.frequencies import is_whole
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dtypes import float32, float64
from core.operators import cast, concat, moveaxis, to_tensor, zeros, zeros_like
from core.operators._arguments import need_tensor
from core.operators.arithmetic.complex_tensor import ComplexTensor
from core.operators.linear_algebra._fourier import transform, transform_real
from core.tensor import Tensor, default_dtype

Sizes = Optional[Sequence[int]]
Axes = Optional[Sequence[int]]
NORMS = ("forward", "backward", "ortho")

_ARGUMENTS = """
    Args:
        x: {input}.
        {sizes}
        {axes}
        norm: What is divided by the number of elements: ``backward`` the inverse transform, ``forward`` the other,
            ``ortho`` both by its root.
        name: Unused, as in Paddle.

    Returns:
        {output}.

    Raises:
        OperatorError: a size, the norm, or the number of axes does not fit.
        OperatorIndexError: there is no such axis, or it is named twice.
"""
_INPUT = {
    "c2c": "A tensor; real numbers count as complex ones",
    "r2c": "A tensor of real numbers",
    "c2r": "A tensor; the first half, along the last axis, of numbers of which the other half are the conjugates",
}
_OUTPUT = {
    "c2c": "A complex tensor",
    "r2c": "A complex tensor; its last axis has size // 2 + 1 elements, as the others are their conjugates",
    "c2r": "A tensor of real numbers",
}
_SIZES = {
    "n": ("n: How many elements are transformed: more are cut off, zeros added. {}.", "axis: The axis."),
    "s": (
        "s: How many elements of each axis are transformed: more are cut off, zeros added. {}.",
        "axes: The axes; as many as ``s`` names, the last ones, or all when it is None.",
    ),
}
_DEFAULTS = {False: "All when it is None", True: "When it is None, 2 * (size - 1) for the last axis"}


def _document(function: Any, summary: str, kind: str, sizes: str) -> Any:
    size_line, axes_line = _SIZES[sizes]
    text = _ARGUMENTS.format(
        input=_INPUT[kind], output=_OUTPUT[kind], sizes=size_line.format(_DEFAULTS[kind == "c2r"]), axes=axes_line
    )
    function.__doc__ = f"{summary}\n{text}"
    return function


def _define(name: str, kind: str, forward: bool, summary: str) -> tuple[Any, Any, Any]:
    """Return the transforms along one axis, two and any number of them."""
    along_axes = {"c2c": _complex_to_complex, "r2c": _real_to_complex, "c2r": _complex_to_real}[kind]

    def one(x: Tensor, n: Optional[int] = None, axis: int = -1, norm: str = "backward", name: Any = None) -> Tensor:
        place = -1 if axis is None else axis
        return along_axes(one.__name__, x, None if n is None else [n], [place], norm, forward)

    def two(
        x: Tensor, s: Sizes = None, axes: Axes = (-2, -1), norm: str = "backward", name: Any = None
    ) -> Tensor:
        if need_tensor(x, two.__name__).ndim < 2:
            raise OperatorError(f"{two.__name__}: x must have at least two axes, but its shape is {x.shape}")
        for label, given in (("s", s), ("axes", axes)):
            if given is not None and (isinstance(given, (str, int)) or len(given) != 2):
                raise OperatorError(f"{two.__name__}: {label} must have two numbers, not {given!r}")
        return along_axes(two.__name__, x, s, (-2, -1) if axes is None else axes, norm, forward)

    def many(x: Tensor, s: Sizes = None, axes: Axes = None, norm: str = "backward", name: Any = None) -> Tensor:
        return along_axes(many.__name__, x, s, axes, norm, forward)

    for function, suffix, words, sizes in (
        (one, "", "along an axis", "n"),
        (two, "2", "along two axes", "s"),
        (many, "n", "along axes", "s"),
    ):
        function.__name__ = function.__qualname__ = name + suffix
        _document(function, summary.format(words), kind, sizes)
    return one, two, many


def _complex_to_complex(caller: str, x: Any, s: Sizes, axes: Axes, norm: str, forward: bool) -> Tensor:
    real, imag = _parts(x, caller)
    places, sizes = _places(caller, real, s, axes, last_stays=False)
    scale = _scale(caller, norm, forward)
    for place, size in zip(places, sizes):
        real, imag = _resized(real, place, size), _resized(imag, place, size)
    if places:
        real, imag = transform(real, imag, places, not forward)
    return _scaled(real, imag, scale(math.prod(real.shape[place] for place in places)))


def _real_to_complex(caller: str, x: Any, s: Sizes, axes: Axes, norm: str, forward: bool) -> Tensor:
    if isinstance(need_tensor(x, caller), ComplexTensor):
        raise OperatorError(f"{caller}: x must be real, got {x.dtype.name}: use fftn, or its real()")
    values, _ = _parts(x, caller)
    places, sizes = _places(caller, values, s, axes, last_stays=True)
    scale = _scale(caller, norm, forward)
    for place, size in zip(places, sizes):
        values = _resized(values, place, size)
    count = math.prod(values.shape[place] for place in places)
    last = places[-1]
    real, imag = (moveaxis(part, -1, last) for part in transform_real(moveaxis(values, last, -1)))
    if not forward:
        imag = -imag
    if places[:-1]:
        real, imag = transform(real, imag, places[:-1], not forward)
    return _scaled(real, imag, scale(count))


def _complex_to_real(caller: str, x: Any, s: Sizes, axes: Axes, norm: str, forward: bool) -> Tensor:
    real, imag = _parts(x, caller)
    places, sizes = _places(caller, real, s, axes, last_stays=True)
    scale = _scale(caller, norm, forward)
    last = places[-1]
    size = sizes[-1] if s is not None else 2 * (real.shape[last] - 1)
    if size < 1:
        raise OperatorError(f"{caller}: one number along axis {last} has no other half: give the size of the result")
    for place, wanted in zip(places, [*sizes[:-1], size // 2 + 1]):
        real, imag = _resized(real, place, wanted), _resized(imag, place, wanted)
    if places[:-1]:
        real, imag = transform(real, imag, places[:-1], not forward)
    # each number but the first, and that in the middle of an even size, stands for its conjugate too
    twice = np.full(size // 2 + 1, 2.0)
    twice[0] = 1.0
    if size % 2 == 0:
        twice[-1] = 1.0
    shape = [1] * real.ndim
    shape[last] = len(twice)
    weights = to_tensor(twice.reshape(shape), dtype=real.dtype)
    real, imag = _resized(real * weights, last, size), _resized(imag * weights, last, size)
    result, _ = transform(real, imag, [last], not forward)
    return result * scale(math.prod(result.shape[place] for place in places))


def _parts(x: Any, caller: str) -> tuple[Tensor, Tensor]:
    if isinstance(need_tensor(x, caller), ComplexTensor):
        return x._real, x._imag
    if not x.dtype.is_floating:
        x = cast(x, default_dtype())
    real = x if x.dtype is float64 else cast(x, float32)
    return real, zeros_like(real).detach()


def _places(caller: str, x: Tensor, s: Sizes, axes: Axes, last_stays: bool) -> tuple[list[int], list[int]]:
    """Return the axes, counted from 0 and in order (the last one may have to stay the last), and their new sizes."""
    if s is not None:
        if isinstance(s, (str, int)) or not all(is_whole(size) and size > 0 for size in s):
            raise OperatorError(f"{caller}: sizes must be positive ints, not {s!r}")
        if len(s) > x.ndim:
            raise OperatorError(f"{caller}: {len(s)} sizes are more than the axes of x, of shape {x.shape}")
    if axes is None:
        axes = range(x.ndim - (x.ndim if s is None else len(s)), x.ndim)
    elif isinstance(axes, (str, int)) or not all(is_whole(axis) for axis in axes):
        raise OperatorError(f"{caller}: axes must be ints, not {axes!r}")
    wrong = [axis for axis in axes if not -x.ndim <= axis < x.ndim]
    if wrong:
        raise OperatorIndexError(f"{caller}: there is no axis {wrong[0]} in a tensor of shape {x.shape}")
    places = [axis % x.ndim for axis in axes]
    if len(set(places)) != len(places):
        raise OperatorIndexError(f"{caller}: axes {list(axes)} name one twice")
    if s is not None and len(s) != len(places):
        raise OperatorError(f"{caller}: there are {len(s)} sizes for {len(places)} axes")
    if last_stays and not places:
        raise OperatorError(f"{caller}: there is no axis to transform")
    sizes = [x.shape[place] for place in places] if s is None else list(s)
    empty = [place for place, size in zip(places, sizes) if size == 0]
    if empty:
        raise OperatorError(f"{caller}: axis {empty[0]} of x is empty")
    pairs = list(zip(places, sizes))
    ordered = [*sorted(pairs[:-1]), pairs[-1]] if last_stays else sorted(pairs)
    return [place for place, _ in ordered], [size for _, size in ordered]


def _scale(caller: str, norm: str, forward: bool) -> Any:
    if norm not in NORMS:
        raise OperatorError(f"{caller}: norm must be one of {', '.join(NORMS)}, not {norm!r}")
    if norm == "ortho":
        return lambda count: 1.0 / math.sqrt(count)
    return (lambda count: 1.0 / count) if forward == (norm == "forward") else (lambda count: 1.0)


def _scaled(real: Tensor, imag: Tensor, scale: float) -> ComplexTensor:
    return ComplexTensor(real, imag) if scale == 1.0 else ComplexTensor(real * scale, imag * scale)


def _resized(x: Tensor, axis: int, size: int) -> Tensor:
    """Cut an axis, or fill it up with zeros."""
    length = x.shape[axis]
    if length > size:
        return x[(slice(None),) * axis + (slice(0, size),)]
    if length < size:
        shape = list(x.shape)
        shape[axis] = size - length
        return concat([x, zeros(shape, x.dtype)], axis=axis)
    return x


fft, fft2, fftn = _define("fft", "c2c", True, "Compute the discrete Fourier transform {}.")
ifft, ifft2, ifftn = _define("ifft", "c2c", False, "Compute the inverse of the discrete Fourier transform {}.")
rfft, rfft2, rfftn = _define("rfft", "r2c", True, "Compute the discrete Fourier transform of real numbers {}.")
irfft, irfft2, irfftn = _define("irfft", "c2r", False, "Compute the inverse of the transform of real numbers {}.")
hfft, hfft2, hfftn = _define("hfft", "c2r", True, "Compute the discrete Fourier transform whose result is real {}.")
ihfft, ihfft2, ihfftn = _define("ihfft", "r2c", False, "Compute the inverse of the transform whose result is real {}.")
