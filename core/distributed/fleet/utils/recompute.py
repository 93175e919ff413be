"""Trading time for memory: a part of the model is computed again for its gradient (Chen et al., arXiv 1604.06174)."""

from __future__ import annotations

from typing import Any, Callable

from core.autograd import is_grad_enabled
from core.autograd.recomputation import computed_again
from core.jit.control_flow.recomputation import recomputed
from core.kernels.dispatch import dispatcher
from core.tensor import Tensor


def recompute(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function without keeping what its gradient needs; the backward pass calls it again.

    Parameters that the function reads get their gradients as usual. A compiled program compiles the function by itself.
    Where no argument needs a gradient, and in a program that is exported, the function is simply called.

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
    trace = dispatcher.state.trace
    if not is_grad_enabled() or not wanted or (trace is not None and trace.symbolic):
        return function(*args, **kwargs)
    if trace is not None:
        return recomputed(function, args, kwargs)
    return computed_again(function, args, kwargs, preserve)
