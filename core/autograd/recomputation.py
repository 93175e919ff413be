"""A function that is computed again for its gradient (Chen et al. 2016, https://arxiv.org/abs/1604.06174)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from core.autograd.backward import backward
from core.autograd.mode import enable_grad
from core.autograd.pylayer import PyLayer, PyLayerContext
from core.operators.creation.random import get_rng_state, set_rng_state
from core.tensor import Tensor


def computed_again(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], preserve: bool = True
) -> Any:
    """Call a function without keeping what its gradient needs; the backward pass calls it again, recorded.

    Args:
        function: computes tensors from its arguments; parameters that it reads beside them get their gradients, too.
        args: its arguments; gradients flow into the tensors among them.
        kwargs: its further arguments, which get none.
        preserve: whether the second call draws the random numbers of the first.
    """
    return _Recomputed.apply(*args, call=_Call(function, kwargs, preserve))


class _Call:
    def __init__(self, function: Callable[..., Any], kwargs: Mapping[str, Any], preserve: bool) -> None:
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
