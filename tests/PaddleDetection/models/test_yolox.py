"""YOLOX's network, boxes and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.models.architectures import yolox
from PaddleDetection.models.architectures.yolox import YOLOX
from PaddleDetection.models.backbones.csp_darknet import CSPDarkNet
from PaddleDetection.models.necks.yolo_csp_pan import YOLOCSPPAN
from PaddleDetection.task import EpochBegins
from tests.parity.PaddleDetection import onestage_cases as cases
from tests.parity.stored import stored_arrays
from tests.sampling import sampled

LOSSES = ("loss_cls", "loss_obj", "loss_iou", "loss_l1")


class Given(nn.Layer):
    """Stands in for backbone and neck: gives the feature maps that it is given."""

    channels = (cases.CHANNELS,) * 3
    strides = cases.PYRAMID_STRIDES

    def forward(self, maps: Any) -> Any:
        return maps


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "yolox.npz"
    return stored_arrays(path)


def set_weights(layer: Any, case: str) -> None:
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(cases.lively(case, shapes))


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("name", [pytest.param("plain", marks=pytest.mark.zoo), "depthwise"])
def test_maps_and_final_boxes_as_the_official_ones(name: str, official: dict[str, np.ndarray]) -> None:
    depthwise = cases.YOLOX[name]
    backbone = CSPDarkNet(cases.YOLOX_DEPTH, cases.YOLOX_WIDTH, depthwise)
    neck = YOLOCSPPAN(backbone.channels, backbone.strides, cases.YOLOX_DEPTH, depthwise)
    settings: dict[str, Any] = {"score_threshold": 0.1, "nms_top_k": 50, "keep_top_k": 20}
    made = YOLOX(backbone, neck, int(256 * cases.YOLOX_WIDTH), depthwise, cases.CLASSES, **settings)
    set_weights(made, f"yolox {name}")
    made.eval()
    assert sorted(made.state_dict()) == official[f"{name} keys"].tolist()

    @core.jit.to_static
    def found(image: Any, scale: Any) -> Any:
        maps = made.backbone(image)
        return *maps, *made.neck(maps), *made(image, None, scale)

    *maps, rows, counts = found(core.to_tensor(cases.image("yolox")), core.to_tensor(cases.SCALE))
    for place, one in enumerate(maps):
        near(one[:, ::2], official[f"{name} {'neck' if place > 2 else 'backbone'} {place % 3}"])
    np.testing.assert_array_equal(counts.numpy(), official[f"{name} counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official[f"{name} rows"], rtol=1e-4, atol=1e-3)


@pytest.fixture(scope="module")
def detector() -> YOLOX:
    made = YOLOX(Given(), Given(), 8, False, cases.CLASSES)
    set_weights(made.head, "yolox head")
    return made


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", sampled(cases.COUNTS, 1000, group=lambda case: case == "one empty"))
def test_loss_as_the_official_one(
    detector: YOLOX, case: str, compiled: bool, official: dict[str, np.ndarray]
) -> None:
    detector.begin_epoch(cases.YOLOX_EPOCHS[case])

    def call(boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        found = detector.losses(maps, None, None, {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts})
        return tuple(found[key] for key in LOSSES)

    features = [core.to_tensor(one, stop_gradient=False) for one in cases.features("yolox", cases.pyramid())]
    given = [*map(core.to_tensor, cases.objects(case, cases.FCOS_SHAPES, 4).values()), *features]
    found = core.jit.to_static(call)(*given) if compiled else call(*given)
    for key, value in zip(LOSSES, found):
        weight = 5.0 if key == "loss_iou" else 1.0
        np.testing.assert_allclose(value.numpy(), weight * official[f"{case} {key}"], rtol=1e-4)
    total = core.add_n(list(found))
    np.testing.assert_allclose(total.numpy(), official[f"{case} loss"], rtol=1e-4)
    total.backward()
    for level, one in enumerate(features):
        near(one.grad, official[f"{case} gradient {level}"])


def test_a_compiled_step_counts_the_l1_loss_from_its_epoch_on(detector: YOLOX) -> None:
    features = [core.to_tensor(one) for one in cases.features("yolox", cases.pyramid())]
    objects = {key: core.to_tensor(value) for key, value in cases.objects("objects", cases.FCOS_SHAPES, 4).items()}

    @core.jit.to_static
    def far(*maps: Any) -> Any:
        return detector.losses(maps, None, None, objects)["loss_l1"]

    values = []
    for epoch in (284, 285):
        EpochBegins(detector).on_epoch_begin(SimpleNamespace(progress=SimpleNamespace(epoch=epoch)))
        values.append(far(*features).item())
    assert values[0] == 0.0 and values[1] > 1.0


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("nano", 912_159),
        ("tiny", 5_055_855),
        ("s", 8_968_255),
        ("m", 25_326_495),
        ("l", 54_208_895),
        ("x", 99_071_455),
    ],
)
def test_trained_parameters(name: str, count: int) -> None:
    with core.LazyGuard():
        made = getattr(yolox, f"yolox_{name}")()
    assert sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient) == count
