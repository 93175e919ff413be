"""The one place that knows how the toolkits read configs now, and where old keys are now."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Union

from core.train.config.schema import load_config

SCHEMAS = {
    "PaddleClas": "PaddleClas.config:ClassificationConfig",
    "PGL": "PGL.config:GraphConfig",
    "PaddleGAN": "PaddleGAN.config:GANConfig",
}
RENAMED = {"PaddleClas": ("model", "network"), "PGL": ("model", "network"), "PaddleGAN": None}
"""A section that has another name now, where there is one: the old and the new name."""
OLD_KEYS_WARN = {"PaddleClas": True, "PGL": True, "PaddleGAN": False}
"""Whether a toolkit's renamed section has its new name, so that an old config loads with one warning."""


def load(toolkit: str, path: Path, overrides: Sequence[str] = ()) -> Any:
    """Return a config as the toolkit's commands read it."""
    module, _, name = SCHEMAS[toolkit].partition(":")
    return load_config(getattr(importlib.import_module(module), name), path, list(overrides))


def value(config: Any, key: str) -> Any:
    """Return what a config has for a key of the stored configs, wherever it is now.

    Raises:
        KeyError: it has no such key, under no name.
    """
    dump = config.model_dump()
    if key in MOVED and _at(dump, key) is MISSING:
        return MOVED[key](dump)
    places = [key] + [new + key[len(old) :] for old, new in PREFIXES if key.startswith(old)]
    found = next((item for item in (_at(dump, place) for place in places) if item is not MISSING), MISSING)
    if found is MISSING:
        raise KeyError(key)
    return found


MISSING = object()
PREFIXES = (
    ("model.arguments.", "network."),
    ("model.", "network."),
    ("teacher.arguments.", "teacher.network."),
    ("teacher.", "teacher.network."),
    ("decay_norm_and_bias", "optimizer.decay_norm_and_bias"),
)
"""Old beginnings of keys, and new ones."""


def _expected(dump: Any) -> tuple[str, float, Any]:
    """Return the one number that a section ``expect`` of today asks for: its name, value and tolerance."""
    expect = dump["expect"]
    ((name, wanted),) = {**expect["at_least"], **expect["near"]}.items()
    return (name, wanted["value"], wanted["tolerance"]) if isinstance(wanted, dict) else (name, wanted, None)


def _decays(dump: Any) -> Any:
    """Return weight decays by pattern from an optimizer's parameter groups."""
    return {group["parameters"][0]: group["weight_decay"] for group in dump["optimizer"]["groups"]} or None


MOVED: dict[str, Callable[[Any], Any]] = {
    "expect.accuracy": lambda dump: _expected(dump)[1],
    "expect.metric": lambda dump: _expected(dump)[0],
    "expect.value": lambda dump: _expected(dump)[1],
    "expect.tolerance": lambda dump: _expected(dump)[2],
    "task.decays": _decays,
}
"""Old keys whose values are written in another way at their new places."""


def _at(dump: Any, key: str) -> Union[Any, object]:
    for part in key.split("."):
        if isinstance(dump, list):
            dump = dump[int(part)]
        elif isinstance(dump, dict) and part in dump:
            dump = dump[part]
        else:
            return MISSING
    return dump
