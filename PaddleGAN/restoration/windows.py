"""Video as windows of frames, read as they come: no more of them are in memory than a window has."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from PaddleGAN.data.clips import window


def windows(frames: Iterable[np.ndarray], count: int) -> Iterator[list[np.ndarray]]:
    """Yield the window around each frame, in order; at the ends, frames of the other side stand in.

    Args:
        frames: the video's.
        count: frames of a window, an odd number.

    Raises:
        ValueError: there are fewer frames than a window has.
    """
    half = count // 2
    recent: deque[np.ndarray] = deque(maxlen=count)
    read = done = 0

    def around(center: int, length: int) -> list[np.ndarray]:
        return [recent[number - (read - len(recent))] for number in window(center, count, length)]

    for frame in frames:
        recent.append(frame)
        read += 1
        while read >= count and done + half < read:
            yield around(done, read + count)  # it goes on, for all that is known
            done += 1
    if read < count:
        raise ValueError(f"the video has {read} frames, fewer than the {count} that the network looks at together")
    while done < read:
        yield around(done, read)
        done += 1


def chunks(frames: Iterable[np.ndarray], count: int) -> Iterator[list[np.ndarray]]:
    """Yield frames, so many at a time; the last ones come with those before them, if they are fewer than two.

    Args:
        frames: the video's.
        count: how many at a time, two or more.

    Raises:
        ValueError: there is but one frame.
    """
    waiting: list[np.ndarray] = []
    for frame in frames:
        waiting.append(frame)
        if len(waiting) == count + 2:  # what is left is never a single frame
            yield waiting[:count]
            del waiting[:count]
    if len(waiting) < 2:
        raise ValueError(f"the video has {len(waiting)} frames, fewer than the 2 that the network looks at together")
    if len(waiting) > count:
        yield waiting[: len(waiting) - 2]
        del waiting[: len(waiting) - 2]
    yield waiting
