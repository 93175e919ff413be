"""Compiling eager code into static programs (paddle.jit)."""

from __future__ import annotations

from typing import Any

from core.jit.export.save import (
    save as save,
)
from core.jit.rewrite import (
    ignore_module as ignore_module,
)
from core.jit.running.predictor import (
    Predictor as Predictor,
)
from core.jit.static_function import (
    StaticFunction as StaticFunction,
)
from core.jit.static_function import (
    not_to_static as not_to_static,
)
from core.jit.static_function import (
    to_static as to_static,
)
from core.jit.translator import (
    ProgramTranslator as ProgramTranslator,
)
from core.jit.translator import (
    enable_to_static as enable_to_static,
)


def __getattr__(name: str) -> Any:
    if name in ("TranslatedLayer", "load"):  # these need layers; a Predictor does not
        from core.jit.running import translated_layer  # loads core.nn

        return getattr(translated_layer, name)
    raise AttributeError(f"module 'core.jit' has no attribute {name!r}")
