"""Compiling eager code into static programs (paddle.jit)."""

from __future__ import annotations

from core.jit.static_function import (
    StaticFunction as StaticFunction,
)
from core.jit.static_function import (
    not_to_static as not_to_static,
)
from core.jit.static_function import (
    to_static as to_static,
)
