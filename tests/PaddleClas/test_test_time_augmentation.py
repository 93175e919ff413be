"""Several views of an image, and whether confidences are right: by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.train import load_config
from core.train.classification.calibration import calibration
from core.train.classification.evaluator import ClassificationEvaluator
from PaddleClas.config import ClassificationConfig
from PaddleClas.eval import main
from PaddleClas.task import ClassificationTask
from PaddleClas.test_time_augmentation import averaged, views

CONFIG = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_lenet.yaml"
IMAGES = np.random.RandomState(0).rand(2, 1, 8, 10).astype("f4")


def arrays(**options: Any) -> list[np.ndarray]:
    return [view.numpy() for view in views(core.to_tensor(IMAGES), **options)]


def test_one_view_is_the_image_and_a_flip_is_its_mirror() -> None:
    (only,) = arrays()
    np.testing.assert_array_equal(only, IMAGES)
    both = arrays(flip=True)
    np.testing.assert_array_equal(both[1], IMAGES[..., ::-1])


def test_five_and_ten_crops() -> None:
    corners = [IMAGES[:, :, :6, :6], IMAGES[:, :, :6, 4:], IMAGES[:, :, 2:, :6], IMAGES[:, :, 2:, 4:]]
    expected = [*corners, IMAGES[:, :, 1:7, 2:8]]
    five = arrays(crops=5, crop_size=6)
    assert len(five) == 5
    for actual, wanted in zip(five, expected):
        np.testing.assert_array_equal(actual, wanted)
    ten = arrays(crops=10, crop_size=6)
    assert len(ten) == 10
    for number, wanted in enumerate(expected):
        np.testing.assert_array_equal(ten[2 * number], wanted)
        np.testing.assert_array_equal(ten[2 * number + 1], wanted[..., ::-1])
    assert arrays(crops=5)[0].shape == (2, 1, 7, 7)  # 7/8 of the shorter side


def test_crops_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="crops of 9 pixels do not fit into images of 8 x 10"):
        arrays(crops=5, crop_size=9)


def test_probabilities_are_averaged() -> None:
    def network(images: Any) -> Any:
        return core.flatten(images[:, :, 0, :3], 1)

    def softmax(logits: np.ndarray) -> np.ndarray:
        return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    expected = (softmax(IMAGES[:, 0, 0, :3]) + softmax(IMAGES[:, 0, 0, :-4:-1])) / 2
    found = averaged(network, core.to_tensor(IMAGES), flip=True).numpy()
    np.testing.assert_allclose(found, np.log(expected), rtol=1e-5)


def test_training_evaluates_one_view_and_the_command_several() -> None:
    config = load_config(ClassificationConfig, CONFIG, ["evaluate={flip: true}"])
    images = core.to_tensor(np.random.RandomState(1).rand(2, 1, 28, 28).astype("f4"))
    task = ClassificationTask(config)
    task.network.eval()
    logits = task.network(images).numpy()
    np.testing.assert_array_equal(task.predict(images)[0].numpy(), logits)
    task.begin_evaluation()
    np.testing.assert_allclose(
        task.predict(images)[0].numpy(), averaged(task.network, images, flip=True).numpy(), rtol=1e-6
    )


def test_calibration_by_hand() -> None:
    found = calibration([0.95, 0.9, 0.55, 0.6, 0.6], [True, False, True, True, False], bins=5)
    np.testing.assert_array_equal(found.counts, [0, 0, 3, 0, 2])  # 0.6 is a bound: it belongs below
    np.testing.assert_allclose(found.confidence, [0, 0, (0.55 + 1.2) / 3, 0, 0.925])
    np.testing.assert_allclose(found.accuracy, [0, 0, 2 / 3, 0, 0.5])
    assert found.error == pytest.approx((3 * abs(2 / 3 - 1.75 / 3) + 2 * abs(0.5 - 0.925)) / 5)
    assert calibration([1.0, 1.0], [True, True]).error == 0
    assert calibration([], []).error == 0


def test_the_evaluator_counts_any_k_and_each_class() -> None:
    evaluator = ClassificationEvaluator(12, topk=(1, 2, 5))
    logits = -np.arange(12, dtype=np.float32)[None].repeat(3, axis=0)
    evaluator.update([logits], [None, core.to_tensor(np.array([0, 1, 4]))])
    result = evaluator.result()
    assert (result["accuracy"], result["top2_accuracy"], result["top5_accuracy"]) == (1 / 3, 2 / 3, 1.0)
    assert evaluator.accuracy_of_classes()[:5] == [1.0, 0.0, None, None, 0.0]


@pytest.mark.parametrize(
    ("expect", "code", "said"),
    [
        ("{at_least: {accuracy: 0.0}}", 0, "at least 0.0000: as expected"),
        ("{at_least: {accuracy: 1.0}}", 1, "BELOW what the config expects"),
        ("{near: {accuracy: {value: 0.5, tolerance: 0.5}}}", 0, "0.5000 within 0.5000: as expected"),
        ("{near: {accuracy: {value: 0.9, tolerance: 0.1}}}", 1, "DRIFTED from what the config expects"),
    ],
)
def test_the_command_fails_on_drift(
    expect: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-c", str(CONFIG), "-o", f"expect={expect}", "--output", str(tmp_path)]
    assert main(arguments) == code  # fresh weights: about one in ten is right
    assert said in capsys.readouterr().out
    record = json.loads((tmp_path / "results.json").read_text())["test"]
    assert set(record) == {"accuracy", "loss", "calibration_error", "accuracy_of_classes"}
    assert set(record["accuracy_of_classes"]) == set("0123456789")
    assert (tmp_path / "calibration.png").exists()
