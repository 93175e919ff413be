"""Observers (paddle.quantization.observers), and those of PaddleSlim's that calibrate networks here."""

from core.quantization.observers.abs_max import AbsmaxObserver
from core.quantization.observers.channel_wise import AbsMaxChannelWiseWeightObserver
from core.quantization.observers.groupwise import GroupWiseWeightObserver
from core.quantization.observers.histogram import HistObserver, KLObserver
from core.quantization.observers.moving_average import MovingAverageObserver

__all__ = [
    "AbsMaxChannelWiseWeightObserver", "AbsmaxObserver", "GroupWiseWeightObserver", "HistObserver", "KLObserver",
    "MovingAverageObserver",
]  # fmt: skip
