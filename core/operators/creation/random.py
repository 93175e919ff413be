"""Random numbers. One stream, the engine's, is behind all of them; :func:`seed` resets it.

Inside a compiled program each call draws again. Bits depend on the number of threads, not on anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DType, DTypeLike, float32, float64, int32, int64, to_dtype
from core.kernels.engine import engine
from core.kernels.sizes.dimension import Dimension
from core.operators._arguments import Scalar, ShapeLike, broadcast_shape, need_tensor, shape_argument
from core.operators.arithmetic.math import add, multiply
from core.operators.creation.creation import arange, cast, filled
from core.tensor import Tensor, apply, default_dtype


def _declared(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(options["size"] if "size" in options else options["shape"], options["dtype"])]


_uniform = Operator("uniform", "_npi_uniform", infer=_declared, differentiable=False, random=True)
_normal = Operator("normal", "_npi_normal", infer=_declared, differentiable=False, random=True)
_randint = Operator("randint", "_random_randint", infer=_declared, differentiable=False, random=True)
_shuffle = Operator(
    "shuffle", "_shuffle", infer=lambda metas, options: [metas[0]], differentiable=False, random=True
)

_SEED_BOUND = 2**31 - 1


def seed(seed: int) -> int:
    """Reset all random numbers: the same seed and the same calls give the same numbers.

    Args:
        seed: An integer; its lowest 31 bits count.

    Returns:
        The seed.

    Raises:
        OperatorTypeError: the seed is no integer.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise OperatorTypeError(f"seed: expects an integer, got {seed!r}")
    engine.seed(int(seed))
    return int(seed)


def get_rng_state(device: Optional[str] = None) -> list[int]:
    """Return a state from which :func:`set_rng_state` repeats the numbers drawn after this call.

    The engine's state cannot be read, so this call draws a new seed from it and continues from there.

    Args:
        device: Unused: there is one stream.

    Returns:
        A list of one seed.
    """
    state = randint(0, _SEED_BOUND, [1]).tolist()
    engine.seed(state[0])
    return state


def set_rng_state(state_list: Sequence[int], device: Optional[str] = None) -> None:
    """Continue from a state that :func:`get_rng_state` returned.

    Args:
        state_list: The state.
        device: Unused: there is one stream.

    Returns:
        Nothing.

    Raises:
        OperatorError: it is no such state.
    """
    if len(state_list) != 1:
        raise OperatorError(f"set_rng_state: expects a list of one seed, as of get_rng_state(), got {state_list!r}")
    seed(state_list[0])


def numpy_generator() -> np.random.Generator:
    """Return a numpy generator that depends on the seed and the draws since, for values made on the host."""
    words = randint(0, _SEED_BOUND, [4]).tolist()
    return np.random.Generator(np.random.PCG64(words))


def _float_dtype(dtype: DTypeLike, caller: str) -> DType:
    wanted = to_dtype(dtype) if dtype is not None else default_dtype()
    if not wanted.is_floating:
        raise OperatorTypeError(f"{caller}: draws floating-point numbers, dtype {wanted.name} is not")
    return wanted


def _shape(shape: ShapeLike, caller: str) -> tuple[int, ...]:
    sizes = shape_argument(shape, caller)
    if any(size < 0 for size in sizes):
        raise OperatorError(f"{caller}: shape {list(sizes)} has a negative size")
    return sizes


def _drawn(operator: Operator, shape: tuple[int, ...], dtype: DType, first: float, second: float) -> Tensor:
    names = ("low", "high") if operator is _uniform else ("loc", "scale")
    drawn_as = dtype if dtype in (float32, float64) else float32
    options = {names[0]: float(first), names[1]: float(second), "size": shape, "dtype": drawn_as}
    return cast(apply(operator, **options), dtype)


def uniform(
    shape: ShapeLike, dtype: DTypeLike = None, min: Scalar = -1.0, max: Scalar = 1.0, seed: int = 0,  # noqa: A002
    name: Optional[str] = None,
) -> Tensor:
    """Draw from the uniform distribution on [min, max).

    Args:
        shape: Size of each axis.
        dtype: A floating-point type; the default one when None.
        min: Lower end, included.
        max: Upper end, not included.
        seed: When not 0, draw from this seed instead of the common stream; the same seed gives the same numbers.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: a size is negative, or min is above max.
        OperatorTypeError: the dtype is not floating-point.
    """
    wanted, sizes = _float_dtype(dtype, "uniform"), _shape(shape, "uniform")
    low, high = float(min), float(max)
    if low > high:
        raise OperatorError(f"uniform: min {min} is above max {max}")
    if seed:
        return Tensor(np.random.default_rng(seed).uniform(low, high, sizes), dtype=wanted)
    return _drawn(_uniform, sizes, wanted, low, high)


