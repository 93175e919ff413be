"""The commands: a run is trained, continued, evaluated, exported, and recognises what is in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import core
from core.vision.image import read_image
from core.vision.video import VideoReader
from core.weights import read_weights
from PaddleVideo import eval as eval_command
from PaddleVideo import export, infer, train
from PaddleVideo.config import TOOLKIT
from PaddleVideo.recogniser import open_recogniser
from tests.core.vision.video_files import drawn_frames, write_video
from tests.PaddleVideo.small import CLIPS, PREPARED, small_config, trained, written


def test_training_writes_the_run(run: Path) -> None:
    assert json.loads((run / "classes.json").read_text())[:2] == ["left", "right"]
    names = {"config.yaml", "metrics.jsonl", "results.json", "confusion_matrix.png", "predictions.png", "checkpoints"}
    assert names <= {path.name for path in run.iterdir()}


def test_a_run_that_was_stopped_continues_to_the_same_weights(run: Path, tmp_path: Path) -> None:
    stopped = trained(tmp_path, train={"epochs": 1, "compiled": False})
    assert train.main(["--resume", str(stopped), "-o", "train.epochs=2"]) == 0
    weights = [read_weights(folder / "checkpoints" / "newest" / "model.safetensors") for folder in (run, stopped)]
    for name, value in weights[0].items():
        np.testing.assert_array_equal(weights[1][name], value)


def test_evaluation_gives_the_numbers_of_the_run(run: Path, tmp_path: Path) -> None:
    assert eval_command.main([str(run), "--output", str(tmp_path)]) == 0
    expected = json.loads((run / "results.json").read_text())["results"]["test"]["accuracy"]
    assert json.loads((tmp_path / "results.json").read_text())["test"]["accuracy"] == expected


def test_an_export_gives_the_probabilities_of_the_run(run: Path, tmp_path: Path) -> None:
    assert export.main([str(run), "--output", str(tmp_path / "exported"), "--onnx"]) == 0
    live, exported = open_recogniser(run), open_recogniser(tmp_path / "exported")
    frames = drawn_frames(9)
    first, second = live.predict(frames), exported.predict(frames)
    assert first.names == second.names and first.end == 9 / 25
    np.testing.assert_allclose(first.probabilities, second.probabilities, atol=1e-5)
    with pytest.raises(ValueError, match="an exported one holds no clips; name video files"):
        infer.main([str(tmp_path / "exported"), "--demo", "1"])


@pytest.mark.exhaustive
def test_views_are_averaged_in_evaluation_and_inference_alike(run: Path, tmp_path: Path) -> None:
    """Thirty views: evaluation's logits are the logarithm of their mean probabilities, also in an export."""
    views = [
        {"name": "SampleClips", "num_frames": 4, "clips": 10},
        {"name": "ThreeCrops", "size": 32},
        *PREPARED,
    ]
    config = small_config(tmp_path / "views")
    data = {**config["data"], "test": {**config["data"]["test"], "transforms": views, "batch_size": 2}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({**config, "data": data}))
    assert train.main(["-c", str(tmp_path / "config.yaml"), "-o", "train.epochs=1"]) == 0
    recogniser = open_recogniser(tmp_path / "views")
    dataset = recogniser.section.build_dataset()  # type: ignore[attr-defined]  # it is one of a run
    task = TOOLKIT.build_task(TOOLKIT.load(tmp_path / "views" / "config.yaml"))
    task.networks["model"].set_state_dict(recogniser.network.state_dict())  # type: ignore[attr-defined]  # likewise
    task.eval_mode()
    clips = np.stack([dataset[index][0] for index in range(2)])
    assert clips.shape == (2, 30, 4, 3, 32, 32)
    with core.no_grad():
        (logits,) = task.predict(core.to_tensor(clips))
    assert export.main([str(tmp_path / "views"), "--output", str(tmp_path / "exported")]) == 0
    for opened in (recogniser, open_recogniser(tmp_path / "exported")):
        for index in range(2):
            found = opened.probabilities(dataset.source(index))
            np.testing.assert_allclose(found, np.exp(logits.numpy()[index]), atol=1e-5)


