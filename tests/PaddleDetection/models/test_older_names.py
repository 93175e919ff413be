"""Names of Fluid 1.x, spelt out loop by loop as PaddleDetection 0.x builds its networks; its files into today's."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleDetection
from PaddleDetection.models.older_names import fluid_names, renamed
from tests.PaddleClas.models.test_older_names import FORMS, write_archive, write_folder

NORM = ("weight", "bias", "_mean", "_variance")
BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}
SMALL = {"scale": 0.25, "width": 32, "num_classes": 3}


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    shutil.rmtree(tmp_path)


def with_norm(today: str, norm: str, older: str, older_norm: str, endings: tuple[str, ...]) -> dict[str, str]:
    """Return the names of a convolution and its norm: today's layers, the names in 1.x, and how the norm's end."""
    return {f"{today}.weight": older, **{f"{norm}.{a}": f"{older_norm}{b}" for a, b in zip(NORM, endings)}}


def of_resnet(depth: int, stem: int = 1, stages: str = "2345", nested: bool = False) -> dict[str, str]:
    endings = ("_scale", "_offset", "_mean", "_variance")
    found: dict[str, str] = {}
    for number in range(1, stem + 1):
        name = "conv1" if stem == 1 else f"conv1_{number}"
        norm = "bn_conv1" if stem == 1 else f"bnv1_{number}"
        layer = f"backbone.conv1.{name}"
        found |= with_norm(f"{layer}.conv", f"{layer}.norm", f"{name}_weights", norm, endings)
    for stage, count in zip("2345", BLOCKS[depth]):
        owner = "backbone" if stage in stages else "bbox_head.head"
        for block in range(count):
            letter = chr(97 + block) if count < 10 or not block else f"b{block}"
            parts = ["branch2a", "branch2b", *(["branch2c"] if depth > 34 else []), *([] if block else ["short"])]
            for part in parts:
                older = f"{stage}{letter}_{'branch1' if part == 'short' else part}"
                inner = ".conv" if part == "short" and nested and stage != "2" else ""
                layer = f"{owner}.res{stage}.res{stage}{letter}.{part}{inner}"
                found |= with_norm(f"{layer}.conv", f"{layer}.norm", f"res{older}_weights", f"bn{older}", endings)
    return found


def of_mobilenet(extra: bool = False) -> dict[str, str]:
    names = ["2_1", "2_2", "3_1", "3_2", "4_1", "4_2", *(f"5_{number}" for number in range(1, 7)), "6"]
    layers = {"conv1": "conv1"}
    for name in names:
        layers |= {f"conv{name}._depthwise_conv": f"conv{name}_dw", f"conv{name}._pointwise_conv": f"conv{name}_sep"}
    for number in range(1, 5) if extra else ():
        layers |= {f"conv7_{number}.pointwise_conv": f"conv7_{number}_extra1"}
        layers |= {f"conv7_{number}.normal_conv": f"conv7_{number}_extra2"}
    endings = ("_scale", "_offset", "_mean", "_variance")
    found: dict[str, str] = {}
    for today, older in layers.items():
        layer = f"backbone.{today}"
        found |= with_norm(f"{layer}._conv", f"{layer}._batch_norm", f"{older}_weights", f"{older}_bn", endings)
    return found


def yolo_layers(layers: Mapping[str, str]) -> dict[str, str]:
    endings = (".scale", ".offset", ".mean", ".var")
    found: dict[str, str] = {}
    for today, older in layers.items():
        found |= with_norm(f"{today}.conv", f"{today}.batch_norm", f"{older}.conv.weights", f"{older}.bn", endings)
    return found


def of_yolo() -> dict[str, str]:
    layers, heads = {}, {}
    for level in range(3):
        block, inner = f"neck.yolo_block.{level}", f"yolo_block.{level}"
        for number, older in enumerate(("0.0", "0.1", "1.0", "1.1")):
            layers[f"{block}.conv_module.conv{number}"] = f"{inner}.{older}"
        layers |= {f"{block}.conv_module.route": f"{inner}.2", f"{block}.tip": f"{inner}.tip"}
        if level < 2:
            layers[f"neck.yolo_transition.{level}"] = f"yolo_transition.{level}"
        heads[f"yolo_head.yolo_output.{level}.weight"] = f"yolo_output.{level}.conv.weights"
        heads[f"yolo_head.yolo_output.{level}.bias"] = f"yolo_output.{level}.conv.bias"
    return {**yolo_layers(layers), **heads}


def of_darknet() -> dict[str, str]:
    layers = {"backbone.conv0": "yolo_input", "backbone.downsample0.conv_bn_layer": "yolo_input.downsample"}
    for stage, count in enumerate((1, 2, 8, 8, 4)):
        for block in range(count):
            inner = f"stage.{stage}.{block}" if block else "basicblock0"
            for number in (1, 2):
                layers[f"backbone.stage.{stage}.{inner}.conv{number}"] = f"stage.{stage}.{block}.{number - 1}"
        if stage < 4:
            layers[f"backbone.stage.{stage}.downsample.conv_bn_layer"] = f"stage.{stage}.downsample"
    return yolo_layers(layers)


def w_and_b(layers: Mapping[str, str]) -> dict[str, str]:
    return {f"{a}.{x}": f"{b}_{y}" for a, b in layers.items() for x, y in (("weight", "w"), ("bias", "b"))}


def of_pyramid(first: int = 2, extra: bool = False) -> dict[str, str]:
    names = [f"fpn_res{stage}_sum" for stage in range(first, 6)] + ["fpn_inner_res5_sum"]
    names += [f"fpn_inner_res{stage}_sum_lateral" for stage in range(first, 5)] + ["fpn_6", "fpn_7"] * extra
    return w_and_b({f"neck.{name}": name for name in names})


def of_proposals(level: str) -> dict[str, str]:
    layers = {"rpn_feat.rpn_conv": "conv_rpn", "rpn_rois_score": "rpn_cls_logits", "rpn_rois_delta": "rpn_bbox_pred"}
    return w_and_b({f"rpn_head.{today}": f"{older}{level}" for today, older in layers.items()})


def of_boxes(pyramid: bool = True) -> dict[str, str]:
    layers = {"bbox_head.bbox_score": "cls_score", "bbox_head.bbox_delta": "bbox_pred"}
    return w_and_b({**layers, **({f"bbox_head.head.fc{n}": f"fc{n}" for n in (6, 7)} if pyramid else {})})


def of_cascade() -> dict[str, str]:
    layers = {}
    for step, ending in enumerate(("", "_2", "_3")):
        layers |= {f"bbox_head.head.{step}.fc{number}": f"fc{number}{ending}" for number in (6, 7)}
        layers |= {f"bbox_head.bbox_score_stage{step}": f"cls_score{ending}"}
        layers |= {f"bbox_head.bbox_delta_stage{step}": f"bbox_pred{ending}"}
    return w_and_b(layers)


def of_masks(count: int) -> dict[str, str]:
    names = [*(f"mask_inter_feat_{number}" for number in range(1, count + 1)), "conv5_mask"]
    layers = {f"mask_head.head.upsample.{name}": name for name in names}
    return w_and_b({**layers, "mask_head.mask_fcn_logits": "mask_fcn_logits"})


def of_retina() -> dict[str, str]:
    layers = {"head.retina_cls": "retnet_cls_pred_fpn3", "head.retina_reg": "retnet_bbox_pred_fpn3"}
    for number in range(4):
        for today, older in (("cls", "cls"), ("reg", "bbox")):
            tower = f"head.conv_feat.fcos_head_{today}_tower_conv_{number}.conv"
            layers[tower] = f"retnet_{older}_conv_n{number}_fpn3"
    return w_and_b(layers)


def of_ssd() -> dict[str, str]:
    numbers = iter(range(22, 34))
    layers = {f"ssd_head.{kind}{level}": next(numbers) for level in range(6) for kind in ("boxes", "scores")}
    return {f"{a}.{x}": f"conv2d_{b}.{x[0]}_0" for a, b in layers.items() for x in ("weight", "bias")}


EXPECTED = {
    "yolov3_darknet53": lambda: {**of_darknet(), **of_yolo()},
    "yolov3_mobilenet_v1": lambda: {**of_mobilenet(), **of_yolo()},
    "yolov3_r34": lambda: {**of_resnet(34), **of_yolo()},
    "ssd_mobilenet_v1_300": lambda: {**of_mobilenet(extra=True), **of_ssd()},
    "retinanet_r101_fpn": lambda: {**of_resnet(101), **of_pyramid(3, extra=True), **of_retina()},
    "faster_rcnn_r50": lambda: {**of_resnet(50, stages="234"), **of_proposals(""), **of_boxes(pyramid=False)},
    "faster_rcnn_r50_vd_fpn": lambda: {
        **of_resnet(50, 3, nested=True), **of_pyramid(), **of_proposals("_fpn2"), **of_boxes(),
    },
    "mask_rcnn_r101_fpn": lambda: {
        **of_resnet(101), **of_pyramid(), **of_proposals("_fpn2"), **of_boxes(), **of_masks(4),
    },
    "cascade_mask_rcnn_r50_fpn": lambda: {
        **of_resnet(50), **of_pyramid(), **of_proposals("_fpn2"), **of_cascade(), **of_masks(4),
    },
    "cascade_rcnn_r18_fpn": lambda: {**of_resnet(18), **of_pyramid(), **of_proposals("_fpn2"), **of_cascade()},
    "mask_rcnn_r18_fpn": lambda: {
        **of_resnet(18), **of_pyramid(), **of_proposals("_fpn2"), **of_boxes(), **of_masks(4),
    },
    "mask_rcnn_r50": lambda: {
        **of_resnet(50, stages="234"), **of_proposals(""), **of_boxes(pyramid=False), **of_masks(0),
    },
}  # fmt: skip


def shapes(name: str, **settings: Any) -> dict[str, tuple[int, ...]]:
    with core.LazyGuard():
        model = PaddleDetection.create_model(name, **settings)
    return {key: tuple(tensor.shape) for key, tensor in model.state_dict().items()}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_parameter_has_its_name(name: str) -> None:
    names = list(shapes(name))
    expected = EXPECTED[name]()
    assert sorted(names) == sorted(expected)
    assert fluid_names(names) == {older: today for today, older in expected.items()}


def seeded(found: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    source = np.random.default_rng(0)
    return {name: source.standard_normal(shape, np.float32) for name, shape in found.items()}


def assert_loads(name: str, path: Path, expected: Mapping[str, np.ndarray], **settings: Any) -> None:
    loaded = PaddleDetection.create_model(name, pretrained=path, **settings).state_dict()
    assert list(loaded) == list(expected)
    for key, array in expected.items():
        np.testing.assert_array_equal(loaded[key].numpy(), array, err_msg=key)


@pytest.mark.parametrize("form", [pytest.param(form, marks=() if "." in form else pytest.mark.zoo) for form in FORMS])
def test_yolo_from_every_form_of_a_file(form: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = seeded(shapes("yolov3_mobilenet_v1", **SMALL))
    names = EXPECTED["yolov3_mobilenet_v1"]()
    path = FORMS[form]({names[key]: array for key, array in values.items()}, tmp_path / form)
    with caplog.at_level(logging.INFO):
        assert_loads("yolov3_mobilenet_v1", path, values, **SMALL)
    assert f"{len(values)} of {len(values)} entries of the file have names of Fluid 1.x" in caplog.text


def background_first(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return SSD's parameters with the scores of background before those of the classes, prior box by prior box."""
    found = dict(values)
    for key, array in values.items():
        if key.startswith("ssd_head.scores"):
            priors = len(values[f"ssd_head.boxes{key[15]}.bias"]) // 4
            rows = np.split(array, priors)
            found[key] = np.concatenate([np.concatenate([row[-1:], row[:-1]]) for row in rows])
    return found


