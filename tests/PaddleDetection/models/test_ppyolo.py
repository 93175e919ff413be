"""PP-YOLO's and PP-YOLOv2's necks, boxes and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.train.config.table import Component
from PaddleDetection.models.architectures.ppyolo import PPYOLO, PPYOLOMobile
from PaddleDetection.models.losses.yolov3_loss import YOLOv3Loss
from PaddleDetection.models.necks.drop_block import DropBlock
from PaddleDetection.models.necks.pp_yolo_fpn import PPYOLOFPN, CoordConv, PPYOLOTinyFPN
from PaddleDetection.models.necks.pp_yolo_pan import PPYOLOPAN
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.models.open_sizes import found_at_open_sizes
from tests.parity.PaddleDetection import onestage_cases, pp_cases, yolo_cases
from tests.parity.stored import stored_arrays


class Given(nn.Layer):
    """Stands in for a backbone: gives the feature maps that it is given."""

    def forward(self, maps: Any) -> Any:
        return maps


class Pyramid(nn.Layer):
    """Stands in for a backbone with levels of a few channels."""

    channels = (6, 10)
    strides = (16, 32)

    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.LayerList([nn.Conv2D(3, width, side, side) for width, side in zip(self.channels, self.strides)])

    def forward(self, image: Any) -> Any:
        return [conv(image) for conv in self.convs]


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "ppyolo.npz"
    return stored_arrays(path)


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


def detector(kind: str, backbone: Any) -> PPYOLO:
    """Return a detector of one kind, at most twenty boxes an image."""
    channels = pp_cases.CHANNELS_OF[kind]
    strides, levels = (8, 16, 32)[-len(channels) :], len(channels)
    settings: dict[str, Any] = {"anchors": pp_cases.ANCHORS[levels], "anchor_masks": pp_cases.MASKS[levels]}
    settings["keep_top_k"] = 20
    if kind == "tiny":
        return PPYOLOMobile(backbone, PPYOLOTinyFPN(channels, strides, pp_cases.TINY), yolo_cases.CLASSES, **settings)
    if kind == "short":
        neck = PPYOLOFPN(channels, strides, True, 0, spp=True)
        return PPYOLOMobile(backbone, neck, yolo_cases.CLASSES, **settings)
    neck = PPYOLOPAN(channels, strides) if kind == "second" else PPYOLOFPN(channels, strides, True, spp=True)
    settings["iou_aware_factor"] = pp_cases.AWARE[kind]
    return PPYOLO(backbone, neck, True, True, yolo_cases.CLASSES, **settings)


LARGE = {"coordinates", "second"}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.zoo if kind in LARGE else ()) for kind in pp_cases.CHANNELS_OF]
)
def test_maps_and_final_boxes_as_the_official_ones(kind: str, official: dict[str, np.ndarray]) -> None:
    made = detector(kind, Given())
    shapes = {key: list(value.shape) for key, value in made.state_dict().items()}
    assert sorted(shapes) == official[f"{kind} keys"].tolist()
    made.set_state_dict(onestage_cases.lively(kind, shapes))
    made.eval()

    @core.jit.to_static
    def found(size: Any, scale: Any, *maps: Any) -> Any:
        return *made.neck(maps), *made(maps, size, scale)

    sizes = onestage_cases.image_shape(), onestage_cases.SCALE
    *maps, rows, counts = found(*map(core.to_tensor, (*sizes, *pp_cases.backbone_maps(kind))))
    for level, one in enumerate(maps):
        near(one[:, :: max(one.shape[1] // 64, 1)], official[f"{kind} neck {level}"])
    np.testing.assert_array_equal(counts.numpy(), official[f"{kind} counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official[f"{kind} rows"], rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case in ("crowded", "empty") else pytest.mark.zoo) for case in pp_cases.LOSS_CASES],
)
def test_loss_as_the_official_one(case: str, compiled: bool, official: dict[str, np.ndarray]) -> None:
    options: dict[str, Any] = {"scale_x_y": 1.05, **pp_cases.LOSS_CASES[case]}
    loss = YOLOv3Loss(yolo_cases.CLASSES, yolo_cases.ANCHORS, yolo_cases.MASKS, yolo_cases.STRIDES, **options)
    names = [key for key in official if key.startswith(f"{case} loss_")]
    objects = yolo_cases.objects(case)

    def call(boxes: Any, classes: Any, scores: Any, counts: Any, *outputs: Any) -> Any:
        targets = {"gt_bbox": boxes, "gt_class": classes, "gt_score": scores, "gt_count": counts}
        found = loss(outputs, targets)
        assert len(found) == len(names)
        return tuple(found[name.partition(" ")[2]] for name in names)

    outputs = [core.to_tensor(one, stop_gradient=False) for one in pp_cases.outputs(case)]
    given = [*map(core.to_tensor, objects), *outputs]
    found = core.jit.to_static(call)(*given) if compiled else call(*given)
    for name, value in zip(names, found):
        np.testing.assert_allclose(value.numpy(), official[name], rtol=1e-4)
    core.add_n(list(found)).backward()
    for level, one in enumerate(outputs):
        near(one.grad, official[f"{case} gradient {level}"])


def test_dropped_squares_and_the_scale_of_the_rest() -> None:
    layer = DropBlock(3, 0.8)
    x = core.to_tensor(np.linspace(1, 2, 2 * 4 * 9 * 7, dtype=np.float32).reshape(2, 4, 9, 7))
    core.seed(3)
    drawn = core.rand(x.shape).numpy()
    core.seed(3)
    found = layer(x).numpy()
    kept = np.ones(x.shape, np.float32)
    for image, channel, row, column in np.argwhere(drawn < 0.2 / 9 * 9 / 7 * 7 / 5):
        kept[image, channel, max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = 0
    assert 0.6 < kept.mean() < 0.95
    np.testing.assert_allclose(found, x.numpy() * kept * (kept.size / kept.sum()), rtol=1e-5)
    np.testing.assert_array_equal(DropBlock(3, 1.0)(x).numpy(), x.numpy())
    layer.eval()
    np.testing.assert_array_equal(layer(x).numpy(), x.numpy())


def test_a_compiled_step_drops_by_the_generator_s_seed() -> None:
    made = detector("short", Given())
    maps = [core.to_tensor(one) for one in pp_cases.backbone_maps("short")]
    step = core.jit.to_static(lambda *given: made.outputs(list(given))[0])
    found = []
    for seed in (1, 1, 2):
        core.seed(seed)
        found.append(step(*maps).numpy())
    np.testing.assert_array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2]).max() > 1e-3


@pytest.mark.parametrize("kind", ["short", pytest.param("coordinates", marks=pytest.mark.zoo)])
def test_an_export_finds_the_same_at_sizes_never_traced(kind: str, tmp_path: Path) -> None:
    core.seed(0)
    found_at_open_sizes(detector(kind, Pyramid()), tmp_path, im_shape=(64, 64))


def test_a_map_of_one_cell_has_a_place() -> None:
    layer = CoordConv(2, 3, 1)
    x = core.zeros([1, 2, 1, 1])
    weight = layer.conv.conv.weight.numpy()[:, 2:, 0, 0]
    layer.eval()
    linear = -weight.sum(-1) / np.sqrt(1 + 1e-5)
    np.testing.assert_allclose(layer(x).numpy()[0, :, 0, 0], np.where(linear > 0, linear, 0.1 * linear), rtol=1e-4)


def test_a_neck_of_another_number_of_convolutions_is_refused() -> None:
    with pytest.raises(ValueError, match="^conv_block_num must be 0 or 2, not 1$"):
        PPYOLOFPN((6, 10), (16, 32), conv_block_num=1)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("ppyolo_tiny", 1_086_147),
        ("ppyolo_mbv3_small", 2_719_628),
        ("ppyolo_mbv3_large", 4_759_524),
        ("ppyolo_r18vd", 13_135_838),
        ("ppyolo_r50vd_dcn", 47_045_559),
        ("ppyolov2_r50vd_dcn", 54_579_383),
        ("ppyolov2_r101vd_dcn", 73_571_511),
    ],
)
def test_trained_parameters(name: str, count: int) -> None:
    with core.LazyGuard():
        made = NETWORKS.build(Component(name=name))
    assert sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient) == count
