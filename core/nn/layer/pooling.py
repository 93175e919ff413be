"""Pooling layers under the one module name that Paddle gives them."""

from __future__ import annotations

from core.nn.layer.pooling_adaptive import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
)
from core.nn.layer.pooling_average import AvgPool1D, AvgPool2D, AvgPool3D
from core.nn.layer.pooling_maximum import MaxPool1D, MaxPool2D, MaxPool3D
from core.nn.layer.pooling_unpool import MaxUnPool1D, MaxUnPool2D, MaxUnPool3D

__all__ = [
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
]
