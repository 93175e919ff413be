"""Derivatives of Python functions (paddle.incubate.autograd): products with vectors, Jacobians, Hessians."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Union

from core.autograd import functional, grad
from core.operators.creation import assign, zeros_like
from core.operators.joining import concat
from core.operators.manipulation import reshape
from core.tensor import Tensor

Tensors = Union[Tensor, Sequence[Tensor]]


def vjp(func: Callable[..., Any], xs: Tensors, v: Any = None) -> tuple[Any, Any]:
    """Compute a function and the product of a vector with its Jacobian, going backwards.

    Args:
        func: takes the inputs one by one; returns a Tensor, or several in a list or tuple.
        xs: the inputs, one or several in a list or tuple.
        v: the vector, shaped as the results are; None: ones.

    Returns:
        What the function returns, and the product: a Tensor, or a list of one for each input; None where the results do
        not depend on it.

    Raises:
        ValueError: ``v`` has another number of tensors, or another shape.
    """
    inputs = _separate(xs)
    ys = func(*inputs)
    found = grad(_listed(ys), inputs, _vector(v, ys, "vjp"), create_graph=True, allow_unused=True)
    return ys, found if isinstance(xs, (list, tuple)) else found[0]


def jvp(func: Callable[..., Any], xs: Tensors, v: Any = None) -> tuple[Any, Any]:
    """Compute a function and the product of its Jacobian with a vector, by going backwards twice.

    Args:
        func: takes the inputs one by one; returns a Tensor, or several in a list or tuple.
        xs: the inputs, one or several in a list or tuple.
        v: the vector, shaped as the inputs are; None: ones.

    Returns:
        What the function returns, and the product: a Tensor, or a list of one for each result; None where it does not
        depend on the inputs.

    Raises:
        ValueError: ``v`` has another number of tensors, or another shape.
    """
    inputs = _separate(xs)
    vector = _vector(v, xs, "jvp")
    ys = func(*inputs)
    weights = _separate([zeros_like(y) for y in _listed(ys)])  # the product is linear in them: any will do
    backwards: list[Any] = grad(_listed(ys), inputs, weights, create_graph=True, allow_unused=True)
    used = [number for number, found in enumerate(backwards) if found is not None]
    chosen = None if vector is None else [vector[number] for number in used]
    products: list[Any] = [None] * len(weights)
    if used:
        products = grad([backwards[n] for n in used], weights, chosen, create_graph=True, allow_unused=True)
    return ys, products if isinstance(ys, (list, tuple)) else products[0]


class Jacobian(functional.Jacobian):
    """The Jacobian of a function; a row is computed when it is first read, and kept.

    Args:
        func: takes the inputs one by one; returns a Tensor, or several in a list or tuple.
        xs: the inputs, one or several in a list or tuple; all are flattened and joined, and so are the results.
        is_batched: whether the first axis of all counts independent samples.

    Attributes:
        shape: [N, M], or [B, N, M].
    """

    def __init__(self, func: Callable[..., Any], xs: Tensors, is_batched: bool = False) -> None:
        joined, parts = _joined_inputs(xs, is_batched)
        super().__init__(_joined(_listed(func(*parts)), is_batched), joined, is_batched)


class Hessian(functional.Hessian):
    """The Hessian of a function with one number as result; a row is computed when it is first read, and kept.

    Args:
        func: takes the inputs one by one; returns a Tensor with one element, or [B, 1] with a batch.
        xs: the inputs, one or several in a list or tuple; all are flattened and joined.
        is_batched: whether the first axis of all counts independent samples.

    Attributes:
        shape: [M, M], or [B, M, M].

    Raises:
        RuntimeError: the function gives more than one number.
    """

    def __init__(self, func: Callable[..., Any], xs: Tensors, is_batched: bool = False) -> None:
        joined, parts = _joined_inputs(xs, is_batched)
        result = _joined(_listed(func(*parts)), is_batched)
        if result.shape[-1] != 1:
            raise RuntimeError(f"Hessian: the function must give one number, not {result.shape[-1]}")
        (first,) = grad([result.sum()], [joined], create_graph=True, allow_unused=True)
        super().__init__(zeros_like(joined) if first is None else first, joined, is_batched)


def _listed(item: Any) -> list[Any]:
    return list(item) if isinstance(item, (list, tuple)) else [item]


def _separate(xs: Any) -> list[Tensor]:
    """Return inputs that stand apart from where they are used elsewhere; what they were computed from stays known."""
    found = []
    for x in _listed(xs):
        separate = x.detach() if x.stop_gradient else assign(x)
        separate.stop_gradient = False
        found.append(separate)
    return found


def _vector(v: Any, like: Any, caller: str) -> Any:
    """Return a vector as a list, after a look at its shape; None stays."""
    if v is None:
        return None
    given, wanted = [x.shape for x in _listed(v)], [x.shape for x in _listed(like)]
    if given != wanted:
        raise ValueError(f"{caller}: v must have the shapes {wanted}, not {given}")
    return _listed(v)


def _joined(tensors: Sequence[Tensor], is_batched: bool) -> Tensor:
    flat = [reshape(x, [x.shape[0], -1] if is_batched else [-1]) for x in tensors]
    return concat(flat, axis=-1) if len(flat) > 1 else flat[0]


def _joined_inputs(xs: Tensors, is_batched: bool) -> tuple[Tensor, list[Tensor]]:
    """Return the inputs flattened into one new tensor, and the inputs again as parts of that."""
    (joined,) = _separate(_joined(_listed(xs), is_batched))
    parts, start = [], 0
    for x in _listed(xs):
        size = math.prod(x.shape[int(is_batched) :])
        parts.append(reshape(joined[..., start : start + size], x.shape))
        start += size
    return joined, parts


__all__ = ["Hessian", "Jacobian", "jvp", "vjp"]
