"""A table of a network's layers: what goes in, what comes out, how many numbers each has."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Union

import numpy as np

import core
from core.jit.input_spec import InputSpec
from core.nn import LayerList, Sequential
from core.nn.layer.rnn_base import RNNBase
from core.tensor import Tensor

MEGABYTE = 1024.0**2


@dataclasses.dataclass
class Row:
    """One call of a layer.

    Attributes:
        name: class and number, such as Conv2D-1.
        inputs: the shape of each input tensor.
        outputs: the shape of the output; nested lists where there are several.
        params: how many numbers the layer has itself, buffers included.
    """

    name: str
    inputs: list[Any]
    outputs: list[Any]
    params: int


def summary(
    net: Any, input_size: Any = None, dtypes: Union[str, Sequence[str], None] = None, input: Any = None
) -> dict[str, int]:
    """Print a table of a network's layers, and return how many parameters it has.

    The network runs once on ones, in evaluation mode. A parameter that several layers share counts once; parameters of
    the network itself, and of layers that did not run, count in the totals.

    Args:
        net: the Layer.
        input_size: the shape of the input, the batch included, as a tuple or an InputSpec; a list of them for several
            inputs. A size of None or -1 becomes 1.
        dtypes: the type of each input; None: float32.
        input: Tensors to run on, instead of ``input_size``: one, or a list or a dict of them.

    Returns:
        "total_params", buffers such as running statistics included, and "trainable_params".

    Raises:
        ValueError: neither a size nor an input is given, or a size is no positive integer.
    """
    inputs = [input] if isinstance(input, Tensor) else input
    if inputs is None:
        inputs = _ones(input_size, dtypes)
    rows: list[Row] = []
    with _watched(net, rows):
        net(**inputs) if isinstance(inputs, dict) else net(*inputs)
    entries = {id(tensor): tensor for tensor in net.state_dict().values()}.values()
    trainable = {id(parameter) for parameter in net.parameters() if not parameter.stop_gradient}
    total = sum(int(tensor.size) for tensor in entries)
    moved = sum(int(tensor.size) for tensor in entries if id(tensor) in trainable)
    tensors = [t for t in (inputs.values() if isinstance(inputs, dict) else inputs) if isinstance(t, Tensor)]
    print("\n".join(_table(rows, total, moved, sum(int(tensor.size) for tensor in tensors))))
    return {"total_params": total, "trainable_params": moved}


@contextlib.contextmanager
def _watched(net: Any, rows: list[Row]) -> Iterator[None]:
    """Note every call of a layer within the block; containers and the network itself have no row."""
    counts: dict[str, int] = {}
    seen: set[int] = set()

    def watch(layer: Any) -> Callable[..., None]:
        def note(layer: Any, inputs: Any, outputs: Any) -> None:
            kind = type(layer).__name__
            counts[kind] = counts.get(kind, 0) + 1
            own = layer.state_dict(include_sublayers=isinstance(layer, RNNBase)).values()
            fresh = {id(tensor): tensor for tensor in own if id(tensor) not in seen}
            seen.update(fresh)
            shapes = [_shape(value) for value in inputs if isinstance(value, (Tensor, list, tuple))]
            params = sum(int(tensor.size) for tensor in fresh.values())
            rows.append(Row(f"{kind}-{counts[kind]}", shapes, _shape(outputs), params))

        return note

    hooks = [layer.register_forward_post_hook(watch(layer)) for layer in _shown_layers(net)]
    modes = [(layer, layer.training) for layer in net.sublayers(include_self=True)]
    net.eval()
    try:
        with core.no_grad():
            yield
    finally:
        for hook in hooks:
            hook.remove()
        for layer, training in modes:
            layer.training = training


def _shown_layers(net: Any) -> Iterator[Any]:
    """Yield the layers that have a row: not containers, not the inside of a recurrent layer, not a net of others."""
    recurrent = [layer for layer in net.sublayers(include_self=True) if isinstance(layer, RNNBase)]
    inside = {id(inner) for layer in recurrent for inner in layer.sublayers()}
    for layer in net.sublayers(include_self=True):
        container = isinstance(layer, (Sequential, LayerList)) or (layer is net and layer.sublayers())
        if isinstance(layer, RNNBase) or not (container or id(layer) in inside):
            yield layer


def _ones(input_size: Any, dtypes: Any) -> list[Tensor]:
    if input_size is None:
        raise ValueError("summary: give input_size, such as (1, 3, 224, 224), or input")
    single = isinstance(input_size, InputSpec) or all(size is None or isinstance(size, int) for size in input_size)
    sizes = [input_size] if single else list(input_size)
    kinds = [dtypes] * len(sizes) if dtypes is None or isinstance(dtypes, str) else list(dtypes)
    if len(kinds) != len(sizes):
        raise ValueError(f"summary: {len(kinds)} dtypes do not fit {len(sizes)} inputs")
    tensors = []
    for size, kind in zip(sizes, kinds):
        shape = list(size.shape if isinstance(size, InputSpec) else size)
        shape = [1 if one in (None, -1) else one for one in shape]
        if any(isinstance(one, bool) or not isinstance(one, (int, np.integer)) or one < 1 for one in shape):
            raise ValueError(f"summary: sizes must be positive integers, None or -1, not {size!r}")
        chosen = kind or (size.dtype if isinstance(size, InputSpec) else "float32")
        tensors.append(core.ones(shape, chosen))
    return tensors


def _shape(value: Any) -> list[Any]:
    if isinstance(value, Tensor):
        return list(value.shape)
    if isinstance(value, dict):
        value = list(value.values())
    return [_shape(part) for part in value] if isinstance(value, (list, tuple)) else []


def _numbers(shape: list[Any]) -> int:
    if shape and isinstance(shape[0], list):
        return sum(_numbers(part) for part in shape)
    return int(np.prod(shape)) if shape else 1


def _table(rows: list[Row], total: int, trainable: int, input_numbers: int) -> list[str]:
    cells = [(row.name, str(row.inputs), str(row.outputs), f"{row.params:,}") for row in rows]
    widths = [max([least, *(len(cell[i]) for cell in cells)]) for i, least in enumerate((15, 20, 20, 15))]
    line = sum(widths) + 5
    header = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
    text = [" ".join(f"{part:^{width}}" for part, width in zip(row, widths)) for row in (header, *cells)]
    sizes = [input_numbers, 2 * sum(_numbers(row.outputs) for row in rows), total]
    megabytes = [4 * size / MEGABYTE for size in sizes]  # float32; each output has a gradient
    return [
        "-" * line,
        text[0],
        "=" * line,
        *text[1:],
        "=" * line,
        f"Total params: {total:,}",
        f"Trainable params: {trainable:,}",
        f"Non-trainable params: {total - trainable:,}",
        "-" * line,
        f"Input size (MB): {megabytes[0]:0.2f}",
        f"Forward/backward pass size (MB): {megabytes[1]:0.2f}",
        f"Params size (MB): {megabytes[2]:0.2f}",
        f"Estimated Total Size (MB): {sum(megabytes):0.2f}",
        "-" * line,
        "",
    ]
