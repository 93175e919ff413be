"""Largest and smallest numbers along axes: of many numbers by a custom kernel, which takes a twentieth of the time."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.dtypes import float32
from core.kernels.engine import engine
from core.kernels.engine.custom_kernels import kernel

FEWEST_ELEMENTS, FEWEST_SERVED = 2**14, 2**17
"""Below it, calling a custom kernel costs more than the engine's operators; inside an exported program it is dearer."""


def _reduced(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), axes, keeps = metas[0], options["axis"], options["keepdims"]
    return [(tuple([1 if i in axes else n for i, n in enumerate(shape) if keeps or i not in axes]), dtype)]


_KERNELS = {
    name: Kernel(
        f"{name}.numba",
        functools.partial(kernel("numeric.extremes", "extremes"), smallest=name.endswith("min")),
        infer=_reduced,
        differentiable=False,
    )
    for name in ("max", "min", "amax", "amin")
}


@lowers("max")
def _max(call: Call) -> Optional[Operator]:
    return _KERNELS["max"] if _are_many(call) else None


@lowers("min")
def _min(call: Call) -> Optional[Operator]:
    return _KERNELS["min"] if _are_many(call) else None


@lowers("amax")
def _amax(call: Call) -> Optional[Operator]:
    return _KERNELS["amax"] if _are_many(call) else None


@lowers("amin")
def _amin(call: Call) -> Optional[Operator]:
    return _KERNELS["amin"] if _are_many(call) else None


def _are_many(call: Call) -> bool:
    axes = call.attributes["axis"]
    neighbours = len(axes) and tuple(axes) == tuple(range(axes[0], axes[0] + len(axes)))
    if not neighbours or call.learns or call.dtype() is not float32 or not engine.on_cpu():
        return False
    return call.size() >= (FEWEST_SERVED if call.serving else FEWEST_ELEMENTS)
