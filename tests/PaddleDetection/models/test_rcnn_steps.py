"""Two-stage detectors in compiled steps, exports and ONNX: padding, samples, sizes never traced, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import core
from core import nn
from core.static import InputSpec
from core.train import read_metrics
from PaddleDetection import export, train
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.detector import open_detector
from PaddleDetection.models.architectures import mask_rcnn
from PaddleDetection.models.architectures.cascade_rcnn import CascadeMaskRCNN
from PaddleDetection.models.architectures.faster_rcnn import FasterRCNN
from PaddleDetection.models.architectures.mask_rcnn import MaskRCNN
from PaddleDetection.models.heads.bbox_head import TwoFCHead
from PaddleDetection.models.heads.mask_head import MaskFeat
from PaddleDetection.models.losses.rcnn_loss import bbox_loss
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.models.open_sizes import found_at_open_sizes

CHANNELS = 8
SETTINGS: dict[str, Any] = {
    "num_classes": 3,
    "anchor_sizes": [12, 20, 32],
    "train_pre_nms_top_n": 40,
    "train_post_nms_top_n": 20,
    "test_pre_nms_top_n": 30,
    "test_post_nms_top_n": 10,
    "rpn_batch_size_per_im": 32,
    "batch_size_per_im": 16,
    "canonical_size": 48,
    "score_threshold": 0.0,
    "keep_top_k": 6,
}


KINDS = [*(pytest.param(name, marks=pytest.mark.zoo) for name in ("Faster", "Mask")), "C4", "Cascade"]


class Pyramid(nn.Layer):
    """Stands in for a backbone with levels of 8 channels, or for a neck, which gives what it is given."""

    def __init__(self, strides: tuple[int, ...]) -> None:
        super().__init__()
        self.strides, self.channels = strides, (CHANNELS,) * len(strides)
        self.conv = nn.Conv2D(3, CHANNELS, strides[0], strides[0])

    def forward(self, x: Any) -> Any:
        if isinstance(x, list):
            return x
        levels = [self.conv(x)]
        for _ in self.strides[1:]:
            levels.append(nn.functional.max_pool2d(levels[-1], 2))
        return levels


class Downwards(nn.Layer):
    """Stands in for the fifth stage."""

    channels = CHANNELS

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(CHANNELS, CHANNELS, 3, 2, 1)

    def forward(self, regions: Any) -> Any:
        return nn.functional.relu(self.conv(regions))


def detector(name: str, **settings: Any) -> Any:
    core.seed(0)
    strides = (16,) if name == "C4" else (4, 8, 16)
    backbone, neck = Pyramid(strides), None if name == "C4" else Pyramid(strides)
    masks = MaskFeat(CHANNELS, 8, 0 if name == "C4" else 1)
    heads: list[Any] = [TwoFCHead(CHANNELS, 16) for _ in range(3)]
    given = {**SETTINGS, **settings}
    if name == "Cascade":
        made: Any = CascadeMaskRCNN(backbone, neck, heads, masks, **given)
    elif name == "Faster":
        made = FasterRCNN(backbone, neck, heads[0], **given)
    else:
        made = MaskRCNN(backbone, neck, Downwards() if name == "C4" else heads[0], masks, **given)
    for _, parameter in made.named_parameters():
        if parameter.ndim > 1:
            parameter.set_value(core.randn(parameter.shape) * (0.5 / parameter[0].size**0.5))
    return made


def batch(height: int = 64, width: int = 96, room: int = 4) -> dict[str, Any]:
    """Return images with three objects, one of them without a width, none, and one; the other rows hold rubbish."""
    source = np.random.RandomState(0)
    boxes = np.full((3, room, 4), np.nan, np.float32)
    boxes[0, :3] = [[10, 10, 10, 30], [4, 6, 30, 40], [20, 10, 60, 50]]
    boxes[2, :1] = [[40, 20, 80, 60]]
    masks = np.zeros((3, room, height, width), np.uint8)
    masks[0, :, 10:40, 10:40] = 1
    masks[2, 0, 25:60, 45:70] = 1
    return {
        "image": source.uniform(-1, 1, (3, 3, height, width)).astype(np.float32),
        "im_shape": np.array([[height, width]] * 3, np.float32),
        "scale_factor": np.ones((3, 2), np.float32),
        "gt_bbox": boxes,
        "gt_class": source.randint(0, 3, (3, room)),
        "gt_count": np.array([3, 0, 1]),
        "is_crowd": np.zeros((3, room), np.int64),
        "gt_segm": masks,
    }


def step(model: Any, given: dict[str, Any]) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Return losses and gradients of a compiled step."""
    names: list[str] = []

    @core.jit.to_static
    def call(*tensors: Any) -> Any:
        targets = dict(zip(given, tensors))
        losses = model.losses(targets["image"], targets["im_shape"], targets["scale_factor"], targets)
        names[:] = list(losses)
        return tuple(losses.values())

    losses = call(*map(core.to_tensor, given.values()))
    model.clear_gradients()
    core.add_n(list(losses)).backward()
    gradients = {key: one.grad.numpy() for key, one in model.named_parameters() if one.grad is not None}
    return dict(zip(names, [value.item() for value in losses])), gradients


