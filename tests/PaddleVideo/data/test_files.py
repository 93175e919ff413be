"""Clips in files: lists, folders of frames, pickles, folders of classes, and what is wrong with them."""

from __future__ import annotations

import os
import pickle
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io import DataLoader
from core.vision.image import write_image
from core.vision.video import VideoReader
from PaddleVideo.data.files import FrameDataset, PickledDataset, VideoDataset, VideoFolder
from PaddleVideo.data.sampling import SampleSegments
from PaddleVideo.data.sources import ArrayFrames, EncodedFrames
from tests.core.vision.video_files import drawn_frames, write_video

FRAMES = drawn_frames(6)
SHARED = Path(__file__).parents[4] / "shared" / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two videos in folders of classes, the same as pictures, lists of both, and names of classes."""
    for name in ("down", "up"):
        (tmp_path / "videos" / name).mkdir(parents=True)
        write_video(tmp_path / "videos" / name / f"{name}1.mp4", list(FRAMES))
        (tmp_path / "frames" / name).mkdir(parents=True)
        for number, frame in enumerate(FRAMES, start=1):
            write_image(tmp_path / "frames" / name / f"img_{number:05d}.png", frame)
    (tmp_path / "videos.txt").write_text("down/down1.mp4 0\nup/up1.mp4 1\n")
    (tmp_path / "frames.txt").write_text("down 6 0\nup 6 1\n")
    (tmp_path / "names.txt").write_text("down\nup\n")
    return tmp_path


def test_videos_of_a_list(folder: Path) -> None:
    names = str(folder / "names.txt")
    data = VideoDataset(str(folder / "videos.txt"), str(folder / "videos"), names, transform=SampleSegments(3))
    assert len(data) == 2 and data.class_names == ["down", "up"] and data.all_classes
    clip, label = data[1]
    expected = [frame for number, frame in enumerate(VideoReader(folder / "videos/up/up1.mp4")) if number in (0, 2, 4)]
    assert label == 1
    np.testing.assert_array_equal(clip, expected)
    assert data.source(0).frames_per_second == 10


def test_folders_of_frames(folder: Path) -> None:
    settings = {"suffix": "img_{:05d}.png", "transform": SampleSegments(3)}
    data = FrameDataset(str(folder / "frames.txt"), str(folder / "frames"), **settings)
    clip, label = data[1]
    np.testing.assert_array_equal(clip, FRAMES[[0, 2, 4]])
    assert label == 1 and data.class_names == ["0", "1"] and not data.all_classes
    assert data.image(0).shape == (48, 6 * 64 + 5, 3)
    os.remove(folder / "frames/up/img_00003.png")
    with pytest.raises(FileNotFoundError, match=r"up' should have 6 frames, but img_00003.png is missing"):
        data[1]
    write_image(folder / "frames/up/img_00003.png", FRAMES[2][:20])
    with pytest.raises(ValueError, match=r"up' has frames of different sizes: 20 x 64 and 48 x 64 pixels"):
        data[1]


def test_pickles_of_kinetics(tmp_path: Path) -> None:
    for number, label in enumerate([1, [0, 2]]):
        pictures = []
        for frame in FRAMES:
            write_image(tmp_path / "frame.png", frame)
            pictures.append((tmp_path / "frame.png").read_bytes())
        (tmp_path / f"{number}.pkl").write_bytes(pickle.dumps((f"clip {number}", label, pictures), protocol=2))
    (tmp_path / "list.txt").write_text("0.pkl\n1.pkl\n")
    data = PickledDataset(str(tmp_path / "list.txt"), 3, str(tmp_path), transform=SampleSegments(3))
    clip, label = data[0]
    np.testing.assert_array_equal(clip, FRAMES[[0, 2, 4]])
    assert (len(data), label, data.label(1)) == (2, 1, 0)


@pytest.mark.parametrize("count", [1, 3])
def test_a_clip_of_fewer_frames_than_segments_gives_them_again(count: int, tmp_path: Path) -> None:
    (tmp_path / "up").mkdir()
    path = write_video(tmp_path / "up" / "short.mp4", list(FRAMES[:count]))
    clip, _ = VideoFolder(str(tmp_path), transform=SampleSegments(8))[0]
    frames = np.stack(list(VideoReader(path)))
    assert len(frames) == count
    np.testing.assert_array_equal(clip, frames[np.rint(np.linspace(0, count - 1, 8)).astype(int)])


class Runs:
    """Runs a command where a pickle of it is loaded."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, ("it ran",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Runs(), "0.pkl"),
        (("clip", 1), "0.pkl' should hold a clip's name, its class number and a list of JPEG files"),
        (("clip", "run", [b""]), "0.pkl' should hold a clip's name, its class number and a list of JPEG files"),
        (("clip", 7, [b""]), "0.pkl' has class number 7, which is none of 3"),
        (("clip", 1, ["frame"]), "0.pkl' should hold the bytes of a JPEG file for each frame"),
        (("clip", 1, []), "0.pkl' has no frames"),
        (("clip", 1, [b"no picture"]), "frame 0 of '.*0.pkl'"),
    ],
)
def test_pickles_that_hold_something_else(
    value: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "0.pkl").write_bytes(pickle.dumps(value, protocol=2))
    (tmp_path / "list.txt").write_text("0.pkl\n")
    with pytest.raises(ValueError, match=message):
        PickledDataset("list.txt", 3, transform=SampleSegments(3))[0]
    assert not (tmp_path / "it ran").exists()


