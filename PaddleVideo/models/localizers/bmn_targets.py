"""What BMN should say of a video: overlaps of all intervals with its actions, and where these begin and end.

Paper: Lin et al., "BMN: boundary-matching network for temporal action proposal generation", ICCV 2019, section 4.1,
https://arxiv.org/abs/1907.09702. This is a step for the host, in NumPy.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps

BOUNDARY = 3.0
"""How many steps a begin or an end is long, of which the action's own is the middle."""


def bmn_targets(
    actions: np.ndarray, duration: float, tscale: int, dscale: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what :class:`PaddleVideo.models.localizers.bmn_loss.BMNLoss` compares the network's answer with.

    Args:
        actions: begins and ends in seconds, (G, 2); cut at the video's ends.
        duration: of the video, seconds.
        tscale: steps of a video.
        dscale: longest duration, steps.

    Returns:
        The greatest intersection over union of each interval with an action, float32 (dscale, tscale): row d, column
        t is the interval of d + 1 steps from step t on, which may reach beyond the video. And which part of each step
        lies within a begin, and within an end, float32 (tscale,) each.

    Raises:
        ValueError: the duration is not positive.
    """
    if not duration > 0:
        raise ValueError(f"the duration of a video must be more than 0 seconds, not {duration}")
    parts = (np.asarray(actions, np.float64).reshape(-1, 2) / duration).clip(0.0, 1.0)
    steps = np.arange(tscale) / tscale
    lengths = np.arange(1, dscale + 1) / tscale
    every = np.stack(np.broadcast_arrays(steps, steps + lengths[:, None]), axis=2).reshape(-1, 2)
    shared = overlaps(every, parts).max(axis=1, initial=0.0).reshape(dscale, tscale)
    cells = np.stack([steps, steps + 1.0 / tscale], axis=1)
    found = [_covered(cells, boundary, BOUNDARY / tscale) for boundary in parts.T]
    return shared.astype(np.float32), found[0], found[1]


def _covered(cells: np.ndarray, middles: np.ndarray, length: float) -> np.ndarray:
    """Return the greatest part of each cell that an interval around one of the middles covers, float32 (T,)."""
    first = np.maximum(cells[:, :1], middles - length / 2)
    last = np.minimum(cells[:, 1:], middles + length / 2)
    part = np.clip(last - first, 0.0, None) / np.ptp(cells, axis=1)[:, None]
    return part.max(axis=1, initial=0.0).astype(np.float32)
