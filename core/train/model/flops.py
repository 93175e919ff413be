"""How many operations one run of a network takes, counted as Paddle counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

import core
from core import nn

Count = Callable[[Any, Any, Any], int]


def flops(
    net: Any,
    input_size: Sequence[int],
    custom_ops: Optional[Mapping[type, Callable[[Any, Any, Any], Any]]] = None,
    print_detail: bool = False,
) -> int:
    """Count a network's operations: one for each multiplication with its addition, as in Paddle.

    Convolutions, linear layers, BatchNorm2D, LeakyReLU and average pooling count; other layers, and what a forward
    method computes without a layer, do not.

    Args:
        net: the Layer; it runs once on ones, in evaluation mode.
        input_size: the shape of the input, the batch included.
        custom_ops: how to count other layers: for a class a function of the layer, the tuple of its inputs and its
            output, which adds to ``layer.total_ops``.
        print_detail: whether to print a table with a row for each layer.

    Returns:
        The count.

    Raises:
        TypeError: ``net`` is not a Layer.
    """
    if not isinstance(net, nn.Layer):
        raise TypeError(f"flops takes a Layer, not {type(net).__name__}")
    rows: list[tuple[str, list[int], list[int], int, int]] = []
    leaves = [layer for layer in net.sublayers(include_self=True) if not layer.sublayers()]
    custom = dict(custom_ops or {})

    def note(layer: Any, inputs: Any, output: Any) -> None:
        kind = type(layer)
        if kind in custom:
            layer.total_ops = 0
            custom[kind](layer, inputs, output)
            operations = int(layer.total_ops)
            del layer.total_ops
        else:
            operations = COUNTS[kind](layer, inputs[0], output) if kind in COUNTS else 0
        first = output[0] if isinstance(output, (list, tuple)) else output
        params = sum(int(parameter.size) for parameter in layer.state_dict().values())
        rows.append((layer.full_name(), list(inputs[0].shape), list(first.shape), params, operations))

    hooks = [layer.register_forward_post_hook(note) for layer in leaves]
    modes = [(layer, layer.training) for layer in net.sublayers(include_self=True)]
    net.eval()
    try:
        with core.no_grad():
            net(core.ones(list(input_size)))
    finally:
        for hook in hooks:
            hook.remove()
        for layer, training in modes:
            layer.training = training
    for kind in dict.fromkeys(type(layer) for layer in leaves):
        if kind not in custom and kind not in COUNTS and kind not in FREE:
            print(f"flops: layers of the class {kind.__name__} count as nothing; custom_ops can count them")
    total = sum(row[4] for row in rows)
    if print_detail:
        print("\n".join(_table(rows)))
    print(f"Total Flops: {total}     Total Params: {sum(int(entry.size) for entry in net.state_dict().values())}")
    return total


def _convolution(layer: Any, value: Any, output: Any) -> int:
    """For each output number a product for each input channel of the group and kernel element, and the bias."""
    kernel = int(np.prod(layer.weight.shape[2:]))
    bias = 1 if layer.bias is not None else 0
    return int(output.size) * (value.shape[1] // layer._groups * kernel + bias)


def _linear(layer: Any, value: Any, output: Any) -> int:
    return int(layer.weight.shape[0]) * int(output.size)


def _adaptive_average(layer: Any, value: Any, output: Any) -> int:
    """For each output number its window's additions, and a division."""
    window = np.array(value.shape[2:]) // np.array(output.shape[2:])
    return (int(np.prod(window)) + 1) * int(output.size)


def _per_input(factor: int) -> Count:
    return lambda layer, value, output: factor * int(value.size)


def _per_output(layer: Any, value: Any, output: Any) -> int:
    return int(output.size)


COUNTS: dict[type, Count] = {
    **dict.fromkeys(
        [nn.Conv1D, nn.Conv2D, nn.Conv3D, nn.Conv1DTranspose, nn.Conv2DTranspose, nn.Conv3DTranspose], _convolution
    ),
    **dict.fromkeys([nn.BatchNorm2D, nn.BatchNorm], _per_input(2)),
    nn.LeakyReLU: _per_input(1),
    nn.Linear: _linear,
    **dict.fromkeys([nn.AvgPool1D, nn.AvgPool2D, nn.AvgPool3D], _per_output),
    **dict.fromkeys([nn.AdaptiveAvgPool1D, nn.AdaptiveAvgPool2D, nn.AdaptiveAvgPool3D], _adaptive_average),
}
FREE = {nn.ReLU, nn.ReLU6, nn.Dropout, nn.Identity, nn.Flatten}


def _table(rows: Sequence[tuple[str, list[int], list[int], int, int]]) -> list[str]:
    cells = [("Layer Name", "Input Shape", "Output Shape", "Params", "Flops"), *(tuple(map(str, row)) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(5)]
    line = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    text = ["|".join(["", *(f" {cell:^{width}} " for cell, width in zip(row, widths)), ""]) for row in cells]
    return [line, text[0], line, *text[1:], line]
