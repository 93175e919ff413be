"""SOLOv2's heads, instances and loss against PaddleDetection 2.6's; its boxes and masks against NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.train.config.table import Component
from PaddleDetection.models.architectures.solov2 import SOLOv2, framed
from PaddleDetection.models.heads.solov2_head import SOLOv2Head, SOLOv2MaskHead
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.models.open_sizes import found_at_open_sizes
from tests.parity.PaddleDetection import onestage_cases
from tests.parity.PaddleDetection import solov2_cases as cases
from tests.parity.stored import stored_arrays


class Given(nn.Layer):
    """Stands in for backbone and neck: gives the feature maps that it is given."""

    def forward(self, maps: Any) -> Any:
        return maps


class Pyramid(nn.Layer):
    """Stands in for a backbone: five levels of an image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, cases.CHANNELS, 4, 4)

    def forward(self, image: Any) -> Any:
        levels = [self.conv(image)]
        for _ in range(4):
            levels.append(nn.functional.max_pool2d(levels[-1], 2))
        return levels


def detector(backbone: Any, **settings: Any) -> SOLOv2:
    head = SOLOv2Head(onestage_cases.CLASSES, cases.CHANNELS, cases.INNER, 2, cases.NUM_GRIDS, cases.INNER)
    masks = SOLOv2MaskHead(cases.CHANNELS, cases.INNER, cases.INNER)
    return SOLOv2(backbone, Given(), head, masks, onestage_cases.CLASSES, cases.SCALE_RANGES, keep_top_k=20, **settings)


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "solov2.npz"
    return stored_arrays(path)


@pytest.fixture(scope="module")
def made() -> SOLOv2:
    made = detector(Given())
    shapes = {key: list(value.shape) for key, value in made.state_dict().items()}
    made.set_state_dict(cases.weights(shapes))
    return made


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.zoo)])
def test_maps_and_instances_as_the_official_ones(
    made: SOLOv2, compiled: bool, official: dict[str, np.ndarray]
) -> None:
    assert sorted(made.state_dict()) == official["keys"].tolist()
    made.eval()

    def call(*levels: Any) -> Any:
        logits, kernels = made.solov2_head(levels)
        return made.mask_head(levels), *logits, *kernels, *made.instances(levels)

    levels = map(core.to_tensor, cases.pyramid())
    mask_map, *grids, scores, classes, masks = core.jit.to_static(call)(*levels) if compiled else call(*levels)
    near(mask_map[:, ::8], official["map"])
    for place, one in enumerate(grids):
        near(one[:, :4], official[f"{'kernels' if place > 4 else 'logits'} {place % 5}"])
    for image in range(2):
        np.testing.assert_array_equal(classes[image].numpy(), official[f"classes {image}"])
        near(scores[image], official[f"scores {image}"])
        near(masks[image, :, ::2, ::2], official[f"masks {image}"])


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", [pytest.param("objects", marks=pytest.mark.zoo), "one empty"])
def test_loss_as_the_official_one(made: SOLOv2, case: str, compiled: bool, official: dict[str, np.ndarray]) -> None:
    objects = cases.masked_objects(case)

    def call(*given: Any) -> Any:
        found = made.losses(given[len(objects) :], None, None, dict(zip(objects, given)))
        return found["loss_ins"], found["loss_cate"]

    levels = [core.to_tensor(one, stop_gradient=False) for one in cases.pyramid()]
    given = [*map(core.to_tensor, objects.values()), *levels]
    found = core.jit.to_static(call)(*given) if compiled else call(*given)
    for key, value in zip(("loss_ins", "loss_cate"), found):
        np.testing.assert_allclose(value.numpy(), official[f"{case} {key}"], rtol=1e-4)
    core.add_n(list(found)).backward()
    for level, one in enumerate(levels):
        near(one.grad, official[f"{case} gradient {level}"])


def test_a_batch_without_objects_has_no_loss_of_masks(made: SOLOv2) -> None:
    objects = {key: core.to_tensor(np.zeros_like(value)) for key, value in cases.masked_objects("objects").items()}
    levels = [core.to_tensor(one, stop_gradient=False) for one in cases.pyramid()]
    found = made.losses(levels, None, None, objects)
    assert found["loss_ins"].item() == 0.0
    logits = np.concatenate([one.numpy().ravel() for one in made.solov2_head(levels)[0]]).astype(np.float64)
    likely = 1 / (1 + np.exp(-logits))
    np.testing.assert_allclose(found["loss_cate"].numpy(), (-0.75 * likely**2 * np.log(1 - likely)).sum(), rtol=1e-4)
    core.add_n(list(found.values())).backward()
    assert all(np.isfinite(one.grad.numpy()).all() for one in levels)


def test_boxes_around_masks_and_what_is_inside() -> None:
    masks = np.full((1, 3, 6, 8), 0.25, np.float32)
    masks[0, 0, 2:4, 3:7] = [[0.6, 0.7, 0.8, 0.9], [0.9, 0.8, 0.7, 0.6]]
    masks[0, 1, 5, 7] = 0.9  # in the padding
    sizes = np.array([[20.0, 30.0]], np.float32)
    boxes, cut = framed(core.to_tensor(masks), core.to_tensor(sizes), 4)
    np.testing.assert_array_equal(boxes.numpy()[0], [[3, 2, 7, 4], [0, 0, 0, 0], [0, 0, 0, 0]])
    rows = np.array([[0.6, 0.7, 0.8, 0.9], [0.9, 0.8, 0.7, 0.6]])
    above, under = 0.75 * rows[0] + 0.0625, 0.75 * rows[1] + 0.0625  # a quarter of a cell outside of the box
    wanted = np.stack([above, 0.75 * rows[0] + 0.25 * rows[1], 0.25 * rows[0] + 0.75 * rows[1], under])
    np.testing.assert_allclose(cut.numpy()[0, 0], wanted, rtol=1e-5)


@pytest.mark.zoo
def test_an_export_finds_the_same_at_sizes_never_traced(tmp_path: Path) -> None:
    core.seed(0)
    made = detector(Pyramid(), score_threshold=0.001, update_threshold=0.0001, mask_size=8)
    examples = {2: (96, 160), 3: (64, 128)}
    for rows, counts, masks in found_at_open_sizes(made, tmp_path, examples, im_shape=(64, 64)):
        assert masks.shape == [len(counts), 20, 8, 8]
        for one, count in zip(rows.numpy(), counts.numpy()):
            assert (one[:count, 0] >= 0).all() and (one[count:] == [-1, 0, 0, 0, 0, 0]).all()


def test_trained_parameters() -> None:
    with core.LazyGuard():
        made = NETWORKS.build(Component(name="solov2_r50_fpn"))
    assert sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient) == 46_317_392
