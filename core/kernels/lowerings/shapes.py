"""Reshapes, and slices of channels: by operators of the engine that put images in order; others by its plain ones."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.lowering import PLAIN_LAYOUT, Call, lowers
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float32
from core.kernels.engine import engine, graph

MOST_AXES = 6
"""Of what the engine takes for an image on either side of a reshape."""


class _ReshapedImage(Operator):
    """A reshape inside a program that oneDNN's blocks pass neither forwards nor backwards.

    _np_reshape leaves images in the blocks in which oneDNN computed them, which casts to and from bfloat16 then refuse.
    Reshape puts them in order; but it knows neither 0-D tensors nor empty ones, and takes the blocks of a volume, or of
    the gradient of what becomes an image, with it, under sizes that oneDNN refuses later.

    Args:
        before: Whether a copy in the plain order precedes it.
        behind: Whether one follows it.
    """

    def __init__(self, before: bool = False, behind: bool = False) -> None:
        super().__init__("reshape", "Reshape", register=False)
        self.before = before
        self.behind = behind

    def engine_attributes(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> dict[str, Any]:
        """Return the new sizes under the engine's name."""
        return {"shape": attributes["newshape"]}

    def in_graph(
        self,
        handle: ctypes.c_void_p,
        symbols: Sequence[Any],
        encoded: engine.Attributes,
        metas: Sequence[Meta],
        attributes: dict[str, Any],
    ) -> list[Any]:
        """Return the output of this operator, and of the copies around it, applied to a symbol of a graph."""
        given = [graph.to_plain_layout(symbols[0])] if self.before else symbols
        outputs = super().in_graph(handle, given, encoded, metas, attributes)
        return [graph.to_plain_layout(outputs[0])] if self.behind else outputs


_IMAGES = {(before, behind): _ReshapedImage(before, behind) for before in (False, True) for behind in (False, True)}


@lowers("reshape")
def _reshape(call: Call) -> Optional[Operator]:
    shape, wanted = call.shape(), call.attributes["newshape"]
    if call.dtype() not in (float32, bfloat16) or not shape or not wanted or 0 in (*shape, *wanted):
        return None
    axes, results = len(shape), len(wanted)
    if not 3 <= max(axes, results) <= MOST_AXES:  # also where its gradient is an image
        return None
    behind = call.learns and axes < results and results in (4, 5) and call.formats[0] != PLAIN_LAYOUT
    return _IMAGES[axes == 5, behind]


def _channels(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    start, count, _ = options["ranges"][1]
    return {"axis": 1, "begin": start, "end": start + count}


_CHANNELS = Operator("slice", "slice_axis", attributes=_channels, register=False)
"""oneDNN knows nothing of it. Its own slice ends the process where it cuts blocks of channels in two."""


@lowers("slice")
def _slice(call: Call) -> Optional[Operator]:
    shape, ranges = call.shape(), call.attributes["ranges"]
    if len(shape) not in (4, 5) or call.dtype() not in (float32, bfloat16) or ranges[1][2] != 1:
        return None
    cut = [axis for axis, (part, size) in enumerate(zip(ranges, shape)) if part != (0, size, 1)]
    return _CHANNELS if cut == [1] else None
