"""Activations, and images times a weight for each of their channels."""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.static import InputSpec
from tests.frozen.exported_cases.cases import Case, double, filled, simple, spec


def curves(x: Any) -> dict[str, Any]:
    """Return every activation of x, and what users write for the same."""
    gate = F.sigmoid(x)
    return {
        "sigmoid": gate,
        "silu": F.silu(x),
        "swish": F.swish(x),
        "hardswish": F.hardswish(x),
        "hardsigmoid": F.hardsigmoid(x),
        "hardsigmoid_of_ones_own": F.hardsigmoid(x, slope=0.25, offset=0.25),
        "gelu": F.gelu(x),
        "gelu_by_tanh": F.gelu(x, approximate=True),
        "relu": F.relu(x),
        "relu6": F.relu6(x),
        "clip": core.clip(x, -1.5, 2.0),
        "tanh": core.tanh(x),
        "leaky_relu": F.leaky_relu(x, 0.1),
        "elu": F.elu(x),
        "mish": F.mish(x),
        "softplus": F.softplus(x),
        "product_of_the_gate": x * gate,
        "product_by_the_gate": gate * x,
        "product_of_the_hard_gate": x * F.hardsigmoid(x),
        "hardswish_by_hand": x * F.relu6(x + 3.0) / 6.0,
        "another_gate": F.relu(x) * F.sigmoid(x * 0.5),
    }


def few_curves(x: Any) -> dict[str, Any]:
    """Return some activations."""
    return {
        "sigmoid": F.sigmoid(x), "silu": F.silu(x), "hardswish": F.hardswish(x), "hardsigmoid": F.hardsigmoid(x),
        "gelu": F.gelu(x), "relu6": F.relu6(x), "square": x * x, "glu": F.glu(core.concat([x, x], axis=0), axis=0),
    }  # fmt: skip


def plain_curves(x: Any) -> list[Any]:
    """Return activations that take any shape."""
    return [F.sigmoid(x), F.silu(x), F.hardswish(x), F.hardsigmoid(x), F.gelu(x), F.relu6(x), core.clip(x, -1, 1)]


def weighed(images: Any, weights: Any) -> dict[str, Any]:
    """Return images times a weight for each channel, in either order, and other products of images."""
    return {
        "images_first": images * weights,
        "weights_first": weights * images,
        "multiply": core.multiply(images, weights),
        "opened": images * F.sigmoid(weights),
        "first_only": images * weights[0],
        "first_batch": weights[0:1] * images,
        "squares": images * images,
        "scaled": images * 0.5,
        "minus": images - weights,
        "over": images / (core.abs(weights) + 1.0),
    }


class Excited(nn.Layer):
    """Squeeze and excitation around a convolution."""

    def __init__(self, gate: Any, inner: Any, swapped: bool) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 16, 3, padding=1)
        self.down, self.up = nn.Conv2D(16, 4, 1), nn.Conv2D(4, 16, 1)
        self.gate, self.inner, self.swapped = gate, inner, swapped

    def forward(self, x: Any) -> Any:
        """Return weighted images."""
        x = self.inner(self.convolution(x))
        weights = self.gate(self.up(self.inner(self.down(F.adaptive_avg_pool2d(x, 1)))))
        return weights * x if self.swapped else x * weights


_IMAGES = [spec([None, 8, None, None], "images"), spec([None, 8, 1, 1], "weights")]


def _fixed(*shape: int) -> list[Any]:
    return [InputSpec(list(shape), name="images"), InputSpec([*shape[:2], 1, 1], name="weights")]


CASES = {
    "activations": {
        "open": simple(lambda: curves, (None, 16, None, None), (1, 16, 3, 3), (2, 16, 24, 24), learns=True),
        "small": simple(lambda: curves, (3, 8), learns=True),
        "large": simple(lambda: curves, (4, 16, 16, 16), learns=True),
        "rows": simple(lambda: few_curves, (None, 300), (2, 300), (40, 300), learns=True),
        "scalar": simple(lambda: plain_curves, (), learns=True),
        "empty": simple(lambda: plain_curves, (0, 4)),
        "float64": Case(
            lambda: few_curves, [InputSpec([None, 40], "float64", "x")], [[double((3, 40))], [double((250, 40))]],
            learns=True,
        ),
        "mixed": simple(lambda: few_curves, (None, 8, 8, 8), (2, 8, 8, 8), (20, 8, 8, 8), mixed=True),
    },
    "weighed_channels": {
        "open": Case(
            lambda: weighed, _IMAGES, [[(2, 8, 5, 5), (2, 8, 1, 1)], [(3, 8, 20, 20), (3, 8, 1, 1)]], learns=True
        ),
        "small": Case(lambda: weighed, _fixed(2, 8, 5, 5), [[(2, 8, 5, 5), (2, 8, 1, 1)]], learns=True),
        "large": Case(lambda: weighed, _fixed(2, 16, 18, 18), [[(2, 16, 18, 18), (2, 16, 1, 1)]], learns=True),
        "float64": Case(
            lambda: weighed,
            [spec([2, 8, None, None], "images", "float64"), InputSpec([2, 8, 1, 1], "float64", "weights")],
            [[double((2, 8, 24, 24)), double((2, 8, 1, 1), 1)]], learns=True,
        ),
        "excited": simple(
            lambda: filled(Excited(F.hardsigmoid, F.hardswish, False)), (None, 3, None, None),
            (1, 3, 6, 6), (2, 3, 20, 20), learns=True, mixed=True,
        ),
        "excited_swapped": simple(
            lambda: filled(Excited(F.sigmoid, F.swish, True)), (2, 3, 20, 20), learns=True, mixed=True
        ),
        "constant_weights": simple(
            lambda: lambda x: x * core.to_tensor(np.linspace(0.5, 1.5, 16, dtype=np.float32).reshape(1, 16, 1, 1)),
            (2, 16, 18, 18), learns=True,
        ),
    },
}  # fmt: skip
