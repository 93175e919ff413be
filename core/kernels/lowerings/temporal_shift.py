"""Shifts of channels between the frames of a video: one custom copy on the CPU, elsewhere cut and joined parts."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.dtypes import float32
from core.kernels.engine import engine
from core.kernels.engine.custom_kernels import kernel

_gradient = kernel("layers.temporal_shift", "temporal_shift_gradient")
_SHIFT = Kernel(
    "temporal_shift.numba",
    kernel("layers.temporal_shift", "temporal_shift"),
    infer=lambda metas, options: metas,
    gradients=lambda gradients, inputs, outputs, out, **options: _gradient(gradients[0], out=out[0], **options),
    is_linear=True,
)

JOINED_SHIFT = Kernel(
    "temporal_shift.joined",
    kernel("layers.shifted_join", "join_and_shift"),
    infer=lambda metas, options: [metas[0], metas[0]],
    gradients=kernel("layers.shifted_join", "join_and_shift_gradients"),
    reads_inputs=False,
)
"""A sum, ReLU and the shift of that, for programs that are trained: see :mod:`core.jit.passes.joined_shifts`."""


@Composition
def _unchanged(x: Value, **options: object) -> Value:
    return apply("assign", x)


@Composition
def _by_parts(x: Value, *, frames: int, ends: tuple[int, int], axis: int, reverse: bool) -> Value:
    """Cut the channels in three, each by itself, which the engine does faster than all at once; shift; join."""
    shape, _ = x.meta
    video = apply("reshape", x, newshape=(shape[0] // frames, frames, *shape[1:]))
    parts = []
    for begin, end, step in ((0, ends[0], -1), (*ends, 1), (ends[1], shape[axis], 0)):
        if begin < end:
            part = _cut(video, axis + 1, begin, end)
            parts.append(_moved(part, -step if reverse else step) if step else part)
    return apply("reshape", apply("concat", *parts, axis=axis + 1), newshape=shape)


def _moved(video: Value, step: int) -> Value:
    """Return the frames before (-1) or after (1), zeros where there is none."""
    (count, frames, *rest), dtype = video.meta
    if frames == 1:
        return apply("full", shape=(count, 1, *rest), value=0.0, dtype=dtype)
    nothing = apply("full", shape=(count, 1, *rest), value=0.0, dtype=dtype)
    others = _cut(video, 1, 0, frames - 1) if step < 0 else _cut(video, 1, 1, frames)
    return apply("concat", *([nothing, others] if step < 0 else [others, nothing]), axis=1)


def _cut(video: Value, axis: int, begin: int, end: int) -> Value:
    ranges = [(0, size, 1) for size in video.meta[0]]
    ranges[axis] = (begin, end - begin, 1)
    return apply("slice", video, ranges=tuple(ranges)) if end - begin < video.meta[0][axis] else video


@lowers("temporal_shift")
def _temporal_shift(call: Call) -> Optional[Operator]:
    if 0 in call.shape() or call.attributes["ends"][1] == 0:
        return _unchanged
    return _SHIFT if call.dtype() is float32 and engine.on_cpu() else _by_parts
