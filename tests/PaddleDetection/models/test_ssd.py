"""The heads of SSD, SSDLite and BlazeFace, and their loss, against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleDetection.models.architectures.blazeface import BlazeFace
from PaddleDetection.models.architectures.ssd import (
    MOBILENET_300,
    VGG_300,
    VGG_512,
    final_boxes,
    ssd_mobilenet_v1_300,
    ssdlite_mobilenet_v1_300,
)
from PaddleDetection.models.heads.ssd_head import PriorBoxes, SSDHead
from PaddleDetection.models.losses.multibox import MultiBoxLoss
from tests.parity.PaddleDetection import onestage_cases as cases
from tests.parity.stored import stored_arrays
from tests.sampling import sampled

SUPPRESSION = {"score_threshold": 0.01, "nms_top_k": 400, "keep_top_k": 40, "nms_threshold": 0.45}


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "ssd.npz"
    return stored_arrays(path)


def head_of(name: str) -> SSDHead:
    levels = len(cases.SSD_LEVELS)
    head = SSDHead(
        [cases.CHANNELS] * levels, cases.CLASSES, PriorBoxes(**cases.SSD_PRIORS[name]), **cases.SSD_HEADS[name]
    )
    shapes = {key: list(value.shape) for key, value in head.state_dict().items()}
    head.set_state_dict(cases.weights(f"ssd {name}", shapes))
    head.eval()
    return head


def maps_of(name: str) -> list[core.Tensor]:
    return [core.to_tensor(one, stop_gradient=False) for one in cases.features(f"ssd {name}", cases.SSD_LEVELS)]


IMAGE = np.zeros((2, 3, cases.HEIGHT, cases.WIDTH), np.float32)


@pytest.mark.parametrize("name", cases.SSD_PRIORS)
def test_final_boxes_as_the_official_ones(name: str, official: dict[str, np.ndarray]) -> None:
    head = head_of(name)
    assert sorted(head.state_dict()) == official[f"{name} keys"].tolist()

    @core.jit.to_static
    def found(image: Any, original: Any, *maps: Any) -> Any:
        predicted = head(maps, image)
        return predicted[0], *final_boxes(*predicted, original, SUPPRESSION)

    original = core.to_tensor(cases.image_shape() / cases.SCALE)
    deltas, rows, counts = found(core.to_tensor(IMAGE), original, *maps_of(name))
    np.testing.assert_allclose(deltas.numpy(), official[f"{name} deltas"], atol=1e-5)
    np.testing.assert_array_equal(counts.numpy(), official[f"{name} counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official[f"{name} rows"], rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", sampled(cases.COUNTS, 1000, group=lambda case: case == "one empty"))
@pytest.mark.parametrize("name", cases.SSD_PRIORS)
def test_loss_as_the_official_one(name: str, case: str, compiled: bool, official: dict[str, np.ndarray]) -> None:
    head = head_of(name)
    loss = MultiBoxLoss(overlap_threshold=0.35 if name == "face" else 0.5)

    def call(image: Any, boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        targets = {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts}
        return tuple(loss(*head(maps, image), (cases.HEIGHT, cases.WIDTH), targets).values())

    maps = maps_of(name)
    given = [core.to_tensor(IMAGE), *map(core.to_tensor, cases.objects(case, cases.SSD_SHAPES, 4).values()), *maps]
    found = core.add_n(list(core.jit.to_static(call)(*given) if compiled else call(*given)))
    np.testing.assert_allclose(found.numpy(), official[f"{name} {case} loss"], rtol=1e-5)
    found.backward()
    for level, one in enumerate(maps):
        np.testing.assert_allclose(one.grad.numpy(), official[f"{name} {case} gradient {level}"], atol=1e-5)


def test_no_rows_for_objects_are_no_objects(official: dict[str, np.ndarray]) -> None:
    targets = {"gt_bbox": core.zeros([2, 0, 4]), "gt_class": core.zeros([2, 0], "int64"), "gt_count": core.zeros([2])}
    predicted = head_of("plain")(maps_of("plain"), core.to_tensor(IMAGE))
    found = MultiBoxLoss()(*predicted, (cases.HEIGHT, cases.WIDTH), targets)
    assert found["loss_loc"].item() == 0.0
    np.testing.assert_allclose(found["loss_conf"].item(), official["plain all empty loss"], rtol=1e-5)


def test_as_many_prior_boxes_as_published() -> None:
    def total(priors: PriorBoxes, sides: list[int]) -> int:
        return sum(count * side**2 for count, side in zip(priors.counts, sides))

    assert total(VGG_300, [38, 19, 10, 5, 3, 1]) == 8732
    assert total(VGG_512, [64, 32, 16, 8, 4, 2, 1]) == 24564
    assert MOBILENET_300.counts == [3, 6, 6, 6, 6, 6]


def test_levels_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="prior boxes for 6 levels, but in_channels .8, 8. are of 2; give as many"):
        SSDHead((8, 8), 3, VGG_300)


def test_whole_detector_compiles() -> None:
    core.seed(0)
    model = ssd_mobilenet_v1_300(num_classes=3, scale=0.25)
    model.eval()
    image = core.to_tensor(np.linspace(-1, 1, 2 * 3 * 96 * 96, dtype=np.float32).reshape(2, 3, 96, 96))
    shape, scale = core.full([2, 2], 96.0), core.ones([2, 2])
    rows, counts = core.jit.to_static(model.forward)(image, shape, scale)
    assert rows.shape == [2, 200, 6]
    expected, numbers = model(image, shape, scale)
    np.testing.assert_array_equal(counts.numpy(), numbers.numpy())
    np.testing.assert_allclose(rows.numpy(), expected.numpy(), rtol=1e-4, atol=1e-3)


class Shrink(core.nn.Layer):
    """Stands in for a backbone with two levels of 4 channels, or for a neck, which gives what it is given."""

    channels = (4, 4)

    def __init__(self) -> None:
        super().__init__()
        self.conv = core.nn.Conv2D(3, 4, 8, 8)

    def forward(self, x: Any) -> Any:
        if isinstance(x, list):
            return x
        fine = self.conv(x)
        return [fine, core.nn.functional.max_pool2d(fine, 2)]


@pytest.mark.parametrize("height", [32, 48])
def test_blazeface_and_its_export_for_open_sizes(height: int, tmp_path: Path) -> None:
    core.seed(0)
    model = BlazeFace(Shrink(), Shrink(), keep_top_k=20)
    model.eval()
    assert {name for name in model.state_dict() if name.startswith("blaze_head.boxes1")} == {
        "blaze_head.boxes1.weight",
        "blaze_head.boxes1.bias",
    }
    examples = {2: (32, 48), 3: (32, 64)}
    spec = [
        core.static.InputSpec([None, 3, None, None], "float32", "image", examples=examples),
        core.static.InputSpec([None, 2], "float32", "im_shape"),
        core.static.InputSpec([None, 2], "float32", "scale_factor"),
    ]
    core.jit.save(model, str(tmp_path / "face"), spec)
    image = core.to_tensor(np.linspace(-1, 1, 2 * 3 * height * 64, dtype=np.float32).reshape(2, 3, height, 64))
    shape, scale = core.to_tensor(np.array([[height, 64]] * 2, np.float32)), core.full([2, 2], 0.5)
    rows, counts = core.jit.load(str(tmp_path / "face"))(image, shape, scale)
    wanted, numbers = model(image, shape, scale)
    np.testing.assert_array_equal(counts.numpy(), numbers.numpy())
    np.testing.assert_allclose(rows.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-3)


def test_trained_parameters() -> None:
    channels, counts = (512, 1024, 512, 256, 256, 128), (3, 6, 6, 6, 6, 6)  # SSDLite has one more at its first level
    plain = sum((inner + 1) * count * (4 + 21) for inner, count in zip(channels, counts))
    lite = sum(2 * (9 + 2) * inner + inner * count * (4 + 81) for inner, count in zip(channels, (4, *counts[1:])))
    backbone = 5_430_464
    for build, head in ((ssd_mobilenet_v1_300, plain), (ssdlite_mobilenet_v1_300, lite)):
        with core.LazyGuard():
            parameters = build().parameters()
        assert sum(parameter.size for parameter in parameters if not parameter.stop_gradient) == backbone + head


def test_prior_boxes_of_other_sizes() -> None:
    sizes = [[16, 24], [32], [48], [64], [96], [128]]
    model = ssd_mobilenet_v1_300(num_classes=3, scale=0.25, min_sizes=sizes, aspect_ratios=[[2.0]] * 6)
    priors = model.ssd_head.priors
    assert priors.counts == [6, 3, 3, 3, 3, 3]
    assert [layer.weight.shape[0] for layer in model.ssd_head.box_convs] == [24, 12, 12, 12, 12, 12]
    maps = [core.zeros([1, 4, side, side]) for side in (8, 4, 2, 1, 1, 1)]
    boxes = priors(maps, core.zeros([1, 3, 128, 128])).numpy() * 128
    sides = boxes[:, 2:] - boxes[:, :2]
    first = [[side * wide, side / wide] for side in (16, 24) for wide in (1, 2**0.5, 0.5**0.5)]
    np.testing.assert_allclose(sides[:6], first, rtol=1e-5)
    np.testing.assert_allclose((boxes[:6, :2] + boxes[:6, 2:]) / 2, 8.0, rtol=1e-5)  # half of a step of 16 pixels
    assert MOBILENET_300.changed() == MOBILENET_300
    for one in (priors, MOBILENET_300, VGG_512):
        maps = [core.zeros([1, 4, 1, 1])] * len(one.steps)
        made = np.split(one(maps, core.zeros([1, 3, 128, 128])).numpy() * 128, np.cumsum(one.counts)[:-1])
        for boxes, listed in zip(made, one.sides):
            sides = (boxes[:, 2:] - boxes[:, :2]).tolist()
            np.testing.assert_allclose(sorted(sides), sorted(np.reshape(listed, (-1, 2)).tolist()), rtol=1e-5)
    with_squares = MOBILENET_300.changed(min_sizes=sizes, max_sizes=[[20, 30], *[[]] * 5])
    assert with_squares.counts == [8, 5, 5, 5, 5, 5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_sizes": [[16]]}, "min_sizes must have an entry for each of the 6 levels, not 1"),
        ({"steps": [8, 16]}, "steps must have an entry for each of the 6 levels, not 2"),
        ({"steps": [-1] * 6}, r"steps must hold positive numbers, not \[-1, -1"),
        ({"aspect_ratios": [[2.0], [0.0], [], [], [], []]}, r"aspect_ratios must hold positive numbers, not \[\[2.0\]"),
        ({"min_sizes": [[16], [], [32], [64], [96], [128]]}, "min_sizes: level 1 has no prior boxes; give it at least"),
        (
            {"max_sizes": [[]] * 5 + [[200]]},
            r"max_sizes: level 5 must have none, or one above each of its min_sizes \[285.0\], not \[200\]",
        ),
    ],
)
def test_prior_boxes_that_cannot_be_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ssd_mobilenet_v1_300(**changes)
