"""Learning-rate schedules: ``paddle.optimizer.lr``."""

from __future__ import annotations

from core.optimizer.lr.cyclic import CosineAnnealingDecay, CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from core.optimizer.lr.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    MultiplicativeDecay,
    NaturalExpDecay,
    NoamDecay,
    PolynomialDecay,
)
from core.optimizer.lr.plateau import ReduceOnPlateau
from core.optimizer.lr.scheduler import LRScheduler
from core.optimizer.lr.steps import MultiStepDecay, PiecewiseDecay, StepDecay
from core.optimizer.lr.warmup import LinearLR, LinearWarmup

__all__ = [
    "CosineAnnealingDecay",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LRScheduler",
    "LambdaDecay",
    "LinearLR",
    "LinearWarmup",
    "MultiStepDecay",
    "MultiplicativeDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "OneCycleLR",
    "PiecewiseDecay",
    "PolynomialDecay",
    "ReduceOnPlateau",
    "StepDecay",
]
