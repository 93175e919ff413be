"""PicoDet's network, boxes and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.models.architectures import picodet
from PaddleDetection.models.architectures.picodet import PicoDet
from PaddleDetection.models.backbones.lcnet import LCNet
from PaddleDetection.models.necks.lc_pan import LCPAN
from tests.parity.PaddleDetection import onestage_cases as cases
from tests.parity.stored import stored_arrays
from tests.sampling import sampled

LOSSES = ("loss_vfl", "loss_bbox", "loss_dfl")


class Given(nn.Layer):
    """Stands in for backbone and neck: gives the feature maps that it is given."""

    channels = (cases.CHANNELS,) * 3
    strides = cases.PYRAMID_STRIDES

    def forward(self, maps: Any) -> Any:
        return maps


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "picodet.npz"
    return stored_arrays(path)


def set_weights(layer: Any, case: str) -> None:
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(cases.pico_weights(case, shapes))


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


def test_maps_and_final_boxes_as_the_official_ones(official: dict[str, np.ndarray]) -> None:
    backbone = LCNet(0.35)
    neck = LCPAN(backbone.channels, backbone.strides, cases.PICO_CHANNELS)
    settings: dict[str, Any] = {"score_threshold": 0.1, "nms_top_k": 50, "keep_top_k": 20}
    made = PicoDet(backbone, neck, 2, cases.CLASSES, **settings)
    set_weights(made, "pico")
    made.eval()
    assert sorted(made.state_dict()) == official["keys"].tolist()

    @core.jit.to_static
    def found(image: Any, scale: Any) -> Any:
        maps = made.backbone(image)
        return *maps, *made.neck(maps), *made(image, None, scale)

    *maps, rows, counts = found(core.to_tensor(cases.image("pico")), core.to_tensor(cases.SCALE))
    for place, one in enumerate(maps):
        near(one[:, ::2], official[f"backbone {place}" if place < 3 else f"neck {place - 3}"])
    np.testing.assert_array_equal(counts.numpy(), official["counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official["rows"], rtol=1e-4, atol=1e-2)


@pytest.fixture(scope="module")
def detector() -> PicoDet:
    made = PicoDet(Given(), Given(), 1, cases.CLASSES)
    set_weights(made.head, "pico head")
    return made


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", sampled(cases.COUNTS, 1000, group=lambda case: case == "one empty"))
def test_loss_as_the_official_one(
    detector: PicoDet, case: str, compiled: bool, official: dict[str, np.ndarray]
) -> None:
    def call(boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        found = detector.losses(maps, None, None, {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts})
        return tuple(found[key] for key in LOSSES)

    step = core.jit.to_static(call) if compiled else call
    for stage, epoch in cases.PICO_EPOCHS.items():
        detector.begin_epoch(epoch)
        features = [core.to_tensor(one, stop_gradient=False) for one in cases.features("pico", cases.PICO_LEVELS)]
        given = [*map(core.to_tensor, cases.objects(case, cases.FCOS_SHAPES, 4).values()), *features]
        found = step(*given)
        core.add_n(list(found)).backward()
        if case == "all empty":  # where the official loss divides by zero
            likely = detector.head.boxes(detector.head(features))[1].numpy().astype(np.float64)
            np.testing.assert_allclose(found[0].numpy(), -(0.75 * likely**2 * np.log(1 - likely)).sum(), rtol=1e-4)
            assert [value.item() for value in found[1:]] == [0.0, 0.0]
            assert all(np.isfinite(one.grad.numpy()).all() for one in features)
            continue
        for key, value in zip(LOSSES, found):
            np.testing.assert_allclose(value.numpy(), official[f"{case} {stage} {key}"], rtol=1e-4)
        for level, one in enumerate(features):
            near(one.grad, official[f"{case} {stage} gradient {level}"])


@pytest.mark.parametrize(("name", "count"), [("xs", 704_258), ("s", 1_186_496), ("m", 3_465_320), ("l", 5_804_504)])
def test_trained_parameters(name: str, count: int) -> None:
    with core.LazyGuard():
        made = getattr(picodet, f"picodet_{name}")()
    assert sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient) == count
