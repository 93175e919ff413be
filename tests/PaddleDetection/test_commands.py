"""The commands end to end on small drawn scenes: train, evaluate, find objects, export."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.train import NonFiniteLossError, read_metrics
from core.train.config.schema import ConfigError
from core.vision.image import write_image
from PaddleDetection import eval as evaluation
from PaddleDetection import export, infer, train
from PaddleDetection.config import TOOLKIT
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.detector import ExportedDetector, open_detector
from PaddleDetection.metrics.voc import VOCMetric
from tests.PaddleDetection.small import CONFIG, options


def test_training_writes_each_loss_and_the_classes(run: Path) -> None:
    rows = [row for row in read_metrics(run / "metrics.jsonl") if row["split"] == "train"]
    assert len(rows) == 3
    for row in rows:
        parts = [row[name] for name in ("loss_xy", "loss_wh", "loss_obj", "loss_cls")]
        assert min(parts) > 0 and row["loss"] == pytest.approx(sum(parts), rel=1e-5)
    assert json.loads((run / "classes.json").read_text()) == [str(digit) for digit in range(10)]


def test_a_loss_that_is_no_number_ends_the_run_and_its_checkpoint_is_kept(tmp_path: Path) -> None:
    rates = '{"name": "Piecewise", "learning_rate": 0.002, "decay_epochs": [1], "factors": [1e30]}'
    words = options(f"output={tmp_path / 'run'}", f"schedule={rates}", "data.test=null")
    message = r"is (nan|inf|infinite or not a number) .*the last good checkpoint is .*step_00000002; lower the learning"
    with pytest.raises(NonFiniteLossError, match=message):
        train.main(["-c", str(CONFIG), *words])
    assert len([row for row in read_metrics(tmp_path / "run" / "metrics.jsonl") if row["split"] == "train"]) == 1
    seen = open_detector(tmp_path / "run").predict(DigitScenes("test", 1, 64).sample(0)["image"])
    assert len(seen.scores) > 0 and np.isfinite(seen.scores).all()


def test_an_evaluation_is_the_metric_of_what_is_found(run: Path) -> None:
    assert evaluation.main([str(run)]) == 0
    found = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    detector, scenes = open_detector(run), DigitScenes("test", 4, 64)
    metric = VOCMetric(scenes.class_names)
    for index in range(4):
        sample = scenes.sample(index)
        seen = detector.predict(sample["image"])
        rows = np.concatenate([seen.classes[:, None], seen.scores[:, None], seen.boxes], axis=1)
        metric.update(rows, sample["gt_bbox"], sample["gt_class"])
    assert found["mAP"] == pytest.approx(metric.result()["mAP"], abs=1e-6)
    curves = {name: curve.average_precision for name, curve in metric.curves().items() if curve.objects}
    assert found["AP_of_classes"] == pytest.approx(curves, abs=1e-6) and len(curves) > 3


def test_an_export_finds_what_the_run_finds(run: Path, tmp_path: Path) -> None:
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    live, exported = open_detector(run), open_detector(tmp_path / "exported")
    assert isinstance(exported, ExportedDetector) and exported.class_names == live.class_names
    for index in range(2):
        image = DigitScenes("test", 4, 64).sample(index)["image"]
        one, other = live.predict(image), exported.predict(np.ascontiguousarray(image[:, :, ::-1]), color="bgr")
        np.testing.assert_array_equal(one.classes, other.classes)
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-5)
        np.testing.assert_allclose(one.boxes, other.boxes, atol=1e-2)
        assert len(one.above(0.5).scores) == int((one.scores >= 0.5).sum())


def test_pictures_texts_and_records_agree(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "photos").mkdir()
    write_image(tmp_path / "photos" / "a.png", DigitScenes("test", 4, 64).sample(1)["image"])
    (tmp_path / "photos" / "broken.png").write_bytes(b"no image")
    words = [str(run), str(tmp_path / "photos"), "--demo", "1", "--draw-threshold", "0", "--save-txt"]
    assert infer.main([*words, "--output", str(tmp_path / "found")]) == 1
    records = json.loads((tmp_path / "found" / "predictions.json").read_text())
    assert [Path(record["image"]).name for record in records] == ["a.png", "broken.png", "test_0000"]
    assert "broken.png" in records[1]["error"]
    for record in (records[0], records[2]):
        lines = Path(record["picture"]).with_suffix(".txt").read_text().splitlines()
        assert len(lines) == len(record["objects"]) > 0 and Path(record["picture"]).is_file()
        name, score, left, *_ = lines[0].split()
        first = record["objects"][0]
        assert (name, float(score)) == (first["name"], first["score"]) and float(left) == pytest.approx(
            first["box"][0], abs=0.01
        )
    assert "1 of 3 images could not be read" in capsys.readouterr().out


def test_what_cannot_be_looked_at_is_refused(run: Path, tmp_path: Path) -> None:
    detector = open_detector(run)
    with pytest.raises(ValueError, match=r"is uint8 of shape \(height, width, 3\), not float32 of shape \(4, 4, 3\)"):
        detector.predict(np.zeros((4, 4, 3), np.float32))
    with pytest.raises(TypeError, match=r"is a path, a URL, or an array uint8 \(height, width, 3\), not NoneType"):
        detector.predict(None)  # type: ignore[call-overload]  # refused
    with pytest.raises(SystemExit):
        infer.main([str(run), "--demo", "1", "--draw-threshold", "nan"])
    with pytest.raises(ValueError, match="color must be 'rgb' or 'bgr', not 'gray'"):
        detector.predict(np.zeros((4, 4, 3), np.uint8), color="gray")
    config = TOOLKIT.load(CONFIG, ["network.num_classes=7"])
    with pytest.raises(ValueError, match="data.train has 10 classes, but network.num_classes is 7; set network.num_"):
        TOOLKIT.build_task(config).dataset("train")


def test_views_of_faces_are_refused_where_there_are_other_classes() -> None:
    message = "evaluate.face_views is for detectors of faces alone, but network.num_classes is 10; set evaluate.face_vi"
    with pytest.raises(ValueError, match=f"^{message}"):
        TOOLKIT.build_task(TOOLKIT.load(CONFIG, ["evaluate.face_views=true"]))


class Boxes(DigitScenes):
    """Scenes whose objects have no masks."""

    def __getitem__(self, index: int) -> Sample:
        return {name: field for name, field in super().__getitem__(index).items() if name != "gt_segm"}


def test_masks_that_the_data_lacks_are_refused_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    task = TOOLKIT.build_task(TOOLKIT.load(CONFIG, []))
    monkeypatch.setattr(task.network, "learns_masks", True)
    scenes = task.dataset("train")
    boxes = Boxes("train", 4, 64, transform=scenes.transform)
    message = "data.train.transforms: yolov3_mobilenet_v1 learns masks, but the samples have no gt_segm; add Poly2Mask"
    with pytest.raises(ValueError, match=f"^{message}"):
        task.check_dataset("train", boxes)
    task.check_dataset("test", boxes)


def test_a_metric_of_faces_alone_is_refused_before_training() -> None:
    task = TOOLKIT.build_task(TOOLKIT.load(CONFIG, ["evaluate.metric=WIDER"]))
    with pytest.raises(ValueError, match="evaluate.metric WIDER judges faces alone, but the data has 10 classes"):
        task.dataset("train")


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        ("[]", "data.test.transforms: the first sample has no 'im_shape'; begin with Decode"),
        (
            "[{name: Decode}]",
            r"data.test.transforms must give images \(3, height, width\), not \(64, 64, 3\); end them with Permute",
        ),
        (
            "[{name: Decode}, {name: Permute}, {name: NormalizeImage}]",
            r"data.test.transforms, first image: NormalizeImage: an image is \(height, width, 3\), not \(3, 64, 64\); ",
        ),
        (
            "[{name: Decode}, {name: Resize, target_size: [64, 33]}, {name: NormalizeImage}, {name: Permute}]",
            "data.test.transforms give 64 x 33 pixels, but yolov3_mobilenet_v1 takes multiples of 32; add batch_transf",
        ),
    ],
)
def test_transforms_that_the_network_cannot_take_are_refused_before_training(transforms: str, message: str) -> None:
    config = TOOLKIT.load(CONFIG, [f"data.test.transforms={transforms}"])
    with pytest.raises(ValueError, match=f"^{message}"):
        TOOLKIT.build_task(config).dataset("test")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("network.score_threshold=2", "network: yolov3_mobilenet_v1: score_threshold must be less than or equal to 1"),
        ("network.conf_thresh=-1", "network: yolov3_mobilenet_v1: conf_thresh must be greater than or equal to 0"),
        ("evaluate.merge={score_threshold: 2}", "evaluate.merge.score_threshold must be less than or equal to 1"),
    ],
)
def test_thresholds_are_shares(change: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TOOLKIT.load(CONFIG, [change])


def test_a_bucket_that_is_too_short_is_named_as_a_key() -> None:
    config = TOOLKIT.load(CONFIG, ["data.train.batching={buckets: {objects: [1]}}"])
    loader = TOOLKIT.build_task(config).loader("train")
    message = (
        "field 'gt_bbox' has [0-9]+ of size 'objects', whose last bucket is 1; add a bucket to "
        "data.train.batching.buckets.objects, or set data.train.batching.longest: truncate"
    )
    with pytest.raises(ValueError, match=message):
        list(loader.batches())


@pytest.mark.parametrize(("metric", "known"), [("VOC", "mAP"), ("COCO", "AP, AP50, AP75, AP_small, .*, mask_AR_large")])
def test_numbers_of_a_metric_are_known_before_training(metric: str, known: str, tmp_path: Path) -> None:
    words = options(f"output={tmp_path / 'run'}", f"evaluate.metric={metric}", "expect={at_least: {map: 0.5}}")
    with pytest.raises(ValueError, match=f"^expect.at_least: the evaluation gives {known}, not 'map'$"):
        train.main(["-c", str(CONFIG), *words])
