"""Exporting: a layer or function becomes a folder that runs without its Python code (paddle.jit.save)."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

from core.jit import forms
from core.jit.control_flow.operators import KINDS, ControlFlowOperator
from core.jit.export.check import compare_with_live, live_examples
from core.jit.export.folder import new_folder
from core.jit.export.inputs import given_specs, is_layer, named_arguments, parameter_names
from core.jit.exported.file import write_program
from core.jit.exported.from_trace import converted
from core.jit.exported.paths import PathLike
from core.jit.exported.program import ExportedProgram
from core.jit.passes.passes import without_unneeded
from core.jit.rewrite import call
from core.jit.static_function import StaticFunction
from core.jit.tracing.symbolic import trace_symbolic
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.operator import is_declared
from core.kernels.dispatch.trace import Operation
from core.tensor import Tensor, given_name

logger = logging.getLogger("core.jit")

_PADDLE_CONFIGS = ("clip_extra", "combine_params", "output_spec", "skip_forward", "with_hook")


def save(
    layer: Any,
    path: PathLike,
    input_spec: Optional[Sequence[Any]] = None,
    preprocessing: Any = None,
    class_names: Optional[Sequence[str]] = None,
    **configs: Any,
) -> None:
    """Write a layer or function as a folder that :func:`core.jit.load` and :class:`core.jit.Predictor` run.

    The layer is traced in evaluation mode and then put back into its own mode. What was written is run at several sizes
    and compared with the live model before the folder gets its name; an earlier export there is replaced.

    Args:
        layer: A Layer, a function of tensors, or what :func:`to_static` made of one.
        path: The folder to write: ``program.json`` and ``weights.safetensors``.
        input_spec: For each positional argument of ``forward`` an :class:`InputSpec` (None for a size that may be any)
            or an example Tensor, nested as the argument is; anything else is a constant. None: what ``to_static`` was
            given, or the sizes of the last compiled call.
        preprocessing: What to do with data before it becomes an input; stored as it is: numbers, text, lists, dicts.
        class_names: Names of classes, stored too.
        **configs: Paddle's other options; none of them is built.

    Raises:
        FileExistsError: the path is taken by something that is no exported program.
        ValueError: something cannot be expressed, by name; or the program's results differ from the live model's.
        NotImplementedError: an option of Paddle's that is not built.

    Example:
        >>> core.jit.save(model, "exported/resnet18", [core.static.InputSpec([None, 3, 224, 224], name="image")])
    """
    for name in configs:
        known = "is not built: leave it out" if name in _PADDLE_CONFIGS else "is unknown"
        raise (NotImplementedError if name in _PADDLE_CONFIGS else TypeError)(f"jit.save: the option {name!r} {known}")
    names = None if class_names is None else [str(name) for name in class_names]
    owner, function, label = _parts(layer)
    arguments, arrays = named_arguments(given_specs(layer, input_spec), parameter_names(layer), label)
    layers = [owner] if owner is not None else _layers_of(function, arguments)
    with evaluation_mode(layers), new_folder(path) as folder:
        program = exported(function, arguments, owner, label)
        examples = live_examples(function, arguments, arrays, program, layers)
        program.preprocessing, program.class_names = preprocessing, names
        program.examples = [[array.shape for array in example.inputs] for example in examples]
        write_program(program, folder)
        problem = compare_with_live(folder, examples)
        if problem:
            logger.warning("jit.save: %s stays unfused, because compiled and fused %s", label, problem)
            program.fuse = False
            write_program(program, folder)
            problem = compare_with_live(folder, examples)
        if problem:
            raise ValueError(f"jit.save: {label}: compiled, {problem}: nothing was written")


def _parts(layer: Any) -> tuple[Any, Callable[..., Any], str]:
    """Return the Layer that owns the parameters (or None), the function to trace, and what to call it."""
    if isinstance(layer, StaticFunction):
        owner = getattr(layer.function, "__self__", None)
        label = getattr(layer.function, "__qualname__", "function")
        return (owner if is_layer(owner) else None), layer.function, label
    if is_layer(layer):
        return layer, layer, type(layer).__name__
    if callable(layer):
        owner = getattr(layer, "__self__", None)
        return (owner if is_layer(owner) else None), layer, getattr(layer, "__qualname__", type(layer).__name__)
    raise TypeError(f"jit.save: expected a Layer or a function, got {type(layer).__name__}")


def _layers_of(function: Callable[..., Any], arguments: Sequence[tuple[str, Any]]) -> list[Any]:
    """Return the Layers that a function runs: it has no owner that could be asked."""
    found: dict[int, Any] = {}

    def watched(*args: Any) -> list[Tensor]:
        call(function)(*args)
        assert dispatcher.state.trace is not None
        found.update(dispatcher.state.trace.layers)
        return []

    trace_symbolic(watched, [argument for _, argument in arguments])
    return [layer for layer, _ in found.values()]


@contextlib.contextmanager
def evaluation_mode(layers: Sequence[Any]) -> Iterator[None]:
    """Put Layers into evaluation mode inside a ``with`` block, and each sublayer back into its own mode after it."""
    modes = [(inner, inner.training) for layer in layers for inner in layer.sublayers(include_self=True)]
    try:
        for inner, _ in modes:
            inner.training = False
        yield
    finally:
        for inner, training in modes:
            inner.training = training


# the program


def program_of(layer: Any, input_spec: Sequence[Any]) -> tuple[ExportedProgram, Any]:
    """Trace a layer or function in evaluation mode, as :func:`save` does, and write nothing.

    Args:
        layer: As for :func:`save`.
        input_spec: As for :func:`save`.

    Returns:
        The program, unchecked, and the Layer that owns the parameters by whose names it calls its weights, or None.

    Raises:
        ValueError: something cannot be expressed.
    """
    owner, function, label = _parts(layer)
    arguments, _ = named_arguments(given_specs(layer, input_spec), parameter_names(layer), label)
    with evaluation_mode([owner] if owner is not None else []):
        return exported(function, arguments, owner, label), owner


def exported(
    function: Callable[..., Any], arguments: Sequence[tuple[str, Any]], owner: Any, label: str
) -> ExportedProgram:
    """Trace a function and return it as a program.

    Args:
        function: What to trace.
        arguments: A name and an argument each, with an InputSpec for each tensor.
        owner: The Layer whose parameter names are used, or None.
        label: What to call the program.

    Raises:
        ValueError: something in it cannot be expressed; the message names it.
    """
    result: list[Any] = []

    def flat(*args: Any) -> list[Tensor]:
        given = call(function)(*args)
        form, tensors = forms.form_of(given, lambda item: isinstance(item, Tensor), f"the result of {label}")
        result.append(form)
        return tensors

    traced = trace_symbolic(flat, [argument for _, argument in arguments])
    if traced.updates:
        handle = traced.updates[0][0]
        changed = _state_names(owner).get(id(handle)) or given_name(handle) or "a tensor"
        raise ValueError(
            f"jit.save: {label} gives {changed} a new value in"
            " evaluation mode; an exported program keeps no state: return the value instead"
        )
    _refuse_unknown(traced.operations, label)
    return without_unneeded(converted(traced, arguments, result[0], _state_names(owner), label))


def _refuse_unknown(operations: Sequence[Operation], label: str) -> None:
    """Refuse, all at once, what only this process can run."""
    refused: list[str] = []
    _collect_unknown(operations, refused)
    if refused:
        raise ValueError(
            f"jit.save: {label} cannot be exported because of {', '.join(refused)}: gradients of one's own (PyLayer,"
            " tensor hooks), gradients of control flow, and operators declared outside core exist in Python only; use"
            " core's operators there"
        )


def _collect_unknown(operations: Sequence[Operation], refused: list[str]) -> None:
    for operation in operations:
        operator = operation.operator
        name = operator.name.partition("#")[0]
        if isinstance(operator, ControlFlowOperator) and operator.kind in KINDS:
            for body in operator.subprograms.values():
                _collect_unknown(body.operations, refused)
        elif not is_declared(operator) and name not in refused:
            refused.append("the gradient of control flow" if isinstance(operator, ControlFlowOperator) else name)


def _state_names(owner: Any) -> dict[int, str]:
    if owner is None:
        return {}
    return {id(tensor): name for name, tensor in reversed(list(owner.to_static_state_dict(use_hook=False).items()))}
