"""PyramidBox's network against the official program of 1.x, its losses against 1.x's definition in NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
import PaddleDetection
from core.static import InputSpec
from core.weights import load_weights
from PaddleDetection.models.architectures.pyramidbox import PyramidBox, head_boxes, pyramidbox
from PaddleDetection.models.backbones.pyramid_vgg import LowLevelFPN
from PaddleDetection.models.pyramidbox_names import fluid_names
from tests.parity.PaddleDetection import pyramid_cases as cases
from tests.parity.stored import stored_arrays


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "pyramidbox.npz"
    return stored_arrays(path)


@pytest.fixture(scope="module")
def detector() -> PyramidBox:
    with core.LazyGuard():
        made = pyramidbox()
    weights = cases.weights({key: list(value.shape) for key, value in made.state_dict().items()})
    fixed = np.outer(cases.LINE, cases.LINE)
    for name in set(made.state_dict()) - set(weights):
        weights[name] = np.tile(fixed, (made.state_dict()[name].shape[0], 1, 1, 1))
    load_weights(made, weights)
    made.materialize().eval()
    return made


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("case", cases.SIZES)
def test_maps_predictions_and_boxes_as_the_official_ones(
    case: str, detector: PyramidBox, official: dict[str, np.ndarray]
) -> None:
    image = core.to_tensor(cases.image(case))
    size = core.to_tensor(np.array([cases.SIZES[case]], np.float32))

    @core.jit.to_static
    def found(image: Any, size: Any) -> Any:
        levels = detector.backbone(image)
        fused = detector.neck(levels)
        seen = [context(level) for context, level in zip(detector.head.contexts, fused)]
        maps = levels[2], fused[0], detector.head.norms[0](seen[0]), seen[5]
        face, head, priors = detector.head(fused, image)
        return *maps, *face, *head, priors, *detector(image, size, core.full([1, 2], 0.5))

    with core.no_grad():
        *maps, deltas, scores, head_deltas, head_scores, priors, rows, counts = found(image, size)
    for (name, step), one in zip(cases.MAPS.items(), maps):
        near(one[:, ::step], official[f"{case} {name}"])
    near(deltas, official[f"{case} deltas"])
    near(scores.flip(-1), official[f"{case} scores"])
    if case == "even":
        near(head_deltas, official["even head deltas"])
        near(head_scores.flip(-1), official["even head scores"])
    np.testing.assert_allclose(priors.numpy(), official[f"{case} priors"], rtol=1e-6, atol=1e-6)
    wanted = official[f"{case} rows"]
    height, width = cases.SIZES[case]
    assert counts.item() == len(wanted) > 20
    near(rows[0, : len(wanted), 1], wanted[:, 1])
    near(rows[0, : len(wanted), 2:], wanted[:, 2:] * np.array([width, height] * 2) / 0.5)
    assert not rows[0, : len(wanted), 0].numpy().any()


def test_names_of_1_x(detector: PyramidBox, official: dict[str, np.ndarray]) -> None:
    names = fluid_names()
    parameters = sorted(f"{names[name]} {list(value.shape)}" for name, value in detector.state_dict().items())
    assert parameters == official["parameters"].tolist()


@pytest.mark.zoo
def test_files_of_1_x_and_of_a_classifier(detector: PyramidBox, tmp_path: Path) -> None:
    state, names = {key: value.numpy() for key, value in detector.state_dict().items()}, fluid_names()
    file = {names[name]: value for name, value in state.items()}
    file["conv2d_0.w_0"] = file["conv2d_0.w_0"][:, ::-1]  # trained on blue, green, red
    core.save(file, str(tmp_path / "old.pdparams"))
    for key, value in PaddleDetection.create_model("pyramidbox", tmp_path / "old.pdparams").state_dict().items():
        np.testing.assert_array_equal(value.numpy(), state[key])

    with core.LazyGuard():
        shapes = {key: value.shape for key, value in PaddleClas.create_model("VGG16", class_num=7).state_dict().items()}
    values = {key: np.full(shape, len(key), np.float32) for key, shape in shapes.items() if len(shape) == 4}
    values["conv_block_5.conv3.weight"][:] = 0.25
    core.save(values, str(tmp_path / "vgg.pdparams"))
    made = PaddleDetection.create_model("pyramidbox", tmp_path / "vgg.pdparams")
    found = [conv.weight.numpy() for block in made.backbone.blocks for conv in block.convs]
    assert len(found) == len(values) and (found[-1] == 0.25).all() and (found[0] == found[3].flat[0]).all()


def fluid_loss(deltas: np.ndarray, scores: np.ndarray, priors: np.ndarray, faces: list[np.ndarray]) -> float:
    """Return what ``fluid.layers.ssd_loss`` gives with both thresholds at 0.35; background is the last score."""
    total, positives = 0.0, 0
    sizes, centres = priors[:, 2:] - priors[:, :2], (priors[:, 2:] + priors[:, :2]) / 2
    for own, logits, boxes in zip(deltas, scores, faces):
        each = boxes[:, None]
        sides = np.minimum(each[..., 2:], priors[:, 2:]) - np.maximum(each[..., :2], priors[:, :2])
        common = sides.clip(0).prod(-1)
        overlap = common / ((boxes[:, 2:] - boxes[:, :2]).prod(-1)[:, None] + sizes.prod(-1) - common)
        match = np.full(len(priors), -1)
        rest = overlap.copy()
        for _ in boxes:  # the best pair of all, then the best of what remains
            face, prior = np.unravel_index(rest.argmax(), rest.shape)
            match[prior] = face
            rest[face], rest[:, prior] = -1, -1
        close = (match < 0) & (overlap.max(0) >= 0.35)
        match[close] = overlap.argmax(0)[close]
        positive = match >= 0
        peak = logits.max(-1, keepdims=True)
        likely = logits - peak - np.log(np.exp(logits - peak).sum(-1, keepdims=True))
        confused = -np.where(positive, likely[:, 0], likely[:, 1])
        hardest = np.argsort(-np.where(positive, -1.0, confused))[: min(3 * positive.sum(), (~positive).sum())]
        total += confused[positive].sum() + confused[hardest].sum()
        picked = boxes[match[positive]]
        middle, span = (picked[:, 2:] + picked[:, :2]) / 2, picked[:, 2:] - picked[:, :2]
        wanted = np.concatenate(
            [(middle - centres[positive]) / sizes[positive] / 0.1, np.log(span / sizes[positive]) / 0.2], -1
        )
        apart = np.abs(own[positive] - wanted)
        total += np.where(apart < 1, apart**2 / 2, apart - 0.5).sum()
        positives += positive.sum()
    return total / positives


FACES = np.array(
    [[[20, 8, 37, 26], [60, 30, 66, 37], [40, 20, 75, 58]], [[5, 5, 34, 40], [70, 8, 80, 20], [0, 0, 0, 0]]], np.float32
)


def test_losses_as_1_x_defines_them_and_what_learns_from_them(detector: PyramidBox) -> None:
    @core.jit.to_static
    def step(image: Any, boxes: Any, counts: Any) -> Any:
        targets = {"gt_bbox": boxes, "gt_class": core.zeros([2, 3], "int64"), "gt_count": counts}
        found = detector.losses(image, None, None, targets)
        face, head, priors = detector.head(detector.neck(detector.backbone(image)), image)
        return found["loss_face"], found["loss_head"], *face, *head, priors

    image = np.concatenate([cases.image("even"), cases.image("even")[..., ::-1]])
    *found, deltas, scores, head_deltas, head_scores, priors = step(*map(core.to_tensor, (image, FACES, [3, 2])))
    objects = [boxes / np.array([96, 64, 96, 64]) for boxes in (FACES[0], FACES[1][:2])]
    heads = []
    for boxes in objects:
        halves = (boxes[:, 2:] - boxes[:, :2]) / 2
        heads.append(np.concatenate([boxes[:, :2] - halves, boxes[:, 2:] + halves], -1).clip(0, 1))
    for loss, *predicted, given in zip(found, (deltas, head_deltas), (scores, head_scores), (objects, heads)):
        wanted = fluid_loss(*(one.numpy().astype(np.float64) for one in (*predicted, priors)), given)
        np.testing.assert_allclose(loss.item(), wanted, rtol=1e-5)

    core.add_n(found).backward()
    for name, parameter in detector.named_parameters():
        if parameter.stop_gradient:
            assert parameter.grad is None and ("upsample" in name or "bn._" in name)
            continue
        assert np.isfinite(parameter.grad.numpy()).all(), name
        rate = 0.0 if name.endswith("bn.bias") else 2.0 if name.endswith("bias") else 1.0
        assert parameter.optimize_attr["learning_rate"] == rate, name
    detector.clear_gradients()


@pytest.mark.zoo
def test_a_compiled_step_of_training(detector: PyramidBox) -> None:
    detector.train()
    before = detector.head.context0.branch1.bn._mean.numpy()

    @core.jit.to_static
    def step(image: Any) -> Any:
        counts, classes = core.to_tensor([3, 2]), core.zeros([2, 3], "int64")
        targets = {"gt_bbox": core.to_tensor(FACES), "gt_class": classes, "gt_count": counts}
        return core.add_n(list(detector.losses(image, None, None, targets).values()))

    step(core.to_tensor(np.tile(cases.image("even"), (2, 1, 1, 1)))).backward()
    assert all(np.isfinite(one.grad.numpy()).all() for one in detector.parameters() if not one.stop_gradient)
    assert (detector.head.context0.branch1.bn._mean.numpy() != before).any()
    detector.clear_gradients()
    detector.eval()


def test_head_boxes_reach_twice_as_far_within_the_image() -> None:
    found = head_boxes(core.to_tensor(FACES), (64, 96))
    assert found.numpy()[0].tolist() == [[11.5, 0, 45.5, 35], [57, 26.5, 69, 40.5], [22.5, 1, 92.5, 64]]
    assert found.numpy()[1, 2].tolist() == [0, 0, 0, 0]


def test_trained_parameters(detector: PyramidBox) -> None:
    assert sum(one.size for one in detector.parameters() if not one.stop_gradient) == 57_162_262


def test_other_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="faces from background alone: num_classes must be 1, not 2"):
        PyramidBox(None, None, 2)


class Levels(core.nn.Layer):
    """Three levels, each half as large as the one before, rounded up; and the low ones fused."""

    def __init__(self) -> None:
        super().__init__()
        self.neck = LowLevelFPN((3, 3, 3), fused=2)

    def forward(self, image: Any) -> Any:
        levels = [image]
        for _ in range(2):
            levels.append(core.nn.functional.max_pool2d(levels[-1], 2, ceil_mode=True))
        return tuple(self.neck(levels))


def test_levels_of_odd_sizes_are_fused_in_an_export_too(tmp_path: Path) -> None:
    model = Levels()
    core.jit.save(model, str(tmp_path / "neck"), [InputSpec([None, 3, None, None])])
    image = core.to_tensor(np.sin(np.arange(3 * 9 * 13, dtype=np.float32)).reshape(1, 3, 9, 13))
    for found, wanted in zip(core.jit.load(str(tmp_path / "neck"))(image), model(image)):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.zoo
def test_export_for_sizes_that_were_never_traced(
    detector: PyramidBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detector, "suppression", {**detector.suppression, "nms_top_k": 100, "keep_top_k": 20})
    spec = [
        InputSpec([None, 3, None, None], "float32", "image", examples=detector.examples),
        InputSpec([None, 2], "float32", "im_shape", examples={0: detector.examples[0]}),
        InputSpec([None, 2], "float32", "scale_factor", examples={0: detector.examples[0]}),
    ]
    core.jit.save(detector, str(tmp_path / "model"), spec)
    loaded = core.jit.load(str(tmp_path / "model"))
    for height, width in ((100, 72), (150, 97)):
        image = core.to_tensor(np.sin(np.arange(3 * height * width, dtype=np.float32)).reshape(1, 3, height, width))
        given = image, core.to_tensor([[float(height), float(width)]]), core.ones([1, 2])
        rows, counts = loaded(*given)
        wanted, numbers = detector(*given)
        assert counts.item() == numbers.item() > 0
        np.testing.assert_allclose(rows.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-3)
