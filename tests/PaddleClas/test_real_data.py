"""The shipped configs on the real data that they are written for, where that is at hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.train import load_config
from PaddleClas import train
from PaddleClas.config import ClassificationConfig

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")


@pytest.mark.parametrize(
    ("name", "folder", "counts", "classes"),
    [
        ("mnist_lenet", "mnist-sample", {"train": 6301, "valid": 699, "test": 1000}, 10),
        ("fashion_mnist_resnet18", "fashion-mnist-sample", {"train": 450, "valid": 50, "test": 100}, 10),
        ("fashion_mnist_lenet", "fashion-mnist-sample", {"train": 500, "test": 100}, 10),
        ("hymenoptera_mobilenet_v1", "hymenoptera-photos", {"train": 60, "test": 25}, 2),
        ("hymenoptera_resnet18", "hymenoptera-photos", {"train": 60, "test": 25}, 2),
    ],
)
def test_configs_find_their_data(name: str, folder: str, counts: dict[str, int], classes: int) -> None:
    config = load_config(
        ClassificationConfig, ROOT / "PaddleClas" / "configs" / f"{name}.yaml", [f"data.root={SHARED / folder}"]
    )
    seen = []
    for split, count in counts.items():
        dataset = config.data.split(split).build_dataset(config.data.root)
        assert abs(len(dataset) - count) <= 1 and len(dataset.class_names) == classes
        shapes = {dataset[index][0].shape for index in (0, len(dataset) // 2, len(dataset) - 1)}
        assert len(shapes) == 1
        seen.append(np.bincount([dataset.label(index) for index in range(len(dataset))], minlength=classes))
    if folder == "hymenoptera-photos":
        assert sum(seen).tolist() == [45, 40]


@pytest.mark.exhaustive
def test_lenet_learns_real_digits_in_two_epochs(tmp_path: Path) -> None:
    config = str(ROOT / "PaddleClas" / "configs" / "mnist_lenet.yaml")
    changes = [f"output={tmp_path}/run", "train.epochs=2", "expect.at_least.accuracy=0.9", "train.tensorboard=false"]
    options = [word for change in changes for word in ("-o", change)]
    assert train.main(["-c", config, "--data", str(SHARED / "mnist-sample"), *options]) == 0
    assert json.loads((tmp_path / "run" / "results.json").read_text())["results"]["test"]["accuracy"] >= 0.9
