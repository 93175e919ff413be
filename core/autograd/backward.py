"""The backward pass over the record: gradients of any order, from rules that are themselves made of operators."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from core.autograd.context import Context
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Node, Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.engine import custom
from core.kernels.engine.engine import Array
from core.operators.creation.creation import ones_like
from core.tensor import Tensor, register

Key = tuple[int, int]


def backward(
    tensors: Union[Tensor, Sequence[Tensor]],
    grad_tensors: Union[Tensor, Sequence[Optional[Tensor]], None] = None,
    retain_graph: bool = False,
) -> None:
    """Accumulate the gradients of tensors in ``grad`` of every leaf that they depend on.

    Args:
        tensors: One tensor or a list.
        grad_tensors: The gradients to start from, of the same shapes; ones where None.
        retain_graph: Keep the record, so that backward may run through it again.

    Raises:
        RuntimeError: no tensor depends on anything that needs a gradient, or the record was already used up.
        ValueError: a gradient's shape differs from its tensor's.
    """
    heads = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    starts = _starting_gradients(heads, grad_tensors, "backward")
    if dispatcher.state.trace is not None:
        raise RuntimeError(
            "backward() cannot be part of a compiled program: call it on the program's result, or use grad() inside"
        )
    if all(head.stop_gradient for head in heads):
        raise RuntimeError(
            "backward: the tensor depends on nothing that needs a gradient: set stop_gradient=False on an input, and"
            " compute outside no_grad()"
        )
    walk = _Walk(heads, starts, targets=None, stops=(), create_graph=False, retain_graph=retain_graph)
    for value, gradient in walk.run():
        owner = value.owner() if value.owner is not None else None
        if owner is not None and owner._value is value:
            with dispatcher.gradient_mode(False):
                owner._grad = gradient if owner._grad is None else owner._grad + gradient


def grad(
    outputs: Union[Tensor, Sequence[Tensor]],
    inputs: Union[Tensor, Sequence[Tensor]],
    grad_outputs: Union[Tensor, Sequence[Optional[Tensor]], None] = None,
    retain_graph: Optional[bool] = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Union[Tensor, Sequence[Tensor], None] = None,
) -> list[Optional[Tensor]]:
    """Return the gradients of the sum of outputs with respect to inputs, without touching any ``grad``.

    Args:
        outputs: One tensor or a list.
        inputs: One tensor or a list; leaves or intermediate tensors.
        grad_outputs: The gradients to start from, of the outputs' shapes; ones where None.
        retain_graph: Keep the record; the same as ``create_graph`` when None.
        create_graph: Record the computation of the gradients, so that they can be differentiated again, to any order.
        only_inputs: Must be True, as in Paddle.
        allow_unused: Return None for an input that the outputs do not depend on instead of raising.
        no_grad_vars: Tensors to treat as constants.

    Returns:
        One gradient per input.

    Raises:
        RuntimeError: an input is unused and ``allow_unused`` is False, or the record was already used up.
    """
    if not only_inputs:
        raise NotImplementedError("grad: only_inputs=False is not supported, as in Paddle: call backward() instead")
    heads = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    targets = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    blocked = [no_grad_vars] if isinstance(no_grad_vars, Tensor) else list(no_grad_vars or ())
    starts = _starting_gradients(heads, grad_outputs, "grad")
    for i, target in enumerate(targets):
        if target.stop_gradient:
            raise RuntimeError(
                f"grad: inputs[{i}] has stop_gradient=True: set it to False before computing the outputs"
            )
    keep = create_graph if retain_graph is None else retain_graph
    walk = _Walk(heads, starts, [target._value for target in targets], [t._value for t in blocked], create_graph, keep)
    walk.run()
    results: list[Optional[Tensor]] = []
    for i, target in enumerate(targets):
        gradient = walk.gradients.get(_key(target._value))
        if gradient is None and not allow_unused:
            raise RuntimeError(
                f"grad: the outputs do not depend on inputs[{i}]: pass allow_unused=True to get None for it"
            )
        results.append(gradient)
    return results


def _starting_gradients(heads: list[Tensor], given: Any, caller: str) -> list[Tensor]:
    gradients = [given] if isinstance(given, Tensor) or given is None else list(given)
    if given is None:
        gradients = [None] * len(heads)
    if len(gradients) != len(heads):
        raise ValueError(f"{caller}: {len(heads)} outputs but {len(gradients)} starting gradients")
    starts = []
    for head, gradient in zip(heads, gradients):
        if gradient is None:
            with dispatcher.gradient_mode(False):
                gradient = ones_like(head)
        elif gradient.shape != head.shape:
            raise ValueError(
                f"{caller}: a starting gradient of shape {gradient.shape} for an output of shape {head.shape}"
            )
        starts.append(gradient)
    return starts


def _key(value: Value) -> Key:
    return (id(value), -1) if value.node is None else (id(value.node), value.index)


class _Walk:
    """One pass from heads back to leaves (all of them, or only what leads to given targets)."""

    def __init__(
        self,
        heads: Sequence[Tensor],
        starts: Sequence[Tensor],
        targets: Optional[Sequence[Value]],
        stops: Iterable[Value],
        create_graph: bool,
        retain_graph: bool,
    ) -> None:
        self.gradients: dict[Key, Tensor] = {}
        self.leaves: dict[Key, Value] = {}
        self.queue: list[tuple[int, Node]] = []
        self.queued: set[int] = set()
        self.create_graph = create_graph
        self.retain_graph = retain_graph
        self.stops = {_key(value) for value in stops}
        self.targets = None if targets is None else {_key(value) for value in targets}
        self.useful = None if self.targets is None else self._leading_to_targets([head._value for head in heads])
        for head, start in zip(heads, starts):
            if head._value.requires_grad:
                self._add(head._value, start)

    def run(self) -> list[tuple[Value, Tensor]]:
        """Walk; returns the leaves that were reached, with their gradients."""
        done: list[Node] = []
        with dispatcher.gradient_mode(self.create_graph), dispatcher.precision_mode(None):
            while self.queue:
                _, node = heapq.heappop(self.queue)
                self._visit(node)
                done.append(node)
            leaves = []
            for key, value in self.leaves.items():
                owner = value.owner() if value.owner is not None else None
                if owner is not None and owner._hooks:
                    self.gradients[key] = _run_hooks(owner._hooks, self.gradients[key])
                leaves.append((value, self.gradients[key]))
        if not self.retain_graph:
            for node in done:
                node.release()
        return leaves

    def _visit(self, node: Node) -> None:
        if node.inputs is None:
            raise RuntimeError(
                f"{node.operator.name}: a second backward through the same record: pass retain_graph=True to the first"
            )
        gradients = []
        for index in range(len(node.metas)):
            key = (id(node), index)
            gradient = self.gradients.pop(key, None)  # all that use the result have been visited
            if gradient is not None:
                if node.hooks is not None:
                    for hooks in node.hooks.get(index, ()):
                        gradient = _run_hooks(hooks, gradient)
                if self.targets is not None and key in self.targets:
                    self.gradients[key] = gradient
            gradients.append(gradient)
        if self.useful is None and not self.stops:
            needs = [value.requires_grad for value in node.inputs]
        else:
            needs = [value.requires_grad and self._wanted(value) for value in node.inputs]
        for value, gradient in zip(node.inputs, run_rule(node, gradients, needs, self.create_graph, self.retain_graph)):
            if gradient is not None:
                self._add(value, gradient)

    def _wanted(self, value: Value) -> bool:
        key = _key(value)
        if key in self.stops:
            return False
        if self.useful is None:
            return True
        assert self.targets is not None
        return key in self.targets or (value.node is not None and id(value.node) in self.useful)

    def _add(self, value: Value, gradient: Tensor) -> None:
        node = value.node
        key = (id(value), -1) if node is None else (id(node), value.index)  # as _key gives it
        if key in self.stops:
            return
        earlier = self.gradients.get(key)
        self.gradients[key] = gradient if earlier is None else earlier + gradient
        if node is None:
            self.leaves[key] = value
        if node is not None and id(node) not in self.queued and (self.useful is None or id(node) in self.useful):
            self.queued.add(id(node))
            heapq.heappush(self.queue, (-node.order, node))

    def _leading_to_targets(self, heads: Iterable[Value]) -> set[int]:
        assert self.targets is not None
        reached: dict[int, Node] = {}
        pending = [head.node for head in heads if head.node is not None]
        while pending:
            node = pending.pop()
            if id(node) in reached:
                continue
            reached[id(node)] = node
            pending.extend([value.node for value in node.inputs or () if value.node is not None])
        useful: set[int] = set()
        for node in sorted(reached.values(), key=lambda node: node.order):
            for value in node.inputs or ():
                key = _key(value)
                if value.requires_grad and (key in self.targets or key[0] in useful) and key not in self.stops:
                    useful.add(id(node))
                    break
            if node.inputs is None:
                useful.add(id(node))  # so that the backward pass meets the used-up record and says so
        return useful


def run_rule(
    node: Node, gradients: Sequence[Optional[Tensor]], needs: Sequence[bool], create_graph: bool, retain: bool
) -> Sequence[Optional[Tensor]]:
    """Return the gradients of a node's inputs, None for those not needed."""
    rule = node.operator.rule
    if rule is None:
        raise OperatorError(f"{node.operator.name}: no differentiation rule is declared")
    context = Context(node, needs, create_graph, retain)
    results = rule(context, *gradients)
    return [gradient if needed else None for gradient, needed in zip(results, needs)]


def _run_hooks(hooks: dict[int, Any], gradient: Tensor) -> Tensor:
    for hook in list(hooks.values()):
        replaced = hook(gradient)
        if replaced is not None:
            gradient = replaced
    return gradient


def _differentiate_arrays(
    operator: Any,
    attributes: dict[str, Any],
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    gradients: Sequence[Array],
    needs: Sequence[bool],
) -> list[Optional[Array]]:
    """Run one operator's rule on engine arrays; what a custom operator inside a compiled program calls."""
    if operator.rule is None or not operator.differentiable:
        return [None] * len(inputs)
    values = [dispatcher.constant(array) for array in inputs]
    metas = [dispatcher.constant(array).meta for array in outputs]
    node = Node(operator, attributes, values, list(outputs), metas, None, traced=None)
    with dispatcher.gradient_mode(False):
        results = run_rule(node, [Tensor(dispatcher.constant(array)) for array in gradients], needs, False, False)
    return [None if tensor is None else tensor._value.array for tensor in results]


custom.differentiate = _differentiate_arrays


register("backward", backward)
