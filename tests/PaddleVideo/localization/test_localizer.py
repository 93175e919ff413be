"""A run of intervals: from commands and from Python, by its folder and by an exported one, and from a video file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from core.weights import read_pickle
from PaddleVideo import eval as evaluate
from PaddleVideo import export, features, infer, train
from PaddleVideo.data.intervals.moving_digits import MovingDigitsIntervals
from PaddleVideo.data.sources import ArrayFrames
from PaddleVideo.localization.extraction import scores_of
from PaddleVideo.localization.localizer import finds_intervals, open_localizer
from tests.core.vision.video_files import drawn_frames, write_video
from tests.PaddleVideo.small import PREPARED, small_config, trained
from tests.PaddleVideo.test_recogniser import Brightness, grey

BMN = {"name": "bmn", "tscale": 8, "dscale": 4, "num_sample": 2, "num_sample_perbin": 2, "feat_dim": 12, "width": 8}


def written(folder: Path, **changes: Any) -> Path:
    """Write a config of a small BMN into a folder; return its path."""
    config = {
        "output": str(folder / "run"),
        "task": {"name": "ActionProposals"},
        "network": BMN,
        "data": {
            split: {"dataset": {"name": "MovingDigitsIntervals", "split": split, "count": 2}, "batch_size": 2}
            for split in ("train", "test")
        },
        "optimizer": {"name": "Adam"},
        "schedule": {"name": "Constant", "learning_rate": 0.001},
        "train": {"epochs": 1, "compiled": False},
        **changes,
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


@pytest.fixture(scope="module")
def proposals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was evaluated and exported."""
    folder = tmp_path_factory.mktemp("proposals")
    assert train.main(["-c", str(written(folder))]) == 0
    assert evaluate.main([str(folder / "run")]) == 0
    assert export.main([str(folder / "run")]) == 0
    return folder / "run"


def test_python_finds_what_the_evaluation_found(proposals: Path, tmp_path: Path) -> None:
    data = MovingDigitsIntervals("test", 2)
    stored = json.loads((proposals / "evaluation_test" / "submission.json").read_text())["results"]
    assert (proposals / "evaluation_test" / "timelines.png").is_file() and list(stored) == ["test_0000", "test_0001"]
    np.save(tmp_path / "clip.npy", data[0])
    for folder in (proposals, proposals / "exported"):
        assert finds_intervals(folder)
        localizer = open_localizer(folder)
        found = localizer.predict(tmp_path / "clip.npy", data.duration(0))
        assert found == localizer.predict(data[0], data.duration(0)) and {one.name for one in found} == {"action"}
        for one, other in zip(found, stored["test_0000"]):
            np.testing.assert_allclose([one.start, one.end, one.score], [*other["segment"], other["score"]], atol=1e-5)


def test_the_command_writes_timelines_and_a_submission(
    proposals: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "good.npy", np.zeros((5, 12)))
    np.save(tmp_path / "wide.npy", np.zeros((5, 13)))
    target = tmp_path / "out"
    words = [str(proposals / "exported"), str(tmp_path), "--duration", "4", "--output", str(target)]
    assert infer.main(words) == 1
    output = capsys.readouterr()
    assert "wide.npy' has 13 features a step, not 12" in output.err and "1 of 2 files could not be read" in output.out
    good, wide = json.loads((target / "predictions.json").read_text())
    assert good["duration"] == 4.0 and good["intervals"] and "error" in wide and Path(good["picture"]).is_file()
    assert list(json.loads((target / "submission.json").read_text())["results"]) == ["good"]
    assert infer.main([str(proposals), "--demo", "1", "--output", str(target)]) == 0
    assert "test_0000: action " in capsys.readouterr().out


def test_what_does_not_fit_is_named(proposals: Path, run: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "clip.npy", np.zeros((5, 12)))
    localizer = open_localizer(proposals)
    with pytest.raises(ValueError, match=r"clip.npy' does not say how long the video is; give its duration in seconds"):
        localizer.predict(tmp_path / "clip.npy")
    with pytest.raises(ValueError, match="the duration of the video must be more than 0 seconds, not -1"):
        localizer.predict(np.zeros((5, 12)), -1)
    for words, message in (
        ([str(proposals), "none.npy"], "no file of features 'none.npy'; such files are NAME.npy or NAME.pkl"),
        ([str(proposals), "--demo", "1", "--window", "2"], "--window is for networks of clips"),
        ([str(proposals / "exported"), "--demo", "1"], "--demo needs the folder of a run"),
        ([str(run), "clip.mp4", "--duration", "2"], "--duration is for files of features; videos say how long they"),
    ):
        with pytest.raises((ValueError, FileNotFoundError), match=message):
            infer.main(words)
    with pytest.raises(ValueError, match="is a run of the task Recognition, which has no intervals"):
        open_localizer(run)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": {"name": "tsn_r18", "class_num": 8}}, "task ActionProposals takes a network such as bmn, not tsn"),
        ({"network": {**BMN, "feat_dim": 16}}, "data.train has 12 features a step, but the network takes 16"),
        (
            {"data": {"train": {"dataset": {"name": "MovingDigits"}, "batch_size": 2}}},
            "data.train: task ActionProposals takes ActivityNetFeatures, not MovingDigits",
        ),
        ({"expect": {"at_least": {"mAP": 0.5}}}, "expect"),
        (
            {"task": {"name": "ActionSegmentation"}, "network": {"name": "ms_tcn", "class_num": 8, "feature_dim": 12}},
            "data.train has 9 classes, but network.class_num is 8",
        ),
    ],
)
def test_configs_that_do_not_fit(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(written(tmp_path, **changes))])