def test_inference_of_files_that_can_and_cannot_be_read(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_video(tmp_path / "videos.mp4", list(drawn_frames(20)))
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    arguments = [str(run), str(tmp_path / "videos.mp4"), str(tmp_path / "broken.mp4"), "--demo", "1"]
    assert infer.main([*arguments, "--output", str(tmp_path / "out"), "--top", "2"]) == 1
    output = capsys.readouterr()
    assert "broken.mp4' is no video file" in output.err and "1 of 3 videos could not be read" in output.out
    records = json.loads((tmp_path / "out" / "predictions.json").read_text())
    assert records[0]["actions"][0]["end"] == 2.0 and len(records[0]["actions"][0]["names"]) == 2
    assert "error" in records[1] and records[2]["true"] == "left"
    assert read_image(tmp_path / "out" / "videos.png").shape[1] > 300


def test_windows_a_timeline_and_a_video_with_the_answers(run: Path, tmp_path: Path) -> None:
    path = write_video(tmp_path / "long.mp4", list(drawn_frames(25)))
    options = ["--window", "1", "--step", "0.5", "--mp4", "--output", str(tmp_path / "out")]
    assert infer.main([str(run), str(path), *options]) == 0
    (record,) = json.loads((tmp_path / "out" / "predictions.json").read_text())
    times = [(one["start"], one["end"]) for one in record["actions"]]
    assert times == [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0), (1.5, 2.5)]
    assert read_image(tmp_path / "out" / "long_timeline.png").shape[1] == 800
    drawn = list(VideoReader(tmp_path / "out" / "long.mp4"))
    assert len(drawn) == 25
    assert all(np.median(frame[-14:]) < 0.6 * np.median(frame[:14]) for frame in drawn)  # the band with the answer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "name videos, or take some of the test split with --demo 4"),
        (["a.mp4", "--window", "0"], "--window must be more than 0 seconds, not 0"),
        (["a.mp4", "--window", "inf"], "--window must be a finite number of seconds, not inf"),
        (["a.mp4", "--window", "2", "--step", "inf"], "--step must be a finite number of seconds, not inf"),
        (["a.mp4", "--step", "1"], "--step needs --window"),
    ],
)
def test_options_that_do_not_fit(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        infer.main(["run", *options])
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"transforms": []}, "data.train.transforms must give float32 of shape .*, not ArrayFrames; end them"),
        ({"transforms": [{"name": "ToTensor"}]}, "must begin with one of SampleSegments, SampleUniform, SampleDense"),
        (
            {"transforms": [{"name": "SampleSegments", "num_seg": 4}]},
            r"data.train.transforms must give float32 of shape \(frames, channels, height, width\), not uint8 of shape",
        ),
        (
            {"transforms": [{"name": "SampleClips", "num_frames": 4, "clips": 2}, *PREPARED]},
            "end them with ToTensor, and take several views in data.test alone",
        ),
        (
            {"transforms": [{"name": "SampleSegments", "num_seg": 5}, *PREPARED]},
            "tsm_r18 cannot take the 5 x 3 x 32 x 32 clips of data.train.transforms: the network is made for clips",
        ),
        ({"dataset": {"name": "DrawnTopics"}}, "data.train: Recognition takes clips, as of VideoDataset, not Drawn"),
        ({"dataset": {"name": "MovingDigit"}}, "unknown data set 'MovingDigit'; the nearest is 'MovingDigits'"),
    ],
)
def test_mistakes_are_named_before_training(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    config = small_config(tmp_path / "run")
    split = {**config["data"]["train"], "dataset": {"name": "MovingDigits", **CLIPS}, **changes}
    path = written(tmp_path, data={**config["data"], "train": split})
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(path)])
    assert not (tmp_path / "run").exists()


def test_a_network_without_classes_recognises_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, network={"name": "bmn"})
    with pytest.raises(ValueError, match="^network: bmn has no class_num, for it tells no classes apart; choose anoth"):
        train.main(["-c", str(path)])
