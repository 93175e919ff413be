"""Functions on sequences of beams and frames: gather_tree and temporal_shift."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import int64
from core.kernels.sizes.dimension import combine
from core.operators._arguments import need_tensor
from core.operators.creation._constants import positions
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import index_argument, take_along_axis
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import stack, unbind
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply

shifted_frames = Operator("temporal_shift", None, infer=lambda metas, options: metas)
"""Of ``axis``, channels up to the first of ``ends`` from the frame before, up to the second from that after; the other
way round with ``reverse``; ``frames`` are a video."""


def temporal_shift(
    x: Tensor, seg_num: int, shift_ratio: float = 0.25, name: Optional[str] = None, data_format: str = "NCHW"
) -> Tensor:
    """Shift some channels of a video's frames by one frame back, others by one frame ahead (Lin et al. 2019, TSM).

    Args:
        x: Frames of shape [N * seg_num, C, H, W], or with the channels last.
        seg_num: Number of frames of one video.
        shift_ratio: Share of the channels that receive the previous frame's; as many receive the next frame's.
        name: Unused, as in Paddle.
        data_format: ``NCHW`` or ``NHWC``.

    Returns:
        A tensor of x's shape; what has no neighbour is 0.

    Raises:
        OperatorError: the shape, the ratio or the format do not fit.
    """
    sizes = need_tensor(x, "temporal_shift").shape
    if data_format not in ("NCHW", "NHWC"):
        raise OperatorError(f"temporal_shift: data_format {data_format!r} is unknown: use 'NCHW' or 'NHWC'")
    if len(sizes) != 4 or sizes[0] % seg_num or not 0 < shift_ratio < 0.5:
        raise OperatorError(
            f"temporal_shift: x {sizes} must hold {seg_num} frames per video, shift_ratio {shift_ratio} be in (0, 0.5)"
        )
    axis = data_format.index("C")
    ends = tuple([combine("scaled", count, shift_ratio) for count in (sizes[axis], sizes[axis] * 2)])
    return apply(shifted_frames, x, frames=seg_num, ends=ends, axis=axis, reverse=False)


def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Follow beams back from their last step, so that each holds its own whole sequence.

    Args:
        ids: Integers of shape [steps, batch, beams].
        parents: The beam of the step before that each one came from; of the same shape.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: the shapes differ or have not three axes.
    """
    ids, parents = index_argument(ids, "gather_tree", "ids"), index_argument(parents, "gather_tree", "parents")
    if ids.ndim != 3 or ids.shape != parents.shape:
        raise OperatorError(
            f"gather_tree: ids and parents must have one shape of three axes: {ids.shape}, {parents.shape}"
        )
    if ids.size == 0:
        return reshape_exact(ids, ids.shape)
    steps, origins = unbind(ids), unbind(parents)
    beam = broadcast_to(positions(ids.shape[2]), ids.shape[1:])
    result = []
    for step in range(ids.shape[0] - 1, -1, -1):
        result.append(take_along_axis(steps[step], beam, 1))
        beam = cast(take_along_axis(origins[step], beam, 1), int64)
    return stack(result[::-1])


__all__ = ["gather_tree", "temporal_shift"]
