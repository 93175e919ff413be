"""Observers (paddle.quantization.observers)."""

from core.quantization.observers.abs_max import AbsmaxObserver
from core.quantization.observers.groupwise import GroupWiseWeightObserver

__all__ = ["AbsmaxObserver", "GroupWiseWeightObserver"]
