"""What opens a run: videos of any kind, windows over time, and memory that does not grow with a video's length."""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import fsspec
import numpy as np
import pytest

from core.vision.video import VideoReader, VideoWriter
from core.vision.video_frames import VideoFrames
from PaddleVideo.data.sources import ArrayFrames
from PaddleVideo.recogniser import ActionRecogniser, open_recogniser
from tests.core.vision.video_files import drawn_frames, write_video

FRAMES = drawn_frames(23)


class Brightness(ActionRecogniser):
    """Finds class n in a clip whose mean is 20 * n: what it sees is known."""

    def __init__(self) -> None:
        self.path = Path("none")
        self.class_names = [str(number) for number in range(13)]
        self.transform = lambda sample: (self.seen(sample[0].read(np.arange(sample[0].count))), sample[1])
        self.lengths: list[int] = []

    def seen(self, frames: np.ndarray) -> np.ndarray:
        self.lengths.append(len(frames))
        return frames[None, :].astype(np.float32).transpose(0, 1, 4, 2, 3)

    def logits(self, clips: np.ndarray) -> np.ndarray:
        return -((clips.mean(axis=(1, 2, 3, 4))[:, None] - 20.0 * np.arange(13)) ** 2)


def grey(count: int, level: int = 100) -> np.ndarray:
    return np.full((count, 8, 8, 3), level, np.uint8)


def test_a_file_its_frames_and_a_source_are_recognised_alike(run: Path, tmp_path: Path) -> None:
    recogniser = open_recogniser(run)
    path = write_video(tmp_path / "clip.mp4", list(FRAMES))
    frames = np.stack(list(VideoReader(path)))
    found = [recogniser.predict(video) for video in (path, str(path), frames, ArrayFrames(frames, 10.0))]
    assert all(one.probabilities == found[0].probabilities for one in found)
    assert [one.end for one in found] == [2.3, 2.3, 23 / 25, 2.3]
    swapped = recogniser.predict(np.ascontiguousarray(frames[..., ::-1]), color="bgr")
    assert swapped.probabilities == found[0].probabilities
    for arguments, message in (
        ((frames, 5, "hsv"), "color must be 'rgb' or 'bgr', not 'hsv'"),
        ((frames[0],), r"must be uint8 of shape \(frames, height, width, 3\), not uint8 of shape \(48, 64, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            recogniser.predict(*arguments)
    with pytest.raises(TypeError, match=r"a video is a path, a URL, or frames uint8 \(.*\) in one array, not list"):
        recogniser.predict(list(frames))  # type: ignore[arg-type]  # refused
    for top in (0, -1, 1.5):
        with pytest.raises(ValueError, match=f"top must be a positive whole number, not {top}"):
            recogniser.predict(frames, top)  # type: ignore[arg-type]  # refused
    with pytest.raises(ValueError, match=r"frame 2 is of shape \(8, 8, 3\), the one before of \(48, 64, 3\); give"):
        list(recogniser.watch(iter([frames[0], frames[0][:8, :8]])))
    with pytest.raises(FileNotFoundError, match="no video file 'none.mp4'"):
        recogniser.predict("none.mp4")


def test_windows_follow_each_other_and_the_last_ends_with_the_video() -> None:
    frames = np.concatenate([grey(10, 20), grey(10, 60), grey(5, 100)])
    recogniser = Brightness()
    found = list(recogniser.watch(frames, seconds=0.4))  # 10 of 25 frames a second
    assert [(one.names[0], one.start, one.end) for one in found] == [("1", 0.0, 0.4), ("3", 0.4, 0.8), ("4", 0.6, 1.0)]
    assert recogniser.lengths == [10, 10, 10]


def test_windows_may_overlap_and_leave_gaps() -> None:
    found = list(Brightness().watch(grey(10), seconds=0.16, step=0.08))
    assert [(one.start, one.end) for one in found] == [(0.0, 0.16), (0.08, 0.24), (0.16, 0.32), (0.24, 0.4)]
    gaps = list(Brightness().watch(grey(11), seconds=0.08, step=0.2))
    assert [(one.start, one.end) for one in gaps] == [(0.0, 0.08), (0.2, 0.28), (0.36, 0.44)]
    short = list(Brightness().watch(grey(3), seconds=1.0))
    assert [(one.start, one.end) for one in short] == [(0.0, 0.12)]
    for seconds in (0.01, float("inf"), float("nan"), 1e9):
        with pytest.raises(ValueError, match=r"windows of .* s have no frame, or more than 1000000, at 25 frames"):
            next(Brightness().watch(grey(3), seconds=seconds))


def test_a_video_behind_a_url(run: Path, tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4", list(FRAMES))
    fsspec.filesystem("memory").pipe("/clip.mp4", path.read_bytes())
    recogniser = open_recogniser(run)
    assert recogniser.predict("memory://clip.mp4") == recogniser.predict(path)
    assert len(list(recogniser.watch("memory://clip.mp4", seconds=1.0))) == 3


def test_a_camera_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    class Camera:
        def __init__(self, number: int) -> None:
            self.left = 50 if number == 0 else 0

        def isOpened(self) -> bool:  # noqa: N802
            return self.left >= 0

        def read(self) -> tuple[bool, Any]:
            self.left -= 1
            return self.left >= 0, grey(1, 60)[0]

        def release(self) -> None:
            self.left = -1

    monkeypatch.setattr(cv2, "VideoCapture", Camera)
    assert [(one.names[0], one.end) for one in Brightness().watch(0, seconds=1.0)] == [("3", 1.0), ("3", 2.0)]
    with pytest.raises(ConnectionError, match="camera 1 gives no frames; is it connected"):
        list(Brightness().watch(1))


def test_a_camera_is_watched_with_one_window_in_memory() -> None:
    """Ten thousand frames of an endless camera: never more of them are alive than a window has, and one."""
    alive: set[int] = set()
    most = 0

    class Frame(np.ndarray):
        """A frame whose end is noticed."""

    def camera() -> Iterator[Any]:
        nonlocal most
        for number in range(10_000):
            frame = grey(1, 100)[0].view(Frame)
            alive.add(number)
            weakref.finalize(frame, alive.discard, number)
            most = max(most, len(alive))
            yield frame
            del frame

    found = sum(1 for _ in Brightness().watch(camera(), seconds=1.0, frames_per_second=25.0))
    assert found == 400 and most <= 27


LARGEST = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.exhaustive
def test_ten_thousand_frames_are_recognised_and_written_in_less_than_a_gigabyte(run: Path, tmp_path: Path) -> None:
    """They would take 2.3 GB at once: the command looks at windows, and writes the annotated video, as it reads."""
    frames = drawn_frames(40, 240, 320)
    with VideoWriter(tmp_path / "long.mp4", 240, 320, 25.0) as writer:
        for number in range(10_000):
            writer.write(frames[number % 40])
    words = ["PaddleVideo/infer.py", run, tmp_path / "long.mp4", "--window", "10", "--mp4", "--output", tmp_path]
    command = [sys.executable, "-c", LARGEST, sys.executable, *map(str, words)]
    output = subprocess.run(command, cwd=Path(__file__).parents[2], check=True, capture_output=True, text=True).stdout
    assert int(output.split()[-1]) < 1_000_000  # kilobytes
    records = json.loads((tmp_path / "predictions.json").read_text())
    assert len(records[0]["actions"]) == 40 and records[0]["actions"][-1]["end"] == 400
    assert VideoFrames(records[0]["mp4"]).count == 10_000
