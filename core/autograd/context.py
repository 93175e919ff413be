"""What a differentiation rule sees, and how rules are attached to operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels.dispatch.dispatcher import Meta, Node, Value
from core.kernels.dispatch.operator import REGISTRY
from core.tensor import Tensor

Rule = Callable[..., Sequence[Optional[Tensor]]]


class Context:
    """One recorded operation, as its rule sees it.

    Attributes:
        inputs: The operation's input tensors, joined to the record.
        attributes: Its attributes.
        needs: For each input, whether its gradient is wanted.
        create_graph: Whether the result will be differentiated again; when False a rule may call the engine's own
            backward kernel, which has no gradient.
        saved: What the operator kept from its forward run.
        retain: Whether the record will be used again.
    """

    __slots__ = ("inputs", "attributes", "needs", "create_graph", "saved", "retain", "_node", "_outputs")

    def __init__(self, node: Node, needs: Sequence[bool], create_graph: bool, retain: bool) -> None:
        assert node.inputs is not None
        self.inputs = [Tensor(value) for value in node.inputs]
        self._node = node
        self._outputs: Optional[list[Tensor]] = None
        self.attributes = node.attributes
        self.needs = needs
        self.create_graph = create_graph
        self.saved = node.saved
        self.retain = retain

    @property
    def outputs(self) -> list[Tensor]:
        """The operation's output tensors."""
        if self._outputs is None:
            node = self._node
            made = enumerate(zip(node.outputs, node.metas))
            self._outputs = [Tensor(_output(node, index, array, meta)) for index, (array, meta) in made]
        return self._outputs

    def __getattr__(self, name: str) -> Any:
        try:
            return self.attributes[name]
        except KeyError:
            raise AttributeError(f"the operation has no attribute {name!r}") from None


def _output(node: Node, index: int, array: Any, meta: Meta) -> Value:
    value = Value(array, meta, node, index, meta[1].kind == "f", node.traced)
    if node.traced is not None:  # which may not know all of its sizes
        value.second = node.traced.result(value).second
    return value


def rule(*operator_names: str) -> Callable[[Rule], Rule]:
    """Attach the decorated function to operators as their differentiation rule.

    The rule is called as ``rule(context, *output_gradients)``; where the operator has several outputs, a gradient is
    None for one that nothing depends on. It returns one gradient, or None, per input. It is written with public
    operators, so that its result can be differentiated again.
    """

    def attach(function: Rule) -> Rule:
        for name in operator_names:
            if REGISTRY[name].rule is not None:
                raise ValueError(f"operator {name!r} has two rules")
            REGISTRY[name].rule = function
        return function

    return attach
