"""Generation 1, what releases before 2.0 did, against NumPy: whole pixels, anchors, losses and their constants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleDetection
from core import nn
from core.nn import functional as F
from core.vision.ops import anchor_generator, roi_align
from core.weights.downloads.download import cache_path
from PaddleDetection.models.architectures import yolov3
from PaddleDetection.models.architectures.cascade_rcnn import CascadeRCNN
from PaddleDetection.models.architectures.faster_rcnn import FasterRCNN, faster_rcnn_r50_vd
from PaddleDetection.models.architectures.retinanet import RetinaNet
from PaddleDetection.models.heads.bbox_head import TwoFCHead
from PaddleDetection.models.losses.rcnn_loss import Sampling, Truth, rpn_loss
from PaddleDetection.models.weights import CHECKPOINTS
from tests.PaddleClas.models.test_older_names import write_archive
from tests.PaddleDetection.models.test_older_names import EXPECTED, seeded, shapes
from tests.PaddleDetection.models.test_rcnn import Given
from tests.parity.PaddleDetection import rcnn_cases as cases
from tests.parity.recipe import uniform

SCALE = np.array([[0.5, 0.5], [0.8, 0.8]], np.float32)
ORIGINAL = np.floor(cases.IM_SHAPE / SCALE + 0.5)
RATIOS = (0.5, 1.0, 2.0)


def lively(made: Any, name: str) -> Any:
    weights = cases.weights(name, {key: list(value.shape) for key, value in made.state_dict().items()})
    made.set_state_dict({key: value * (0.3 if "delta" in key else 1) for key, value in weights.items()})
    made.eval()
    return made


def two_stage(kind: str) -> Any:
    settings = cases.settings(generation=1, rpn_min_size=0.0, use_random=False)
    backbone, neck = Given(cases.STRIDES), Given(cases.STRIDES)
    if kind == "faster":
        return lively(FasterRCNN(backbone, neck, TwoFCHead(cases.CHANNELS, 16), **settings), "first faster")
    heads = [TwoFCHead(cases.CHANNELS, 16) for _ in range(3)]
    made = CascadeRCNN(backbone, neck, heads, class_agnostic=kind == "cascade", **settings)
    return lively(made, f"first {kind}")


def anchors_of(feature: Any, stride: int, sizes: list[float], ratios: tuple[float, ...] = RATIOS) -> np.ndarray:
    """First and last pixels of a level's anchors (H * W, ratios, sizes, 4), by the operator of releases before 2.0."""
    made, _ = anchor_generator(core.to_tensor(feature), sizes, list(ratios), stride=[stride, stride])
    return made.numpy().reshape(-1, len(ratios), len(sizes), 4)


def moved(pixels: np.ndarray, deltas: np.ndarray, weights: Any = (1, 1, 1, 1)) -> np.ndarray:
    deltas = deltas / np.array(weights, np.float32)
    sizes = pixels[..., 2:] - pixels[..., :2] + 1
    centres = pixels[..., :2] + sizes / 2 + deltas[..., :2] * sizes
    sizes = np.exp(deltas[..., 2:]) * sizes
    return np.concatenate([centres - sizes / 2, centres + sizes / 2 - 1], -1)


