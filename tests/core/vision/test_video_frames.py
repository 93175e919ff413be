"""Chosen frames of video files are those that reading from the beginning gives, to the last bit."""

from __future__ import annotations

import os
import pickle
import shutil
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest

from core.vision.video import VideoReader
from core.vision.video_frames import VideoFrames
from tests.core.vision.video_files import drawn_frames, write_video

SHARED = Path(__file__).parents[4] / "shared" / "data"
VIDEOS = Path(__file__).with_name("videos")
"""H.264 with frames that depend on later ones, open groups, of a varying rate, turned by 90 degrees; H.265."""


@pytest.mark.parametrize("name", sorted(path.name for path in VIDEOS.iterdir()))
def test_every_frame_alone_is_that_of_reading_in_order(name: str) -> None:
    video = VideoFrames(VIDEOS / name)
    frames = list(video)
    assert video.count == len(frames) == 30
    assert len({frame.tobytes() for frame in frames}) == 30  # so that a wrong one would be seen
    for number, expected in enumerate(frames):
        (found,) = video.read([number])
        np.testing.assert_array_equal(found, expected)
    for found, number in zip(video.read([0, 7, 8, 29]), (0, 7, 8, 29)):
        np.testing.assert_array_equal(found, frames[number])


def test_a_turned_video_is_upright() -> None:
    upright, turned = VideoFrames(VIDEOS / "b_frames.mp4"), VideoFrames(VIDEOS / "turned.mp4")
    assert (turned.height, turned.width) == (upright.width, upright.height) == (64, 48)
    for found, expected in zip(turned, upright):
        np.testing.assert_array_equal(found, np.rot90(expected, -1))


@pytest.mark.exhaustive
@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_clips_of_cameras() -> None:
    clips = sorted((SHARED / "fight-clips").glob("*/*.mp4"))
    assert len(clips) == 60
    for clip in clips:
        video = VideoFrames(clip)
        frames = list(video)
        assert len(frames) == video.count
        for found, expected in zip(video.read(range(video.count)), frames):
            np.testing.assert_array_equal(found, expected)
        for number in (1, video.count // 2, video.count - 1):
            np.testing.assert_array_equal(video.read([number])[0], frames[number])


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_frames_of_some_clips_of_cameras() -> None:
    for clip in sorted((SHARED / "fight-clips").glob("*/*.mp4"))[::12]:
        video = VideoFrames(clip)
        chosen = np.linspace(0, video.count - 1, 8).astype(int).tolist()
        expected = [frame for number, frame in enumerate(video) if number in chosen]
        np.testing.assert_array_equal(video.read(chosen), expected)


def test_a_video_can_be_read_again_and_sent_to_another_process() -> None:
    video = VideoFrames(VIDEOS / "b_frames.mp4")
    sent = pickle.loads(pickle.dumps(video))
    expected = video.read([3, 20])
    for other in (video, sent, sent):
        np.testing.assert_array_equal(other.read([3, 20]), expected)


def test_no_more_is_decoded_than_up_to_the_last_chosen_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    grabbed, retrieved = [], []

    class Counting:
        def __init__(self, *arguments: object) -> None:
            self.inner = cv2_capture(*arguments)

        def __getattr__(self, name: str) -> object:
            if name in ("grab", "retrieve"):
                (grabbed if name == "grab" else retrieved).append(name)
            return getattr(self.inner, name)

    video = VideoFrames(VIDEOS / "b_frames.mp4")
    video.read([0])  # by what counted the frames
    cv2_capture = cv2.VideoCapture
    monkeypatch.setattr(cv2, "VideoCapture", Counting)
    video.read([2, 5, 11])
    assert (len(grabbed), len(retrieved)) == (12, 3)


def test_broken_files_are_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = (VIDEOS / "b_frames.mp4").read_bytes()
    unknown = tmp_path / "unknown.mp4"
    unknown.write_bytes(whole.replace(b"avc1", b"zzz1"))
    with pytest.raises(ValueError, match=r"unknown.mp4' has the codec 'zzz1', which OpenCV has no decoder for here"):
        VideoFrames(unknown)
    for name, data, message in (
        ("empty.mp4", b"", "is no video file"),
        ("cut.mp4", whole[: len(whole) // 2], "is damaged"),
        ("early.mp4", _data_last(whole)[:-2500], r"is damaged, or ends early: of 30 frames it has \d+"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=f"{name}' {message}"):
            VideoFrames(tmp_path / name)
    spoilt = bytearray(_data_last(whole))
    start = spoilt.index(b"mdat") + 4
    spoilt[start + 1200 :] = bytes(len(spoilt) - start - 1200)
    (tmp_path / "spoilt.mp4").write_bytes(spoilt)
    with pytest.raises(ValueError, match=r"spoilt.mp4' is damaged, or ends early: of 30 frames it has 5"):
        VideoFrames(tmp_path / "spoilt.mp4")
    video = VideoFrames(VIDEOS / "b_frames.mp4")
    video.count = 40
    with pytest.raises(ValueError, match=r"b_frames.mp4' is damaged: of its 40 frames only 30 can be read"):
        video.read([0, 35])
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)  # nobody ever writes into it
    with pytest.raises(FileNotFoundError, match=r"no video file '.*pipe.mp4'"):
        VideoFrames(pipe)
    assert capfd.readouterr().err == ""


def test_frames_that_the_decoder_made_up_are_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of some damage all frames are still there: FFmpeg fills them with what it guesses, and says so to C alone."""
    spoilt = bytearray((VIDEOS / "b_frames.mp4").read_bytes())
    start = spoilt.index(b"mdat") + 4 + 3153
    spoilt[start : start + 60] = bytes(byte ^ 0x5A for byte in spoilt[start : start + 60])
    (tmp_path / "spoilt.mp4").write_bytes(spoilt)
    video = VideoFrames(tmp_path / "spoilt.mp4")
    assert video.count == 30
    for read in (lambda: video.read([29]), lambda: list(video)):
        with pytest.raises(ValueError, match=r"spoilt.mp4' is damaged: its decoder says 'error while decoding MB"):
            read()
    assert capfd.readouterr().err == ""


def _data_last(whole: bytes) -> bytes:
    """Return an MP4 file with its index before its data, as files that are streamed have it."""
    boxes, place = {}, 0
    while place < len(whole):
        (size,) = struct.unpack(">I", whole[place : place + 4])
        boxes[whole[place + 4 : place + 8]] = whole[place : place + size]
        place += size
    order = [b"ftyp", b"moov", *(name for name in boxes if name not in (b"ftyp", b"moov"))]
    moved = sum(len(boxes[name]) for name in order[: order.index(b"mdat")]) - whole.index(b"mdat") + 4
    index = bytearray(boxes[b"moov"])
    table = index.index(b"stco") + 4
    (count,) = struct.unpack(">I", index[table + 4 : table + 8])
    for number in range(count):
        at = table + 8 + 4 * number
        (offset,) = struct.unpack(">I", index[at : at + 4])
        index[at : at + 4] = struct.pack(">I", offset + moved)
    boxes[b"moov"] = bytes(index)
    return b"".join(boxes[name] for name in order)


def test_too_many_frames_are_refused(tmp_path: Path) -> None:
    path = write_video(tmp_path / "long.mp4", list(drawn_frames(8)))
    assert VideoFrames(path, maximum_frames=8).count == 8
    with pytest.raises(ValueError, match=r"long.mp4' has more than 7 frames; cut it up"):
        VideoFrames(path, maximum_frames=7)
    shutil.copy(path, tmp_path / "renamed.bin")
    assert VideoReader(tmp_path / "renamed.bin").height == 48
