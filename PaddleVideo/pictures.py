"""Pictures and videos of what was recognised."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.drawing import class_color
from core.drawing.figures import label, new_figure, rendered, set_title
from core.drawing.text import write
from core.vision.video import VideoWriter
from PaddleVideo.data.sources import FrameSource
from PaddleVideo.recogniser import Action, frames_in_order

SHOWN = 8
"""How many classes a timeline has a row for, at most."""

SMALLEST_BAND = 20
"""Pixels of the band for text in a video, if its frames are three times as high."""


def timeline(actions: Sequence[Action], class_names: Sequence[str], title: str = "") -> np.ndarray:
    """Draw when a video shows which class: a row for each class, darker where it is more likely.

    Args:
        actions: the windows, in the order of time.
        class_names: the classes, in the order of their numbers.
        title: a heading.

    Returns:
        uint8 (H, W, 3).
    """
    total = np.zeros(len(class_names))
    for action in actions:
        np.maximum.at(total, action.classes, action.probabilities)
    rows = np.argsort(-total, kind="stable")[: min(SHOWN, int((total > 0).sum()))].tolist()
    figure = new_figure(8, 1 + 0.35 * len(rows))
    axes = figure.add_subplot()
    for action in actions:
        for number, probability in zip(action.classes, action.probabilities):
            if number in rows:
                length = action.end - action.start
                axes.barh(rows.index(number), length, left=action.start, color=class_color(number), alpha=probability)
    axes.set_yticks(range(len(rows)), [label(class_names[number]) for number in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(actions[0].start, max(action.end for action in actions))
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
    rate = frames.frames_per_second
    stream, rate = frames_in_order(frames, rate, "rgb")
    high, wide = frames.read(np.array(0)).shape[:2]
    with VideoWriter(path, high, wide, rate) as writer:
        for number, frame in enumerate(stream):
            begun = [action for action in actions if action.start <= number / rate < action.end]
            writer.write(_told(frame, begun[-1]) if begun else frame)


def _told(frame: np.ndarray, action: Action) -> np.ndarray:
    """Return a frame with the best class on a dark band at its lower end."""
    picture = frame.copy()
    high, wide = picture.shape[:2]
    band = max(high // 12, min(SMALLEST_BAND, high // 3))
    picture[high - band :] //= 3
    text = f"{action.names[0]}  {action.probabilities[0]:.0%}"
    write(picture, text, slice(high - band, high), slice(band // 4, wide - band // 4), round(0.7 * band), "white")
    return picture