@pytest.mark.parametrize("name", KINDS)
def test_padded_objects_count_nowhere(name: str) -> None:
    model = detector(name, use_random=False)
    given = batch()
    losses, gradients = step(model, given)
    assert all(np.isfinite(value) and value >= 0 for value in losses.values()), losses
    assert losses["loss_rpn_reg"] > 0 and (name == "Faster" or losses["loss_mask"] > 0)
    assert all(np.isfinite(one).all() for one in gradients.values())
    other = {key: value.copy() for key, value in given.items()}
    for image, count in enumerate(given["gt_count"]):
        other["gt_bbox"][image, count:] = [5, 5, 60, 60]
        other["gt_class"][image, count:] = 1
        other["is_crowd"][image, count:] = 1
        other["gt_segm"][image, count:] = 1
    again, moved = step(model, other)
    assert again == losses
    for key, value in gradients.items():
        np.testing.assert_array_equal(moved[key], value)


def test_masks_are_computed_for_as_few_regions_as_hold_the_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mask_rcnn, "LEAST", 1)
    model = detector("Mask", use_random=False, fg_thresh=0.99)  # at most four regions of an image show objects
    seen: list[int] = []
    model.mask_head.register_forward_pre_hook(lambda layer, given: seen.append(given[0].shape[0]))

    def losses(*tensors: Any) -> Any:
        targets = dict(zip(batch(), tensors))
        return model.losses(targets["image"], targets["im_shape"], targets["scale_factor"], targets)["loss_mask"]

    def found(function: Any, given: dict[str, Any]) -> tuple[float, dict[str, np.ndarray]]:
        model.clear_gradients()
        loss = function(*map(core.to_tensor, given.values()))
        loss.backward()
        return loss.item(), {key: one.grad.numpy() for key, one in model.named_parameters() if one.grad is not None}

    as_trainers_do = core.jit.not_to_static(losses)  # whose code is not rewritten, nor what it calls
    compiled = core.jit.to_static(lambda *tensors: as_trainers_do(*tensors))
    for count, room in ((1, 1), (2, 2), (3, 4)):
        given = batch()
        given["gt_bbox"][0, :3] = [[20, 10, 60, 50], [4, 6, 30, 40], [30, 20, 50, 44]]
        given["gt_count"][0] = count
        loss, gradients = found(compiled, given)
        seen.clear()
        assert found(losses, given)[0] == pytest.approx(loss, rel=1e-6)
        assert seen == [3 * room]
        with monkeypatch.context() as whole:
            whole.setattr(mask_rcnn, "PARTS", ())
            wanted, of_all = found(losses, given)
        assert seen == [3 * room, 12] and loss == pytest.approx(wanted, rel=1e-6) and loss > 0
        for key, value in of_all.items():
            np.testing.assert_allclose(gradients[key], value, rtol=1e-4, atol=1e-6, err_msg=key)
    assert len(compiled.programs) == 1


