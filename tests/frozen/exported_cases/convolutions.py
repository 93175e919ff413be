"""Convolutions of every kind, and what is around them in networks."""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.static import InputSpec
from tests.frozen.exported_cases.cases import Case, double, filled, simple, spec


class Several(nn.Layer):
    """Runs layers side by side on one input."""

    def __init__(self, **layers: Any) -> None:
        super().__init__()
        self.names = list(layers)
        for name, layer in layers.items():
            self.add_sublayer(name, layer)

    def forward(self, x: Any) -> dict[str, Any]:
        """Return the result of each."""
        return {name: getattr(self, name)(x) for name in self.names}


def side_by_side(**layers: Any) -> Any:
    """Return a Layer that runs layers side by side, with weights."""
    return filled(Several(**layers))


def in_a_row(*layers: Any) -> Any:
    """Return a Layer that runs layers one after the other, with weights."""
    return filled(nn.Sequential(*layers))


def block(inputs: int, outputs: int, kernel: int = 3, **more: Any) -> list[Any]:
    """Return a convolution without a bias, batch normalisation and ReLU."""
    convolution = nn.Conv2D(inputs, outputs, kernel, padding=kernel // 2, bias_attr=False, **more)
    return [convolution, nn.BatchNorm2D(outputs), nn.ReLU()]


class Residual(nn.Layer):
    """Adds what a block makes, whose convolution is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm = nn.Conv2D(16, 16, 3, padding=1), nn.BatchNorm2D(16)

    def forward(self, x: Any) -> Any:
        """Return images."""
        y = self.convolution(F.relu(self.norm(self.convolution(x))))
        y = F.relu(x + y)
        return y + F.relu(y - 1.0)


def by_function(x: Any, weight: Any, bias: Any) -> dict[str, Any]:
    """Return convolutions whose weight is an input."""
    return {
        "plain": F.conv2d(x, weight, bias, padding=1),
        "apart": F.conv2d(x, weight, None, stride=2) + bias.reshape([1, -1, 1, 1]),
        "transposed": F.conv2d_transpose(x, weight.transpose([1, 0, 2, 3]), bias, stride=2, output_padding=1),
    }


def _few() -> Any:
    return side_by_side(windows=nn.Conv2D(32, 3, 7, padding=3), strided=nn.Conv2D(32, 5, 5, stride=2, bias_attr=False))


def _grouped() -> Any:
    return side_by_side(
        by_4=nn.Conv2D(32, 32, 3, padding=1, groups=8),
        by_8=nn.Conv2D(32, 32, 3, padding=1, groups=4, bias_attr=False),
        by_16=nn.Conv2D(32, 64, 3, stride=2, groups=2),
        depthwise=nn.Conv2D(32, 32, 3, padding=1, groups=32),
        depthwise_5=nn.Conv2D(32, 32, 5, stride=2, padding=2, groups=32, bias_attr=False),
        doubled=nn.Conv2D(32, 64, 3, groups=32),
    )


def _transposed() -> Any:
    return side_by_side(
        plain=nn.Conv2DTranspose(8, 20, 3, stride=2, padding=1, output_padding=1),
        large=nn.Conv2DTranspose(8, 16, 4, stride=2, padding=1, bias_attr=False),
        grouped=nn.Conv2DTranspose(8, 8, 3, groups=2),
        to_images=nn.Conv2DTranspose(8, 3, 4, stride=2, padding=1),
    )


def _windows() -> Any:
    return side_by_side(
        point=nn.Conv2D(16, 24, 1),
        dilated=nn.Conv2D(16, 16, 3, padding=2, dilation=2),
        same=nn.Conv2D(16, 16, 3, stride=2, padding="SAME"),
        uneven=nn.Conv2D(16, 8, (3, 1), padding=[1, 2, 0, 1]),
        reflected=nn.Conv2D(16, 16, 3, padding=1, padding_mode="reflect"),
        last=nn.Sequential(core.nn.Conv2D(16, 16, 3)),
    )


CASES = {
    "convolutions": {
        "stem": simple(
            lambda: in_a_row(*block(3, 16, stride=2)), (None, 3, None, None), (1, 3, 8, 8), (2, 3, 32, 32), learns=True
        ),
        "small": simple(lambda: in_a_row(nn.Conv2D(3, 4, 3, padding=1)), (2, 3, 6, 6), learns=True),
        "few": simple(_few, (1, 32, 64, 64), learns=True),
        "few_open": simple(_few, (None, 32, None, None), (1, 32, 8, 8), (1, 32, 64, 64), learns=True),
        "grouped": simple(_grouped, (None, 32, 10, 10), (1, 32, 10, 10), (4, 32, 10, 10), learns=True),
        "transposed": simple(_transposed, (None, 8, None, None), (1, 8, 5, 5), (2, 8, 16, 16), learns=True),
        "windows": simple(_windows, (2, 16, 12, 12), learns=True),
        "sequences": simple(
            lambda: side_by_side(
                plain=nn.Conv1D(8, 16, 3, padding=1), grouped=nn.Conv1D(8, 8, 3, groups=2, stride=2),
                normalised=nn.Sequential(nn.Conv1D(8, 16, 3), nn.BatchNorm1D(16), nn.ReLU()),
            ),
            (None, 8, None), (2, 8, 9), (3, 8, 40), learns=True,
        ),
        "sequences_transposed": simple(
            lambda: in_a_row(nn.Conv1DTranspose(8, 6, 3, stride=2), nn.Sigmoid()), (None, 8, 9), (2, 8, 9), learns=True
        ),
        "volumes_transposed": simple(
            lambda: in_a_row(nn.Conv3DTranspose(4, 6, 2, stride=2), nn.ReLU()), (2, 4, 3, 4, 5), learns=True
        ),
        "volumes": simple(
            lambda: side_by_side(
                plain=nn.Conv3D(4, 8, 3, padding=1),
                normalised=nn.Sequential(nn.Conv3D(4, 16, 3), nn.BatchNorm3D(16), nn.ReLU()),
            ),
            (2, 4, 5, 6, 7), learns=True,
        ),
        "normalised": simple(
            lambda: in_a_row(*block(16, 32), *block(32, 32, groups=8), *block(32, 32, groups=4), *block(32, 16, 1)),
            (None, 16, None, None), (1, 16, 6, 6), (2, 16, 20, 20), learns=True, mixed=True,
        ),
        "residual": simple(lambda: filled(Residual()), (2, 16, 10, 10), learns=True, mixed=True),
        "by_function": Case(
            lambda: by_function,
            [spec([None, 8, 10, 10], "x"), InputSpec([8, 8, 3, 3], name="weight"), InputSpec([8], name="bias")],
            [[(2, 8, 10, 10), (8, 8, 3, 3), (8,)]], learns=True,
        ),
        "last": simple(
            lambda: in_a_row(
                nn.Conv2D(3, 16, 3, data_format="NHWC"), nn.BatchNorm2D(16, data_format="NHWC"), nn.ReLU(),
                nn.AdaptiveAvgPool2D(2, data_format="NHWC"),
            ),
            (None, 9, 9, 3), (2, 9, 9, 3), learns=True,
        ),
        "float64": Case(
            lambda: in_a_row(*block(3, 16), nn.Conv2D(16, 4, 3, groups=2)).to(dtype="float64"),
            [spec([None, 3, 8, 8], "x", "float64")], [[double((2, 3, 8, 8))]], learns=True,
        ),
        "bfloat16": simple(
            lambda: in_a_row(nn.Conv2D(3, 16, 3), nn.ReLU(), nn.Conv2D(16, 16, 3)).to(dtype="bfloat16"),
            (2, 3, 10, 10), dtype="bfloat16",
        ),
    },
}  # fmt: skip
