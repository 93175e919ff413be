"""Results that hold no input element, for inputs of size zero, where most engine operators fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DType
from core.tensor import Tensor, apply


def _filled(*arrays: np.ndarray, shape: tuple[int, ...], number: float, dtype: DType) -> np.ndarray:
    return np.full(shape, number, dtype=dtype.numpy)


def _meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(options["shape"], options["dtype"])]


_constant = HostOperator("constant_result", _filled, infer=_meta)


def constant_result(sources: Sequence[Tensor], shape: Sequence[int], number: float = 0.0) -> Tensor:
    """Return a tensor of one repeated number that is joined to the record of its sources, with gradient zero.

    Args:
        sources: What the result was computed from, in name; it has their (first) dtype.
        shape: Shape of the result.
        number: The number; the sum of nothing is 0, a product of nothing 1.

    Returns:
        A tensor of that shape; ``backward`` through it gives zeros, as it should, instead of an error.
    """
    return apply(_constant, *sources, shape=tuple(shape), number=float(number), dtype=sources[0].dtype)
