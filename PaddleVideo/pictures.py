"""Pictures and videos of what was recognised."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgb

from core.drawing import class_color
from core.drawing.figures import label, new_figure, rendered, set_title
from core.drawing.text import write
from core.vision.video import VideoWriter
from PaddleVideo.data.sources import FrameSource
from PaddleVideo.recogniser import Action, frames_in_order

SHOWN = 8
"""How many classes a timeline has a row for, at most."""

COLUMNS = 1000
"""How many moments a timeline shows."""

SMALLEST_BAND = 20
"""Pixels of the band for text in a video, if its frames are three times as high."""


def timeline(actions: Sequence[Action], class_names: Sequence[str], title: str = "") -> np.ndarray:
    """Draw when a video shows which class: a row for each class, darker where it is more likely.

    Args:
        actions: the windows, in the order of time, one at least; of those that overlap the later one is seen.
        class_names: the classes, in the order of their numbers.
        title: a heading.

    Returns:
        uint8 (H, W, 3).
    """
    total = np.zeros(len(class_names))
    for action in actions:
        np.maximum.at(total, action.classes, action.probabilities)
    rows = np.argsort(-total, kind="stable")[: min(SHOWN, int((total > 0).sum()))].tolist()
    first, last = actions[0].start, max(action.end for action in actions)
    image = np.zeros((len(rows), COLUMNS, 4))
    for row, number in enumerate(rows):
        image[row, :, :3] = to_rgb(class_color(number))
    for action in actions:
        begin, end = (round((time - first) / (last - first) * COLUMNS) for time in (action.start, action.end))
        for number, probability in zip(action.classes, action.probabilities):
            if number in rows:
                image[rows.index(number), begin : max(end, begin + 1), 3] = probability
    figure = new_figure(8, 1 + 0.35 * len(rows))
    axes = figure.add_subplot()
    axes.imshow(image, aspect="auto", extent=(first, last, len(rows) - 0.5, -0.5), interpolation="nearest")
    axes.set_yticks(range(len(rows)), [label(class_names[number]) for number in rows])
    axes.set_xlabel("seconds")
    set_title(figure, title)
    return rendered(figure)


def write_annotated(path: Path, frames: FrameSource, actions: Sequence[Action]) -> None:
    """Write a video whose frames say which class is recognised at that time.

    Args:
        path: the file, NAME.mp4.
        frames: of the video.
        actions: the windows, in the order of time; of those that overlap the last one that has begun counts.
    """
    stream, rate = frames_in_order(frames, frames.frames_per_second, "rgb")
    high, wide = frames.read(np.array(0)).shape[:2]
    begun, waiting = None, collections.deque(actions)
    with VideoWriter(path, high, wide, rate) as writer:
        for number, frame in enumerate(stream):
            while waiting and waiting[0].start <= number / rate:
                begun = waiting.popleft()
            writer.write(frame if begun is None or begun.end <= number / rate else _annotated(frame, begun))


def _annotated(frame: np.ndarray, action: Action) -> np.ndarray:
    """Return a frame with the best class on a dark band at its lower end."""
    picture = frame.copy()
    high, wide = picture.shape[:2]
    band = max(high // 12, min(SMALLEST_BAND, high // 3))
    picture[high - band :] //= 3
    text = f"{action.names[0]}  {action.probabilities[0]:.0%}"
    write(picture, text, slice(high - band, high), slice(band // 4, wide - band // 4), round(0.7 * band), "white")
    return picture
