"""Networks with channels last in bfloat16 and bytes: each layer against NumPy, given what those before it gave."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np
import pytest

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, HAS_BFLOAT16_PRODUCTS
from core.kernels.channels_last.layer import Layer, writes_at_once
from core.kernels.channels_last.network import Network
from core.kernels.channels_last.table import AS_IMAGE
from core.kernels.channels_last.weights import PackedWeights, goes_along_rows, is_product
from core.kernels.engine import engine
from core.kernels.layers.quantized import dequantized, quantized, quantized_weight
from tests.core.kernels.channels_last.builder import activated, activation, convolved, draw

FORMS = [
    pytest.param(BFLOAT16, marks=pytest.mark.skipif(not HAS_BFLOAT16_PRODUCTS, reason="no AVX512-BF16")),
    BYTES,
]
GRID = (0.03, 100.0)


def halved(x: np.ndarray) -> np.ndarray:
    """Return numbers rounded to bfloat16."""
    return engine.bfloat16_bits_to_float32(engine.float32_to_bfloat16_bits(x.astype(np.float32)))


class Narrow:
    """Adds layers with what they must give of the values before them; their results are in one form.

    Args:
        form: Of all values but the input.
    """

    def __init__(self, x: np.ndarray, form: int) -> None:
        self.x, self.form = x, form
        self.packed = PackedWeights()
        self.layers: list[Layer] = []
        self.computed: list[Callable[[list[np.ndarray]], np.ndarray]] = []
        self.channels = [x.shape[1]]

    def convolution(
        self,
        source: int,
        shape: Sequence[int],
        bias: Optional[np.ndarray] = None,
        stride: tuple[int, int] = (1, 1),
        pad: tuple[int, int, int, int] = (0, 0, 0, 0),
        groups: int = 1,
        summed: bool = False,
        **more: Any,
    ) -> int:
        weight = draw(*shape) / np.float32(math.sqrt(math.prod(shape[1:])))
        form = self.layers[source - 1].form if source else FLOAT32
        rows = source > 0 and goes_along_rows(weight, groups, stride)
        assert rows or is_product(weight, groups, form)
        kind, share = "row" if rows else "product", len(weight) // groups if rows else 1
        layer = Layer(kind, source, len(weight), tuple(shape[2:]), stride, pad, share=share, **more)
        given: dict[str, Any] = {}
        scales = np.ones(len(weight), np.float32)
        if form == BYTES:
            scales = np.abs(weight).max((1, 2, 3)) / np.float32(127)
            scale, zero = self.layers[source - 1].grid
            weight = quantized_weight(weight, scales)
            given["starts"] = self.packed.starts(weight, zero, whole=share == 1)
            counts = not layer.activation[0] and writes_at_once(layer._replace(form=self.form), form, summed)
            ends = self.packed.ends(scales * np.float32(scale), bias, GRID if counts else None)
            given["scales"], given["bias"] = ends
        elif form == BFLOAT16:
            weight = halved(weight)
        given.setdefault("bias", self.packed.bias(bias, len(weight)))
        if rows:
            given["weight"] = self.packed.rows(weight.astype(np.int8 if form == BYTES else np.float32), form)
        else:
            given["panels"], given["depth"] = self.packed.product(weight, groups, source == 0, form)
        wide = weight * scales[:, None, None, None]

        def result(values: list[np.ndarray]) -> np.ndarray:
            x = values[source]
            if "scale" in more:
                x = halved(x * values[more["scale"]])
            return convolved(x, wide, bias, stride, pad, groups)

        return self.add(layer._replace(**given), result)

    def add(self, layer: Layer, computed: Callable[[list[np.ndarray]], np.ndarray], form: int = -1) -> int:
        def result(values: list[np.ndarray]) -> np.ndarray:
            x = computed(values)
            if layer.other is not None:
                x = x + values[layer.other]
            return activated(np.clip(x, *layer.bounds), *layer.activation)

        self.layers.append(layer._replace(form=self.form if form < 0 else form, grid=GRID))
        self.computed.append(result)
        return len(self.layers)

    def check(self) -> None:
        places = range(1, len(self.layers) + 1)
        network = Network(self.layers, self.x.shape[1], self.packed.array.size, [(place, AS_IMAGE) for place in places])
        values = [np.full(shape, np.nan, np.float32) for shape in network.output_shapes(self.x.shape)]
        network(self.x, self.packed.array, values)
        values = [self.x, *values]
        for layer, computed, got in zip(self.layers, self.computed, values[1:]):
            wanted = computed(values)
            assert got.shape == wanted.shape
            error = 2e-6 * np.abs(wanted).max()
            if (
                layer.kind == "mean" and self.layers[layer.source - 1].kind == "row"
            ):  # of values before they are rounded
                error += GRID[0] / 2 if layer.form == BYTES else np.abs(values[layer.source]).mean() * 2.0**-8
            if layer.form == BFLOAT16:
                np.testing.assert_array_equal(got, halved(got))
                error = error + np.abs(wanted) * 2.0**-8
            elif layer.form == BYTES:
                np.testing.assert_array_equal(got, dequantized(quantized(got, *GRID), *GRID))
                wanted = np.clip(wanted, *dequantized(np.array([0, 255]), *GRID).astype(float))
                error = error + GRID[0] / 2 * 1.0001
            assert (np.abs(got - wanted) <= error).all(), layer


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [(1, 1), (4, 5), (13, 9)])
def test_products(form: int, size: tuple[int, int]) -> None:
    network = Narrow(draw(3, 3, *size), form)
    first = network.convolution(0, (24, 3, 3, 3), draw(24), pad=(1, 1, 1, 1), bounds=(0.0, math.inf))
    wide = network.convolution(first, (104, 24, 1, 1), draw(104), activation=activation("hard_swish", 1 / 6, 0.5))
    last = network.convolution(wide, (104, 104, 1, 1), other=wide, bounds=(0.0, 6.0))
    network.convolution(last, (20, 104, 3, 3), pad=(1, 1, 1, 1), activation=activation("swish"))
    network.convolution(last, (50, 104, 2, 2), stride=(2, 2), pad=(0, 1, 1, 0))
    network.convolution(wide, (64, 52, 3, 3), draw(64), pad=(1, 1, 1, 1), groups=2)
    network.check()


@pytest.mark.parametrize("form", FORMS)
def test_rows_means_and_factors(form: int) -> None:
    network = Narrow(draw(2, 3, 11, 14), form)
    first = network.convolution(0, (40, 3, 1, 1), draw(40))
    rows = network.convolution(
        first, (40, 1, 3, 3), draw(40), pad=(1, 1, 1, 1), groups=40, bounds=(-1.0, 2.0), summed=True
    )
    five = network.convolution(
        rows, (40, 1, 5, 5), None, (2, 2), (2, 2, 2, 2), groups=40, summed=True, activation=activation("swish")
    )
    network.convolution(rows, (40, 1, 5, 5), draw(40), pad=(2, 2, 2, 2), groups=40, bounds=(0.0, 6.0))
    network.convolution(
        rows, (40, 1, 3, 3), draw(40), (2, 2), (1, 1, 1, 1), groups=40, activation=activation("hard_swish", 1 / 6, 0.5)
    )
    network.convolution(rows, (40, 4, 3, 3), draw(40), pad=(1, 1, 1, 1), groups=10)
    for source in (five, rows):
        mean = network.add(Layer("mean", source, 40), lambda values, s=source: values[s].mean((2, 3), keepdims=True))
        gate = network.convolution(mean, (40, 40, 1, 1), activation=activation("sigmoid"))
        network.layers[gate - 1] = network.layers[gate - 1]._replace(form=FLOAT32)
        if form == BFLOAT16:
            network.convolution(source, (16, 40, 1, 1), draw(16), scale=gate)
        network.add(
            Layer("combine", source, 40, scale=gate, other=source, bounds=(0.0, math.inf)),
            lambda values, s=source, g=gate: values[s] * values[g],
        )
    network.check()


@pytest.mark.parametrize("form", FORMS)
def test_maxima_and_joined_values(form: int) -> None:
    network = Narrow(draw(2, 3, 9, 12), form)
    first = network.convolution(0, (24, 3, 1, 1), draw(24))

    def maxima(values: list[np.ndarray]) -> np.ndarray:
        wide = np.pad(values[first], ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        return np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(2, 3))[:, :, ::2, ::2].max((4, 5))

    network.add(Layer("maximum", first, 24, (3, 3), (2, 2), (1, 1, 1, 1)), maxima)
    network.add(
        Layer("average", first, 24, (2, 2), (2, 2)),
        lambda values: values[first][:, :, :8].reshape(2, 24, 4, 2, 6, 2).mean((3, 5)),
    )
    second = network.convolution(first, (12, 24, 1, 1), stride=(2, 2))
    third = network.convolution(0, (8, 3, 1, 1), stride=(2, 2))
    joined = network.add(
        Layer("join", second, 20, parts=((second, 1), (third, 1))),
        lambda values: np.concatenate([values[second], values[third]], 1),
    )
    network.convolution(joined, (16, 20, 3, 3), pad=(1, 1, 1, 1))
    network.check()
