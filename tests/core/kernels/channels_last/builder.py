"""Channels-last networks built layer by layer together with what numpy gives in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.channels_last.activation import ACTIVATIONS
from core.kernels.channels_last.layer import Layer
from core.kernels.channels_last.network import Network
from core.kernels.channels_last.table import AS_IMAGE
from core.kernels.channels_last.weights import PackedWeights, goes_along_rows, is_product

RNG = np.random.default_rng(8)


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def convolved(
    x: np.ndarray,
    weight: np.ndarray,
    bias: Optional[np.ndarray],
    stride: Sequence[int] = (1, 1),
    pad: Sequence[int] = (0, 0, 0, 0),
    groups: int = 1,
) -> np.ndarray:
    """Return a convolution in float64."""
    top, left, below, right = pad
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (top, below), (left, right)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, weight.shape[2:], axis=(2, 3))
    windows = windows[:, :, :: stride[0], :: stride[1]]
    parts = np.split(windows, groups, axis=1)
    results = [
        np.einsum("nchwyx,ocyx->nohw", part, part_of_weight.astype(np.float64))
        for part, part_of_weight in zip(parts, np.split(weight, groups))
    ]
    result = np.concatenate(results, axis=1)
    return result if bias is None else result + bias[:, None, None]


class Builder:
    """Adds layers together with what they must give."""

    def __init__(self, x: np.ndarray) -> None:
        self.packed = PackedWeights()
        self.layers: list[Layer] = []
        self.expected: list[np.ndarray] = [x.astype(np.float64)]
        self.largest = 1.0

    def convolution(
        self,
        source: int,
        weight: np.ndarray,
        bias: Optional[np.ndarray] = None,
        stride: tuple[int, int] = (1, 1),
        pad: tuple[int, int, int, int] = (0, 0, 0, 0),
        groups: int = 1,
        side: int = 0,
        **more: Any,
    ) -> int:
        weight = weight / np.float32(math.sqrt(weight[0].size))
        rows = goes_along_rows(weight, groups, stride)
        assert rows or is_product(weight, groups)
        channels, x = len(weight), self.expected[source]
        given: dict[str, Any] = {"bias": self.packed.bias(bias, channels)}
        if side:
            given["panels"], given["depth"] = self.packed.winograd(weight, side)
        elif rows:
            given.update(weight=self.packed.rows(weight), share=channels // groups)
        else:
            shift = more.get("shift")
            given["panels"], given["depth"] = self.packed.product(weight, groups, source == 0, shift=shift)
        kind = "winograd" if side else ("row" if rows else "product")
        if "scale" in more:
            x = x * self.expected[more["scale"]]
        if "shift" in more:
            x = shifted(x, *more["shift"])
        result = convolved(x, weight, bias, stride, pad, groups)
        given.update(side=side, **more)
        return self.add(Layer(kind, source, channels, weight.shape[2:], stride, pad, **given), result)

    def add(self, layer: Layer, result: np.ndarray) -> int:
        if layer.other is not None:
            result = result + self.expected[layer.other]
        self.largest = max(self.largest, np.abs(result).max())
        result = np.clip(result, *layer.bounds)
        self.layers.append(layer)
        self.expected.append(activated(result, *layer.activation))
        return len(self.layers)

    def network(self, outputs: Sequence[int]) -> Network:
        channels = self.expected[0].shape[1]
        return Network(self.layers, channels, self.packed.array.size, [(place, AS_IMAGE) for place in outputs])

    def run(self, x: np.ndarray) -> list[np.ndarray]:
        """Return every value that the network computes."""
        places = range(1, len(self.expected))
        network = self.network(places)
        outputs = [np.full(shape, np.nan, np.float32) for shape in network.output_shapes(x.shape)]
        network(x, self.packed.array, outputs)
        return outputs

    def check(self, x: np.ndarray) -> None:
        for got, wanted in zip(self.run(x), self.expected[1:]):
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-6 * self.largest)


def activated(x: np.ndarray, kind: int, first: float, second: float) -> np.ndarray:
    name = ACTIVATIONS[kind]
    if name in ("nothing", "scaled"):
        return x if name == "nothing" else x * first
    if name == "leaky_relu":
        return np.where(x < 0, x * first, x)
    gate = np.clip(x * first + second, 0, 1) if "hard" in name else 1 / (1 + np.exp(-x))
    return gate if "sigmoid" in name else x * gate


def activation(name: str, first: float = 0.0, second: float = 0.0) -> tuple[int, float, float]:
    return ACTIVATIONS.index(name), first, second


def shifted(x: np.ndarray, frames: int, first: int, second: int) -> np.ndarray:
    """Return frames (N * frames, C, H, W) with some channels of the frame before, others of that after."""
    clips = x.reshape(-1, frames, *x.shape[1:])
    result = clips.copy()
    result[:, :, :second] = 0
    result[:, 1:, :first] = clips[:, :-1, :first]
    result[:, :-1, first:second] = clips[:, 1:, first:second]
    return result.reshape(x.shape)