def rand(shape: ShapeLike, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Draw from the uniform distribution on [0, 1); see :func:`uniform`.

    Args:
        shape: Size of each axis.
        dtype: A floating-point type; the default one when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: a size is negative.
    """
    return uniform(shape, dtype, 0.0, 1.0)


def standard_normal(shape: ShapeLike, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Draw from the normal distribution of mean 0 and standard deviation 1.

    Args:
        shape: Size of each axis.
        dtype: A floating-point type; the default one when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: a size is negative.
        OperatorTypeError: the dtype is not floating-point.
    """
    wanted = _float_dtype(dtype, "standard_normal")
    return _drawn(_normal, _shape(shape, "standard_normal"), wanted, 0.0, 1.0)


def randn(shape: ShapeLike, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Draw from the standard normal distribution; see :func:`core.standard_normal`."""
    return standard_normal(shape, dtype)


def normal(
    mean: Union[Scalar, Tensor] = 0.0,
    std: Union[Scalar, Tensor] = 1.0,
    shape: Optional[ShapeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Draw from normal distributions.

    Args:
        mean: The mean, or a tensor of means.
        std: The standard deviation, or a tensor of them.
        shape: Size of each axis when both are numbers; [1] when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape, or of the broadcast shape of mean and std; gradients flow to them.

    Raises:
        OperatorError: a standard deviation is negative, or the shapes do not broadcast.
    """
    given = [value for value in (mean, std) if isinstance(value, Tensor)]
    if given:
        sizes = broadcast_shape(*[value.shape for value in given], caller="normal")
        return add(multiply(standard_normal(sizes, given[0].dtype), std), mean)
    if std < 0:
        raise OperatorError(f"normal: std {std} is negative")
    sizes = _shape([1] if shape is None else shape, "normal")
    return _drawn(_normal, sizes, default_dtype(), float(mean), float(std))


def randint(
    low: int = 0,
    high: Optional[int] = None,
    shape: ShapeLike = (1,),
    dtype: DTypeLike = None,
    name: Optional[str] = None,
) -> Tensor:
    """Draw integers from [low, high), each as likely.

    Args:
        low: Lower end, included; the upper end (from 0) when high is None.
        high: Upper end, not included.
        shape: Size of each axis.
        dtype: int32 or int64 (the default).
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: there is no integer in the range, or a size is negative.
        OperatorTypeError: the dtype is another one.
    """
    wanted = to_dtype(dtype) if dtype is not None else int64
    if wanted not in (int32, int64):
        raise OperatorTypeError(f"randint: dtype must be int32 or int64, got {wanted.name}")
    return _integers(low, high, _shape(shape, "randint"), wanted, "randint")


def _integers(low: int, high: Optional[int], shape: tuple[int, ...], dtype: DType, caller: str) -> Tensor:
    first, last = (0, low) if high is None else (low, high)
    if first >= last:
        raise OperatorError(f"{caller}: no integer is in [{first}, {last})")
    if 0 in shape:
        return filled(shape, 0, dtype)
    return apply(_randint, low=int(first), high=int(last), shape=shape, dtype=dtype)


def randint_like(
    x: Tensor, low: int = 0, high: Optional[int] = None, dtype: DTypeLike = None, name: Optional[str] = None
) -> Tensor:
    """Draw integers from [low, high) in the shape of another tensor.

    Args:
        x: Gives the shape, and the dtype when None is given.
        low: Lower end, included; the upper end (from 0) when high is None.
        high: Upper end, not included.
        dtype: Any type; floating-point ones hold whole numbers.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: there is no integer in the range.
    """
    need_tensor(x, "randint_like")
    drawn = _integers(low, high, tuple(x.shape), int64, "randint_like")
    return cast(drawn, to_dtype(dtype) if dtype is not None else x.dtype)


def randperm(n: int, dtype: DTypeLike = "int64", name: Optional[str] = None) -> Tensor:
    """Draw an order of the numbers from 0 to n - 1.

    Args:
        n: How many, at least 0.
        dtype: int32, int64, float32 or float64.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [n].

    Raises:
        OperatorError: n is negative.
    """
    if n < 0:
        raise OperatorError(f"randperm: n must not be negative, got {n}")
    numbers = arange(n, dtype=int32)
    return cast(apply(_shuffle, numbers).detach() if isinstance(n, Dimension) or n > 1 else numbers, to_dtype(dtype))


__all__ = [
    "get_rng_state", "normal", "rand", "randint", "randint_like", "randn", "randperm", "seed", "set_rng_state",
    "standard_normal", "uniform",
]  # fmt: skip
