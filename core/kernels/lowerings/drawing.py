"""Random numbers, drawn where new arrays live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Operator
from core.kernels.engine import engine


def _on_the_device(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "ctx": engine.device_text()}


def _drawn_on_the_device(name: str, engine_name: str) -> None:
    operator = Operator(
        name, engine_name, attributes=_on_the_device, differentiable=False, random=True, register=False
    )

    @lowers(name)
    def _drawn(call: Call) -> Operator:
        return operator


_drawn_on_the_device("uniform", "_npi_uniform")
_drawn_on_the_device("normal", "_npi_normal")
_drawn_on_the_device("randint", "_random_randint")
