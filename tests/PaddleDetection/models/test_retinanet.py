"""RetinaNet's head and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.models.architectures.retinanet import RetinaNet
from PaddleDetection.models.heads.tower import Towers
from PaddleDetection.models.losses.retina_loss import RetinaLoss
from tests.parity.PaddleDetection import onestage_cases as cases
from tests.parity.stored import stored_arrays
from tests.sampling import sampled

LOSSES = ("loss_cls", "loss_reg")


class Given(nn.Layer):
    """Stands in for a neck: gives the feature maps that it is given."""

    channels = (cases.CHANNELS,) * 3
    strides = cases.PYRAMID_STRIDES

    def forward(self, maps: Any) -> Any:
        return maps


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "retina.npz"
    return stored_arrays(path)


def detector_of(name: str) -> RetinaNet:
    beta, norm = cases.RETINA[name]
    settings: dict[str, Any] = {"channels": cases.TOWER, "num_convs": 2, "norm_type": norm, "beta": beta}
    detector = RetinaNet(
        Given(), Given(), cases.CLASSES, **settings, nms_pre=60, nms_top_k=100, keep_top_k=30
    )
    shapes = {key: list(value.shape) for key, value in detector.head.state_dict().items()}
    detector.head.set_state_dict(cases.weights(f"retina {name}", shapes))
    detector.eval()
    return detector


def maps_of(name: str) -> list[core.Tensor]:
    return [core.to_tensor(one, stop_gradient=False) for one in cases.features(f"retina {name}", cases.pyramid())]


@pytest.mark.parametrize("name", cases.RETINA)
def test_final_boxes_as_the_official_ones(name: str, official: dict[str, np.ndarray]) -> None:
    detector = detector_of(name)
    assert sorted(detector.head.state_dict()) == official[f"{name} keys"].tolist()
    shape, scale = core.to_tensor(cases.image_shape()), core.to_tensor(cases.SCALE)

    @core.jit.to_static
    def found(shape: Any, scale: Any, *maps: Any) -> Any:
        return detector(maps, shape, scale)

    rows, counts = found(shape, scale, *maps_of(name))
    np.testing.assert_array_equal(counts.numpy(), official[f"{name} counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official[f"{name} rows"], rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", sampled(cases.COUNTS, 1000, group=lambda case: case == "one empty"))
@pytest.mark.parametrize("name", cases.RETINA)
def test_loss_as_the_official_one(name: str, case: str, compiled: bool, official: dict[str, np.ndarray]) -> None:
    detector = detector_of(name)

    def call(boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        found = detector.losses(maps, None, None, {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts})
        return tuple(found[key] for key in LOSSES)

    maps = maps_of(name)
    given = [*map(core.to_tensor, cases.objects(case, cases.RETINA_SHAPES, 0).values()), *maps]
    found = core.jit.to_static(call)(*given) if compiled else call(*given)
    for key, value in zip(LOSSES, found):
        np.testing.assert_allclose(value.numpy(), official[f"{name} {case} {key}"], rtol=1e-4, atol=1e-6)
    core.add_n(list(found)).backward()
    for level, one in enumerate(maps):
        wanted = official[f"{name} {case} gradient {level}"]
        np.testing.assert_allclose(one.grad.numpy(), wanted, atol=1e-4 * max(1.0, np.abs(wanted).max()))


def test_an_unknown_normalisation_is_refused() -> None:
    with pytest.raises(ValueError, match="norm_type 'layer' is unknown; it is one of bn, sync_bn, gn, None"):
        Towers(8, 8, 1, "layer")


def test_no_rows_for_objects_are_no_objects() -> None:
    detector, maps = detector_of("plain"), maps_of("plain")
    targets = {"gt_bbox": core.zeros([2, 0, 4]), "gt_class": core.zeros([2, 0], "int64"), "gt_count": core.zeros([2])}
    found = RetinaLoss(cases.CLASSES)(detector.head(maps), targets)
    assert found["loss_reg"].item() == 0.0
    assert np.isfinite(found["loss_cls"].item())
