"""Features of YouTube-8M: files in its layout, of frames and of whole videos, and what is wrong with them."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io.tfrecord import write_records
from PaddleVideo.data.drawn_topics import DrawnTopics
from PaddleVideo.data.youtube8m import YouTube8M, YouTube8MPickles
from tests.core.io.test_tfrecord import field, mapped, of_bytes, of_floats, of_numbers

DIMS = [4, 2]
SMALL: dict[str, Any] = {"class_num": 10, "max_frames": 3, "feature_dims": DIMS}
RGB = np.random.RandomState(0).randint(0, 256, (5, 4)).astype(np.uint8)
AUDIO = np.random.RandomState(1).randint(0, 256, (5, 2)).astype(np.uint8)


LABELS = of_numbers(3, 7)


def of_frames(rgb: np.ndarray, audio: np.ndarray, labels: bytes = LABELS) -> bytes:
    """Return a SequenceExample in the layout of YouTube-8M's files of frames."""
    steps = {"rgb": rgb, "audio": audio}
    lists = {name: b"".join(field(1, of_bytes(row.tobytes())) for row in rows) for name, rows in steps.items()}
    return field(1, mapped({"id": of_bytes(b"abcd"), "labels": labels})) + field(2, mapped(lists))


def of_video(mean: Any = (0.5, 1.0, -1.0, 0.0)) -> bytes:
    """Return an Example in the layout of the files of whole videos."""
    values = {"mean_rgb": of_floats(*mean), "mean_audio": of_floats(0.25, -0.25)}
    return field(1, mapped({"id": of_bytes(b"abcd"), "labels": of_numbers(1), **values}))


def written(folder: Path, *records: bytes) -> str:
    write_records(str(folder / "train0.tfrecord"), records)
    return str(folder / "train*.tfrecord")


def test_videos_of_frames(tmp_path: Path) -> None:
    data = YouTube8M(written(tmp_path, of_frames(RGB, AUDIO), of_frames(RGB[:2], AUDIO[:2])), **SMALL)
    rgb, audio, frames, labels = data[0]
    np.testing.assert_array_equal(rgb, RGB[[0, 2, 4]])
    np.testing.assert_array_equal(audio, AUDIO[[0, 2, 4]])
    assert rgb.dtype == audio.dtype == np.uint8 and frames == 3 and labels.nonzero()[0].tolist() == [3, 7]
    rgb, _, frames, _ = data[1]
    assert frames == 2 and not rgb[2].any() and len(data) == 2


def test_whole_videos_are_videos_of_one_frame(tmp_path: Path) -> None:
    rgb, audio, frames, labels = YouTube8M(written(tmp_path, of_video()), **SMALL)[0]
    np.testing.assert_array_equal(rgb[0], np.float32([0.5, 1.0, -1.0, 0.0]))
    assert rgb.dtype == np.float32 and frames == 1 and not rgb[1:].any() and labels[1] == 1
    np.testing.assert_array_equal(audio[0], np.float32([0.25, -0.25]))


def test_a_damaged_record_is_refused_or_left_out(tmp_path: Path) -> None:
    pattern = written(tmp_path, of_frames(RGB, AUDIO), of_video())
    path = tmp_path / "train0.tfrecord"
    spoilt = bytearray(path.read_bytes())
    spoilt[40] ^= 1
    path.write_bytes(spoilt)
    with pytest.raises(ValueError, match="record 0 of '.*train0.tfrecord' is damaged: its data does not fit"):
        YouTube8M(pattern, **SMALL)[0]
    left = YouTube8M(pattern, damaged="skip", **SMALL)
    assert len(left) == 1 and left.records[0].number == 1
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match="record 1 of '.*train0.tfrecord' is damaged: the file ends within it"):
        YouTube8M(pattern, **SMALL)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (of_frames(RGB[:, :3], AUDIO), r"record 0 of '.*' has features of pictures of shape \(5, 3\), not"),
        (of_frames(RGB, AUDIO[:0]), "record 0 of '.*' has features of sound of shape"),
        (of_frames(RGB, AUDIO, of_numbers(10)), "record 0 of '.*' has label 10, which is none of 10"),
        (of_frames(RGB, AUDIO, of_bytes(b"x")), "record 0 of '.*' should have the numbers of labels in 'labels'"),
        (of_video((0.5, float("nan"), 0, 0)), "record 0 of '.*' has features of pictures that are no finite numbers"),
        (field(1, mapped({"labels": of_numbers(1)})), "record 0 of '.*' has neither frames of 'rgb' nor 'mean_rgb'"),
        (b"\x0b", "record 0 of '.*' holds no Example"),
    ],
)
def test_records_that_hold_something_else(record: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        YouTube8M(written(tmp_path, record), **SMALL)[0]


def test_pickles(tmp_path: Path) -> None:
    video = {"feature": RGB, "audio": AUDIO, "label": np.array([3, 7]), "video": b"abcd", "nframes": 4}
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([video, {**video, "nframes": 2}], protocol=2))
    (tmp_path / "list.txt").write_text("a.pkl\n")
    data = YouTube8MPickles(str(tmp_path / "list.txt"), str(tmp_path), **SMALL)
    rgb, _, frames, labels = data[0]
    np.testing.assert_array_equal(rgb, RGB[[0, 1, 3]])
    assert len(data) == 2 and frames == 3 and data[1][2] == 2 and labels.nonzero()[0].tolist() == [3, 7]
    for value, message in (
        ({"feature": RGB}, "a.pkl' should hold a list of videos, each a mapping"),
        ([{"feature": RGB}], "video 0 of '.*a.pkl' should have nframes, feature, audio and label"),
        ([{**video, "label": ["x"]}], "should have the numbers of its labels, not"),
    ):
        (tmp_path / "a.pkl").write_bytes(pickle.dumps(value, protocol=2))
        with pytest.raises(ValueError, match=message):
            YouTube8MPickles(str(tmp_path / "list.txt"), str(tmp_path), **SMALL)[0]
    os.remove(tmp_path / "a.pkl")
    with pytest.raises(FileNotFoundError, match="no pickle of features '.*a.pkl'"):
        YouTube8MPickles(str(tmp_path / "list.txt"), str(tmp_path), **SMALL)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file matches '.*none'"):
        YouTube8M(str(tmp_path / "none"))
    with pytest.raises(ValueError, match=r"class_num, max_frames and two feature_dims must be at least 1, not 0, 300"):
        YouTube8M("none", class_num=0)


def test_drawn_topics_leave_no_trace_in_the_mean() -> None:
    """The mean of a video along the direction of a label is as large with the label as without."""
    data = DrawnTopics(count=300)
    along: dict[bool, list[float]] = {True: [], False: []}
    peaks: dict[bool, list[float]] = {True: [], False: []}
    for index in range(300):
        rgb, _, frames, labels = data[index]
        values = rgb[:frames].astype(float) / 63.75 - 2
        for label in range(3):
            direction = data.directions[0][label] / 64
            along[bool(labels[label])].append(values.mean(0) @ direction)
            peaks[bool(labels[label])].append((values @ direction).max())
    assert abs(np.mean(along[True]) - np.mean(along[False])) < 0.02
    assert min(peaks[True]) > max(np.median(peaks[False]), 0.6)
    assert data[0][0].dtype == np.uint8 and 1 <= data[0][3].sum() <= 3
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'none'"):
        DrawnTopics("none")
    with pytest.raises(ValueError, match="count must be at least 1, max_frames 12 and class_num 3, not 1, 5 and 20"):
        DrawnTopics(count=1, max_frames=5)
