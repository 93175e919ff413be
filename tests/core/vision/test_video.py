"""Video files: what is written is read again, and what a file may ask for is bounded."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from core.vision.video import VideoReader, VideoWriter, write_video


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


def test_frames_are_written_as_they_come(video: Path, tmp_path: Path) -> None:
    frames = list(VideoReader(video))
    write_video(tmp_path / "again.mp4", iter(frames), 10.0)
    with VideoWriter(tmp_path / "one by one.mp4", *frames[0].shape[:2], 10.0) as writer:
        for frame in frames:
            writer.write(frame)
    again, one_by_one = (list(VideoReader(tmp_path / name)) for name in ("again.mp4", "one by one.mp4"))
    np.testing.assert_array_equal(again, one_by_one)
    with pytest.raises(ValueError, match=r"there are no frames for the video '.*none\.mp4'"):
        write_video(tmp_path / "none.mp4", [])
    assert not (tmp_path / "none.mp4").exists()


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


def audio_only() -> bytes:
    """Return an AVI file whose one stream is sound: 8,000 bytes of 8 bits, mono."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return name + struct.pack("<I", len(data)) + data

    head = chunk(b"avih", struct.pack("<14I", 1_000_000, 8000, 0, 0, 1, 0, 1, 8000, 0, 0, 0, 0, 0, 0))
    stream = struct.pack("<4s4sIHHIIIIIIII8x", b"auds", bytes(4), 0, 0, 0, 0, 1, 8000, 0, 8000, 8000, 0, 1)
    sound = chunk(b"strh", stream) + chunk(b"strf", struct.pack("<HHIIHHH", 1, 1, 8000, 8000, 1, 8, 0))
    headers = chunk(b"LIST", b"hdrl" + head + chunk(b"LIST", b"strl" + sound))
    return chunk(b"RIFF", b"AVI " + headers + chunk(b"LIST", b"movi" + chunk(b"00wb", bytes(8000))))


def test_files_without_frames_are_refused(video: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    sound = tmp_path / "sound.avi"
    sound.write_bytes(audio_only())
    with pytest.raises(ValueError, match=r"sound.avi' is damaged, or its codec is not known"):
        VideoReader(sound)
    with VideoWriter(tmp_path / "none.mp4", 48, 64):
        pass
    with pytest.raises(ValueError, match=r"none.mp4' is damaged"):
        list(VideoReader(tmp_path / "none.mp4"))
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)  # nobody ever writes into it
    with pytest.raises(FileNotFoundError, match=r"no video file '.*pipe.mp4'"):
        VideoReader(pipe)
    whole = video.read_bytes()
    for share in (0.1, 0.5, 0.9):
        video.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(ValueError, match=r"seen.mp4' is damaged"):  # its index is at the end
            list(VideoReader(video))
    assert capfd.readouterr().err == ""


def test_frames_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a video is written as NAME.mp4, not '.*seen.avi'"):
        VideoWriter(tmp_path / "seen.avi", 48, 64)
    message = r"is uint8 of shape \(48, 64, 3\), not uint8 of shape \(4, 4, 3\)"
    with pytest.raises(ValueError, match=message), VideoWriter(tmp_path / "seen.mp4", 48, 64) as writer:
        writer.write(np.zeros((4, 4, 3), np.uint8))
