"""The numbers that element types can hold: iinfo and finfo."""

from __future__ import annotations

import numpy as np

from core.kernels.dtypes import DTypeLike, bfloat16, to_dtype


class iinfo:  # noqa: N801 - Paddle's name
    """The range of an integer type.

    Args:
        dtype: uint8, int8, int32 or int64.

    Attributes:
        min: the smallest number.
        max: the largest.
        bits: how many bits one takes.
        dtype: the type's name.

    Raises:
        ValueError: the type is no integer type.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        wanted = to_dtype(dtype)
        if not wanted.is_integer:
            raise ValueError(f"iinfo: {wanted.name} is no integer type: use finfo for floating-point types")
        found = np.iinfo(wanted.numpy)
        self.min, self.max, self.bits, self.dtype = int(found.min), int(found.max), found.bits, wanted.name

    def __repr__(self) -> str:
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"


class finfo:  # noqa: N801 - Paddle's name
    """The range and precision of a floating-point type.

    Args:
        dtype: float16, bfloat16, float32 or float64.

    Attributes:
        min: the lowest number.
        max: the largest.
        eps: the distance from 1 to the next number.
        resolution: 10 to the power of minus the digits that it keeps.
        smallest_normal: the smallest positive number of full precision.
        tiny: the same.
        bits: how many bits a number takes.
        dtype: the type's name.

    Raises:
        ValueError: the type is no floating-point type.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        wanted = to_dtype(dtype)
        if not wanted.is_floating:
            raise ValueError(f"finfo: {wanted.name} is no floating-point type: use iinfo for integer types")
        self.bits, self.dtype = 8 * wanted.size, wanted.name
        if wanted is bfloat16:  # 8 bits of exponent as float32, 7 of fraction
            self.max, self.eps, self.resolution = (2 - 2.0**-7) * 2.0**127, 2.0**-7, 0.01
            self.smallest_normal = 2.0**-126
        else:
            found = np.finfo(wanted.numpy)
            self.max, self.eps = float(found.max), float(found.eps)
            self.resolution, self.smallest_normal = float(found.resolution), float(found.tiny)
        self.min, self.tiny = -self.max, self.smallest_normal

    def __repr__(self) -> str:
        numbers = ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
        listed = ", ".join(f"{name}={getattr(self, name):g}" for name in numbers)
        return f"paddle.finfo({listed}, bits={self.bits}, dtype={self.dtype})"
