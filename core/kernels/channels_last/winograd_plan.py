"""How a convolution by few multiplications is cut into tasks, and where its tiles are."""

from __future__ import annotations

from typing import Callable, Optional

import numpy as np

from core.kernels.channels_last.layer import Layer
from core.kernels.channels_last.memory import Placed
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.winograd_step import WIDTH

_TILES = 32  # of a task: each reads the weights again, and keeps its changed windows in the cache
_TASKS = 4  # of a step that is worth it: where they share the channels, each changes the windows again
_TASK_COST = 8000  # vectors of products that are worth a task


def tiles_of(
    layer: Layer, source: Placed, target: Placed, other: Optional[Placed], place: Callable[[np.ndarray], int]
) -> tuple[int, int, dict[str, int]]:
    """Return how many tasks a layer is, how many numbers a thread needs for it, and the fields of its step.

    Images that have few tiles go together, so that weights are read once for all.

    Args:
        layer: Of the kind ``winograd``.
        source, target, other: What it reads, writes and adds.
        place: Puts distances into the table that steps look up, and returns where they begin.
    """
    side, size = layer.side, (layer.side + 2) ** 2
    down, along = -(-target.height // side), -(-target.width // side)
    together = target.batch if down * along <= _TILES else 1
    rows, units = down * along * together, target.batch // together
    block = -(-rows // -(-rows // _TILES))
    blocks = -(-rows // block)
    cost = rows * units * size * layer.depth * sum(panel[0] for panel in layer.panels)
    wanted = min(_TASKS, max(1, cost // _TASK_COST))
    chunks = max(1, min(len(layer.panels), -(-wanted // (blocks * units))))
    apart, beside = block * source.pixel + LANES, block * WIDTH + LANES  # not by powers of two: they share cache sets

    def corners(value: Placed) -> np.ndarray:
        return value.pixels(down, along, (side, side), together)

    y, x = np.repeat(np.arange(down), along) * side, np.tile(np.arange(along), down) * side
    inside = [np.minimum(side, target.height - y), np.minimum(side, target.width - x)]
    added = corners(target if other is None else other)
    fields = {
        "rows": rows,
        "block": block,
        "blocks": blocks,
        "chunks": chunks,
        "side": side,
        "apart": apart,
        "beside": beside,
        "channels": source.pixel,
        "source": source.at(layer.pad),
        "source_step": source.step * together,
        "source_line": source.line,
        "pixels": place(corners(source)),
        "depths": place(np.arange(layer.depth)),
        "depth": layer.depth,
        "scratch_rows": place(np.arange(block) * source.pixel),
        "targets": place(np.arange(block) * WIDTH),
        "tiles": place(np.stack([corners(target), added, *[np.tile(part, together) for part in inside]], 1)),
        "target_step": target.step * together,
        "target_pixel": target.pixel,
        "panels": place(np.array(layer.panels)),
        "out_panels": len(layer.panels),
        "bias": layer.bias,
        "activation": layer.activation[0],
    }
    if other is not None:
        fields.update(other=other.at(), other_step=other.step * together, others=0)
        fields.update(other_line=other.line, other_pixel=other.pixel)
    return units * blocks * chunks, size * (apart + beside + LANES), fields
