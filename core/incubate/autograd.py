"""Derivatives of functions: products with vectors, Jacobian and Hessian matrices (paddle.incubate.autograd).

Paddle rewrites static programs into primitive operators before it differentiates them; here every gradient is made of
public operators already, so that :func:`enable_prim` is remembered and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core.autograd import functional
from core.autograd import grad as gradients
from core.operators import assign, concat, reshape, zeros_like
from core.tensor import Tensor

__all__ = [
    "Hessian", "Jacobian", "disable_prim", "enable_prim", "forward_grad", "grad", "jvp", "prim_enabled", "vjp",
]  # fmt: skip

Tensors = Union[Tensor, Sequence[Tensor]]
_state = {"prim": False}


def vjp(func: Callable[..., Any], xs: Tensors, v: Optional[Tensors] = None) -> tuple[Any, Any]:
    """Compute the product of a vector and the Jacobian of a function.

    Args:
        func: A function of tensors that returns a tensor or a sequence of them.
        xs: Where: a tensor, or a sequence of them for several arguments.
        v: The vector, shaped as the outputs; ones when it is None.

    Returns:
        What the function returns, and the product, shaped as ``xs`` (a tuple for several).

    Raises:
        TypeError: an argument is no function, or no tensor.
        RuntimeError: the vector has another shape.

    Example:
        >>> core.incubate.autograd.vjp(lambda x: x * x, core.to_tensor([1.0, 2.0]))[1].tolist()
        [2.0, 4.0]
    """
    _check("vjp", func, xs, v)
    inputs = _separate(_listed(xs))
    outputs = func(*inputs)
    _check_shapes("vjp", v, outputs, "the function's outputs")
    return outputs, _like(xs, _products(_listed(outputs), inputs, None if v is None else _listed(v)))


def jvp(func: Callable[..., Any], xs: Tensors, v: Optional[Tensors] = None) -> tuple[Any, Any]:
    """Compute the product of the Jacobian of a function and a vector, by two backward passes.

    Args:
        func: A function of tensors that returns a tensor or a sequence of them.
        xs: Where: a tensor, or a sequence of them for several arguments.
        v: The vector, shaped as ``xs``; ones when it is None.

    Returns:
        What the function returns, and the product, shaped as that (a tuple for several).

    Raises:
        TypeError: an argument is no function, or no tensor.
        RuntimeError: the vector has another shape.

    Example:
        >>> core.incubate.autograd.jvp(lambda x: x * x, core.to_tensor([1.0, 2.0]))[1].tolist()
        [2.0, 4.0]
    """
    _check("jvp", func, xs, v)
    _check_shapes("jvp", v, xs, "xs")
    inputs = _separate(_listed(xs))
    outputs = func(*inputs)
    return outputs, _like(outputs, _forward(_listed(outputs), inputs, None if v is None else _listed(v)))


def forward_grad(outputs: Tensors, inputs: Tensors, grad_inputs: Optional[Tensors] = None) -> Any:
    """Compute how outputs change along a direction of the inputs that they were computed from.

    Args:
        outputs: A tensor or a sequence of them.
        inputs: A tensor or a sequence of them, with ``stop_gradient=False``.
        grad_inputs: The direction, shaped as the inputs; ones when it is None.

    Returns:
        The changes, shaped as the outputs (a tuple for several).

    Raises:
        TypeError: an argument is no tensor.
        RuntimeError: the direction has another shape.
    """
    for name, values in (("outputs", outputs), ("inputs", inputs)):
        _check_tensors("forward_grad", name, values)
    if grad_inputs is not None:
        _check_tensors("forward_grad", "grad_inputs", grad_inputs)
    _check_shapes("forward_grad", grad_inputs, inputs, "inputs")
    direction = None if grad_inputs is None else _listed(grad_inputs)
    return _like(outputs, _forward(_listed(outputs), _listed(inputs), direction))


def grad(outputs: Tensors, inputs: Tensors, grad_outputs: Optional[Tensors] = None) -> Any:
    """Compute gradients that can be differentiated again; zeros where there is no connection.

    Args:
        outputs: A tensor or a sequence of them.
        inputs: A tensor or a sequence of them, with ``stop_gradient=False``.
        grad_outputs: What the outputs are weighted by, shaped as they are; ones when it is None.

    Returns:
        The gradients, shaped as the inputs (a tuple for several).

    Raises:
        TypeError: an argument is no tensor.
    """
    for name, values in (("outputs", outputs), ("inputs", inputs)):
        _check_tensors("grad", name, values)
    weights = None if grad_outputs is None else _listed(grad_outputs)
    return _like(inputs, _products(_listed(outputs), _listed(inputs), weights))


class Jacobian(functional.Jacobian):
    """The matrix of a function's derivatives: outputs and inputs are flattened and joined; a row is computed when read.

    Args:
        func: A function of tensors that returns a tensor or a sequence of them.
        xs: Where: a tensor, or a sequence of them for several arguments.
        is_batched: Whether the first axis of all counts independent samples.

    Attributes:
        shape: (N, M), or (B, N, M).

    Raises:
        TypeError: an argument is no function, or no tensor.

    Example:
        >>> core.incubate.autograd.Jacobian(lambda x: x * x, core.to_tensor([1.0, 2.0]))[:].tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """

    def __init__(self, func: Callable[..., Any], xs: Tensors, is_batched: bool = False) -> None:
        flat, outputs = _flat_call("Jacobian", func, xs, is_batched)
        super().__init__(outputs, flat, is_batched)
        self.shape: Any = tuple(self.shape)


class Hessian(functional.Jacobian):
    """The matrix of second derivatives of a function's one number; a row is computed when read.

    Args:
        func: A function of tensors that returns a tensor of one element, with a batch one for each sample.
        xs: Where: a tensor, or a sequence of them for several arguments.
        is_batched: Whether the first axis of all counts independent samples.

    Attributes:
        shape: (M, M), or (B, M, M).

    Raises:
        TypeError: an argument is no function, or no tensor.
        RuntimeError: the function returns more than one number.
    """

    def __init__(self, func: Callable[..., Any], xs: Tensors, is_batched: bool = False) -> None:
        flat, outputs = _flat_call("Hessian", func, xs, is_batched)
        if outputs.shape[-1] != 1:
            raise RuntimeError(
                f"Hessian: the function must return one element{' for each sample' if is_batched else ''}, not"
                f" {outputs.shape[-1]}"
            )
        super().__init__(_products([outputs.sum()], [flat], None)[0], flat, is_batched)
        self.shape: Any = tuple(self.shape)


def enable_prim() -> None:
    """Remember that programs are to be made of primitive operators, as they always are."""
    _state["prim"] = True


def disable_prim() -> None:
    """Forget what :func:`enable_prim` has asked for."""
    _state["prim"] = False


def prim_enabled() -> bool:
    """Return whether :func:`enable_prim` has been called."""
    return _state["prim"]


def _flat_call(caller: str, func: Callable[..., Any], xs: Tensors, is_batched: bool) -> tuple[Tensor, Tensor]:
    """Call the function on parts of one flat tensor; return that tensor and the flat outputs."""
    _check(caller, func, xs, None)
    inputs = _listed(xs)
    flat = _separate([_joined(inputs, is_batched)])[0]
    parts, start = [], 0
    for x in inputs:
        width = math.prod(x.shape[1:] if is_batched else x.shape)
        part = flat[:, start : start + width] if is_batched else flat[start : start + width]
        parts.append(reshape(part, x.shape))
        start += width
    return flat, _joined(_listed(func(*parts)), is_batched)


def _joined(tensors: Sequence[Tensor], is_batched: bool) -> Tensor:
    flat = [reshape(tensor, [tensor.shape[0], -1] if is_batched else [-1]) for tensor in tensors]
    return flat[0] if len(flat) == 1 else concat(flat, axis=-1)


def _products(
    outputs: list[Tensor], inputs: list[Tensor], weights: Optional[Sequence[Optional[Tensor]]]
) -> list[Tensor]:
    found = gradients(outputs, inputs, weights, create_graph=True, allow_unused=True)
    return [zeros_like(x) if gradient is None else gradient for x, gradient in zip(inputs, found)]


def _forward(outputs: list[Tensor], inputs: list[Tensor], direction: Optional[list[Tensor]]) -> list[Tensor]:
    # the gradient is linear in what the outputs are weighted by: its own gradient by that is the product
    weights = [zeros_like(output).detach() for output in outputs]
    for weight in weights:
        weight.stop_gradient = False
    backwards = gradients(outputs, inputs, weights, create_graph=True, allow_unused=True)
    depending, chosen = [], []
    for at, gradient in enumerate(backwards):
        if gradient is not None and not gradient.stop_gradient:
            depending.append(gradient)
            chosen.append(None if direction is None else direction[at])
    if not depending:
        return [zeros_like(output) for output in outputs]
    return _products(depending, weights, chosen)


def _separate(tensors: Sequence[Tensor]) -> list[Tensor]:
    separated = []
    for tensor in tensors:
        own = tensor.detach() if tensor.stop_gradient else assign(tensor)
        own.stop_gradient = False
        separated.append(own)
    return separated


def _listed(tensors: Any) -> list[Tensor]:
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _like(given: Any, tensors: list[Tensor]) -> Any:
    return tuple(tensors) if isinstance(given, (list, tuple)) else tensors[0]


def _check(caller: str, func: Any, xs: Any, v: Any) -> None:
    if not callable(func):
        raise TypeError(f"{caller}: func must be a function, not {type(func).__name__}")
    _check_tensors(caller, "xs", xs)
    if v is not None:
        _check_tensors(caller, "v", v)


def _check_tensors(caller: str, name: str, values: Any) -> None:
    for value in _listed(values):
        if not isinstance(value, Tensor):
            raise TypeError(f"{caller}: {name} must be a tensor or a sequence of them, not {type(value).__name__}")


def _check_shapes(caller: str, v: Optional[Tensors], others: Any, name: str) -> None:
    if v is None:
        return
    got, wanted = ([tensor.shape for tensor in _listed(values)] for values in (v, others))
    if got != wanted:
        raise RuntimeError(f"{caller}: the vector's shapes {got} must be those of {name}, {wanted}")
