"""What the comparison with PyTorch on blood cells rests on: the same batches, and one judge for both sides."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.PaddleDetection import blood_cells
from core.train import load_config
from PaddleDetection.config import DetectionConfig
from PaddleDetection.task import DetectionTask

NAMES = ("RBC", "WBC", "Platelets")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four images to train and two to validate, each with an object of every class, as BCCD's."""
    folder = tmp_path_factory.mktemp("bccd")
    source = np.random.default_rng(0)
    for name in ("Annotations", "ImageSets/Main", "JPEGImages"):
        (folder / name).mkdir(parents=True)
    for split, names in (("train", "abcd"), ("val", "ef")):
        (folder / f"ImageSets/Main/{split}.txt").write_text("".join(f"{name}\n" for name in names))
        for name in names:
            cv2.imwrite(str(folder / f"JPEGImages/{name}.jpg"), source.integers(0, 256, (480, 640, 3), np.uint8))
            corners = [("xmin", 40), ("ymin", 60), ("xmax", 140), ("ymax", 200)]
            objects = "".join(
                f"<object><name>{kind}</name><difficult>0</difficult><bndbox>"
                + "".join(f"<{key}>{value + 150 * number * key.startswith('x')}</{key}>" for key, value in corners)
                + "</bndbox></object>"
                for number, kind in enumerate(NAMES)
            )
            size = "<size><width>640</width><height>480</height><depth>3</depth></size>"
            text = f"<annotation><filename>{name}.jpg</filename>{size}{objects}</annotation>"
            (folder / f"Annotations/{name}.xml").write_text(text)
    return folder


def config_of(data: Path, network: str, *overrides: str) -> DetectionConfig:
    """Return a config that is compared, of two epochs."""
    given = [f"data.root={json.dumps(str(data))}", "train.epochs=2", *overrides]
    return load_config(DetectionConfig, blood_cells.CONFIGS / f"bccd_{network}.yaml", given)


def test_every_run_has_its_configs_and_a_name_of_its_own() -> None:
    assert len({run.name for run in blood_cells.RUNS}) == len(blood_cells.RUNS) == 11
    for run in blood_cells.RUNS:
        assert (blood_cells.CONFIGS / f"bccd_{run.network}.yaml").exists()
        assert (blood_cells.CONFIGS / f"digits_{run.network}.yaml").exists()


def test_the_recorded_batches_are_those_of_the_training(data: Path, tmp_path: Path) -> None:
    config = config_of(data, "yolov3_mobilenet_v1", "data.train.batch_size=2")
    blood_cells.record(config, tmp_path)
    images, boxes, counts = (np.load(tmp_path / f"{name}.npy") for name in ("images", "gt_bbox", "gt_count"))
    loader = DetectionTask(config).loader("train")
    loader.set_epoch(1)
    batches = list(loader.batches())
    assert len(images) == 2 * len(batches) == 4
    for step, batch in enumerate(batches, 2):
        np.testing.assert_allclose(images[step].astype(np.float32), batch["image"].numpy(), atol=2e-3)
        np.testing.assert_array_equal(boxes[step], batch["gt_bbox"].numpy())
        np.testing.assert_array_equal(counts[step], [3, 3])
    stored = json.loads((tmp_path / "config.json").read_text())
    assert stored["network"]["width"] == 128 and stored["schedule"]["learning_rate"] == 0.002


def test_the_objects_themselves_score_one_and_half_of_them_less(data: Path) -> None:
    config = config_of(data, "yolov3_mobilenet_v1")
    height, width = config.data.valid.transforms[1].arguments["target_size"]
    corners = np.array([[40, 60, 140, 200], [190, 60, 290, 200], [340, 60, 440, 200]]) - 1.0
    scaled = corners * np.tile([width / 640, height / 480], 2)
    rows = np.concatenate([np.arange(3)[:, None], np.ones((3, 1)), scaled], 1)
    image = np.repeat([0, 1], 3)
    whole = blood_cells.evaluated(config, np.tile(rows, (2, 1)), image)
    assert whole == {"mAP": 1.0, "AP_of_classes": dict.fromkeys(NAMES, 1.0)}
    half = blood_cells.evaluated(config, rows, image[:3])
    assert half["mAP"] == 0.5


def test_the_table_has_means_and_deviations_of_both_sides() -> None:
    def side(value: float) -> dict[str, object]:
        return {"mAP": value, "AP_of_classes": {"RBC": value, "WBC": 1.0}}

    rows = [{"run": f"net, seed {seed}", "ours": side(0.5 + seed / 10), "pytorch": side(0.5)} for seed in (0, 1)]
    rows.append({"run": "net, from digits, seed 0", "ours": side(0.75)})
    lines = [" ".join(line.split()) for line in blood_cells.table(rows)[2:]]
    assert lines == [
        "| net | 2 | 0.550 ± 0.071 | RBC 0.550, WBC 1.000 | 0.500 ± 0.000 | RBC 0.500, WBC 1.000 |",
        "| net, from digits | 1 | 0.750 | RBC 0.750, WBC 1.000 | | |",
    ]
