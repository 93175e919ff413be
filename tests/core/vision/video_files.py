"""Videos of many kinds for tests: drawn frames, each with its number in it, encoded by what is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.vision.video import VideoWriter


def drawn_frames(count: int = 12, height: int = 48, width: int = 64) -> np.ndarray:
    """Return frames in which a square moves over a grey ground that becomes lighter, uint8 (count, H, W, 3)."""
    frames = np.empty((count, height, width, 3), np.uint8)
    for number, frame in enumerate(frames):
        frame[:] = 60 + 120 * number // count
        left = (number * 5) % (width - 16)
        frame[16:32, left : left + 16] = 220, 30, 30
    return frames


def write_video(path: Path, frames: Sequence[np.ndarray], frames_per_second: float = 10.0) -> Path:
    """Write frames as an MP4 file; return its path."""
    with VideoWriter(path, *frames[0].shape[:2], frames_per_second) as writer:
        for frame in frames:
            writer.write(frame)
    return path
