"""TTFNet's neck, head, boxes and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.models.architectures.ttfnet import TTFNet, ttfnet_darknet53
from PaddleDetection.models.necks.ttf_fpn import TTFFPN
from tests.parity.PaddleDetection import onestage_cases as cases
from tests.parity.stored import stored_arrays

LOSSES = ("hm_loss", "wh_loss")


class Given(nn.Layer):
    """Stands in for a backbone: gives the feature maps that it is given."""

    channels = cases.TTF_CHANNELS
    strides = (4, 8, 16, 32)

    def forward(self, maps: Any) -> Any:
        return maps


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "ttf.npz"
    return stored_arrays(path)


@pytest.fixture(scope="module")
def detector() -> TTFNet:
    neck = TTFFPN(Given.channels, Given.strides, cases.TTF_PLANES)
    settings: dict[str, Any] = {"keep_top_k": 30, "score_threshold": 0.1}
    made = TTFNet(Given(), neck, cases.CLASSES, 8, 8, **settings)
    shapes = {key: list(value.shape) for key, value in made.state_dict().items()}
    made.set_state_dict(cases.ttf_weights(shapes))
    made.eval()
    return made


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


def maps() -> list[core.Tensor]:
    return [core.to_tensor(one, stop_gradient=False) for one in cases.ttf_features()]


def test_map_and_final_boxes_as_the_official_ones(detector: TTFNet, official: dict[str, np.ndarray]) -> None:
    assert sorted(detector.state_dict()) == official["keys"].tolist()

    @core.jit.to_static
    def found(scale: Any, *maps: Any) -> Any:
        return *detector.neck(maps), *detector(maps, None, scale)

    level, rows, counts = found(core.to_tensor(cases.SCALE), *maps())
    near(level, official["neck"])
    np.testing.assert_array_equal(counts.numpy(), official["counts"])
    assert (rows.numpy()[1, int(counts[1]) :, 0] == -1).all()
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official["rows"], rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", cases.COUNTS)
def test_loss_as_the_official_one(
    detector: TTFNet, case: str, compiled: bool, official: dict[str, np.ndarray]
) -> None:
    def call(boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        found = detector.losses(maps, None, None, {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts})
        return tuple(found[key] for key in LOSSES)

    features = maps()
    given = [*map(core.to_tensor, cases.objects(case, cases.FCOS_SHAPES, 4).values()), *features]
    found = core.jit.to_static(call)(*given) if compiled else call(*given)
    core.add_n(list(found)).backward()
    np.testing.assert_allclose(found[0].numpy(), official[f"{case} hm_loss"], rtol=1e-4)
    if case == "all empty":  # where the official loss of boxes fails
        assert found[1].item() == 0.0
        assert all(np.isfinite(one.grad.numpy()).all() for one in features)
        return
    np.testing.assert_allclose(found[1].numpy(), official[f"{case} wh_loss"], rtol=1e-4)
    for place, one in enumerate(features):
        near(one.grad, official[f"{case} gradient {place}"])


def test_trained_parameters(official: dict[str, np.ndarray]) -> None:
    with core.LazyGuard():
        made = ttfnet_darknet53()
    counted = sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient)
    assert counted == official["count"]
