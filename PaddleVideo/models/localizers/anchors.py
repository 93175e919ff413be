"""C-TCN's anchors: intervals of several lengths at every place, which are matched with actions and decoded to them.

Paper: Li, Lin et al., "Deep concept-wise temporal convolutional networks for action localization", 2019,
https://arxiv.org/abs/1908.09442; numbers are those of PaddleVideo 1.5. These are steps for the host, in NumPy.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps

VARIANCES = (0.1, 0.2)
"""What differences of centres and of widths are divided by."""

PER_PLACE = 7
"""How many anchors a place has."""

MATCHED = 0.5
"""The overlap from which an anchor is matched that is nobody's best."""


def steps_of(length: int) -> list[int]:
    """Return how far apart the places of each level of the pyramid are, fine levels first: 4, 8, ... length.

    Args:
        length: steps of a video, a power of 2 from 64.

    Raises:
        ValueError: it is none.
    """
    if length < 64 or length & (length - 1):
        raise ValueError(f"C-TCN: length must be a power of 2 from 64, not {length}")
    return [2**power for power in range(2, length.bit_length())]


def anchors(length: int) -> np.ndarray:
    """Return centres and widths, float64 (K, 2), level by level and place by place.

    A place has seven widths around the distance to the next place: itself, and 10, 20 and 30 % less and more; at the
    last level, whose one place has the width of the video, 10 to 30 % and 15 to 35 % less.

    Args:
        length: steps of a video, a power of 2 from 64.
    """
    rows = []
    for step in steps_of(length):
        shares = [1.0]
        for number in (1, 2, 3):
            less = 0.1 * number
            shares += [1.0 - less, 1.0 - less - 0.05 if step == length else 1.0 + less]
        centres = (np.arange(length // step) + 0.5) * step
        rows.append(np.stack(np.broadcast_arrays(centres[:, None], np.array(shares) * step), axis=2).reshape(-1, 2))
    return np.concatenate(rows)


def edges(boxes: np.ndarray) -> np.ndarray:
    """Return begins and ends of intervals that are given by centres and widths, (..., 2)."""
    return np.stack([boxes[..., 0] - boxes[..., 1] / 2, boxes[..., 0] + boxes[..., 1] / 2], axis=-1)


def match(length: int, actions: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the network should say of one video.

    Pairs of an action and an anchor are matched one to one, those that overlap most first; then every other anchor
    that overlaps an action by half takes the one that it overlaps most.

    Args:
        length: steps of a video.
        actions: begins and ends in steps, (G, 2).
        classes: of the actions, from 1; (G,).

    Returns:
        Offsets float32 (K, 2), 0 for anchors without an action; and classes int64 (K,), 0 for background.
    """
    boxes = anchors(length)
    owner = np.full(len(boxes), -1, np.int64)
    offsets, found = np.zeros((len(boxes), 2), np.float32), np.zeros(len(boxes), np.int64)
    if not len(actions):
        return offsets, found
    shared = overlaps(edges(boxes), np.asarray(actions, np.float64))
    left = shared.copy()
    for _ in range(len(actions)):  # there are few, and each choice depends on those before
        anchor, action = np.unravel_index(left.argmax(), left.shape)
        if left[anchor, action] < 1e-6:
            break
        owner[anchor] = action
        left[anchor], left[:, action] = 0.0, 0.0
    free = (owner < 0) & (shared.max(axis=1) >= MATCHED)
    owner[free] = shared[free].argmax(axis=1)
    matched = owner >= 0
    chosen = np.asarray(actions, np.float64)[owner[matched]]
    centres, widths = chosen.mean(axis=1), np.ptp(chosen, axis=1)
    own = boxes[matched]
    offsets[matched, 0] = (centres - own[:, 0]) / own[:, 1] / VARIANCES[0]
    offsets[matched, 1] = (widths / own[:, 1] - 1.0) / VARIANCES[1]
    found[matched] = np.asarray(classes)[owner[matched]]
    return offsets, found


def decode(length: int, offsets: np.ndarray) -> np.ndarray:
    """Return the intervals that offsets stand for, begins and ends in steps, float64 (K, 2).

    Widths are linear in their offsets, not exponential as those of image detectors.

    Args:
        length: steps of a video.
        offsets: (K, 2).
    """
    boxes = anchors(length)
    centres = offsets[:, 0] * VARIANCES[0] * boxes[:, 1] + boxes[:, 0]
    widths = (offsets[:, 1] * VARIANCES[1] + 1.0) * boxes[:, 1]
    return edges(np.stack([centres, widths], axis=1).astype(np.float64))
