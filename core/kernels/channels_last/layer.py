"""The layers of a channels-last network, and the shapes of what they give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Optional

from core.kernels.channels_last.activation import ACTIVATIONS
from core.kernels.channels_last.forms import FLOAT32
from core.kernels.channels_last.vectors import LANES

Shape = tuple[int, int, int, int]


class Layer(NamedTuple):
    """One layer; what it gives is the value numbered by its place, from 1, and value 0 is the network's input.

    Attributes:
        kind: ``product`` (a convolution as a product), ``winograd`` (one of 3 x 3 by few multiplications), ``row`` (one
            along rows, depthwise or finely grouped), ``mean`` (of a whole image), ``maximum`` or
            ``average`` (of a window), ``combine`` (element by element), ``join`` (the channels of several values one
            behind the other) or ``shift`` (some channels of the images before and after).
        source: The value that it reads.
        channels: Of the result.
        kernel: Height and width of the window.
        stride: The same.
        pad: Zeros above, left, below and right.
        share: ``row``: channels of a group.
        panels: ``product``, ``winograd``: see :class:`core.kernels.channels_last.weights.PackedWeights`.
        depth: The same: input channels of a group.
        side: ``winograd``: pixels of the result's square tiles.
        weight: ``row``: where its weights begin.
        bias: Where the bias begins.
        scale: A value (N, C, 1, 1) that the source is multiplied by first.
        other: A value that is added to the result.
        bounds: Between which the result is brought.
        activation: What is computed of it then, a place in ACTIVATIONS, and two numbers for that.
        parts: ``join``: values, the first of which is the source, and how often each of their pixels is repeated in a
            row, and each row.
        shift: ``shift``, ``product``: images of a clip; channels up to the first number are read from the image before,
            from there up to the second one from the image after, where the clip has one, and are 0 elsewhere.
        form: Of the result's numbers (:mod:`core.kernels.channels_last.forms`).
        grid: Where they are bytes, the scale and the zero point that they count by.
        scales: ``product``, ``row`` of bytes: where the scales of their sums begin.
        starts: The same: where what the sums begin with begins, minus the zero points times the weights.
    """

    kind: str
    source: int
    channels: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)
    share: int = 1
    panels: tuple[tuple[int, int, int, int], ...] = ()
    depth: int = 0
    side: int = 0
    weight: int = 0
    bias: int = 0
    scale: Optional[int] = None
    other: Optional[int] = None
    bounds: tuple[float, float] = (-math.inf, math.inf)
    activation: tuple[int, float, float] = (0, 0.0, 0.0)
    parts: tuple[tuple[int, int], ...] = ()
    shift: Optional[tuple[int, int, int]] = None
    form: int = 0
    grid: tuple[float, float] = (1.0, 0.0)
    scales: int = 0
    starts: int = 0

    @property
    def reads(self) -> list[int]:
        """The values that it needs."""
        read = [self.source, *[place for place, _ in self.parts[1:]]]
        return read + [place for place in (self.scale, self.other) if place is not None]


def writes_at_once(layer: Layer, source_form: int, summed: bool) -> bool:
    """Return whether a layer writes what becomes of its sums from the registers.

    Args:
        layer: Which.
        source_form: Of the numbers that it multiplies.
        summed: Whether a layer reads the mean of its result.
    """
    known = layer.kind == "product" or (layer.kind == "row" and layer.share == 1 and not summed)
    name = ACTIVATIONS[layer.activation[0]]
    able = name == "nothing" or (name == "hard_swish" and layer.other is None)
    return known and able and source_form == layer.form != FLOAT32


def padded(channels: int) -> int:
    """Return how many numbers a pixel of so many channels takes up."""
    return -(-channels // LANES) * LANES


def shapes_of(layers: Sequence[Layer], shape: Sequence[int]) -> list[Shape]:
    """Return the shape (N, C, H, W) of every value, the input's first.

    Raises:
        ValueError: values of different sizes are to be joined, or the images are no whole clips.
    """
    batch, channels, height, width = shape
    shapes = [(batch, channels, height, width)]
    for layer in layers:
        batch, _, height, width = shapes[layer.source]
        if layer.shift is not None and batch % layer.shift[0]:
            raise ValueError(f"step {len(shapes)} reads clips of {layer.shift[0]} images, not {batch} images")
        if layer.kind == "mean":
            height = width = 1
        if layer.parts:
            sizes = [(shapes[place][2] * times, shapes[place][3] * times) for place, times in layer.parts]
            if len({*sizes}) > 1:
                raise ValueError(f"step {len(shapes)} joins images of {' and '.join(f'{h} x {w}' for h, w in sizes)}")
            height, width = sizes[0]
        top, left, below, right = layer.pad
        height = (height + top + below - layer.kernel[0]) // layer.stride[0] + 1
        width = (width + left + right - layer.kernel[1]) // layer.stride[1] + 1
        shapes.append((batch, layer.channels, height, width))
    return shapes
