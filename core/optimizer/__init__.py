"""Optimizers and learning-rate schedules: ``paddle.optimizer``."""

from __future__ import annotations

from core.optimizer import lr
from core.optimizer.adam import Adam, Adamax, AdamW
from core.optimizer.adaptive import Adadelta, Adagrad, RMSProp
from core.optimizer.lamb import Lamb
from core.optimizer.lbfgs import LBFGS
from core.optimizer.moving_average import ExponentialMovingAverage
from core.optimizer.optimizer import Optimizer
from core.optimizer.sgd import SGD, Momentum

__all__ = [
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "ExponentialMovingAverage",
    "LBFGS",
    "Lamb",
    "Momentum",
    "Optimizer",
    "RMSProp",
    "SGD",
    "lr",
]