def test_folders_of_classes(folder: Path) -> None:
    data = VideoFolder(str(folder / "videos"), classes=["up", "down"], transform=SampleSegments(3))
    assert [data.label(index) for index in range(len(data))] == [0, 1]
    assert data.class_names == ["up", "down"] and data[0][0].shape == (3, 48, 64, 3)


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """Files of two classes with gaps in their numbers; what is in them is not read."""
    for name, numbers in (("a", [1, 2, 3, 7, 8, 12, 20, 21, 30]), ("b", [5, 9, 10, 11, 15, 25, 35])):
        (tmp_path / name).mkdir()
        for number in numbers:
            (tmp_path / name / f"{name}{number:03d}.mp4").touch()
    return tmp_path


def numbers_of(data: VideoFolder, name: str) -> list[int]:
    return [int(re.findall(r"(\d+)\.mp4", path)[0]) for path, label in data.samples if data.class_names[label] == name]


def test_folds_share_no_file_and_keep_neighbouring_numbers_together(numbered: Path) -> None:
    tested = []
    for fold in range(3):
        held_out, rest = (VideoFolder(str(numbered), folds=3, fold=fold, held_out=part) for part in (True, False))
        whole = sorted(held_out.samples + rest.samples)
        assert whole == sorted(VideoFolder(str(numbered)).samples) and not set(held_out.samples) & set(rest.samples)
        for name in "ab":
            apart = [abs(one - other) for one in numbers_of(held_out, name) for other in numbers_of(rest, name)]
            assert min(apart) > 1
        tested += held_out.samples
    assert len(tested) == len(set(tested)) == 16  # every clip is tested once


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_folds_of_the_clips_of_cameras() -> None:
    sizes = []
    for fold in range(5):
        settings = {"classes": ["noFight", "fight"], "folds": 5, "fold": fold}
        held_out = VideoFolder(str(SHARED / "fight-clips"), held_out=True, **settings)
        rest = VideoFolder(str(SHARED / "fight-clips"), **settings)
        for name in held_out.class_names:
            found = numbers_of(held_out, name)
            assert min(abs(one - other) for one in found for other in numbers_of(rest, name)) > 1
            sizes.append(len(found))
    assert sum(sizes) == 60 and min(sizes) >= 3 and max(sizes) <= 9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: VideoDataset(f"{f}/none.txt"), "no list file '.*none.txt'"),
        (lambda f: VideoDataset(f"{f}/wrong.txt"), "wrong.txt:2: a line holds a path, a space and a class number, not"),
        (lambda f: VideoDataset(f"{f}/large.txt"), "large.txt:1: a class number is less than 1,000,000, not 9999999"),
        (lambda f: VideoDataset(f"{f}/empty.txt"), "empty.txt: the list is empty"),
        (lambda f: FrameDataset(f"{f}/videos.txt"), "videos.txt:1: a line holds a path, number of frames, class num"),
        (lambda f: FrameDataset(f"{f}/zero.txt"), "zero.txt: '.*up' has no frames"),
        (lambda f: FrameDataset(f"{f}/frames.txt", suffix="img.jpg"), "suffix is a file's name with a number in it"),
        (lambda f: FrameDataset(f"{f}/frames.txt", suffix="{:999999999d}"), "suffix is a file's name with a number"),
        (lambda f: FrameDataset(f"{f}/frames.txt", suffix="../{}"), "suffix is a file's name with a number in it"),
        (lambda f: VideoDataset(f"{f}/videos.txt", f"{f}/gone")[0], "no video file '.*gone/down/down1.mp4'"),
        (lambda f: FrameDataset(f"{f}/frames.txt", f"{f}/gone")[0], "no folder of frames '.*gone/down'"),
        (lambda f: VideoFolder(f"{f}/gone"), "VideoFolder: no folder '.*gone'"),
        (lambda f: VideoFolder(f"{f}/frames"), "VideoFolder: there are no videos in '.*frames/down'"),
        (lambda f: VideoFolder(f"{f}/videos", classes=["left"]), "VideoFolder: there is no folder 'left' in"),
        (lambda f: VideoFolder(f"{f}/videos", folds=5), "the 1 videos of class 'down' cannot be divided into 5 folds"),
        (lambda f: PickledDataset(f"{f}/videos.txt", 0), "class_num must be at least 1, not 0"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, call: Any, message: str) -> None:
    for name, text in (("wrong", "a.mp4 1\nb.mp4\n"), ("large", "a.mp4 9999999"), ("empty", "\n"), ("zero", "up 0 1")):
        (folder / f"{name}.txt").write_text(text)
    with pytest.raises((OSError, ValueError), match=message):
        call(folder)