def test_scores_of_two_recognisers_side_by_side() -> None:
    frames = np.concatenate([grey(10, 20), grey(10, 200), grey(5, 40)])
    scores, duration = scores_of([Brightness(), Brightness()], ArrayFrames(frames, 10.0), 1.0)
    assert scores.shape == (3, 26) and duration == 2.5
    np.testing.assert_array_equal(scores[:, :13].argmax(axis=1), [1, 10, 6])  # the last window has 5 of 200, 5 of 40
    np.testing.assert_array_equal(scores[:, :13], scores[:, 13:])


def test_features_of_a_video_file(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_video(tmp_path / "clip.mp4", list(drawn_frames(23)))
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    words = [str(run), str(path), str(tmp_path / "broken.mp4"), "--second", str(run)]
    words += ["--window", "0.6", "--step", "0.3", "--output", str(tmp_path / "features")]
    assert features.main([*words, "--length", "64"]) == 1
    found = read_pickle(tmp_path / "features" / "clip.pkl")
    assert found["scores"].shape == (1, 64, 16) and found["scores"].dtype == np.float32 and found["duration"] == 2.3
    np.testing.assert_allclose(found["scores"].sum(axis=2), 2.0, rtol=1e-5)
    assert "1 of 2 videos could not be read" in capsys.readouterr().out
    assert features.main([*words, "--bytes"]) == 1
    assert "wrote features of 0 videos" in capsys.readouterr().out
    assert features.main([*words, "--bytes", "--again"]) == 1
    again = read_pickle(tmp_path / "features" / "clip.pkl")["scores"]
    assert again.shape == (7, 16) and again.dtype == np.uint8
    with pytest.raises(SystemExit):
        features.main([str(run), str(path), "--window", "-1"])
    assert "--window must be more than 0 seconds, not -1" in capsys.readouterr().err


def test_steps_are_judged_without_those_that_pad_them(tmp_path: Path) -> None:
    """Accuracy is that of the segments that were written, counted step by step."""
    network = {"name": "ms_tcn", "class_num": 9, "num_stages": 1, "num_layers": 1, "num_f_maps": 4, "feature_dim": 12}
    path = written(tmp_path, task={"name": "ActionSegmentation"}, network=network)
    assert train.main(["-c", str(path)]) == 0 and evaluate.main([str(tmp_path / "run")]) == 0
    folder, data, right, steps = tmp_path / "run" / "evaluation_test", MovingDigitsIntervals("test", 2), 0, 0
    results = json.loads((folder / "submission.json").read_text())["results"]
    for index in range(2):
        truth = data.labels(index, len(data[index]))
        said = np.full(len(truth), -1)
        for row in results[data.name(index)]:
            first, last = (round(time / data.duration(index) * len(truth)) for time in row["segment"])
            said[first:last] = data.step_classes.index(row["label"])
        right, steps = right + int((said == truth).sum()), steps + len(truth)
    accuracy = json.loads((folder / "results.json").read_text())["test"]["accuracy"]
    assert len(data[0]) != len(data[1]) and accuracy == pytest.approx(100 * right / steps)


@pytest.mark.exhaustive
def test_from_video_files_to_a_submission(run: Path, tmp_path: Path) -> None:
    """Features of frames and of flow, C-TCN trained on them, and what it finds in a video, by commands alone."""
    splits: dict[str, Any] = small_config(tmp_path)["data"]
    for split in splits.values():
        split["transforms"] = [{"name": "SampleSegments", "num_seg": 4}, {"name": "OpticalFlow"}, *PREPARED]
    flow = trained(tmp_path / "flow", data=splits)
    (tmp_path / "videos").mkdir()
    for name in ("a", "b"):
        write_video(tmp_path / "videos" / f"{name}.mp4", list(drawn_frames(23)))
    words = [str(run), str(tmp_path / "videos"), "--second", str(flow), "--window", "0.4", "--length", "64"]
    assert features.main([*words, "--output", str(tmp_path / "scores")]) == 0
    scores = read_pickle(tmp_path / "scores" / "a.pkl")["scores"]
    assert scores.shape == (1, 64, 16) and not np.allclose(scores[..., :8], scores[..., 8:], atol=1e-3)
    (tmp_path / "train.list").write_text("a 64 1 1 4 30\nb 64 2 2 0 20 1 40 64\n")
    dataset = {"name": "ConceptFeatures", "file_path": "train.list", "folders": ["scores"], "root": "."}
    split = {"dataset": {**dataset, "class_num": 2, "feature_dim": 16, "steps_per_second": 28.0}, "batch_size": 2}
    small = {"length": 64, "concepts": 16, "width": 4, "channels": 8, "head_channels": [8, 8]}
    changes: dict[str, Any] = {
        "task": {"name": "ActionDetection", "augment": True},
        "network": {"name": "ctcn", "class_num": 2, **small},
        "data": {"root": str(tmp_path), "train": split, "test": split},
    }
    assert train.main(["-c", str(written(tmp_path, **changes))]) == 0
    target = tmp_path / "found"
    assert infer.main([str(tmp_path / "run"), str(tmp_path / "scores"), "--output", str(target)]) == 0
    results = json.loads((target / "submission.json").read_text())["results"]
    assert list(results) == ["a", "b"] and {row["label"] for row in results["a"]} <= {"1", "2"} and results["a"]
    assert all(0 <= row["segment"][0] < row["segment"][1] <= 2.3 for row in results["a"])
