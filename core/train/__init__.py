"""Training: config, Task, Trainer, checkpoints, run folders.

Names are resolved on first use, so that reading a config, or a data set that is described by one, stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "callback": ("Callback", "EarlyStop"),
    "checkpoints.store": ("CheckpointStore", "Progress"),
    "config.schema": ("Section", "describe_schema", "differences", "load_config", "save_config"),
    "logs.console": ("Console",),
    "evaluation_pass": ("EvaluationPass",),
    "finish": ("Outcome",),
    "interruption": ("TrainingInterrupted",),
    "config.options": ("TrainOptions",),
    "logs.profile": ("Profile",),
    "logs.result_file": ("ResultFile",),
    "logs.run_folder": ("OutputError", "RunFolder"),
    "logs.run_log": ("RunLog", "read_metrics"),
    "step": ("NonFiniteLossError",),
    "config.table": ("Component", "Named", "Table"),
    "task": ("Evaluator", "Phase", "Task"),
    "trainer": ("Trainer",),
    "config.yaml_file": ("ConfigError",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'core.train' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"core.train.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