def test_samples_follow_the_seed() -> None:
    model, given = detector("Mask"), batch()
    found = []
    for seed in (1, 2, 1):
        core.seed(seed)
        found.append(step(model, given)[0])
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize("name", [*KINDS[:3], pytest.param("Cascade", marks=pytest.mark.zoo)])
def test_open_sizes(name: str, tmp_path: Path) -> None:
    for found in found_at_open_sizes(detector(name), tmp_path):
        assert len(found) == (2 if name == "Faster" else 3)


@pytest.mark.zoo
@pytest.mark.parametrize("name", ["Faster", "Mask", "C4", "Cascade"])
def test_onnxruntime_finds_the_same(name: str, tmp_path: Path) -> None:
    model = detector(name)
    model.eval()
    sizes = {"image": [1, 3, 64, 96], "im_shape": [1, 2], "scale_factor": [1, 2]}
    spec = [InputSpec(size, "float32", key) for key, size in sizes.items()]
    core.onnx.export(model, str(tmp_path / "model"), spec, opset_version=19)
    image = np.sin(np.arange(3 * 64 * 96, dtype=np.float32)).reshape(1, 3, 64, 96)
    given = [image, np.array([[64, 96]], np.float32), np.ones((1, 2), np.float32)]
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    wanted = model(*map(core.to_tensor, given))
    assert wanted[1].item() > 0
    for found, one in zip(session.run(None, dict(zip(sizes, given))), wanted):
        np.testing.assert_allclose(found, one.numpy(), rtol=1e-4, atol=1e-3)


def test_losses_of_the_releases_before_2_0_against_numpy() -> None:
    source = np.random.RandomState(1)
    deltas, scores = source.randn(4, 12).astype(np.float32), source.randn(4, 4).astype(np.float32)
    rois = np.array([[0, 0, 10, 20], [5, 5, 25, 15], [0, 0, 0, 0], [2, 3, 30, 40]], np.float32)
    boxes = np.array([[1, 2, 12, 18], [4, 4, 26, 18], [0, 0, 0, 0], [0, 0, 0, 0]], np.float32)
    labels, weights = np.array([1, 0, -1, 3]), np.array([10.0, 10.0, 5.0, 5.0])
    given = (core.to_tensor(one) for one in (scores, deltas, rois, labels, boxes))
    found = [value.item() for value in bbox_loss(*given, weights.tolist(), beta=1.0)]
    sizes, lengths = (one[:2, 2:] - one[:2, :2] for one in (rois, boxes))
    shifts = (boxes[:2, :2] + lengths / 2 - rois[:2, :2] - sizes / 2) / sizes
    wanted = np.concatenate([shifts, np.log(lengths / sizes)], 1) * weights
    apart = np.abs(np.stack([deltas[0, 4:8], deltas[1, :4]]) - wanted)
    counted = np.where(apart < 1, apart**2 / 2, apart - 0.5).sum() / 3
    likely = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    entropy = -np.log(likely[[0, 1, 3], [1, 0, 3]]).mean()
    np.testing.assert_allclose(found, [entropy, counted], rtol=1e-5)


def test_boxes_without_an_area_are_left_out() -> None:
    model = detector("Faster")
    model.eval()
    image = core.to_tensor(np.sin(np.arange(3 * 64 * 96, dtype=np.float32)).reshape(1, 3, 64, 96))
    shape = core.to_tensor(np.array([[64, 96]], np.float32))
    model.bbox_head.bbox_delta.bias.set_value(core.to_tensor(np.tile([1000.0, 0, 0, 0], 3).astype(np.float32)))
    rows, counts = model(image, shape, core.ones([1, 2]))
    assert counts.numpy().tolist() == [0]
    np.testing.assert_array_equal(rows.numpy()[0], [[-1, 0, 0, 0, 0, 0]] * 6)