def test_pipes_are_refused_before_anybody_waits_for_them(folder: Path) -> None:
    for place in ("frames/up/img_00001.png", "videos/up/up1.mp4", "frames/up.pkl"):
        (folder / place).unlink(missing_ok=True)
        os.mkfifo(folder / place)  # nobody ever writes into it
    os.mkfifo(folder / "pipe.txt")
    (folder / "pickles.txt").write_text("up.pkl\n")
    settings = {"suffix": "img_{:05d}.png", "transform": SampleSegments(3)}
    for call, message in (
        (lambda: VideoDataset(f"{folder}/videos.txt", f"{folder}/videos", transform=SampleSegments(3))[1], "up1.mp4'"),
        (lambda: FrameDataset(f"{folder}/frames.txt", f"{folder}/frames", **settings)[1], "img_00001.png is missing"),
        (lambda: PickledDataset(f"{folder}/pickles.txt", 2, f"{folder}/frames")[0], "up.pkl'"),
        (lambda: VideoDataset(f"{folder}/pipe.txt"), "no list file '.*pipe.txt'"),
    ):
        with pytest.raises(FileNotFoundError, match=message):
            call()


class DyingDecoder(VideoDataset):
    """The process that decodes the last video is ended as by a fault of the decoder, the first time."""

    def __getitem__(self, index: int) -> Any:
        mark = Path(self.folder, "mark")
        if index == len(self) - 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().__getitem__(index)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_decoder_that_dies_is_replaced(folder: Path, persistent: bool, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "videos.txt").write_text("down/down1.mp4 0\nup/up1.mp4 1\n" * 3)
    data = DyingDecoder(f"{folder}/videos.txt", f"{folder}/videos", transform=SampleSegments(3))
    data.folder = str(folder)
    loader = DataLoader(data, batch_size=2, num_workers=2, persistent_workers=persistent)
    for _ in range(2):
        labels = [batch[1].numpy().ravel().tolist() for batch in loader]
        assert labels == [[0, 1]] * 3
    assert len(re.findall(r"worker [01] \(pid \d+\) died .*ended by SIGSEGV.*anew", caplog.text)) == 1


def test_arrays_and_pictures_in_memory() -> None:
    for frames, message in (
        (FRAMES[..., 0], r"must be uint8 of shape \(frames, height, width, 3\), not uint8 of shape \(6, 48, 64\)"),
        (FRAMES.astype(np.float32), "not float32 of shape"),
        (FRAMES[:0], r"not uint8 of shape \(0, 48, 64, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            ArrayFrames(frames)
    with pytest.raises(ValueError, match="clip 3 has no frames"):
        EncodedFrames([], "clip 3")
    with pytest.raises(ValueError, match="the clip has 6 frames; there is no frame 6"):
        ArrayFrames(FRAMES).read(np.array([0, 6]))
