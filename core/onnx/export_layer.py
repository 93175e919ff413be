"""Exporting a layer: trace it in evaluation mode, convert, check, write."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Callable, Optional

import numpy as np
import onnx

from core.autograd import no_grad
from core.jit import tree
from core.jit.exported.file import QUANTIZED
from core.jit.input_spec import InputSpec
from core.jit.tracing.symbolic import trace_symbolic
from core.kernels.dispatch.errors import OperatorError
from core.onnx.check import RuntimeSession, check_model, compare, has_runtime
from core.onnx.convert import convert
from core.tensor import Tensor

OLDEST_VERSION, NEWEST_VERSION = 13, 21


def export_layer(
    layer: Any,
    path: str,
    input_spec: Optional[Sequence[Any]],
    opset_version: int,
    compared: bool = True,
    examples: Optional[Sequence[Sequence[Any]]] = None,
) -> None:
    """Write a layer as ``path + '.onnx'``; see :func:`core.onnx.export`."""
    if not callable(layer):
        raise TypeError(f"onnx.export: layer must be a Layer, got {type(layer).__name__}")
    file_name = _file_name(path)
    if not OLDEST_VERSION <= opset_version <= NEWEST_VERSION:
        raise ValueError(
            f"onnx.export: opset_version={opset_version!r} is not supported: use {OLDEST_VERSION} to {NEWEST_VERSION}"
        )
    given = input_spec if input_spec is not None else getattr(getattr(layer, "forward", None), "input_spec", None)
    if given is None:
        raise ValueError("onnx.export: give input_spec, an InputSpec or example Tensor for each input")
    with evaluation_mode(layer), no_grad():
        model = layer_to_model(layer, given, opset_version, compared, examples)
    _write(model, file_name)


def layer_to_model(
    layer: Any,
    input_spec: Sequence[Any],
    opset_version: int,
    compared: bool = True,
    examples: Optional[Sequence[Sequence[Any]]] = None,
) -> onnx.ModelProto:
    """Return a layer (or function) as a checked ONNX model.

    Args:
        layer: What is called.
        input_spec: Its arguments, an InputSpec or example Tensor in the place of each tensor.
        opset_version: Version of ONNX's operators.
        compared: Whether onnxruntime must give the layer's numbers.
        examples: Arguments with which it must; random ones when None.
    """
    input_names = _input_names(layer, input_spec)
    for arguments in examples or ():
        if len([item for item in arguments if isinstance(item, Tensor)]) != len(input_names):
            raise ValueError(f"onnx.export: an example must be a list of Tensors, one for each of {input_names}")
    program = trace_symbolic(layer, _named(input_spec, iter(input_names)))
    if not program.outputs:
        raise ValueError("onnx.export: the layer returns no tensor")
    names = {id(tensor): name for name, tensor in layer.state_dict().items()} if hasattr(layer, "state_dict") else {}
    if program.updates:
        changed = ", ".join(names.get(id(tensor), str(tensor.name)) for tensor, _ in program.updates)
        raise OperatorError(
            f"onnx.export: the layer changes its buffers ({changed}) in evaluation mode, but a model holds no state:"
            " return the new values instead, or do not change them there"
        )
    output_names = _output_names(program.result_skeleton, len(program.outputs))
    model = convert(program, input_names, output_names, names, opset_version)
    check_model(model)
    if has_runtime():
        session = RuntimeSession(model)
        branches = any(operation.operator.is_control_flow for operation in program.operations)
        conditional = bool(program.guards) or branches
        chosen = _examples(input_spec, small=not conditional) if examples is None else examples
        for arguments in chosen if compared else []:
            tensors, _ = tree.flatten(arguments)
            results = session.run({name: tensor.numpy() for name, tensor in zip(input_names, tensors)})
            expected, _ = tree.flatten(layer(*arguments))
            in_steps = any(operation.operator.name in QUANTIZED for operation in program.operations)
            compare(output_names, results, [tensor.numpy() for tensor in expected], in_steps)
    return model


@contextmanager
def evaluation_mode(layer: Any) -> Iterator[None]:
    """Put a layer into evaluation mode, and each of its sublayers back into its own mode after the block."""
    layers = layer.sublayers(include_self=True) if hasattr(layer, "sublayers") else []
    modes = [part.training for part in layers]
    try:
        for part in layers:
            part.training = False
        yield
    finally:
        for part, mode in zip(layers, modes):
            part.training = mode


def _file_name(path: Any) -> str:
    folder, name = os.path.split(os.fspath(path))
    if not name:
        raise ValueError(f"onnx.export: path {path!r} names no file: write folder/name, without the ending .onnx")
    if folder and not os.path.isdir(folder):
        os.makedirs(folder)
    return os.path.join(folder, f"{name}.onnx")


def _flat_specs(item: Any) -> list[Any]:
    """Return the InputSpecs and Tensors of nested arguments in the order in which a trace meets them."""
    if isinstance(item, (InputSpec, Tensor)):
        return [item]
    parts = item.values() if isinstance(item, dict) else item if isinstance(item, (list, tuple)) else ()
    return [spec for part in parts for spec in _flat_specs(part)]


def _input_names(layer: Any, input_spec: Sequence[Any]) -> list[str]:
    """Name the inputs: as their InputSpecs say, otherwise after the arguments of ``forward``."""
    try:
        arguments = list(inspect.signature(getattr(layer, "forward", layer)).parameters)
    except (TypeError, ValueError):
        arguments = []
    names: list[str] = []
    for i, argument in enumerate(input_spec):
        wanted = arguments[i] if i < len(arguments) else f"input_{i}"
        specs = _flat_specs(argument)
        for j, spec in enumerate(specs):
            own = spec.name if isinstance(spec, InputSpec) else None
            name = own or (wanted if len(specs) == 1 else f"{wanted}_{j}")
            names.append(name if name not in names else f"{name}_{len(names)}")
    return names


def _named(item: Any, names: Iterator[str]) -> Any:
    """Return nested arguments with a named InputSpec in the place of each InputSpec and Tensor."""
    if isinstance(item, Tensor):
        return InputSpec.from_tensor(item, next(names))
    if isinstance(item, InputSpec):
        return InputSpec(item.shape, item.dtype, next(names), item.stop_gradient, item.examples)
    return _mapped(item, lambda part: _named(part, names))


def _mapped(item: Any, change: Callable[[Any], Any]) -> Any:
    """Return a list, tuple or dict with its parts changed, and anything else as it is."""
    if isinstance(item, (list, tuple)):
        parts = [change(part) for part in item]
        return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)
    if isinstance(item, dict):
        return {key: change(part) for key, part in item.items()}
    return item


def _output_names(skeleton: Any, count: int) -> list[str]:
    """Name the outputs by their place in the result: ``output``, ``output_0``, ``logits`` for an item of a dict."""
    names: list[str] = [""] * count

    def walk(item: Any, name: str) -> None:
        if isinstance(item, _Place):
            names[item.number] = name or "output"
        elif isinstance(item, dict):
            for key, part in item.items():
                walk(part, f"{name}_{key}" if name else str(key))
        elif isinstance(item, (list, tuple)):
            for i, part in enumerate(item):
                walk(part, f"{name or 'output'}_{i}")

    walk(tree.unflatten(skeleton, [_Place(i) for i in range(count)]), "")
    return names


class _Place:
    """Stands for one output in the structure of a result."""

    def __init__(self, number: int) -> None:
        self.number = number


def _examples(input_spec: Sequence[Any], small: bool) -> list[list[Any]]:
    """Return arguments to compare with: the given tensors, and numbers of two sizes for each spec with unknown ones.

    Args:
        input_spec: The specs.
        small: Whether batches of 1 and 3 will do; otherwise the sizes are the trace's, which meet its conditions.
    """
    specs = [spec for spec in _flat_specs(input_spec) if isinstance(spec, InputSpec)]
    hypotheses = (0, 1) if any(-1 in spec.shape for spec in specs) else (0,)
    generator = np.random.default_rng(0)

    def filled(item: Any, hypothesis: int) -> Any:
        if isinstance(item, InputSpec):
            shape = item.traced_shapes()[hypothesis]
            if small and item.shape and item.shape[0] == -1 and 0 not in item.examples:
                shape = ((1, 3)[hypothesis], *shape[1:])
            if item.dtype.is_floating:
                numbers = generator.uniform(0.1, 0.9, shape)
                if shape[-1:] == (4,):  # maybe corners of boxes, of which the second follows the first
                    numbers = np.sort(numbers, axis=-1)
                return Tensor(numbers, dtype=item.dtype)
            return Tensor(generator.integers(0, 2, shape), dtype=item.dtype)
        return _mapped(item, lambda part: filled(part, hypothesis))

    return [[filled(item, hypothesis) for item in input_spec] for hypothesis in hypotheses]


def _write(model: onnx.ModelProto, file_name: str) -> None:
    """Write the file under another name first, so that no half of it is ever found under its own."""
    partial = f"{file_name}.{os.getpid()}.tmp"
    try:
        with open(partial, "wb") as file:
            file.write(model.SerializeToString())
        os.replace(partial, file_name)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
