"""Trading time for memory: a part of the model is computed again for its gradient (Chen et al., arXiv 1604.06174)."""

from __future__ import annotations

from typing import Any, Callable

from core.autograd import PyLayer, PyLayerContext, backward, enable_grad, is_grad_enabled
from core.kernels.dispatch import dispatcher
from core.operators.creation.random import get_rng_state, set_rng_state
from core.tensor import Tensor


def recompute(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function without keeping what its gradient needs; the backward pass calls it again.

    Parameters that the function reads get their gradients as usual. Compiled programs plan their memory themselves:
    there, and where no argument needs a gradient, the function is simply called.

    Args:
        function: computes tensors, or tuples and lists of tensors, from its arguments; often a Layer.
        *args: its arguments; gradients flow into the tensors among them.
        **kwargs: its further arguments, which get no gradient; and ``preserve_rng_state`` (True), which repeats the
            random numbers of the first call, and ``use_reentrant`` (True), accepted for Paddle's signature.

    Returns:
        What the function returns.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    kwargs.pop("use_reentrant", True)
    wanted = any(isinstance(value, Tensor) and not value.stop_gradient for value in args)
    if dispatcher.state.trace is not None or not is_grad_enabled() or not wanted:
        return function(*args, **kwargs)
    return _Recomputed.apply(*args, call=_Call(function, kwargs, preserve))


class _Call:
    def __init__(self, function: Callable[..., Any], kwargs: dict[str, Any], preserve: bool) -> None:
        self.function = function
        self.kwargs = kwargs
        self.preserve = preserve


class _Recomputed(PyLayer):
    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        call: _Call = kwargs["call"]
        ctx.call, ctx.arguments = call, args
        ctx.random = get_rng_state() if call.preserve else None
        return call.function(*args, **call.kwargs)

    @staticmethod
    def backward(ctx: PyLayerContext, *gradients: Any) -> Any:
        context: Any = ctx
        arguments = [_leaf(value) for value in context.arguments]
        later = get_rng_state() if context.call.preserve else None
        if context.call.preserve:
            set_rng_state(context.random)
        with enable_grad():
            returned = context.call.function(*arguments, **context.call.kwargs)
        if later is not None:
            set_rng_state(later)
        outputs = returned if isinstance(returned, (tuple, list)) else [returned]
        pairs = zip([value for value in outputs if isinstance(value, Tensor)], gradients)
        wanted = [(output, gradient) for output, gradient in pairs if not output.stop_gradient]
        if wanted:
            backward([output for output, _ in wanted], [gradient for _, gradient in wanted])
        return tuple(value.grad for value in arguments if isinstance(value, Tensor))


def _leaf(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    leaf = value.detach()
    leaf.stop_gradient = value.stop_gradient
    return leaf
