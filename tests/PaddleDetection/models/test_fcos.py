"""FCOS's head and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.models.architectures.fcos import FCOS
from PaddleDetection.models.losses.fcos_loss import FCOSLoss
from tests.parity.PaddleDetection import onestage_cases as cases
from tests.parity.stored import stored_arrays

LOSSES = ("loss_cls", "loss_box", "loss_quality")


class Given(nn.Layer):
    """Stands in for a neck: gives the feature maps that it is given."""

    channels = (cases.CHANNELS,) * 3
    strides = cases.PYRAMID_STRIDES

    def forward(self, maps: Any) -> Any:
        return maps


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "fcos.npz"
    return stored_arrays(path)


@pytest.fixture(scope="module")
def detector() -> FCOS:
    settings: dict[str, Any] = {"num_convs": 1, "object_sizes_boundary": cases.FCOS_BOUNDARY}
    made = FCOS(Given(), Given(), cases.CLASSES, **settings, nms_top_k=100, keep_top_k=30)
    shapes = {key: list(value.shape) for key, value in made.fcos_head.state_dict().items()}
    made.fcos_head.set_state_dict(cases.weights("fcos", shapes))
    made.eval()
    return made


def maps() -> list[core.Tensor]:
    return [core.to_tensor(one, stop_gradient=False) for one in cases.features("fcos", cases.pyramid())]


def test_final_boxes_as_the_official_ones(detector: FCOS, official: dict[str, np.ndarray]) -> None:
    assert sorted(detector.fcos_head.state_dict()) == official["keys"].tolist()
    shape, scale = core.to_tensor(cases.image_shape()), core.to_tensor(cases.SCALE)

    @core.jit.to_static
    def found(shape: Any, scale: Any, *maps: Any) -> Any:
        return detector(maps, shape, scale)

    rows, counts = found(shape, scale, *maps())
    np.testing.assert_array_equal(counts.numpy(), official["counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official["rows"], rtol=1e-4, atol=1e-3)


def losses(detector: FCOS, case: str, compiled: bool, features: list[core.Tensor]) -> list[core.Tensor]:
    def call(boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        found = detector.losses(maps, None, None, {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts})
        return tuple(found[key] for key in LOSSES)

    given = [*map(core.to_tensor, cases.objects(case, cases.FCOS_SHAPES, 4).values()), *features]
    return list(core.jit.to_static(call)(*given) if compiled else call(*given))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", ["objects", "one empty"])
def test_loss_as_the_official_one(
    detector: FCOS, case: str, compiled: bool, official: dict[str, np.ndarray]
) -> None:
    features = maps()
    found = losses(detector, case, compiled, features)
    for key, value in zip(LOSSES, found):
        np.testing.assert_allclose(value.numpy(), official[f"{case} {key}"], rtol=1e-4)
    core.add_n(found).backward()
    for level, one in enumerate(features):
        wanted = official[f"{case} gradient {level}"]
        np.testing.assert_allclose(one.grad.numpy(), wanted, atol=1e-4 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("compiled", [False, True])
def test_without_any_object_only_classes_count(detector: FCOS, compiled: bool) -> None:
    features = maps()
    found = losses(detector, "all empty", compiled, features)
    scores = np.concatenate([level[0].numpy().ravel() for level in detector.fcos_head(maps())]).astype(np.float64)
    likely = 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(found[0].numpy(), -(0.75 * likely**2 * np.log(1 - likely)).sum(), rtol=1e-4)
    assert [value.item() for value in found[1:]] == [0.0, 0.0]
    core.add_n(found).backward()
    assert all(np.isfinite(one.grad.numpy()).all() for one in features)


def test_boundaries_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one number between each two of 3 levels, not 1: .64,."):
        FCOSLoss(3, (8, 16, 32), (64,))
