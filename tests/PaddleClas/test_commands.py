"""The three commands end to end, on a network that trains in seconds."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import fsspec
import numpy as np
import pytest

from core.train import load_config, read_metrics
from core.train.classification.evaluator import ClassificationEvaluator
from core.vision import read_image, write_image
from PaddleClas import eval as eval_command
from PaddleClas import infer, train
from PaddleClas.classifier import Classifier
from PaddleClas.config import TASKS, ClassificationConfig
from PaddleClas.data import Digits
from PaddleClas.task import ClassificationTask

CONFIG = str(Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_lenet.yaml")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few epochs, with an expectation that it meets."""
    output = tmp_path_factory.mktemp("runs") / "digits"
    changes = [f"output={output}", "train.epochs=4", "expect.at_least.accuracy=0.9", "train.checkpoint_every=2"]
    code = train.main(["-c", CONFIG, *(argument for change in changes for argument in ("-o", change))])
    assert code == 0
    return output


def test_training_writes_the_whole_folder(run: Path) -> None:
    names = {path.name for path in run.iterdir()}
    assert names >= {
        "config.yaml", "metrics.jsonl", "tensorboard", "learning_curve.png", "confusion_matrix.png", "predictions.png",
        "checkpoints", "results.json", "classes.json",
    }  # fmt: skip
    results = json.loads((run / "results.json").read_text())["results"]
    assert results["test"]["accuracy"] >= 0.9
    rows = read_metrics(run / "metrics.jsonl")
    assert [row["split"] for row in rows] == ["train", "valid"] * 4 + ["test"]
    assert rows[-1]["accuracy"] == results["test"]["accuracy"]
    assert read_image(run / "predictions.png").shape[1] > 600
    assert (run / "checkpoints" / "best" / "model.safetensors").is_file()


def test_images_may_stand_behind_options() -> None:
    found = infer.main.parse(["run", "--top", "3", "a.png", "--batch-size", "2", "b.png"])
    assert (found.run, found.images, found.top, found.batch_size) == ("run", ["a.png", "b.png"], 3, 2)


def test_evaluation_repeats_the_result(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval_command.main([str(run)]) == 0
    output = capsys.readouterr().out
    expected = json.loads((run / "results.json").read_text())["results"]["test"]["accuracy"]
    assert f"test: accuracy {expected:.4f}" in output and "expected at least 0.9000: as expected" in output
    again = json.loads((run / "evaluation_test" / "results.json").read_text())
    assert again["test"]["accuracy"] == expected
    assert (run / "evaluation_test" / "confusion_matrix.png").is_file()


def test_the_train_split_is_evaluated_whole_and_in_order(run: Path, tmp_path: Path) -> None:
    chosen: list[list[int]] = []
    with pytest.MonkeyPatch.context() as patch:
        drawn = "core.train.classification.task.write_pictures"
        patch.setattr(drawn, lambda evaluator, *rest: chosen.append(evaluator.labels) or [])
        eval_command.main([str(run), "--split", "train", "--output", str(tmp_path)])
    assert chosen == [Digits("train").labels]


def test_a_config_with_a_weight_file_is_evaluated_as_its_run(run: Path, tmp_path: Path) -> None:
    weights = f"network.pretrained={run / 'checkpoints' / 'best' / 'model.safetensors'}"
    for split in ("test", "train"):
        numbers = []
        changes = [["data.train.mix=[{name: Mixup}]", "data.train.shuffle=true"], []][split == "test"]
        for source in ([str(run)], ["-c", CONFIG, "-o", weights]):
            options = [word for change in changes for word in ("-o", change)]
            eval_command.main([*source, *options, "--split", split, "--output", str(tmp_path)])
            numbers.append(json.loads((tmp_path / "results.json").read_text())[split])
        assert numbers[0] == numbers[1]


def test_the_train_split_is_neither_mixed_nor_augmented_by_an_evaluation(run: Path, tmp_path: Path) -> None:
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    class Spy(ClassificationTask):
        def evaluator(self, split: str) -> ClassificationEvaluator:
            evaluator = super().evaluator(split)
            taken = evaluator.update
            evaluator.update = lambda outputs, batch: (  # type: ignore[method-assign]
                seen.append((batch[0].numpy(), batch[1].numpy())),
                taken(outputs, batch),
            )[1]
            return evaluator

    change = "data.train.mix=[{name: CutMix}]"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TASKS.entries, "Classification", Spy)
        eval_command.main([str(run), "--split", "train", "-o", change, "--output", str(tmp_path)])
    plain = load_config(ClassificationConfig, CONFIG).data.test.build_transform()
    digits = Digits("train")
    images, labels = (np.concatenate(parts) for parts in zip(*seen))
    assert labels.ndim == 1 and labels.tolist() == digits.labels
    for number in (0, 1, len(digits) - 1):
        np.testing.assert_array_equal(images[number], np.asarray(plain(digits.image(number))))


