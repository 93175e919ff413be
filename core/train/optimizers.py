"""The optimizers that a config may name."""

from __future__ import annotations

from typing import Annotated

import pydantic

from core.train.table import Component, Table

OPTIMIZERS = Table(
    "optimizer",
    {
        name: f"core.optimizer:{name}"
        for name in ("SGD", "Momentum", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb")
    },
    provided=("learning_rate", "parameters"),
)
OptimizerChoice = Annotated[Component, pydantic.AfterValidator(OPTIMIZERS.check)]
