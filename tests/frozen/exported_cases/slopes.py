"""Programs that hold gradients: of energies by places, of scores by images."""

from __future__ import annotations

from typing import Any, Callable

import core
from core import nn
from core.nn import functional as F
from tests.frozen.exported_cases.cases import Case, filled, simple
from tests.frozen.exported_cases.convolutions import in_a_row, side_by_side


class Slope(nn.Layer):
    """The gradient of a weighted sum of a layer's results by its input."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Any) -> Any:
        """Return the gradient, or one for each result."""
        x = x * 1.0
        results = self.layer(x)
        if not isinstance(results, dict):
            return _slope(results, x)
        return {name: _slope(result, x) for name, result in results.items()}


def _slope(result: Any, x: Any) -> Any:
    (slope,) = core.grad((result * result).sum(), [x], create_graph=True)
    return slope


class Curves(nn.Layer):
    """Activations side by side."""

    def forward(self, x: Any) -> dict[str, Any]:
        """Return each."""
        return {
            "sigmoid": F.sigmoid(x), "swish": F.swish(x), "hardswish": F.hardswish(x), "gelu": F.gelu(x),
            "hardsigmoid": F.hardsigmoid(x), "relu6": F.relu6(x), "tanh": core.tanh(x), "relu": F.relu(x),
            "leaky_relu": F.leaky_relu(x), "softmax": F.softmax(x), "log_softmax": F.log_softmax(x),
            "where": core.where(x > 0, x, x * x), "maximum": core.maximum(x, x * 0.5), "mean": x.mean(axis=0),
        }  # fmt: skip


def _convolved() -> Any:
    return side_by_side(
        plain=nn.Conv2D(4, 16, 3), few=nn.Conv2D(4, 3, 3), grouped=nn.Conv2D(4, 8, 3, groups=2),
        transposed=nn.Conv2DTranspose(4, 6, 3, stride=2), normalised=nn.Sequential(nn.Conv2D(4, 8, 3), nn.BatchNorm2D(8)),
        instances=nn.InstanceNorm2D(4), groups=nn.GroupNorm(2, 4), pooled=nn.AdaptiveAvgPool2D(3), one=nn.AdaptiveAvgPool2D(1),
        largest=nn.MaxPool2D(2), average=nn.AvgPool2D(2),
    )  # fmt: skip


def _slope_of(make: Callable[[], Any], *shapes: Any) -> Case:
    return simple(lambda: Slope(make()), *shapes, learns=True)


CASES = {
    "slopes": {
        "small": _slope_of(Curves, (3, 8)),
        "curves": _slope_of(Curves, (None, 64), (3, 64), (300, 64)),
        "energy": _slope_of(
            lambda: in_a_row(nn.Linear(8, 32), nn.Swish(), nn.LayerNorm(32), nn.Linear(32, 1)), (None, 8), (5, 8)
        ),
        "wide": _slope_of(lambda: in_a_row(nn.Linear(256, 256), nn.LayerNorm(256), nn.Sigmoid()), (512, 256)),
        "images": _slope_of(_convolved, (2, 4, 9, 9)),
        "attention": _slope_of(lambda: filled(nn.TransformerEncoderLayer(16, 2, 32)), (2, 6, 16)),
    },
}
