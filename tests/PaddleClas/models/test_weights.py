from __future__ import annotations

import PaddleClas
from PaddleClas.models.weights import SSLD_WEIGHTS, WEIGHTS

HOST = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/"
WITHOUT_FIGURES = (
    *(f"RegNetX_{size}" for size in ("200MF", "400MF", "600MF", "800MF", "1600MF", "3200MF")),
    *(f"RegNetX_{size}" for size in ("6400MF", "8GF", "12GF", "16GF", "32GF")),
    *("ResNeSt101", "ResNeSt200", "ResNeSt269", "PPLCNetV2_small", "PPLCNetV2_large"),
    *("ConvNeXt_small", "ConvNeXt_base_224", "ConvNeXt_base_384", "ConvNeXt_large_224", "ConvNeXt_large_384"),
)
"""Files whose address the official code names, and whose accuracy its documents do not."""


def test_every_model_but_few_has_a_published_file() -> None:
    without = ["LeNet", "NASNetA_mobile", "NASNetA_large", "PNASNet5_large"]
    found = [name for name in PaddleClas.list_models() if name not in WEIGHTS]
    assert found == without, "enter the official file in PaddleClas/models/weights.py, or the name here"
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
        if name not in WITHOUT_FIGURES:
            assert 49 < record.metrics["ImageNet top-1 %"] < record.metrics["ImageNet top-5 %"] < 100
    assert {name for name, record in WEIGHTS.items() if not record.metrics} == set(WITHOUT_FIGURES)


def test_distilled_weights_are_better_than_the_others() -> None:
    for name, record in SSLD_WEIGHTS.items():
        assert record.url.endswith(f"{name}_ssld_pretrained.pdparams")
        figures = WEIGHTS[name].metrics
        assert name == "SE_HRNet_W64_C" or all(record.metrics[key] > figures[key] for key in figures), name
