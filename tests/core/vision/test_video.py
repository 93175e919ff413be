"""Video files: what is written is read again, and what a file may ask for is bounded."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from core.vision.video import VideoReader, VideoWriter


def frames(count: int = 6) -> list[np.ndarray]:
    """Return grey frames with a red square that moves to the right."""
    pictures = np.full((count, 48, 64, 3), 90, np.uint8)
    for number, picture in enumerate(pictures):
        picture[16:32, 8 * number : 8 * number + 16] = 220, 30, 30
    return list(pictures)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    with VideoWriter(tmp_path / "seen.mp4", 48, 64, 10.0) as writer:
        for frame in frames():
            writer.write(frame)
    return tmp_path / "seen.mp4"


def test_frames_come_back_in_order(video: Path) -> None:
    reader = VideoReader(video)
    assert (reader.height, reader.width, reader.frames_per_second) == (48, 64, 10.0)
    for _ in range(2):  # a loop begins anew
        found = list(reader)
        assert len(found) == 6
        for frame, expected in zip(found, frames()):
            assert frame.dtype == np.uint8 and abs(frame.astype(int) - expected).mean() < 8
    assert [path.name for path in video.parent.iterdir()] == ["seen.mp4"]


def test_a_video_that_is_not_finished_does_not_appear(tmp_path: Path) -> None:
    with pytest.raises(KeyError), VideoWriter(tmp_path / "seen.mp4", 48, 64) as writer:
        writer.write(frames(1)[0])
        raise KeyError
    assert not list(tmp_path.iterdir())


def test_what_a_file_asks_for_is_bounded(video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(list(VideoReader(video, maximum_pixels=48 * 64, maximum_frames=6))) == 6
    with pytest.raises(ValueError, match="has frames of 48 x 64 pixels, more than 3071; it is not read"):
        VideoReader(video, maximum_pixels=48 * 64 - 1)
    monkeypatch.setenv("CORE_MAXIMUM_PIXELS", "1000")
    with pytest.raises(ValueError, match=r"more than 1000; it is not read \(CORE_MAXIMUM_PIXELS sets the limit\)"):
        VideoReader(video)
    monkeypatch.delenv("CORE_MAXIMUM_PIXELS")
    with pytest.raises(ValueError, match=r"seen.mp4' has more than 5 frames; cut it up"):
        list(VideoReader(video, maximum_frames=5))


def test_what_is_no_video_is_refused(video: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FileNotFoundError, match=r"no video file '.*none.mp4'"):
        VideoReader(tmp_path / "none.mp4")
    playlist = tmp_path / "list.mp4"
    playlist.write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    with pytest.raises(ValueError, match=r"list.mp4' is no video file: it is neither MP4, MOV, AVI, Matroska nor WebM"):
        VideoReader(playlist)
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(video.read_bytes()[:200])
    with pytest.raises(ValueError, match=r"cut.mp4' is damaged, or its codec is not known"):
        VideoReader(cut)
    assert capfd.readouterr().err == ""
    shutil.copy(video, tmp_path / "renamed.txt")
    assert len(list(VideoReader(tmp_path / "renamed.txt"))) == 6


def test_frames_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a video is written as NAME.mp4, not '.*seen.avi'"):
        VideoWriter(tmp_path / "seen.avi", 48, 64)
    message = r"is uint8 of shape \(48, 64, 3\), not uint8 of shape \(4, 4, 3\)"
    with pytest.raises(ValueError, match=message), VideoWriter(tmp_path / "seen.mp4", 48, 64) as writer:
        writer.write(np.zeros((4, 4, 3), np.uint8))
