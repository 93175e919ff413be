"""How training changes a video for C-TCN: actions move to other places, and a part of the video is cut out.

Source: the reader of PaddleVideo 1.5.
"""

from __future__ import annotations

import numpy as np

from core.io.randomness import integer, uniform
from PaddleVideo.intervals import overlaps

LEAST_BACKGROUND = 5
"""Steps without an action that a video must have for its actions to move."""

BOUNDS = (None, 0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
"""Of which one is drawn: how much every action must overlap the part that is cut out; None: nothing is."""

TRIES, SHORTEST = 100, 0.3
"""How often a part is drawn until it overlaps enough, and the least of the video that it is."""


def moved(values: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a video whose actions are at random places of its background, in random order.

    Args:
        values: features, (T, D).
        actions: class, begin and end in steps, (G, 3).
    """
    spans = actions[:, 1:].astype(np.int64).clip(0, len(values))
    outside = np.ones(len(values), bool)
    for begin, end in spans:
        outside[begin:end] = False
    background = values[outside]
    if len(background) < LEAST_BACKGROUND or not len(actions):
        return values, actions
    places = np.array([integer(0, len(background) + 1) for _ in spans])
    parts, rows, last, length = [], [], 0, 0
    for number in np.argsort(places, kind="stable"):
        before, part = background[last : places[number]], values[spans[number][0] : spans[number][1]]
        last = places[number]
        parts += [before, part]
        begin = length + len(before)
        length = begin + len(part)
        rows.append([actions[number, 0], begin, length])
    return np.concatenate([*parts, background[last:]]), np.array(rows, np.float64)


def cropped(values: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a part of a video, and of its actions those whose middle is in it, cut at its ends.

    Args:
        values: features, (T, D).
        actions: class, begin and end in steps, (G, 3).
    """
    bound = BOUNDS[integer(0, len(BOUNDS))]
    for _ in range(TRIES if bound is not None and len(actions) else 0):
        length = int(len(values) * uniform(SHORTEST, 1.0))
        if length < 1:
            continue
        begin = integer(0, len(values) - length + 1)
        if overlaps(actions[:, 1:], np.array([[begin, begin + length]])).min() >= bound:
            middles = actions[:, 1:].mean(axis=1)
            kept = actions[(middles >= begin) & (middles <= begin + length)].copy()
            if len(kept):
                kept[:, 1:] = (kept[:, 1:] - begin).clip(0, length)
                return values[begin : begin + length], kept
    return values, actions