def cut(pixels: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return np.clip(pixels, 0, np.array([shape[1], shape[0]] * 2) - 1)


def shared(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Overlaps of pixels (M, 4) and (N, 4)."""
    low, high = np.maximum(one[:, None, :2], other[:, :2]), np.minimum(one[:, None, 2:], other[:, 2:])
    common = (high - low + 1).clip(min=0).prod(-1)
    areas = [(each[:, 2:] - each[:, :2] + 1).prod(-1) for each in (one, other)]
    return common / (areas[0][:, None] + areas[1] - common)


def jaccard(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Overlaps of pixels (4,) with (N, 4); 0 where apart; boxes that end before they begin have no area."""
    low, high = np.maximum(one[:2], others[:, :2]), np.minimum(one[2:], others[:, 2:])
    common = np.where((high < low).any(1), 0, (high - low + 1).prod(1))
    areas = [
        np.where((each[:, 2:] < each[:, :2]).any(1), 0, (each[:, 2:] - each[:, :2] + 1).prod(1))
        for each in (one[None], others)
    ]
    return common / np.maximum(areas[0] + areas[1] - common, 1e-9)


def suppressed(pixels: np.ndarray, scores: np.ndarray, threshold: float) -> list[int]:
    kept: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if not kept or (jaccard(pixels[place], pixels[kept]) <= threshold).all():
            kept.append(int(place))
    return kept


def proposals(made: Any, maps: list[np.ndarray], image: int) -> np.ndarray:
    rows, ranks = [], []
    shape = cases.IM_SHAPE[image]
    for number, (logits, deltas, _) in enumerate(made.rpn_head([core.to_tensor(one) for one in maps])):
        anchors = anchors_of(maps[number], cases.STRIDES[number], [cases.ANCHORS[number]]).reshape(-1, 4)
        scores = logits.numpy()[image].transpose(1, 2, 0).ravel()
        moves = deltas.numpy()[image].reshape(3, 4, *logits.shape[2:]).transpose(2, 3, 0, 1).reshape(-1, 4)
        best = np.argsort(-scores, kind="stable")[: cases.TEST["pre_nms_top_n"]]
        pixels = cut(moved(anchors[best], moves[best]), shape)
        middle = (pixels[:, :2] + pixels[:, 2:] + 1) / 2
        best, pixels = (each[(middle <= shape[::-1]).all(1)] for each in (best, pixels))
        kept = suppressed(pixels, scores[best], 0.7)
        rows.append(pixels[kept])
        ranks.append(scores[best][kept])
    pixels, scores = np.concatenate(rows), np.concatenate(ranks)
    return pixels[np.argsort(-scores, kind="stable")[: cases.TEST["post_nms_top_n"]]]


def regions(maps: list[np.ndarray], pixels: np.ndarray, image: int) -> Any:
    sizes = np.sqrt((pixels[:, 2:] - pixels[:, :2] + 1).prod(-1))
    levels = np.clip(np.floor(np.log2(sizes / cases.CANONICAL + 1e-6) + 2), 0, 3).astype(int)
    found = []
    for box, level in zip(pixels.astype(np.float32), levels):
        one = core.to_tensor(maps[level][[image]]), core.to_tensor(box[None]), core.to_tensor(np.array([1], np.int32))
        found.append(roi_align(*one, 7, 1 / cases.STRIDES[level], 2, False).numpy())
    return core.to_tensor(np.concatenate(found))


def softmax(logits: Any) -> np.ndarray:
    return F.softmax(logits).numpy()[:, : cases.CLASSES]


def faster(made: Any, maps: list[np.ndarray], image: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in the original image of each region and class, and scores."""
    pixels = proposals(made, maps, image)
    scores, deltas, _ = made.bbox_head(regions(maps, pixels, image))
    deltas = deltas.numpy().reshape(len(pixels), -1, 4)
    return moved((pixels / SCALE[image, 0])[:, None], deltas, (10, 10, 5, 5)), softmax(scores)


def cascade(made: Any, maps: list[np.ndarray], image: int) -> tuple[np.ndarray, np.ndarray]:
    aware, pixels = not made.class_agnostic, proposals(made, maps, image)
    decoded, likely = [], []
    for stage, weights in enumerate(((10, 10, 5, 5), (20, 20, 10, 10), (30, 30, 15, 15))):
        seen, before = regions(maps, pixels, image), pixels
        scores, deltas = made.bbox_head(seen, stage)
        likely.append(softmax(scores))
        decoded.append(moved(pixels[:, None], deltas.numpy().reshape(len(pixels), -1, 4), weights))
        best = likely[-1].argmax(1) if aware else np.zeros(len(pixels), int)
        pixels = decoded[-1][np.arange(len(pixels)), best]
    shares = (0.2, 0.3, 0.5)
    if aware:
        boxes = sum(share * one for share, one in zip(shares, decoded)) / SCALE[image, 0]
        return boxes, sum(share * one for share, one in zip(shares, likely))
    likely = [softmax(made.bbox_head(seen, stage)[0]) for stage in range(3)]
    boxes = moved((before / SCALE[image, 0])[:, None], deltas.numpy()[:, None], (30, 30, 15, 15))
    return np.repeat(boxes, cases.CLASSES, 1), sum(likely) / 3


def final(boxes: np.ndarray, likely: np.ndarray, image: int, threshold: float, top: int) -> np.ndarray:
    """Rows: class, score, corners, which end behind the last pixel."""
    rows = []
    for number in range(likely.shape[1]):
        good = np.flatnonzero(likely[:, number] > threshold)
        pixels = cut(boxes[good, number], ORIGINAL[image])
        kept = suppressed(pixels, likely[good, number], 0.5)
        ends = pixels[kept] + [0, 0, 1, 1]
        rows.append(np.column_stack([np.full(len(kept), number), likely[good[kept], number], ends]))
    table = np.concatenate(rows)
    return table[np.argsort(-table[:, 1], kind="stable")[:top]]


@pytest.mark.parametrize("kind", ["faster", "cascade", pytest.param("aware", marks=pytest.mark.zoo)])
def test_two_stage_boxes(kind: str) -> None:
    made, maps = two_stage(kind), cases.features(f"first {kind}")
    sizes = core.to_tensor(cases.IM_SHAPE), core.to_tensor(SCALE)
    rows, counts = (one.numpy() for one in made([core.to_tensor(one) for one in maps], *sizes))
    assert counts.min() > 2
    for image, count in enumerate(counts):
        boxes, likely = (faster if kind == "faster" else cascade)(made, maps, image)
        wanted = final(boxes, likely, image, 0.15, 12)
        assert count == len(wanted)
        found = rows[image, :count][np.argsort(-rows[image, :count, 1])]
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-3)
        assert not rows[image, count:, 2:].any()


def test_rpn_loss_leaves_out_anchors_that_reach_beyond_the_image() -> None:
    pixels = np.array([[0, 0, 15, 15], [4, 4, 19, 19], [-1, 0, 20, 20], [8, 8, 31, 23], [20, 12, 39, 24]], np.float32)
    objects = np.array([[3, 3, 17, 20]], np.float32)  # its last pixel is (16, 19)
    scores = np.array([0.3, -0.2, 2.0, 0.7, 0.1], np.float32)
    deltas = uniform("first rpn deltas", (5, 4), -0.6, 0.6)
    found = (
        core.to_tensor(scores.reshape(1, 1, 5, 1)),
        core.to_tensor(deltas.T.reshape(1, 4, 5, 1)),
        core.to_tensor(pixels + np.array([0, 0, 1, 1], np.float32)),
    )
    truth = Truth(core.to_tensor(objects[None]), core.to_tensor([[0]]), core.to_tensor([1]))
    sampling = Sampling(8, 0.5, 0.7, 0.3, -1.0, False)
    inside = core.to_tensor(np.array([[30, 40]], np.float32))  # the third reaches beyond the left edge
    losses = rpn_loss([found], truth, sampling, 1 / 9, inside)

    overlap = shared(objects - [0, 0, 1, 1], pixels)[0]
    kept = np.array([True, True, False, True, True])
    positive = kept & ((overlap >= 0.7) | (overlap == overlap[kept].max()))
    negative = kept & ~positive & (overlap < 0.3)
    assert positive.sum() == 1 and negative.sum() >= 2
    taken = positive | negative
    entropy = np.log1p(np.exp(np.where(positive, -scores, scores)))[taken].mean()
    place = positive.argmax()
    size, wanted = pixels[place, 2:] - pixels[place, :2] + 1, np.array([14, 17])
    shift = (np.array([3, 3]) + wanted / 2 - pixels[place, :2] - size / 2) / size
    ideal = np.concatenate([shift, np.log(wanted / size)])
    apart = np.abs(deltas[place] - ideal)
    distance = np.where(apart < 1 / 9, 0.5 * 9 * apart**2, apart - 0.5 / 9).sum() / taken.sum()  # sigma is 3
    np.testing.assert_allclose(losses["loss_rpn_cls"].item(), entropy, 1e-5)
    np.testing.assert_allclose(losses["loss_rpn_reg"].item(), distance, 1e-5)


def test_constants_of_two_stage_detectors() -> None:
    made, aware = two_stage("faster"), two_stage("aware")
    assert (made.beta, made.rpn_beta, made.cut.sampling_ratio, made.cut.aligned) == (1.0, 1 / 9, 2, False)
    assert aware.loss_weights == (1.0, 0.5, 0.25)
    rates = [layer.weight.optimize_attr["learning_rate"] for layer in aware.bbox_head.deltas]
    assert rates == [1.0, 2.0, 4.0]
    assert made.rpn_head.rpn_rois_score.bias.optimize_attr["learning_rate"] == 2.0
    with core.LazyGuard():
        made = [faster_rcnn_r50_vd(generation=number) for number in (1, 2)]
    pooled = [isinstance(one.bbox_head.head.res5.res5a.short, nn.Sequential) for one in made]
    assert pooled == [True, False]
    with pytest.raises(ValueError, match="generation must be 1, the releases before 2.0, or 2, not 3"):
        faster_rcnn_r50_vd(generation=3)


@pytest.mark.parametrize("kind", ["cascade", "aware"])
def test_cascade_learns(kind: str) -> None:
    made, maps = two_stage(kind), [core.to_tensor(one, stop_gradient=False) for one in cases.features(kind)]
    targets = {key: core.to_tensor(value) for key, value in cases.objects("objects").items()}
    losses = made.losses(maps, core.to_tensor(cases.IM_SHAPE), None, targets)
    core.add_n(list(losses.values())).backward()
    assert all(np.isfinite(loss.item()) and loss.item() >= 0 for loss in losses.values())
    assert all(np.isfinite(one.grad.numpy()).all() for one in maps)


def retina() -> Any:
    made = RetinaNet(Given(cases.STRIDES), Given(cases.STRIDES), cases.CLASSES, 8, 1, nms_pre=20, generation=1)
    lively(made, "first retina")
    made.head.retina_cls.weight.set_value(made.head.retina_cls.weight * 0.2)  # no score is 1
    return made


@pytest.mark.exhaustive
def test_retina_boxes() -> None:
    made, maps = retina(), cases.features("first retina")
    found = made.head([core.to_tensor(one) for one in maps])
    sizes = core.to_tensor(cases.IM_SHAPE), core.to_tensor(SCALE)
    rows, counts = (one.numpy() for one in made([core.to_tensor(one) for one in maps], *sizes))
    for image in range(2):
        boxes, likely = [], []
        for level, (logits, deltas, anchors) in enumerate(found):
            stride = cases.STRIDES[level]
            known = anchors_of(maps[level], stride, [stride * 4 * 2 ** (step / 3) for step in range(3)])
            pixels = known.swapaxes(1, 2).reshape(-1, 4)
            np.testing.assert_allclose(anchors.numpy(), pixels + [0, 0, 1, 1], atol=1e-3)
            scores = 1 / (1 + np.exp(-logits.numpy()[image].astype(np.float64))).ravel()
            best = np.argsort(-scores, kind="stable")[:20]
            best = best[scores[best] > (0.05 if level < 4 else 0)]
            moves = deltas.numpy()[image][best // cases.CLASSES]
            boxes.append(moved(pixels[best // cases.CLASSES], moves) / SCALE[image, 0])
            likely.append(np.eye(cases.CLASSES)[best % cases.CLASSES] * scores[best, None])
        repeated = np.repeat(np.concatenate(boxes)[:, None], cases.CLASSES, 1)
        wanted = final(repeated, np.concatenate(likely), image, 0.0, 100)
        assert counts[image] == len(wanted)
        kept = rows[image, : counts[image]]
        np.testing.assert_allclose(kept[np.argsort(-kept[:, 1], kind="stable")], wanted, rtol=1e-4, atol=2e-3)


def test_retina_loss_has_sigma_3_0151_and_counts_one_anchor_more_for_each_image() -> None:
    made, maps = retina(), cases.features("first retina")
    targets = cases.objects("objects")
    losses = made.losses([core.to_tensor(one) for one in maps], None, None, {
        key: core.to_tensor(value) for key, value in targets.items()
    })  # fmt: skip
    found = made.head([core.to_tensor(one) for one in maps])
    anchors = np.concatenate([level[2].numpy() for level in found]) - [0, 0, 1, 1]
    total, focal, apart = 2.0, 0.0, 0.0
    for image, count in enumerate(targets["gt_count"]):
        logits, deltas = (np.concatenate([level[i].numpy()[image] for level in found]) for i in range(2))
        objects = targets["gt_bbox"][image, :count] - np.array([0, 0, 1, 1])
        overlap = shared(objects, anchors)
        best, places = overlap.max(0), overlap.argmax(0)
        positive = (best >= 0.5) | ((overlap == overlap.max(1, keepdims=True)) & (overlap > 0)).any(0)
        labels = np.eye(cases.CLASSES)[targets["gt_class"][image, places]] * positive[:, None]
        likely = 1 / (1 + np.exp(-logits.astype(np.float64)))
        right = np.where(labels == 1, likely, 1 - likely)
        counted = (positive | (best < 0.4))[:, None]
        focal += (counted * np.where(labels == 1, 0.25, 0.75) * (1 - right) ** 2 * -np.log(right)).sum()
        sizes, own = (one[:, 2:] - one[:, :2] + 1 for one in (anchors, objects[places]))
        shift = (objects[places, :2] + own / 2 - anchors[:, :2] - sizes / 2) / sizes
        error = np.abs(deltas - np.concatenate([shift, np.log(own / sizes)], 1))
        near = 0.5 * (3.0151134457776365 * error) ** 2
        apart += np.where(error < 3.0151134457776365**-2, near, error - 0.5 / 3.0151134457776365**2)[positive].sum()
        total += positive.sum()
    found_losses = [losses["loss_cls"].item(), losses["loss_reg"].item()]
    np.testing.assert_allclose(found_losses, [focal / total, apart / total], rtol=1e-4)


def test_yolo_loss_smooths_classes_and_compares_sizes_by_their_distance() -> None:
    made = yolov3.YOLOv3(Given((8, 16, 32)), Given((32, 16, 8)), 3, generation=1)
    outputs = [uniform(f"first yolo {side}", (1, 24, side, side), -1, 1) for side in (2, 4, 8)]
    box = np.array([20.0, 10.0, 44.0, 40.0])  # 24 x 30 pixels: most like anchor 33 x 23, or 16 x 30
    targets = {
        "gt_bbox": core.to_tensor(box.reshape(1, 1, 4).astype(np.float32)),
        "gt_class": core.to_tensor([[2]]),
        "gt_count": core.to_tensor([1]),
    }
    found = made.loss([core.to_tensor(one) for one in outputs], targets)["loss_yolo"].item()

    anchors, side = np.array(yolov3.ANCHORS, float), 64
    size, centre = np.array([24.0, 30.0]), np.array([32.0, 25.0])
    common = np.minimum(anchors, size).prod(1)
    best = int((common / (anchors.prod(1) + size.prod() - common)).argmax())
    total = 0.0
    for output, mask, stride in zip(outputs, yolov3.ANCHOR_MASKS, (32, 16, 8)):
        count = side // stride
        table = output.reshape(3, 8, count, count).astype(np.float64)
        rows, columns = np.indices((count, count))
        own = anchors[list(mask)]
        middle = (1 / (1 + np.exp(-table[:, :2])) + np.stack([columns, rows])) * stride
        half = np.exp(table[:, 2:4]) * own[:, :, None, None] / 2
        low, high = np.maximum(middle - half, box[:2, None, None]), np.minimum(middle + half, box[2:, None, None])
        inner = (high - low).clip(min=0).prod(1)
        ignored = inner / ((2 * half).prod(1) + size.prod() - inner) > 0.7
        column, row = (centre // stride).astype(int)
        here = np.zeros((3, count, count), bool)
        if best in mask:
            here[mask.index(best), row, column] = True
            one = table[mask.index(best), :, row, column]
            inside, weight = centre / stride - (column, row), 2 - size.prod() / side**2
            total += weight * (np.log1p(np.exp(one[:2])) - inside * one[:2]).sum()
            total += weight * np.abs(one[2:4] - np.log(size / anchors[best])).sum()
            margin = min(1 / 3, 1 / 40)
            wanted = np.array([margin, margin, 1 - margin])
            total += (np.log1p(np.exp(one[5:])) - wanted * one[5:]).sum()
        entropy = np.log1p(np.exp(np.where(here, -table[:, 4], table[:, 4])))
        total += entropy[here | ~ignored].sum()
    np.testing.assert_allclose(found, total, rtol=1e-4)
    assert made.suppression["normalized"] is False
    nothing = {
        "gt_bbox": core.zeros([1, 0, 4]), "gt_class": core.zeros([1, 0], "int64"), "gt_count": core.to_tensor([0])
    }
    assert np.isfinite(made.loss([core.to_tensor(one) for one in outputs], nothing)["loss_yolo"].item())


def test_yolo_boxes_end_behind_their_last_pixel_as_results_files_count() -> None:
    sizes = {"keep_top_k": 4, "nms_top_k": 4, "score_threshold": 0.1, "nms_threshold": 0.5}
    boxes = core.to_tensor(np.array([[[10, 20, 19, 39], [40, 40, 43, 43], [10, 20, 19, 38]]], np.float32))
    scores = core.to_tensor(np.array([[[0.9, 0.8, 0.7]]], np.float32))
    found = {}
    for generation in (1, 2):
        made = yolov3.YOLOv3(Given((8, 16, 32)), Given((32, 16, 8)), 1, generation=generation, **sizes)
        rows, counts = made.suppressed(boxes, scores)
        assert counts.tolist() == [2]
        found[generation] = rows.numpy()[0, :2, 2:]
        assert (rows.numpy()[0, 2:, 2:] == 0).all()
    np.testing.assert_array_equal(found[2], boxes.numpy()[0, :2])
    np.testing.assert_array_equal(found[1], [[10, 20, 20, 40], [40, 40, 44, 44]])
    widths_and_heights = found[1][:, 2:] - found[1][:, :2]
    np.testing.assert_array_equal(widths_and_heights, [[10, 20], [4, 4]])  # xmax - xmin + 1 in the release's bbox2out


def test_an_official_file_of_fluid_1_makes_a_detector_of_generation_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    settings = {"scale": 0.25, "width": 32}
    values = seeded(shapes("yolov3_mobilenet_v1", num_classes=80, **settings))
    names = EXPECTED["yolov3_mobilenet_v1"]()
    target = cache_path(CHECKPOINTS["yolov3_mobilenet_v1.tar"].record.url)
    target.parent.mkdir(parents=True)
    write_archive({names[key]: array for key, array in values.items()}, target)
    made = PaddleDetection.create_model("yolov3_mobilenet_v1.tar", pretrained=True, **settings)
    assert made.num_classes == 80 and made.suppression["normalized"] is False
    np.testing.assert_array_equal(made.yolo_head.yolo_outputs[0].bias.numpy(), values["yolo_head.yolo_output.0.bias"])
