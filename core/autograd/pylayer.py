"""PyLayer: an operation whose gradient the user writes (paddle.autograd.PyLayer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.autograd.context import Context
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta, Node, Plan, Value
from core.kernels.dispatch.operator import TRANSIENT, Operator
from core.kernels.dispatch.trace import Trace
from core.kernels.engine.engine import Array
from core.operators.creation.creation import zeros
from core.tensor import Tensor, register


class PyLayerContext:
    """Carries what ``forward`` saves to ``backward``; any attribute may be set on it."""

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for ``backward``."""
        self._saved = tensors

    def saved_tensor(self) -> tuple[Any, ...]:
        """Return what :meth:`save_for_backward` kept."""
        return self._saved

    def set_materialize_grads(self, value: bool) -> None:
        """Whether an output that nothing depends on gets a gradient of zeros (the default) or None."""
        self.materialize_grads = value

    materialize_grads = True

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Let no gradient flow through some outputs of ``forward``.

        Args:
            *args: the outputs.
        """
        self.non_differentiable = args

    non_differentiable: tuple[Tensor, ...] = ()

    def mark_not_inplace(self, *args: Tensor) -> None:
        """Say that inputs are returned unchanged, which needs no saying: nothing is written in place.

        Args:
            *args: the inputs.
        """


class PyLayer:
    """Base class of operations with a gradient of their own; call them through :meth:`apply`.

    A subclass defines two static methods. ``forward(context, *args, **kwargs)`` computes without a record;
    ``backward(context, *gradients)`` gets one gradient per output tensor and returns one gradient (or None) per input
    tensor. Differentiating again works where ``backward`` is made of tensor operators.

    Example:
        >>> class Double(core.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         return gradient * 2
        >>> y = Double.apply(x)
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; override."""
        raise NotImplementedError("a PyLayer subclass defines forward(ctx, ...)")

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any) -> Any:
        """Compute the inputs' gradients from the outputs'; override."""
        raise NotImplementedError("a PyLayer subclass defines backward(ctx, ...)")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and join its outputs to the record with ``backward`` as their gradient.

        Returns:
            What ``forward`` returned.
        """
        inputs = [item for item in (*args, *kwargs.values()) if isinstance(item, Tensor)]
        operator = _PyLayerOperator(cls, args, kwargs)
        if dispatcher.state.trace is not None:
            return operator.traced(dispatcher.state.trace, inputs)
        with dispatcher.gradient_mode(False):
            returned = cls.forward(operator.context, *args, **kwargs)
        results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        tensors = [item for item in results if isinstance(item, Tensor)]
        if not dispatcher.state.gradients or all(tensor.stop_gradient for tensor in inputs):
            return returned
        arrays, metas = [tensor._value.held for tensor in tensors], [tensor._value.meta for tensor in tensors]
        node = Node(operator, {}, [tensor._value for tensor in inputs], arrays, metas, None, traced=None)
        outputs = [Tensor(Value(a, m, node, i, m[1].is_floating)) for i, (a, m) in enumerate(zip(arrays, metas))]
        joined = iter(operator.without_marked(tensors, outputs))
        results = [next(joined) if isinstance(item, Tensor) else item for item in results]
        return type(returned)(results) if isinstance(returned, (tuple, list)) else results[0]


class _PyLayerOperator(Operator):
    """One application of a PyLayer, as the dispatcher sees it."""

    def __init__(self, layer: type[PyLayer], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(f"{layer.__module__}.{layer.__qualname__}", None, register=False, needs_custom_operator=True)
        self.layer = layer
        self.context = PyLayerContext()
        self.args = args
        self.kwargs = kwargs
        self.metas: Sequence[Meta] = ()

    def rule(self, context: Context, *gradients: Optional[Tensor]) -> Sequence[Optional[Tensor]]:
        """Return what the layer's ``backward`` returns, checked."""
        given: list[Any] = list(gradients)
        if self.metas:  # a compiled program runs many times: what forward saved last may belong to another run
            self.context = PyLayerContext()
            self._forward(context.inputs)
        if self.context.materialize_grads:
            for i, gradient in enumerate(given):
                if gradient is None:
                    like = context.outputs[i]
                    given[i] = zeros(like.shape, like.dtype)
        returned = self.layer.backward(self.context, *given)
        answers = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        if len(answers) != len(context.inputs):
            raise ValueError(
                f"{self.layer.__name__}.backward returned {len(answers)} gradients for {len(context.inputs)} input"
                " tensors"
            )
        for answer, tensor in zip(answers, context.inputs):
            if answer is not None and answer.shape != tensor.shape:
                raise ValueError(
                    f"{self.layer.__name__}.backward returned a gradient of shape {answer.shape} for an input of shape"
                    f" {tensor.shape}"
                )
        return answers

    def without_marked(self, results: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[Tensor]:
        """Return the outputs, cut from the record where ``forward`` has marked its results."""
        marked = {id(tensor) for tensor in self.context.non_differentiable}
        return [output.detach() if id(result) in marked else output for result, output in zip(results, outputs)]

    def _forward(self, tensors: Sequence[Tensor]) -> tuple[Any, list[Tensor]]:
        remaining = iter(tensors)
        args = [next(remaining) if isinstance(item, Tensor) else item for item in self.args]
        kwargs = {key: next(remaining) if isinstance(item, Tensor) else item for key, item in self.kwargs.items()}
        with dispatcher.gradient_mode(False):
            returned = self.layer.forward(self.context, *args, **kwargs)
        results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        if not all(isinstance(item, Tensor) for item in results):
            raise TypeError(f"{self.layer.__name__}.forward must return tensors only inside a compiled program")
        return returned, results

    def traced(self, trace: Trace, inputs: Sequence[Tensor]) -> Any:
        """Record the application as one custom operator; its shapes come from tracing ``forward`` on the side."""
        side = Trace()
        with side:
            values = [tensor._value for tensor in inputs]
            placeholders = [Tensor(side.input(value.meta, False, "input", value.second)) for value in values]
            returned, results = self._forward(placeholders)
            self.metas = [result._value.meta for result in results]
            other_metas = [result._value.second or result._value.meta for result in results]
        if any(operation.operator.random for operation in side.operations):
            raise ValueError(
                f"{self.layer.__name__}.forward draws random numbers; a compiled program runs it again for its"
                " gradient, which would draw others: draw them outside and pass them to apply()"
            )
        if side.captured:
            raise ValueError(
                f"{self.layer.__name__}.forward reads tensors that are not its arguments; inside a compiled program"
                " pass every tensor to apply()"
            )
        given = [value.meta for value in values]
        self.infer = lambda metas, attributes: self.metas if list(metas) == given else other_metas
        self.name = f"{self.name}#{id(self)}"
        TRANSIENT[self.name] = self  # the custom operator finds it by name
        outputs = self.without_marked(results, [Tensor(value) for value in trace.invoke(self, values, {})])
        return type(returned)(outputs) if isinstance(returned, (tuple, list)) else outputs[0]

    def replay(self, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Apply the layer again, with a context of its own."""
        remaining = iter([Tensor(value) for value in inputs])
        args = [next(remaining) if isinstance(item, Tensor) else item for item in self.args]
        kwargs = {key: next(remaining) if isinstance(item, Tensor) else item for key, item in self.kwargs.items()}
        returned = self.layer.apply(*args, **kwargs)
        return [tensor._value for tensor in (returned if isinstance(returned, (tuple, list)) else [returned])]

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run ``forward`` on engine arrays: how a compiled program computes it."""
        _, results = self._forward([Tensor(dispatcher.constant(array)) for array in arrays])
        return [result._value.array for result in results], None


class _Hooked(PyLayer):
    """The identity, whose gradient passes through hooks: what a hook becomes inside a compiled program."""

    @staticmethod
    def forward(ctx: PyLayerContext, x: Tensor, hooks: Any) -> Tensor:
        """Return x."""
        ctx.hooks = hooks  # type: ignore[attr-defined]  # the user's own attributes are kept
        return x * 1.0

    @staticmethod
    def backward(ctx: PyLayerContext, gradient: Tensor) -> Tensor:
        """Run the hooks one after the other."""
        for hook in list(ctx.hooks.values()):  # type: ignore[attr-defined]  # the user's own attributes are kept
            replaced = hook(gradient)
            gradient = gradient if replaced is None else replaced
        return gradient


def with_hooks(tensor: Tensor, hooks: dict[int, Any]) -> Tensor:
    """Return a traced tensor whose gradient passes through hooks."""
    return _Hooked.apply(tensor, hooks)


register("with_hooks", with_hooks)
