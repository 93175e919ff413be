"""Quanters (paddle.quantization.quanters)."""

from core.quantization.quanters.abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ["FakeQuanterWithAbsMaxObserver"]
