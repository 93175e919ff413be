from __future__ import annotations

import PaddleClas
from PaddleClas.models.weights import WEIGHTS

HOST = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/"


def test_every_model_but_lenet_has_a_published_file() -> None:
    assert [name for name in PaddleClas.list_models() if name not in WEIGHTS] == ["LeNet"]
    assert set(WEIGHTS) <= set(PaddleClas.list_models())


def test_addresses_are_the_published_ones() -> None:
    assert WEIGHTS["ResNet50_vd"].url == f"{HOST}legendary_models/ResNet50_vd_pretrained.pdparams"
    assert WEIGHTS["ResNet50_vc"].url == f"{HOST}ResNet50_vc_pretrained.pdparams"
    assert WEIGHTS["MobileNetV2_x0_25"].url == f"{HOST}MobileNetV2_x0_25_pretrained.pdparams"
    assert len({record.url for record in WEIGHTS.values()}) == len(WEIGHTS)


def test_no_checksum_is_claimed_that_nobody_measured() -> None:
    assert {record.sha256 for record in WEIGHTS.values()} == {None}


def test_records_say_how_to_use_the_weights() -> None:
    record = WEIGHTS["ResNet18"]
    assert record.metrics == {"ImageNet top-1 %": 70.98, "ImageNet top-5 %": 89.92}
    assert record.class_count == 1000
    assert record.preprocessing is not None and record.preprocessing.input_size == (224, 224)
    for name, record in WEIGHTS.items():
        assert "https://arxiv.org/abs/" in record.paper, name
        assert 50 < record.metrics["ImageNet top-1 %"] < record.metrics["ImageNet top-5 %"] < 100