@pytest.mark.parametrize("named", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_ssd_with_its_21_classes(named: bool, tmp_path: Path) -> None:
    settings = {"scale": 0.25, "num_classes": 20}
    values = seeded(shapes("ssd_mobilenet_v1_300", **settings))
    names = EXPECTED["ssd_mobilenet_v1_300"]()
    if not named:  # all in the order in which they are built
        counts = {"conv2d": 0, "depthwise_conv2d": 0, "batch_norm": 0}
        for layer in dict.fromkeys(key.rpartition(".")[0] for key in values if key.startswith("backbone.")):
            kind = "depthwise_conv2d" if layer.endswith("_depthwise_conv._conv") else "conv2d"
            kind = "batch_norm" if layer.endswith("_batch_norm") else kind
            for own, ending in zip(NORM, ("w_0", "b_0", "w_1", "w_2")):
                if f"{layer}.{own}" in names:
                    names[f"{layer}.{own}"] = f"{kind}_{counts[kind]}.{ending}"
            counts[kind] += 1
        assert counts == {"conv2d": 22, "depthwise_conv2d": 13, "batch_norm": 35}
    older = {names[key]: array for key, array in background_first(values).items()}
    assert_loads("ssd_mobilenet_v1_300", write_archive(older, tmp_path / "net.tar"), values, **settings)


def with_background(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the parameters of a two-stage detector as 1.x has them: background is the first class of all."""
    found = dict(values)
    for key, array in values.items():
        rest = np.ones((*array.shape[:-1], 4), np.float32)
        if "bbox_score" in key:
            found[key] = np.concatenate([array[..., -1:], array[..., :-1]], axis=-1)
        elif "bbox_delta" in key:
            found[key] = np.concatenate([rest, array], axis=-1)
        elif "mask_fcn_logits" in key:
            found[key] = np.concatenate([np.ones_like(array[:1]), array])
    return found


@pytest.mark.zoo
@pytest.mark.parametrize("name", ["mask_rcnn_r18_fpn", "cascade_rcnn_r18_fpn"])
def test_a_detector_of_81_classes_becomes_one_of_80(name: str, tmp_path: Path) -> None:
    values = seeded(shapes(name))
    names = EXPECTED[name]()
    older = {names[key]: array for key, array in with_background(values).items()}
    assert older["cls_score_w"].shape == (1024, 81)
    assert_loads(name, write_folder(older, tmp_path / name), values)


HEADS = {
    "bbox_head.bbox_score.weight": (6, 4),
    "bbox_head.bbox_score.bias": (4,),
    "bbox_head.bbox_delta.weight": (6, 12),
    "bbox_head.bbox_delta.bias": (12,),
    "mask_head.mask_fcn_logits.weight": (3, 5, 1, 1),
    "mask_head.mask_fcn_logits.bias": (3,),
}


def test_heads_of_two_stages_lose_background_or_have_it_last() -> None:
    classes = {"background": -1.0, "cat": 0.0, "dog": 1.0, "cow": 2.0}
    one = np.array(list(classes.values()), np.float32)
    values = {
        "cls_score_w": np.tile(one, (6, 1)),
        "cls_score_b": one,
        "bbox_pred_w": np.tile(np.repeat(one, 4), (6, 1)),
        "bbox_pred_b": np.repeat(one, 4),
        "mask_fcn_logits_w": np.broadcast_to(one[:, None, None, None], (4, 5, 1, 1)),
        "mask_fcn_logits_b": one,
    }
    found = renamed(HEADS, values)
    assert {name: array.shape for name, array in found.items()} == HEADS
    assert found["bbox_head.bbox_score.bias"].tolist() == [0, 1, 2, -1]
    assert found["bbox_head.bbox_score.weight"][3].tolist() == [0, 1, 2, -1]
    assert found["bbox_head.bbox_delta.bias"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert found["mask_head.mask_fcn_logits.weight"][:, 0, 0, 0].tolist() == [0, 1, 2]


def test_anchors_come_size_by_size() -> None:
    retina = {"head.retina_cls.bias": (18,), "head.retina_reg.bias": (36,)}
    ratio_by_ratio = [(ratio, size) for ratio in (1.0, 2.0, 0.5) for size in (4, 5, 6)]
    size_by_size = [(ratio, size) for size in (4, 5, 6) for ratio in (0.5, 1.0, 2.0)]
    number = {anchor: place for place, anchor in enumerate(ratio_by_ratio)}
    order = [number[anchor] for anchor in size_by_size]
    older = {"retnet_cls_pred_fpn3_b": np.arange(18), "retnet_bbox_pred_fpn3_b": np.arange(36)}
    found = renamed(retina, older)
    assert found["head.retina_cls.bias"].reshape(9, 2).tolist() == [[2 * place, 2 * place + 1] for place in order]
    assert found["head.retina_reg.bias"].reshape(9, 4)[:, 0].tolist() == [4 * place for place in order]
    proposals = {"rpn_head.rpn_rois_score.bias": (15,), "rpn_head.rpn_rois_delta.bias": (60,)}
    found = renamed(proposals, {"rpn_cls_logits_b": np.arange(15), "rpn_bbox_pred_b": np.arange(60)})
    expected = [5 * ratio + size for size in range(5) for ratio in range(3)]
    assert found["rpn_head.rpn_rois_score.bias"].tolist() == expected


def test_a_frozen_norm_of_scale_and_offset_is_one_with_statistics() -> None:
    layer = "backbone.res2.res2a.branch2a"
    found = renamed(
        {f"{layer}.conv.weight": (2, 3, 1, 1), **{f"{layer}.norm.{name}": (2,) for name in NORM}},
        {
            "res2a_branch2a_weights": np.zeros((2, 3, 1, 1)),
            "bn2a_branch2a_scale": np.array([3.0, 4.0]),
            "bn2a_branch2a_offset": np.array([1.0, 2.0]),
            "learning_rate": np.zeros(1),
        },
    )
    mean, variance = (found[f"{layer}.norm.{name}"] for name in ("_mean", "_variance"))
    x = np.array([5.0, -6.0])
    scaled = (x - mean) / np.sqrt(variance + 1e-5) * [3.0, 4.0] + [1.0, 2.0]
    np.testing.assert_allclose(scaled, x * [3.0, 4.0] + [1.0, 2.0], rtol=1e-6)
    assert len(found) == 5


def test_a_classifier_of_fluid_fills_the_backbone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = shapes("yolov3_mobilenet_v1", **SMALL)
    values = seeded({name: shape for name, shape in found.items() if name.startswith("backbone.")})
    names = of_mobilenet()
    file = {**{names[key]: array for key, array in values.items()}, "fc7_weights": np.zeros((256, 1000), np.float32)}
    core.seed(0)
    with caplog.at_level(logging.INFO):
        path = write_folder(file, tmp_path / "MobileNetV1_pretrained")
        model = PaddleDetection.create_model("yolov3_mobilenet_v1", pretrained=path, **SMALL)
    loaded = model.state_dict()
    for key, array in values.items():
        np.testing.assert_array_equal(loaded[key].numpy(), array, err_msg=key)
    assert float(core.abs(loaded["yolo_head.yolo_output.0.weight"]).max()) > 0
    assert "holds the weights of the backbone alone; neck and heads have fresh ones" in caplog.text
