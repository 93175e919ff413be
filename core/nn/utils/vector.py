"""Many parameters seen as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Optional

from core.operators.shape.joining import concat


def parameters_to_vector(parameters: Iterable[Any], name: Optional[str] = None) -> Any:
    """Return all parameters, flattened, one after another.

    Args:
        parameters: Tensors of one dtype.
        name: Unused; for Paddle's signature.

    Returns:
        A tensor (total number of elements,).
    """
    del name
    return concat([parameter.reshape([-1]) for parameter in parameters], axis=0)


def vector_to_parameters(vec: Any, parameters: Iterable[Any], name: Optional[str] = None) -> None:
    """Write the pieces of a vector into parameters.

    Args:
        vec: A tensor (total number of elements,).
        parameters: Tensors to change in place.
        name: Unused; for Paddle's signature.

    Raises:
        ValueError: the vector has another number of elements than the parameters together.
    """
    del name
    targets = list(parameters)
    sizes = [math.prod(target.shape) for target in targets]
    if list(vec.shape) != [sum(sizes)]:
        raise ValueError(
            f"vector_to_parameters: the vector has shape {list(vec.shape)}, the parameters have {sum(sizes)} elements"
        )
    start = 0
    flat = vec.detach()
    for target, size in zip(targets, sizes):
        target.set_value(flat[start : start + size].reshape(target.shape))
        start += size
