"""Helpers by which layers and functions in Paddle's older style create parameters and apply operators by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

from core.kernels.data import default_dtype, set_default_dtype
from core.kernels.dtypes import DType, DTypeLike, to_dtype
from core.nn import naming
from core.nn.param_attr import ParamAttr
from core.nn.parameter import Parameter, create_parameter
from core.nn.utils.spectral import normalised_by_spectrum
from core.operators.layers._activations import ACTIVATIONS
from core.tensor import Tensor


def _spectral_norm(inputs: Mapping[str, Any], attrs: Mapping[str, Any]) -> dict[str, Tensor]:
    weight, left, right = (_only(inputs[key]) for key in ("Weight", "U", "V"))
    normalised, _, _ = normalised_by_spectrum(weight, left, right, attrs["dim"], attrs["power_iters"], attrs["eps"])
    return {"Out": normalised}


OPERATORS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Tensor]]] = {
    "spectral_norm": _spectral_norm
}
"""Operators that ``append_op`` applies: each takes inputs and attributes by their names, and returns its outputs so."""


class LayerObjectHelper:
    """What a layer has as ``_helper``.

    Args:
        name: the layer's name.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def get_default_dtype() -> str:
        """Return the element type that parameters have where nothing else is asked for."""
        return default_dtype().name

    @staticmethod
    def set_default_dtype(dtype: DTypeLike) -> None:
        """Change the element type that parameters have where nothing else is asked for.

        Args:
            dtype: the new one.
        """
        set_default_dtype(dtype)

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

    def create_variable_for_type_inference(self, dtype: DTypeLike, stop_gradient: bool = False) -> Tensor:
        """Return a tensor without elements, to which :meth:`append_op` gives a value.

        Args:
            dtype: its element type until then.
            stop_gradient: without meaning, as the value brings its own.
        """
        return Tensor([], dtype=dtype)

    def append_op(
        self,
        type: str,
        inputs: Optional[Mapping[str, Any]] = None,
        outputs: Optional[Mapping[str, Any]] = None,
        attrs: Optional[Mapping[str, Any]] = None,
        stop_gradient: Optional[bool] = None,
    ) -> None:
        """Apply an operator by its name, and give its results to the tensors that wait for them.

        Args:
            type: the operator's name.
            inputs: tensors, or lists of one tensor, by the operator's names for them.
            outputs: from :meth:`create_variable_for_type_inference`, likewise.
            attrs: settings by their names.
            stop_gradient: whether the results have no gradient; as the operator says when None.

        Raises:
            NotImplementedError: there is no such operator.
        """
        if type not in OPERATORS:
            raise NotImplementedError(
                f"append_op: there is no operator {type!r} that is applied by its name, only {', '.join(OPERATORS)}: "
                "call a function instead"
            )
        results = OPERATORS[type](inputs or {}, attrs or {})
        for key, waiting in (outputs or {}).items():
            tensor = _only(waiting)
            tensor._value = results[key]._value
            if stop_gradient is not None:
                tensor.stop_gradient = stop_gradient

    def append_activation(self, input_var: Tensor, act: Any = None, use_cudnn: Any = None) -> Tensor:
        """Return the tensor, passed through an activation.

        Args:
            input_var: any tensor.
            act: the activation's name; none when it is None.
            use_cudnn: without meaning.

        Raises:
            ValueError: there is no such activation.
        """
        if act is None:
            return input_var
        if act not in ACTIVATIONS:
            raise ValueError(f"{self.name}: there is no activation {act!r}")
        result: Tensor = ACTIVATIONS[act](input_var)
        return result


class LayerHelper(LayerObjectHelper):
    """Creates parameters for a function of the name ``layer_type``.

    Args:
        layer_type: the function's name, from which the parameters' names are made.
        **kwargs: the function's arguments, of which ``name``, ``param_attr``, ``bias_attr``, ``act`` and its inputs
            are read.
    """

    def __init__(self, layer_type: str, **kwargs: Any) -> None:
        super().__init__(kwargs.get("name") or naming.generate(layer_type))
        self.layer_type = layer_type
        self.kwargs = kwargs

    @property
    def param_attr(self) -> Any:
        """The attributes of weights."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        """The attributes of biases."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_input(self, input_param_name: str = "input") -> list[Tensor]:
        """Return the tensors of an argument, which is one tensor or a list.

        Args:
            input_param_name: the argument's name.
        """
        found = self.kwargs.get(input_param_name, [])
        return [found] if isinstance(found, Tensor) else list(found)

    def input(self, input_param_name: str = "input") -> Tensor:
        """Return the tensor of an argument.

        Args:
            input_param_name: the argument's name.

        Raises:
            ValueError: it is not one tensor.
        """
        return _only(self.multiple_input(input_param_name))

    def input_dtype(self, input_param_name: str = "input") -> Optional[DType]:
        """Return the element type that the tensors of an argument have in common; None where there are none.

        Args:
            input_param_name: the argument's name.

        Raises:
            ValueError: they have several.
        """
        found = {to_dtype(tensor.dtype) for tensor in self.multiple_input(input_param_name)}
        if len(found) > 1:
            names = ", ".join(sorted(dtype.name for dtype in found))
            raise ValueError(f"LayerHelper({self.layer_type!r}): {input_param_name} has several dtypes: {names}")
        return found.pop() if found else None

    def append_activation(self, input_var: Tensor, act: Any = None, use_cudnn: Any = None) -> Tensor:
        """Return the tensor, passed through the activation that the argument ``act`` of the function names.

        Args:
            input_var: any tensor.
            act: another activation's name.
            use_cudnn: without meaning.

        Raises:
            ValueError: there is no such activation.
        """
        return super().append_activation(input_var, act or self.kwargs.get("act"))


def _only(given: Any) -> Tensor:
    if isinstance(given, Tensor):
        return given
    tensors = list(given)
    if len(tensors) != 1:
        raise ValueError(f"one tensor is expected, not {len(tensors)}")
    tensor: Tensor = tensors[0]
    return tensor
