"""What the inputs of an exported program are: from InputSpecs, example tensors, or the last compiled call."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.jit import forms, tree
from core.jit.input_spec import InputSpec, is_spec
from core.jit.static_function import StaticFunction
from core.tensor import Tensor


def given_specs(layer: Any, input_spec: Optional[Sequence[Any]]) -> list[Any]:
    """Return what was given for each argument: explicitly, to ``to_static``, or by the last compiled call.

    Raises:
        ValueError: nothing was.
        TypeError: it is no list.
    """
    static = layer if isinstance(layer, StaticFunction) else getattr(layer, "forward", None)
    if input_spec is None:
        input_spec = getattr(layer, "input_spec", None) or getattr(static, "input_spec", None)
    if input_spec is None and isinstance(static, StaticFunction) and static.programs:
        input_spec = _last_call(static)
    if input_spec is None:
        raise ValueError(
            "jit.save: the inputs are unknown: give input_spec=[InputSpec([None, 3, 224, 224])], or an example Tensor"
        )
    if not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"jit.save: input_spec must be a list, one item per argument, not {type(input_spec).__name__}")
    return list(input_spec)


def _last_call(static: StaticFunction) -> list[Any]:
    skeleton, signature, *_ = next(reversed(static.programs))
    specs = [InputSpec(list(shape), dtype) for (shape, dtype), _ in signature]
    args, kwargs = tree.unflatten(skeleton, specs)
    if kwargs:
        raise ValueError("jit.save: the last compiled call had keyword arguments: give input_spec")
    return list(args)


def parameter_names(layer: Any) -> list[str]:
    """Return the names of a function's positional parameters."""
    function = layer.forward if is_layer(layer) else layer
    function = function.function if isinstance(function, StaticFunction) else function
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def named_arguments(
    specs: Sequence[Any], parameters: Sequence[str], label: str
) -> tuple[list[tuple[str, Any]], dict[str, np.ndarray]]:
    """Return ``(parameter, argument)`` pairs in which every tensor is an InputSpec with a name of its own.

    The values of example Tensors are returned, too, by those names.

    Raises:
        ValueError: two are named the same, or there is none.
        TypeError: something else than numbers and text is beside them.
    """
    arguments = []
    taken: set[str] = set()
    arrays: dict[str, np.ndarray] = {}
    for position, item in enumerate(specs):
        parameter = parameters[position] if position < len(parameters) else f"input{position}"
        form, found = forms.form_of(item, is_spec, f"jit.save: input_spec[{position}] of {label}")
        named = []
        for given, fallback in zip(found, forms.tensor_names(form, parameter)):
            spec = InputSpec.from_tensor(given) if isinstance(given, Tensor) else copy.copy(given)
            spec.name = (not isinstance(given, Tensor) and spec.name) or fallback
            if spec.name in taken:
                raise ValueError(f"jit.save: two inputs are named {spec.name!r}: give each InputSpec its own name")
            taken.add(spec.name)
            if isinstance(given, Tensor):
                arrays[spec.name] = given.as_float_numpy()
            named.append(spec)
        arguments.append((parameter, forms.filled(form, named)))
    if not taken:
        raise ValueError("jit.save: the input_spec has no InputSpec or Tensor: a program needs at least one input")
    return arguments, arrays



def is_layer(item: Any) -> bool:
    """Return whether an item is a Layer; core.nn need not be loaded for that."""
    return hasattr(item, "sublayers") and hasattr(item, "forward")
