"""A layer's state: reading it as a dictionary, loading one, changing element types."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Callable, Optional, TypeVar

import numpy as np

from core.kernels.dtypes import DType, DTypeLike, bfloat16, dtype_of_numpy, float16, float32, to_dtype
from core.kernels.place import check_place
from core.nn.layer.attributes import AttributeStore
from core.nn.layer.hooks import HookRemoveHelper
from core.nn.parameter import Parameter, convert_in_place
from core.tensor import Tensor

Self = TypeVar("Self", bound="StatefulLayer")

# the table of global names that official .pdparams files carry beside the weights
NAME_TABLE = "StructuredToParameterName@@"


class StatefulLayer(AttributeStore):
    """AttributeStore with ``state_dict``, ``set_state_dict`` and ``to``."""

    _keeps_float32 = False  # set where half-precision parameters would spoil the statistics
    _dtype: str
    _state_dict_hooks: OrderedDict[int, Callable[[Any], Any]]

    def state_dict(
        self,
        destination: Optional[dict[str, Any]] = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Any]:
        """Return parameters and persistable buffers by dotted name; a tensor with two names is under both.

        Args:
            destination: A dictionary to fill; a new one when it is None.
            include_sublayers: Whether sublayers are walked too.
            structured_name_prefix: Put before every name.
            use_hook: Whether hooks from ``register_state_dict_hook`` run.

        Returns:
            Name to the very tensors of this layer, not copies.
        """
        return self._collect(destination, include_sublayers, structured_name_prefix, use_hook, everything=False)

    def to_static_state_dict(
        self,
        destination: Optional[dict[str, Any]] = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Any]:
        """Return :meth:`state_dict` with the non-persistable buffers too.

        Args:
            destination: A dictionary to fill; a new one when it is None.
            include_sublayers: Whether sublayers are walked too.
            structured_name_prefix: Put before every name.
            use_hook: Whether hooks from ``register_state_dict_hook`` run.
        """
        return self._collect(destination, include_sublayers, structured_name_prefix, use_hook, everything=True)

    def _collect(
        self,
        destination: Optional[dict[str, Any]],
        include_sublayers: bool,
        prefix: str,
        use_hook: bool,
        everything: bool,
    ) -> dict[str, Any]:
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        for name, parameter in self._parameters.items():
            if parameter is not None:
                state[prefix + name] = parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and (everything or name not in self._non_persistable_buffer_names_set):
                state[prefix + name] = buffer
        if include_sublayers:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    layer._collect(state, include_sublayers, f"{prefix}{name}.", use_hook, everything)
        if use_hook:
            for hook in self._state_dict_hooks.values():
                replaced = hook(state)
                state = state if replaced is None else replaced
        return state

    def register_state_dict_hook(self, hook: Callable[[Any], Any]) -> HookRemoveHelper:
        """Call a function with every dictionary that ``state_dict`` makes; what it returns replaces the dictionary.

        Args:
            hook: ``hook(state_dict) -> state_dict or None``.

        Returns:
            An object whose ``remove()`` takes the hook away.
        """
        return HookRemoveHelper.register(self._state_dict_hooks, hook)

    def set_state_dict(
        self, state_dict: Mapping[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Load values into parameters and persistable buffers; nothing is written unless all of them fit.

        Abstract parameters get memory without being initialised first. A missing name is one warning for all of them;
        it has Paddle's words, by which programs that load a part ignore it.

        Args:
            state_dict: Name to Tensor or numpy array; floating-point values are cast to the parameter's dtype.
            use_structured_name: Match dotted names; otherwise match the parameters' own ``name``.

        Returns:
            (missing names, unexpected names); a tensor of two names is not missing when one of them is there.

        Raises:
            ValueError: a value has another shape than the parameter of that name; nothing has been loaded.
            TypeError: a value is no array, or its kind of element (integer, floating) differs.
        """
        state = self.state_dict(use_hook=False)
        targets = {(key if use_structured_name else tensor.name): tensor for key, tensor in state.items()}
        found_under_some_name = {id(tensor) for key, tensor in targets.items() if key in state_dict}
        missing = [key for key, tensor in targets.items() if id(tensor) not in found_under_some_name]
        unexpected = [key for key in state_dict if key not in targets and key != NAME_TABLE]
        found = [(key, tensor) for key, tensor in targets.items() if key in state_dict]
        values = [(tensor, _checked(key, state_dict[key], tensor)) for key, tensor in found]
        for tensor, value in values:
            tensor.set_value(value)
        if missing:
            shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            warnings.warn(f"set_state_dict: a value for {shown} is not found in the provided dict", stacklevel=2)
        return missing, unexpected

    set_dict = set_state_dict
    load_dict = set_state_dict

    def to(self: Self, device: Any = None, dtype: DTypeLike = None, blocking: Optional[bool] = None) -> Self:
        """Change the element type of the floating-point parameters and buffers; integer buffers keep theirs.

        Args:
            device: ``cpu`` or ``gpu:0``; it must be the current device (``core.set_device``), tensors are not moved.
            dtype: Floating-point type, or None to keep.
            blocking: Accepted for Paddle's signature; a move is always complete when it is used.

        Returns:
            This layer.

        Raises:
            RuntimeError: another device than the current one.
        """
        del blocking
        wanted = None if dtype is None else to_dtype(dtype)
        if device is not None:
            check_place(device)
        if wanted is not None:
            for layer in self.sublayers(include_self=True):
                layer._convert_dtype(wanted)
        return self

    def astype(self: Self, dtype: DTypeLike = None) -> Self:
        """Change the element type of the floating-point parameters and buffers.

        Args:
            dtype: A floating-point type.

        Returns:
            This layer.

        Raises:
            ValueError: the type is not a floating-point one.
        """
        if dtype is None or not to_dtype(dtype).is_floating:
            raise ValueError(f"Layer.astype: dtype is float16, bfloat16, float32 or float64, not {dtype!r}")
        return self.to(dtype=dtype)

    def float(self: Self, excluded_layers: Any = None) -> Self:
        """Turn floating-point parameters and buffers into float32.

        Args:
            excluded_layers: Layer class, or list of them, to leave alone.

        Returns:
            This layer.
        """
        return self._cast_except(float32, () if excluded_layers is None else excluded_layers)

    def float16(self: Self, excluded_layers: Any = None) -> Self:
        """Turn floating-point parameters and buffers into float16, batch normalisation aside.

        Args:
            excluded_layers: Layer class, or list of them, to leave alone; batch normalisation when it is None.

        Returns:
            This layer.
        """
        return self._cast_except(float16, excluded_layers)

    def bfloat16(self: Self, excluded_layers: Any = None) -> Self:
        """Turn floating-point parameters and buffers into bfloat16, batch normalisation aside.

        Args:
            excluded_layers: Layer class, or list of them, to leave alone; batch normalisation when it is None.

        Returns:
            This layer.
        """
        return self._cast_except(bfloat16, excluded_layers)

    def _cast_except(self: Self, dtype: DType, excluded: Any) -> Self:
        for layer in self.sublayers(include_self=True):
            if not _excluded(layer, excluded):
                layer._convert_dtype(dtype)
        return self

    def _convert_dtype(self, dtype: DType) -> None:
        """Convert this layer's own tensors, not those of its sublayers."""
        for tensor in (*self._parameters.values(), *self._buffers.values()):
            if tensor is not None:
                convert_in_place(tensor, dtype)
        if dtype.is_floating:
            self._dtype = dtype.name

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters to zero, or forget them.

        Args:
            set_to_zero: Leave zeros where there was a gradient, or nothing.
        """
        for parameter in self.parameters():
            if not parameter.stop_gradient:
                parameter.clear_gradient(set_to_zero)

    def materialize(self: Self) -> Self:
        """Give every abstract parameter memory and its initial values (see :class:`core.LazyGuard`).

        Returns:
            This layer.
        """
        for parameter in self.parameters():
            if isinstance(parameter, Parameter) and parameter.is_abstract:
                parameter.initialize()
        return self


def _excluded(layer: Any, chosen: Any) -> bool:
    """Whether a half-precision cast leaves a layer alone: the chosen classes, by default those that ask for it."""
    if chosen is None:
        return bool(layer._keeps_float32)
    return isinstance(layer, tuple(chosen) if isinstance(chosen, (list, tuple)) else chosen)


def _checked(key: str, value: Any, target: Tensor) -> Any:
    """Return a state's value ready for ``target.set_value``, or raise the one clear line."""
    if isinstance(value, Tensor):
        shape, dtype = list(value.shape), value.dtype
    elif isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        shape, dtype = list(value.shape), dtype_of_numpy(value)
    else:
        raise TypeError(f"set_state_dict: {key!r} is a {type(value).__name__}: give a Tensor or a numpy array")
    if shape != list(target.shape):
        raise ValueError(
            f"set_state_dict: {key!r} has shape {shape} in the dictionary and {list(target.shape)} in the layer;"
            " nothing was loaded"
        )
    if dtype.kind != target.dtype.kind:
        raise TypeError(
            f"set_state_dict: {key!r} has dtype {dtype.name} in the dictionary and {target.dtype.name} in the layer"
        )
    return value
