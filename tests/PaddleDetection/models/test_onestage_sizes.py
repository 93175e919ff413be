"""One-stage detectors have as many weights, of the same names and shapes, as PaddleDetection 2.6's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import core
from core.train.config.table import Component
from PaddleDetection.models.backbones.senet import SENet, SERes5Head
from PaddleDetection.models.norms import Norm
from PaddleDetection.models.registry import NETWORKS
from tests.parity.PaddleDetection.backbone_cases import checksum

REFERENCES = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references"
OFFICIAL = json.loads((REFERENCES / "detectors.json").read_text())


PARTS = {
    "senet154_vd": lambda: SENet(152, variant="d", groups=64, base_width=4, freeze_at=-1, freeze_norm=False),
    "se_res5": lambda: SERes5Head(50, norm=Norm()),
}
SAMPLE = ("yolov3_r50vd_dcn", "retinanet_r50_fpn", "fcos_dcn_r50_fpn", "ssd_vgg16_512", "blazeface_fpn_ssh")


@pytest.mark.parametrize(
    "name", [one if one in SAMPLE else pytest.param(one, marks=pytest.mark.zoo) for one in OFFICIAL]
)
def test_trained_parameters_and_all_names(name: str) -> None:
    with core.LazyGuard():
        if name in PARTS:
            made = PARTS[name]()
        else:
            made = NETWORKS.build(NETWORKS.check(Component(name=name)))
    count, names = OFFICIAL[name]
    assert sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient) == count
    assert checksum({key: value.shape for key, value in made.state_dict().items()}) == names