def test_evaluation_fails_below_the_expectation(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval_command.main([str(run), "-o", "expect.at_least.accuracy=1.1", "--output", str(tmp_path)]) == 1
    assert "BELOW what the config expects" in capsys.readouterr().out


def test_inference_draws_and_writes_json(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = Digits("test")
    (tmp_path / "photos").mkdir()
    for i in range(20):
        write_image(tmp_path / "photos" / f"digit_{i:02d}.png", dataset.image(i))
    output = tmp_path / "out"
    assert infer.main([str(run), str(tmp_path / "photos"), "--top", "2", "--output", str(output)]) == 0
    records = json.loads((output / "predictions.json").read_text())
    assert len(records) == 20 and all(len(record["classes"]) == 2 for record in records)
    right = [record["classes"][0] == dataset.label(i) for i, record in enumerate(records)]
    assert np.mean(right) >= 0.8
    picture = read_image(records[0]["picture"])
    assert picture.shape[1] == 320 and picture.shape[0] > 320
    assert "digit_00.png: " in capsys.readouterr().out
    assert infer.main([str(run), "--demo", "2", "--output", str(output)]) == 0
    assert [record["true"] for record in json.loads((output / "predictions.json").read_text())] == ["3", "7"]


def test_inference_takes_patterns_and_urls_and_passes_over_what_it_cannot_read(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = Digits("test")
    for i in range(2):
        write_image(tmp_path / f"digit_{i}.png", dataset.image(i))
    whole = (tmp_path / "digit_0.png").read_bytes()
    (tmp_path / "digit_2.png").write_bytes(whole[:-30])
    fsspec.filesystem("memory").pipe("/web/photo.png", whole)
    sources = [str(tmp_path / "digit_?.png"), "memory://web/photo.png", "memory://web/none.png"]
    output = tmp_path / "out"
    assert infer.main([str(run), *sources, "--output", str(output)]) == 1
    printed = capsys.readouterr()
    cut = str(tmp_path / "digit_2.png")
    assert f"error: image file {cut!r} is truncated" in printed.err
    assert "error: no file 'memory://web/none.png'" in printed.err
    assert "3 pictures beside them; 2 of 5 images could not be read" in printed.out
    records = json.loads((output / "predictions.json").read_text())
    assert [set(record) == {"image", "error"} for record in records] == [False, False, True, False, True]
    assert records[3]["classes"] == records[0]["classes"] and len(records[0]["classes"]) == 5
    with (output / "predictions.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["image"] for row in rows] == [record["image"] for record in records]
    for row, record in zip(rows, records):
        assert row["error"] == record.get("error", "")
        for rank, (name, probability) in enumerate(zip(record.get("names", []), record.get("probabilities", [])), 1):
            assert row[f"class_{rank}"] == name and float(row[f"probability_{rank}"]) == probability
    assert sorted(path.name for path in output.iterdir() if path.suffix == ".png") == [
        "0000_digit_0.png",
        "0001_digit_1.png",
        "0003_photo.png",
    ]


class Terminal(io.StringIO):
    """An error stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("count", "shown"), [(16, False), (17, True)])
def test_many_images_in_a_terminal_have_a_progress_bar(
    count: int, shown: bool, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert infer.main([str(run), "--demo", str(count), "--batch-size", "5", "--output", str(tmp_path)]) == 0
    assert (f"{count}/{count} [" in terminal.getvalue()) == shown
    assert shown or terminal.getvalue() == ""


def test_batches_of_any_size_give_the_same_answers(run: Path, tmp_path: Path) -> None:
    digits = Digits("test")
    for i in range(7):
        write_image(tmp_path / f"{i}.png", digits.image(i))
    (tmp_path / "3.png").write_bytes(b"no picture")
    records = []
    for size in ("1", "3", "50"):
        output = tmp_path / f"out{size}"
        assert infer.main([str(run), str(tmp_path / "?.png"), "--batch-size", size, "--output", str(output)]) == 1
        records.append(json.loads((output / "predictions.json").read_text()))
    for answers in zip(*records):
        assert len({answer["image"] for answer in answers}) == 1 and ("3.png" in answers[0]["image"]) == (
            "error" in answers[0]
        )
        for answer in answers[1:]:
            assert answer.get("classes") == answers[0].get("classes")
            np.testing.assert_allclose(
                answer.get("probabilities", []), answers[0].get("probabilities", []), rtol=0, atol=1e-6
            )


def test_a_heat_map_is_drawn_over_what_the_network_sees(run: Path, tmp_path: Path) -> None:
    photo = np.repeat(np.repeat(Digits("test").image(0), 9, axis=0), 12, axis=1)  # resized to 28 x 28 for the network
    write_image(tmp_path / "photo.png", photo)
    assert infer.main([str(run), str(tmp_path / "photo.png"), "--grad-cam", "--output", str(tmp_path / "out")]) == 0
    (record,) = json.loads((tmp_path / "out" / "predictions.json").read_text())
    assert record["grad_cam"] == str(tmp_path / "out" / "0000_photo_grad_cam.png")
    picture = read_image(record["grad_cam"])
    assert picture.shape[1] == 320 and picture.shape[0] > 320
    classifier = Classifier(run)
    expected = classifier.grad_cam(photo, record["classes"][0])
    assert expected.shape == (28, 28, 3)
    centres = (np.arange(28) * 320 + 160) // 28
    np.testing.assert_array_equal(picture[centres][:, centres], expected)
    np.testing.assert_array_equal(classifier.grad_cam(photo[:, :, ::-1], record["classes"][0], "bgr"), expected)


def test_frames_of_a_camera(run: Path) -> None:
    classifier = Classifier(run)
    frame = np.random.RandomState(0).randint(0, 256, (30, 40, 3), dtype=np.uint8)
    (expected,) = classifier.predict([frame])
    assert classifier.predict([np.ascontiguousarray(frame[:, :, ::-1])], color="bgr") == [expected]
    sizes = [frame, frame[:20], frame[:, :25]]
    apart = [classifier.predict([image], 2)[0] for image in sizes]
    together = classifier.predict(sizes, 2, batch_size=2)
    assert [answer.classes for answer in together] == [answer.classes for answer in apart]
    assert classifier.predict([]) == []
    for wrong, message in (
        (frame.astype(np.float32), r"is uint8 of shape \(height, width, 3\), not float32 of shape \(30, 40, 3\)"),
        (frame[:, :, 0], r"not uint8 of shape \(30, 40\)"),
        (np.zeros((5, 5, 4), np.uint8), r"not uint8 of shape \(5, 5, 4\)"),
        (frame[:0], r"not uint8 of shape \(0, 40, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            classifier.predict([wrong])
    with pytest.raises(ValueError, match="color must be 'rgb' or 'bgr', not 'hsv'"):
        classifier.predict([frame], color="hsv")


def test_resuming_a_finished_run_only_evaluates(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_metrics(run / "metrics.jsonl")
    assert train.main(["--resume", str(run)]) == 0
    assert "continuing after step 76 (epoch 4)" in capsys.readouterr().out
    assert [row for row in read_metrics(run / "metrics.jsonl") if row["split"] != "test"] == before[:-1]


def test_mistakes_are_named(run: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="holds no checkpoint 'step_9'; there are best, newest, step_"):
        eval_command.main([str(run), "--checkpoint", "step_9"])
    with pytest.raises(FileNotFoundError, match="is not the folder of a run: it has no config.yaml"):
        infer.main([str(tmp_path), "--demo", "1"])
    with pytest.raises(FileNotFoundError, match="no image file .*missing.png"):
        infer.main([str(run), str(tmp_path / "missing.png")])
    with pytest.raises(FileNotFoundError, match=r"no file matches '.*\*.png'"):
        infer.main([str(run), str(tmp_path / "*.png")])
    with pytest.raises(FileNotFoundError, match="there are no images in"):
        infer.main([str(run), str(tmp_path)])
    with pytest.raises(FileNotFoundError, match="there is no run at .*nowhere' to continue"):
        train.main(["-c", CONFIG, "-o", f"output={tmp_path}/nowhere", "--resume"])
    with pytest.raises(ValueError, match="the nearest valid key is 'train.epochs'"):
        train.main(["-c", CONFIG, "-o", "train.epoch=1"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        (train, [], "give a config with -c, or a run with --resume"),
        (eval_command, [], "give either the folder of a run or a config with -c"),
        (infer, ["run"], "name images, or take some of the test split with --demo 8"),
        (infer, ["run", "--demo", "1", "--top", "0"], "argument --top: '0' is no positive integer"),
        (infer, ["run", "--demo", "1", "--batch-size", "0"], "argument --batch-size: '0' is no positive integer"),
    ],
)
def test_usage_mistakes(
    command: object, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        command.main(arguments)  # type: ignore[attr-defined]
    assert left.value.code == 2
    assert message in capsys.readouterr().err
