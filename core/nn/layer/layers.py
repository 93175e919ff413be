"""Layer: the base class of everything that has parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Callable, Optional, TypeVar, overload

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DTypeLike, to_dtype
from core.nn import naming
from core.nn.initializer import Initializer
from core.nn.layer.hooks import HookRemoveHelper
from core.nn.layer.state import StatefulLayer
from core.nn.layer_helper import LayerObjectHelper
from core.nn.param_attr import ParamAttrLike, PresentAttrLike
from core.nn.parameter import Parameter, make_parameter
from core.operators.creation.creation import zeros
from core.tensor import Tensor, default_dtype

__all__ = ["Layer"]

Self = TypeVar("Self", bound="Layer")


class Layer(StatefulLayer):
    """A piece of a network: parameters, buffers and sublayers, and a ``forward`` that uses them.

    Assigning a Parameter or a Layer to an attribute registers it. Write ``__init__`` (calling ``super().__init__()``
    first) and ``forward``; call the layer itself, which also runs the hooks.

    Args:
        name_scope: Prefix of :meth:`full_name`; the class name in snake case when it is None.
        dtype: Element type of the parameters it creates; ``core.get_default_dtype()`` when it is None.

    Example:
        >>> class Residual(core.nn.Layer):
        ...     def __init__(self, width):
        ...         super().__init__()
        ...         self.linear = core.nn.Linear(width, width)
        ...     def forward(self, x):
        ...         return x + self.linear(x)
    """

    def __init__(self, name_scope: Optional[str] = None, dtype: DTypeLike = None) -> None:
        attributes = self.__dict__
        attributes["_parameters"] = OrderedDict()
        attributes["_buffers"] = OrderedDict()
        attributes["_sub_layers"] = OrderedDict()
        attributes["_non_persistable_buffer_names_set"] = set()
        self.training = True
        self._full_name = naming.generate(naming.snake_case(name_scope or type(self).__name__))
        self._dtype = (default_dtype() if dtype is None else to_dtype(dtype)).name
        self._forward_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._forward_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._state_dict_hooks = OrderedDict()

    @property
    def _helper(self) -> LayerObjectHelper:
        """What layers in Paddle's older style ask for the default type, and apply operators by name with."""
        return LayerObjectHelper(self._full_name)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Compute the layer's outputs; every layer defines its own.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define forward()")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run the pre-hooks, ``forward`` and the post-hooks; an operator's error gets this layer's name.

        Args:
            *inputs: Inputs of ``forward``; the hooks see these.
            **kwargs: Further inputs of ``forward``.
        """
        trace = dispatcher.state.trace
        if trace is not None:  # the compiled program holds only while this layer stays in its present mode
            trace.layers.setdefault(id(self), (self, self.training))
        rewrite = _unchanged if trace is None or trace.rewrite is None else trace.rewrite
        try:
            if self._forward_pre_hooks:
                for hook in list(self._forward_pre_hooks.values()):
                    replaced = rewrite(hook)(self, inputs)
                    if replaced is not None:
                        inputs = replaced if isinstance(replaced, tuple) else (replaced,)
            outputs = rewrite(self.forward)(*inputs, **kwargs)
            if self._forward_post_hooks:
                for hook in list(self._forward_post_hooks.values()):
                    replaced = rewrite(hook)(self, inputs, outputs)
                    if replaced is not None:
                        outputs = replaced
            return outputs
        except OperatorError as error:
            error.layers.append(self._full_name)
            raise

    def backward(self, *inputs: Any) -> None:
        """Refuse: gradients come from the operators, a layer defines none.

        Raises:
            ValueError: always.
        """
        raise ValueError("Layer shouldn't implement backward")

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookRemoveHelper:
        """Call a function before ``forward``; what it returns, unless None, replaces the inputs.

        Args:
            hook: ``hook(layer, inputs) -> None, new input, or tuple of new inputs``; ``inputs`` is the tuple of
                positional inputs.

        Returns:
            An object whose ``remove()`` takes the hook away.
        """
        return HookRemoveHelper.register(self._forward_pre_hooks, hook)

    def register_forward_post_hook(self, hook: Callable[..., Any]) -> HookRemoveHelper:
        """Call a function after ``forward``; what it returns, unless None, replaces the output.

        Args:
            hook: ``hook(layer, inputs, output) -> None or new output``.

        Returns:
            An object whose ``remove()`` takes the hook away.
        """
        return HookRemoveHelper.register(self._forward_post_hooks, hook)

    @overload
    def create_parameter(
        self,
        shape: Sequence[int],
        attr: PresentAttrLike = None,
        dtype: DTypeLike = None,
        is_bias: bool = False,
        default_initializer: Optional[Initializer] = None,
    ) -> Parameter: ...

    @overload
    def create_parameter(
        self,
        shape: Sequence[int],
        attr: ParamAttrLike,
        dtype: DTypeLike = None,
        is_bias: bool = False,
        default_initializer: Optional[Initializer] = None,
    ) -> Optional[Parameter]: ...

    def create_parameter(
        self,
        shape: Sequence[int],
        attr: ParamAttrLike = None,
        dtype: DTypeLike = None,
        is_bias: bool = False,
        default_initializer: Optional[Initializer] = None,
    ) -> Optional[Parameter]:
        """Return a new parameter named after this layer; assign it to an attribute to register it.

        Args:
            shape: Its shape.
            attr: A ParamAttr, a name, an Initializer, or False for no parameter.
            dtype: Element type; the layer's when it is None.
            is_bias: Whether it is a bias (initial value 0) or a weight (XavierUniform).
            default_initializer: Replaces those two.

        Returns:
            The parameter, or None where ``attr`` is False.

        Raises:
            ValueError: a dimension is not positive.
        """
        return make_parameter(
            shape,
            self._dtype if dtype is None else dtype,
            attr=attr,
            is_bias=is_bias,
            default_initializer=default_initializer,
            name_scope=self._full_name,
        )

    def create_tensor(
        self, name: Optional[str] = None, persistable: Optional[bool] = None, dtype: DTypeLike = None
    ) -> Tensor:
        """Return a new tensor with one zero element, to be given its value later.

        Args:
            name: Name of the tensor; a unique one when it is None.
            persistable: The tensor's ``persistable`` flag.
            dtype: Element type; the layer's when it is None.
        """
        tensor = zeros([1], self._dtype if dtype is None else dtype)
        tensor.name = name or naming.generate(f"{self._full_name}._generated_var")
        tensor.persistable = bool(persistable)
        return tensor

    create_variable = create_tensor

    def train(self: Self) -> Self:
        """Put this layer and all its sublayers into training mode (dropout drops, batch norm uses the batch).

        Returns:
            This layer.
        """
        for layer in self.sublayers(include_self=True):
            layer.training = True
        return self

    def eval(self: Self) -> Self:
        """Put this layer and all its sublayers into evaluation mode.

        Returns:
            This layer.
        """
        for layer in self.sublayers(include_self=True):
            layer.training = False
        return self

    def apply(self: Self, fn: Callable[[Any], Any]) -> Self:
        """Call a function with every sublayer, children before parents, and at last with this layer.

        Args:
            fn: ``fn(layer)``; its result is ignored.

        Returns:
            This layer.
        """
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    def full_name(self) -> str:
        """Return the name that is unique in this process, such as ``linear_0``."""
        return self._full_name

    def extra_repr(self) -> str:
        """Return what is between the parentheses of this layer's repr."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = []
        for name, layer in self._sub_layers.items():
            lines = repr(layer).split("\n")
            children.append(f"({name}): " + "\n".join([lines[0], *(f"  {line}" for line in lines[1:])]))
        text = f"{type(self).__name__}({extra}"
        if children:
            text += "\n  " + "\n  ".join(children) + "\n"
        return text + ")"


def _unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    return function
