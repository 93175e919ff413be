"""Convolution, transposed convolution, and images as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.onnx.graph import Graph, Operand

Sizes = Sequence[int]


def convolution(
    graph: Graph,
    x: Operand,
    weight: Operand,
    bias: Optional[Operand] = None,
    *,
    stride: Sizes,
    pad: Sizes,
    dilate: Sizes,
    groups: int,
) -> str:
    """Convolve with symmetric padding."""
    return graph.node(
        "Conv", x, weight, bias, strides=list(stride), pads=[*pad, *pad], dilations=list(dilate), group=groups
    )


def transposed_convolution(
    graph: Graph,
    x: Operand,
    weight: Operand,
    *,
    size: Sequence[Any],
    stride: Sizes,
    pad: Sizes,
    dilate: Sizes,
    groups: int,
) -> str:
    """Convolve the transposed way; ``size`` is the spatial shape of the result."""
    window = zip(size, x.shape[2:], weight.shape[2:], stride, pad, dilate)
    beyond = [
        graph.known(length - ((positions - 1) * step - 2 * width + spread * (kernel - 1) + 1), "conv_transpose")
        for length, positions, kernel, step, width, spread in window
    ]
    return graph.node(
        "ConvTranspose",
        x,
        weight,
        strides=list(stride),
        pads=[*pad, *pad],
        dilations=list(dilate),
        output_padding=beyond,
        group=groups,
    )


def image_to_columns(graph: Graph, x: Operand, *, kernel: Sizes, stride: Sizes, dilate: Sizes, pad: Sizes) -> str:
    """Cut images into windows, as columns: a convolution whose kernels each pick one pixel of the window."""
    channels = graph.known(x.shape[1], "unfold")
    windows = graph.node(
        "Conv",
        x,
        pickers(channels, kernel, x.dtype.numpy),
        strides=list(stride),
        pads=[*pad, *pad],
        dilations=list(dilate),
        group=channels,
    )
    return graph.node("Reshape", windows, graph.integers(0, 0, -1))


def columns_to_image(
    graph: Graph, x: Operand, *, output_size: Sizes, kernel: Sizes, stride: Sizes, dilate: Sizes, pad: Sizes
) -> str:
    """Add windows, given as columns, into images: the transposed form of :func:`image_to_columns`."""
    output_size = [graph.known(size, "fold") for size in output_size]
    channels = graph.known(x.shape[1], "fold") // math.prod(kernel)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilate)]
    positions = [(n + 2 * p - span) // s + 1 for n, p, span, s in zip(output_size, pad, spans, stride)]
    beyond = [
        n - ((count - 1) * s - 2 * p + span) for n, count, s, p, span in zip(output_size, positions, stride, pad, spans)
    ]
    return graph.node(
        "ConvTranspose",
        graph.node("Reshape", x, graph.integers(0, 0, *positions)),
        pickers(channels, kernel, x.dtype.numpy),
        strides=list(stride),
        pads=[*pad, *pad],
        dilations=list(dilate),
        output_padding=beyond,
        group=channels,
    )


def pickers(channels: int, kernel: Sizes, dtype: Any) -> np.ndarray:
    """Return one kernel for each channel and place in the window, 1 at this place."""
    places = math.prod(kernel)
    return np.tile(np.eye(places, dtype=dtype).reshape(places, 1, *kernel), (channels, *[1] * (len(kernel) + 1)))
