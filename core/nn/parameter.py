"""Parameter: a tensor that an optimizer changes, and how it is made."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Value
from core.kernels.dtypes import DType, DTypeLike, to_dtype
from core.nn import naming
from core.nn.abstract import building_abstractly
from core.nn.initializer import Assign, Constant, Initializer, XavierUniform, global_initializer
from core.nn.param_attr import ParamAttr, ParamAttrLike
from core.operators.creation.creation import cast
from core.tensor import Tensor


class Parameter(Tensor):
    """A trainable tensor; make one with ``Layer.create_parameter`` or ``core.create_parameter``.

    Args:
        shape: Its shape.
        dtype: Element type.
        initializer: Draws its values.
        attr: Name, learning-rate factor and the rest.
        name: Its name where the ParamAttr gives none.

    Attributes:
        initializer: What draws its initial values.
        optimize_attr: ``{"learning_rate": factor}``, read by optimizers.
        regularizer: Its own weight decay, or None.
        need_clip: Whether gradient clipping applies.
        do_model_average: Whether weight averaging takes it along.
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike,
        initializer: Initializer,
        attr: Optional[ParamAttr] = None,
        name: Optional[str] = None,
    ) -> None:
        attr = attr or ParamAttr()
        element_type = to_dtype(dtype)
        value = Value(None, (tuple(shape), element_type))
        value.requires_grad = attr.trainable and element_type.is_floating
        value.owner = weakref.ref(self)
        super().__init__(value, name=attr.name or name or naming.generate("parameter"))
        self.persistable = True
        self.initializer = initializer
        self.optimize_attr = {"learning_rate": attr.learning_rate}
        self.regularizer = attr.regularizer
        self.need_clip = attr.need_clip
        self.do_model_average = attr.do_model_average
        self.is_distributed = False
        if not building_abstractly():
            self.initialize()

    @classmethod
    def from_tensor(cls, tensor: Tensor, trainable: bool = True, name: Optional[str] = None) -> Parameter:
        """Return a parameter that begins with the values of a tensor.

        Args:
            tensor: any tensor.
            trainable: whether a gradient is wanted.
            name: its name; a unique one when it is None.
        """
        return cls(tensor.shape, tensor.dtype, Assign(tensor), ParamAttr(name=name, trainable=trainable))

    @property
    def is_abstract(self) -> bool:
        """Whether it has a shape and an element type but no memory yet."""
        return self._value.held is None

    def initialize(self) -> None:
        """Draw the initial values, giving an abstract parameter its memory.

        Raises:
            ValueError: there are more than the engine counts.
        """
        count = math.prod(self.shape)
        if count >= 2**31:
            raise ValueError(
                f"the parameter {self.name!r} of shape {self.shape} has {count:,} elements; "
                "the engine's limit is 2**31 - 1"
            )
        self.set_value(self.initializer.values_for(self.shape, self.dtype))

    @property
    def trainable(self) -> bool:
        """Whether a gradient is wanted; the opposite of ``stop_gradient``."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        self.stop_gradient = not wanted

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        copy = super().__deepcopy__(memo)
        copy.name = naming.generate(f"{self.name}_deepcopy")
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        kept = ("optimize_attr", "regularizer", "need_clip", "do_model_average")
        settings = {key: self.__dict__[key] for key in kept}
        return _restored, (self.numpy(), self.dtype.name, self.stop_gradient, self.name, settings)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


EagerParamBase = Parameter


def _restored(values: np.ndarray, dtype: str, stop_gradient: bool, name: str, settings: dict[str, Any]) -> Parameter:
    parameter = make_parameter(list(values.shape), dtype, attr=ParamAttr(name=name), default_initializer=Assign(values))
    assert parameter is not None
    parameter.stop_gradient = stop_gradient
    parameter.__dict__.update(settings)
    return parameter


def make_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    attr: ParamAttrLike = None,
    is_bias: bool = False,
    default_initializer: Optional[Initializer] = None,
    name_scope: str = "create_parameter",
) -> Optional[Parameter]:
    """Return a new parameter, or None where ``attr`` is False.

    The initial values come from the first of: the attribute's initializer, the global one (``set_global_initializer``),
    the default one, XavierUniform for a weight or 0 for a bias.

    Args:
        shape: Its shape.
        dtype: Element type.
        attr: A ParamAttr, a name, an Initializer or False.
        is_bias: Whether it is a bias.
        default_initializer: Replaces the last of the choices above.
        name_scope: The name begins with it.

    Raises:
        ValueError: a dimension is not positive, or there are more elements than the engine counts.
    """
    description = ParamAttr._to_attr(attr)
    if description is False:
        return None
    sizes = [int(size) for size in shape]
    if any(size < 1 for size in sizes):
        raise ValueError(f"create_parameter: every size of {sizes} must be at least 1")
    initializer = description.initializer or global_initializer(is_bias) or default_initializer
    if initializer is None:
        initializer = Constant(0.0) if is_bias else XavierUniform()
    if description.name is None:
        name_scope = naming.generate(f"{name_scope}.{'b' if is_bias else 'w'}")
    return Parameter(sizes, dtype, initializer, description, name_scope)


def create_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: Optional[str] = None,
    attr: ParamAttrLike = None,
    is_bias: bool = False,
    default_initializer: Optional[Initializer] = None,
) -> Optional[Parameter]:
    """Return a parameter outside any layer (``core.create_parameter``).

    Args:
        shape: Its shape.
        dtype: Element type.
        name: Its name; a unique one when it is None.
        attr: A ParamAttr, a name, an Initializer or False for None.
        is_bias: Whether the default initial value is 0 instead of XavierUniform.
        default_initializer: Replaces that default.

    Raises:
        ValueError: a dimension is not positive, or there are more elements than the engine counts.
    """
    if attr is None and name is not None:
        attr = ParamAttr(name=name)
    return make_parameter(shape, dtype, attr, is_bias, default_initializer, naming.generate("create_parameter"))


def convert_in_place(tensor: Tensor, dtype: DType) -> None:
    """Give a floating-point tensor another floating-point element type, keeping the handle; its gradient is forgotten.

    Args:
        tensor: A leaf; others and integer tensors stay as they are.
        dtype: The element type.
    """
    old = tensor._value
    if not (old.meta[1].is_floating and dtype.is_floating) or old.meta[1] is dtype:
        return
    array = None if old.array is None else cast(tensor.detach(), dtype)._value.array
    tensor._rebind(Value(array, (old.meta[0], dtype), requires_grad=old.requires_grad))
    tensor.clear_gradient(set_to_zero=False)
