"""Twenty photographs of five sizes: an export and its ONNX file find in them what the training code finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import core
from core.vision.inputs import read_picture
from PaddleDetection import create_model, export, train
from PaddleDetection.comparing import compare
from PaddleDetection.detector import open_detector
from tests.PaddleDetection.small import CONFIG, options

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SIZES = ((160, 224), (224, 160), (192, 192), (150, 230), (256, 171))
"""Heights and widths, two of which are padded."""

NARROW: dict[str, Any] = {
    "freeze_norm": False,
    "channels": 32,
    "head_channels": 64,
    "mask_channels": 16,
    "test_pre_nms_top_n": 200,
    "test_post_nms_top_n": 100,
}
NETWORKS: dict[str, dict[str, Any]] = {
    "yolov3_mobilenet_v1": {"scale": 0.125, "width": 16, "conf_thresh": 0.0},
    "ssd_mobilenet_v1_300": {"scale": 0.125},
    "retinanet_r50_fpn": {"freeze_norm": False},
    "faster_rcnn_r18_fpn": NARROW,
    "mask_rcnn_r18_fpn": NARROW,
    "ppyoloe_crn_s": {},
}

DRAWN = {"pred_cls": 0.3, "pred_reg": 0.1, "mask_fcn_logits": 1.0}
"""Predictors that begin with zeros, or make masks of one half everywhere, and the deviation of weights instead."""

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not SHARED.is_dir(), reason="the photographs of ../shared/data are not here"),
]


def photographs() -> dict[str, np.ndarray]:
    """Ten photographs of COCO and ten of insects, four of each size."""
    files = [
        *sorted((SHARED / "coco-tiny" / "images").rglob("*.jpg"))[:10],
        *sorted((SHARED / "hymenoptera-photos").rglob("*.jpg"))[:10],
    ]
    found = {}
    for place, file in enumerate(files):
        height, width = SIZES[place % len(SIZES)]
        found[file.name] = cv2.resize(read_picture(str(file)), (width, height), interpolation=cv2.INTER_AREA)
    assert len(found) == 20 and len({image.shape for image in found.values()}) == 5
    return found


def write_weights(file: Path, network: dict[str, Any]) -> Path:
    """Write fresh weights of a detector, in which some predictors are drawn."""
    core.seed(0)
    arguments = dict(network)
    weights = create_model(arguments.pop("name"), **arguments).state_dict()
    source = np.random.RandomState(0)
    for name, value in weights.items():
        deviation = next((DRAWN[part] for part in DRAWN if part in name and name.endswith("weight")), None)
        if deviation is not None:
            weights[name] = core.to_tensor((deviation * source.standard_normal(value.shape)).astype(np.float32))
    core.save(weights, str(file))
    return file


@pytest.mark.parametrize("name", NETWORKS)
def test_an_export_finds_what_the_training_code_finds(name: str, tmp_path: Path) -> None:
    network = {"name": name, "num_classes": 10, **NETWORKS[name], "score_threshold": 0.0, "keep_top_k": 40}
    network["pretrained"] = str(write_weights(tmp_path / "weights.pdparams", network))
    changes = [f"network={json.dumps(network)}", "train.epochs=1", f"output={tmp_path / 'run'}"]
    changes += ["data.train.dataset.count=2", "data.valid.dataset.count=2"]  # one step
    assert train.main(["-c", str(CONFIG), *options(*changes)]) == 0
    run, target = tmp_path / "run", tmp_path / "exported"
    images = photographs()
    first = cv2.cvtColor(next(iter(images.values())), cv2.COLOR_RGB2BGR)
    cv2.imwrite(str(tmp_path / "one.png"), first)
    assert export.main([str(run), "--output", str(target), "--onnx", "--check", str(tmp_path / "one.png")]) == 0
    live = open_detector(run)
    for path in (target, target / "model.onnx"):
        result = compare(live, open_detector(path), images)
        assert result.equal, result.describe()
        assert result.objects >= 200 and result.scores <= 1e-4 and result.corners <= 0.1
