"""Files of features and of annotations: what is read, and what is refused with which words."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from PaddleVideo.data.intervals.activitynet import ActivityNetFeatures
from PaddleVideo.data.intervals.concepts import ConceptFeatures
from PaddleVideo.data.intervals.features import read_features, resampled
from PaddleVideo.data.intervals.frame_labels import SegmentedFeatures

VALUES = np.random.default_rng(0).random((7, 4)).astype(np.float32)


def saved(path: Path, values: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, values)
    else:
        path.write_bytes(pickle.dumps(values, protocol=2))
    return str(path)


def test_features_of_every_kind(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_features(saved(tmp_path / "a.npy", VALUES)).values, VALUES)
    turned = read_features(saved(tmp_path / "b.npy", VALUES.T), features_first=True)
    np.testing.assert_array_equal(turned.values, VALUES)
    found = read_features(saved(tmp_path / "c.pkl", {"scores": VALUES[None], "duration": 3.5}))
    assert found.duration == 3.5 and found.values.shape == (7, 4)
    levels = read_features(saved(tmp_path / "d.npy", np.array([[0, 51, 255]], np.uint8))).values
    np.testing.assert_allclose(levels, [[0.0, 0.2, 1.0]], rtol=1e-6)


@pytest.mark.parametrize("length", [3, 7, 20])
def test_steps_are_interpolated_as_opencv_does(length: int) -> None:
    expected = cv2.resize(VALUES, (4, length), interpolation=cv2.INTER_LINEAR)
    np.testing.assert_allclose(resampled(VALUES, length), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("a.npy", np.where(np.arange(7)[:, None] == 2, np.nan, VALUES), "no finite numbers, at 1 steps from 2 on"),
        ("b.npy", np.zeros((2, 3, 4)), r"should hold numbers \(steps, features\), not float64 of shape \(2, 3, 4\)"),
        ("c.npy", np.zeros((0, 4)), r"not float64 of shape \(0, 4\)"),
        ("d.pkl", [1, 2], "should hold a mapping with an array of 'scores'"),
        ("e.pkl", {"scores": VALUES, "duration": -1}, "should have a positive number of seconds in 'duration', not -1"),
        ("f.txt", {}, "is no file of features: its name should end with .npy or .pkl"),
    ],
)
def test_other_files_are_refused(name: str, value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_features(saved(tmp_path / name, value))
    with pytest.raises(FileNotFoundError, match="no file of features 'none.npy'"):
        read_features("none.npy")
    (tmp_path / "torn.npy").write_bytes(b"\x93NUMPY\x01\x00")
    with pytest.raises(ValueError, match="torn.npy' is no .npy file of numbers: "):
        read_features(str(tmp_path / "torn.npy"))


def annotated(folder: Path, segment: Any = (1.0, 2.5), **changes: Any) -> dict[str, Any]:
    """Write annotations of two videos, and features of them; return the arguments of the data set."""
    rows = [{"label": "jump", "segment": list(segment)}, {"label": "run", "segment": [3.0, 4.0]}]
    videos = {
        "v_b": {"duration_second": 5.0, "subset": "training", "annotations": rows, **changes},
        "v_a": {"duration_second": 4.0, "subset": "validation", "annotations": rows[1:]},
    }
    for name in videos:
        saved(folder / "features" / f"{name}.npy", VALUES)
    (folder / "annotations.json").write_text(json.dumps(videos))
    return {
        "file_path": str(folder / "annotations.json"), "feat_path": str(folder / "features"), "subset": "train",
        "feature_dim": 4,
    }  # fmt: skip


def test_activitynet_in_both_forms(tmp_path: Path) -> None:
    settings = annotated(tmp_path)
    data = ActivityNetFeatures(**settings)
    assert (len(data), data.name(0), data.duration(0), data.class_names) == (1, "v_b", 5.0, ["jump", "run"])
    np.testing.assert_array_equal(data.actions(0), [[0, 1.0, 2.5], [1, 3.0, 4.0]])
    np.testing.assert_array_equal(data[0], VALUES)
    np.testing.assert_array_equal(data.labels(0, 5), [0, 1, 0, 2, 0])  # at 0.5, 1.5, ... seconds
    whole = {
        "version": "1.3",
        "database": {
            name[2:]: {"duration": entry["duration_second"], "subset": "training", "annotations": entry["annotations"]}
            for name, entry in json.loads(Path(settings["file_path"]).read_text()).items()
        },
    }
    Path(settings["file_path"]).write_text(json.dumps(whole))
    data = ActivityNetFeatures(**{**settings, "subset": "training"})
    assert [data.name(index) for index in range(2)] == ["a", "b"]
    np.testing.assert_array_equal(data.actions(1), [[0, 1.0, 2.5], [1, 3.0, 4.0]])


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        ((1.0, 9.0), "the action 'jump' from 1 to 9 s ends after the video, which has 5 s"),
        ((-1.0, 2.0), "the action 'jump' from -1 to 2 s begins before the video, which has 5 s"),
        ((6.0, 8.0), "the action 'jump' from 6 to 8 s begins after the video, which has 5 s"),
        ((2.0, 2.0), "the action 'jump' from 2 to 2 s has no length; correct it, or say damaged: repair"),
        ((3.0, 2.0), "the action 'jump' from 3 to 2 s ends before it begins"),
        ((float("nan"), 2.0), "the action 'jump' from nan to 2 s is not given by numbers"),
    ],
)
def test_intervals_outside_of_their_video(segment: Any, message: str, tmp_path: Path) -> None:
    settings = annotated(tmp_path, segment)
    with pytest.raises(ValueError, match=f"annotations.json, video 'v_b': {message}"):
        ActivityNetFeatures(**settings)
    repaired = ActivityNetFeatures(**settings, damaged="repair").actions(0)
    kept = {(1.0, 9.0): [[0, 1.0, 5.0]], (-1.0, 2.0): [[0, 0.0, 2.0]]}.get(tuple(segment), [])
    np.testing.assert_array_equal(repaired, np.array([*kept, [1, 3.0, 4.0]]))


def test_overlapping_actions_have_no_class_for_a_step(tmp_path: Path) -> None:
    data = ActivityNetFeatures(**annotated(tmp_path, (2.0, 3.8)))
    with pytest.raises(
        ValueError,
        match="video 'v_b': the actions 'jump' from 2 to 3.8 s and 'run' from 3 to 4 s overlap, but a step has one",
    ):
        data.labels(0, 50)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"duration_second": 0}, "video 'v_b' should have a positive number of seconds, not 0"),
        ({"annotations": [{"label": "run"}]}, "should have annotations, each with a label and a segment of two"),
        ({"subset": "other"}, "no video is of the subset 'train'; there are other, validation"),
    ],
)
def test_other_annotations_are_refused(changes: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        ActivityNetFeatures(**annotated(tmp_path, **changes))


def test_missing_features_and_broken_annotations(tmp_path: Path) -> None:
    settings = annotated(tmp_path)
    for text, message in (("{", "no JSON: "), ("[1]", "should hold a mapping for each video"), ("[" * 9999, "no JSON")):
        (tmp_path / "other.json").write_text(text)
        with pytest.raises(ValueError, match=message):
            ActivityNetFeatures(**{**settings, "file_path": str(tmp_path / "other.json")})
    with pytest.raises(ValueError, match="video 'v_b' has 4 features a step, not 5"):
        ActivityNetFeatures(**{**settings, "feature_dim": 5})[0]
    (tmp_path / "features" / "v_b.npy").unlink()
    with pytest.raises(FileNotFoundError, match="1 of 1 videos of .* have no features in .*, such as v_b.npy"):
        ActivityNetFeatures(**settings)
    with pytest.raises(FileNotFoundError, match="no file of annotations 'none.json'"):
        ActivityNetFeatures(**{**settings, "file_path": "none.json"})


def listed(folder: Path, line: str = "clip 10 2 1 0 4 3 5.5 9") -> dict[str, Any]:
    for kind, count in (("rgb", 7), ("flow", 6)):
        saved(folder / kind / "clip.pkl", {"scores": VALUES[:count, :2]})
    (folder / "list.txt").write_text(line + "\n")
    return {"file_path": str(folder / "list.txt"), "root": str(folder), "class_num": 3, "feature_dim": 4}


def test_concepts_of_two_networks(tmp_path: Path) -> None:
    data = ConceptFeatures(**listed(tmp_path), steps_per_second=2.0)
    assert (len(data), data.name(0), data.duration(0), data.class_names) == (1, "clip", 5.0, ["1", "2", "3"])
    np.testing.assert_array_equal(data.actions(0), [[0, 0.0, 2.0], [2, 2.75, 4.5]])
    np.testing.assert_array_equal(data[0], VALUES[:6, [0, 1, 0, 1]])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("clip 10 2 1 0 4", "list.txt:1: a line holds a name, a number of steps, a number of actions, and of each a"),
        ("clip ten 0", "a line holds a name, .* not 'clip ten 0'"),
        ("clip 10 1 4 0 4", "class 4 is none of 1 to 3"),
        ("clip 10 1 1 3 12", "video 'clip': the action '1' from 3 to 12 s ends after the video, which has 10 s"),
        ("", "the list is empty"),
    ],
)
def test_other_lines_are_refused(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        ConceptFeatures(**listed(tmp_path, line))


def segmented(folder: Path, words: Any = ("cut", "cut", "mix", "mix", "mix", "cut")) -> dict[str, Any]:
    saved(folder / "features" / "clip.npy", VALUES.T)
    (folder / "groundTruth").mkdir(exist_ok=True)
    (folder / "groundTruth" / "clip.txt").write_text("\n".join(words) + "\n")
    (folder / "mapping.txt").write_text("0 cut\n1 mix\n")
    (folder / "train.bundle").write_text("clip.txt\n")
    return {
        "file_path": str(folder / "train.bundle"), "feature_path": str(folder / "features"),
        "gt_path": str(folder / "groundTruth"), "actions_map_file_path": str(folder / "mapping.txt"), "feature_dim": 4,
    }  # fmt: skip


def test_classes_of_frames(tmp_path: Path) -> None:
    data = SegmentedFeatures(**segmented(tmp_path), sample_rate=2, frames_per_second=3.0)
    assert (len(data), data.name(0), data.duration(0), data.step_classes) == (1, "clip", 2.0, ["cut", "mix"])
    np.testing.assert_array_equal(data[0], VALUES[[0, 2, 4]])  # the seventh frame has no class
    np.testing.assert_array_equal(data.labels(0, 3), [0, 1, 1])


def test_classes_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="clip.txt: 'stir' is none of the 2 classes"):
        SegmentedFeatures(**segmented(tmp_path, ["stir"])).labels(0, 1)
    settings = segmented(tmp_path)
    (tmp_path / "mapping.txt").write_text("1 cut\n")
    with pytest.raises(ValueError, match="mapping.txt: each line should hold the number of a class, from 0 on"):
        SegmentedFeatures(**settings)
    segmented(tmp_path)
    (tmp_path / "features" / "clip.npy").unlink()
    with pytest.raises(FileNotFoundError, match="train.bundle names 'clip', but there is no file .*clip.npy"):
        SegmentedFeatures(**settings)
