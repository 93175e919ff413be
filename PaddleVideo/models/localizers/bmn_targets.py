"""What BMN and BSN should say of a video: overlaps of all intervals with its actions, and where these begin and end.

Papers: Lin et al., "BMN: boundary-matching network for temporal action proposal generation", ICCV 2019, section 4.1,
https://arxiv.org/abs/1907.09702; "BSN: boundary sensitive network for temporal action proposal generation", ECCV 2018,
https://arxiv.org/abs/1806.02964. These are steps for the host, in NumPy.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps

BOUNDARY = 3.0
"""How many steps a begin or an end is long, of which the action's own is the middle."""

BOUNDARY_SHARE = 0.1
"""How long they are for BSN, of their action."""


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
    parts = _parts(actions, duration)
    begins, ends = (_covered(tscale, boundary, np.array(BOUNDARY / tscale)) for boundary in parts.T)
    return _shared(parts, tscale, dscale), begins, ends


def bsn_targets(
    actions: np.ndarray, duration: float, tscale: int, dscale: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what :meth:`PaddleVideo.models.localizers.bsn.BSN.loss` compares the network's answer with.

    A begin or an end is a tenth of its action long, and a step at least.

    Args:
        actions: begins and ends in seconds, (G, 2); cut at the video's ends.
        duration: of the video, seconds.
        tscale: steps of a video.
        dscale: longest duration, steps.

    Returns:
        Overlaps (dscale, tscale), begins and ends (tscale,), as of :func:`bmn_targets`; and which part of each step is
        within an action, (tscale,).

    Raises:
        ValueError: the duration is not positive.
    """
    parts = _parts(actions, duration)
    lengths = np.maximum(1.0 / tscale, BOUNDARY_SHARE * np.ptp(parts, axis=1))
    begins, ends = (_covered(tscale, boundary, lengths) for boundary in parts.T)
    return _shared(parts, tscale, dscale), begins, ends, _covered(tscale, parts.mean(axis=1), np.ptp(parts, axis=1))


def _parts(actions: np.ndarray, duration: float) -> np.ndarray:
    """Return actions as parts of their video, (G, 2)."""
    if not duration > 0:
        raise ValueError(f"the duration of a video must be more than 0 seconds, not {duration}")
    return (np.asarray(actions, np.float64).reshape(-1, 2) / duration).clip(0.0, 1.0)


def _shared(parts: np.ndarray, tscale: int, dscale: int) -> np.ndarray:
    """Return the greatest intersection over union of each interval with an action, float32 (dscale, tscale)."""
    steps = np.arange(tscale) / tscale
    lengths = np.arange(1, dscale + 1) / tscale
    every = np.stack(np.broadcast_arrays(steps, steps + lengths[:, None]), axis=2).reshape(-1, 2)
    found = overlaps(every, parts).max(axis=1, initial=0.0).reshape(dscale, tscale)
    return found.astype(np.float32)


def _covered(tscale: int, middles: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return the greatest part of each step that an interval around one of the middles covers, float32 (T,)."""
    steps = np.arange(tscale) / tscale
    cells = np.stack([steps, steps + 1.0 / tscale], axis=1)
    first = np.maximum(cells[:, :1], middles - length / 2)
    last = np.minimum(cells[:, 1:], middles + length / 2)
    part = np.clip(last - first, 0.0, None) / np.ptp(cells, axis=1)[:, None]
    found: np.ndarray = part.max(axis=1, initial=0.0).astype(np.float32)
    return found