def test_no_proposals_at_all() -> None:
    model, given = detector("Mask", rpn_min_size=1000.0, use_random=False), batch()
    given["gt_count"][:] = 0  # and no objects, which would be proposals, too
    tensors = {key: core.to_tensor(value) for key, value in given.items()}
    whole = tensors["image"], tensors["im_shape"], tensors["scale_factor"]
    losses = model.losses(*whole, tensors)
    found = {key: value.item() for key, value in losses.items()}
    assert found["loss_rpn_cls"] > 0 and np.isfinite(found["loss_rpn_cls"])
    assert found["loss_bbox_cls"] == pytest.approx(np.log(4), rel=1e-4)  # Paddle gives a box of zeros, as background
    assert [found[key] for key in ("loss_rpn_reg", "loss_bbox_reg", "loss_mask")] == [0.0] * 3
    model.eval()
    rows, counts, masks = (one.numpy() for one in model(*whole))
    assert counts.tolist() == [0, 0, 0] and not masks.any()
    np.testing.assert_array_equal(rows, np.tile([-1.0, 0, 0, 0, 0, 0], (3, 6, 1)))


def test_refuses() -> None:
    given = {key: core.to_tensor(value) for key, value in batch().items() if key != "gt_segm"}
    with pytest.raises(ValueError, match="the data has no gt_segm: add the transform Poly2Mask"):
        detector("Mask").losses(given["image"], given["im_shape"], given["scale_factor"], given)
    with pytest.raises(ValueError, match="anchor_sizes must hold 3 numbers, one a level, not 2"):
        detector("Faster", anchor_sizes=[8, 16])
    with pytest.raises(ValueError, match="cascade_iou must hold 3 numbers, one a stage, not 2"):
        detector("Cascade", cascade_iou=[0.5, 0.6])
    with pytest.raises(ValueError, match="the masks' convolutions have norm_type null or 'gn', not 'bn'"):
        MaskFeat(norm_type="bn")


def test_settings_of_all_parts_may_stand_in_a_config() -> None:
    known = NETWORKS.describe("cascade_mask_rcnn_r50_fpn")
    for setting in ("freeze_norm", "cascade_iou", "class_agnostic", "anchor_sizes", "keep_top_k", "head_norm_type"):
        assert f"{setting}: " in known
    assert "head: " not in known and "trunk" not in known and "channels: 256" in known


@pytest.mark.zoo
def test_smallest_network_trains_and_is_exported(tmp_path: Path) -> None:
    path = Path(__file__).resolve().parents[3] / "PaddleDetection" / "configs" / "digits_mask_rcnn.yaml"
    changes = [
        *("network.channels=32", "network.head_channels=32", "network.mask_channels=32", "network.score_threshold=0.0"),
        *(f"data.{split}.dataset.{key}" for split in ("train", "valid", "test") for key in ("size=64", "count=4")),
        *("data.train.batch_size=2", "data.valid.batch_size=4", "data.test.batch_size=4", "train.epochs=3"),
        *("schedule.warmup_epochs=0", "expect=null", f"output={tmp_path / 'run'}"),
    ]
    assert train.main(["-c", str(path), *(word for change in changes for word in ("-o", change))]) == 0
    rows = [row for row in read_metrics(tmp_path / "run" / "metrics.jsonl") if row["split"] == "train"]
    assert np.isfinite([rows[-1][key] for key in ("loss", "loss_mask", "loss_rpn_cls")]).all()
    assert export.main([str(tmp_path / "run"), "--output", str(tmp_path / "exported")]) == 0
    live, exported = open_detector(tmp_path / "run"), open_detector(tmp_path / "exported")
    image = DigitScenes("test", 1, 64).sample(0)["image"]
    one, other = live.predict(image), exported.predict(image)
    assert len(one.scores) > 0
    np.testing.assert_array_equal(one.classes, other.classes)
    np.testing.assert_allclose(one.boxes, other.boxes, atol=1e-2)
