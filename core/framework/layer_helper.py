"""LayerHelper: how older code creates parameters; what it adds to static programs is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dtypes import DTypeLike
from core.nn import ParamAttr, Parameter, create_parameter, naming
from core.operators import activation
from core.tensor import Tensor


class LayerHelper:
    """Creates parameters for a function of the name ``layer_type``.

    Args:
        layer_type: the function's name, from which the parameters' names are made.
        **kwargs: the function's arguments, of which ``name``, ``param_attr``, ``bias_attr`` and ``act`` are read.
    """

    def __init__(self, layer_type: str, **kwargs: Any) -> None:
        self.layer_type = layer_type
        self.kwargs = kwargs
        self.name: str = kwargs.get("name") or naming.generate(layer_type)

    @property
    def param_attr(self) -> Any:
        """The attributes of weights."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        """The attributes of biases."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def create_parameter(
        self,
        attr: Any,
        shape: Sequence[int],
        dtype: DTypeLike = None,
        is_bias: bool = False,
        default_initializer: Any = None,
    ) -> Optional[Parameter]:
        """Return a new parameter.

        Args:
            attr: a ParamAttr, a name, an Initializer, or False for None.
            shape: its shape.
            dtype: its element type.
            is_bias: whether its first values are 0.
            default_initializer: gives its first values where ``attr`` does not.
        """
        return create_parameter(shape, dtype or "float32", None, attr, is_bias, default_initializer)

    def append_activation(self, input_var: Tensor) -> Tensor:
        """Return the tensor, passed through the activation that the argument ``act`` names.

        Args:
            input_var: any tensor.

        Raises:
            ValueError: there is no such activation.
        """
        act = self.kwargs.get("act")
        if act is None:
            return input_var
        if act not in activation.__all__:
            raise ValueError(f"LayerHelper({self.layer_type!r}): there is no activation {act!r}")
        result: Tensor = getattr(activation, act)(input_var)
        return result

    def append_op(self, *args: Any, **kwargs: Any) -> None:
        """Refuse to add an operator to a static program.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"LayerHelper({self.layer_type!r}).append_op: operators are not added to static programs by name: call a"
            " function of core"
        )

    create_variable_for_type_inference = append_op
