"""The frequencies of transforms, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dtypes import DTypeLike, to_dtype
from core.operators import roll, to_tensor
from core.operators._arguments import need_tensor
from core.operators.arithmetic.complex_tensor import ComplexTensor
from core.tensor import Tensor, default_dtype

Axes = Optional[Sequence[int]]


def is_whole(value: Any) -> bool:
    """Return whether a value is an int, of Python or numpy, and no bool.

    Args:
        value: Anything.
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def fftfreq(n: int, d: float = 1.0, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Return the frequencies of the results of :func:`fft`.

    Args:
        n: How many there are.
        d: The distance of samples.
        dtype: Element type; the default float type when it is None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [n]: 0 and the positive ones, then the negative ones.

    Raises:
        OperatorError: n is not positive, or d is 0.

    Example:
        >>> core.fft.fftfreq(4).tolist()
        [0.0, 0.25, -0.5, -0.25]
    """
    _check_frequencies("fftfreq", n, d)
    return _frequencies(np.fft.fftfreq(n, d), dtype)


def rfftfreq(n: int, d: float = 1.0, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Return the frequencies of the results of :func:`rfft`.

    Args:
        n: How many numbers were transformed.
        d: The distance of samples.
        dtype: Element type; the default float type when it is None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [n // 2 + 1].

    Raises:
        OperatorError: n is not positive, or d is 0.
    """
    _check_frequencies("rfftfreq", n, d)
    return _frequencies(np.fft.rfftfreq(n, d), dtype)


def _check_frequencies(caller: str, n: Any, d: float) -> None:
    if not is_whole(n) or n < 1 or d == 0:
        raise OperatorError(f"{caller}: n must be a positive int and d not 0, got {n!r} and {d!r}")


def _frequencies(values: np.ndarray, dtype: DTypeLike) -> Tensor:
    return to_tensor(values, dtype=default_dtype() if dtype is None else to_dtype(dtype))


def fftshift(x: Tensor, axes: Union[int, Axes] = None, name: Optional[str] = None) -> Tensor:
    """Roll results so that frequency 0 is in the middle.

    Args:
        x: A tensor, real or complex.
        axes: The axes; all when it is None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and type.

    Raises:
        OperatorIndexError: there is no such axis.
    """
    return _shifted("fftshift", x, axes, 1)


def ifftshift(x: Tensor, axes: Union[int, Axes] = None, name: Optional[str] = None) -> Tensor:
    """Undo :func:`fftshift`.

    Args:
        x: A tensor, real or complex.
        axes: The axes; all when it is None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and type.

    Raises:
        OperatorIndexError: there is no such axis.
    """
    return _shifted("ifftshift", x, axes, -1)


def _shifted(caller: str, x: Tensor, axes: Any, sign: int) -> Tensor:
    need_tensor(x, caller)
    chosen = list(range(x.ndim)) if axes is None else [axes] if is_whole(axes) else list(axes)
    wrong = [axis for axis in chosen if not -x.ndim <= axis < x.ndim]
    if wrong:
        raise OperatorIndexError(f"{caller}: there is no axis {wrong[0]} in a tensor of shape {x.shape}")
    steps = [x.shape[axis] // 2 if sign > 0 else -(x.shape[axis] // 2) for axis in chosen]
    rolled: Any = x.roll(steps, chosen) if isinstance(x, ComplexTensor) else roll(x, steps, chosen)
    return rolled
