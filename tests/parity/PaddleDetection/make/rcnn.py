"""Store what PaddleDetection's two-stage heads say of seeded feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/rcnn.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from ppdet.modeling.heads.bbox_head import BBoxHead, TwoFCHead, XConvNormHead  # noqa: E402
from ppdet.modeling.heads.cascade_head import CascadeHead, CascadeTwoFCHead, CascadeXConvNormHead  # noqa: E402
from ppdet.modeling.heads.mask_head import MaskFeat, MaskHead  # noqa: E402
from ppdet.modeling.layers import MultiClassNMS, RCNNBox  # noqa: E402
from ppdet.modeling.post_process import BBoxPostProcess  # noqa: E402
from ppdet.modeling.proposal_generator import target  # noqa: E402
from ppdet.modeling.proposal_generator.rpn_head import RPNHead  # noqa: E402
from ppdet.modeling.proposal_generator.target_layer import BBoxAssigner, MaskAssigner  # noqa: E402

from tests.parity.PaddleDetection import rcnn_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "rcnn.npz"
SUBSAMPLE, PERMUTATION = target.subsample_labels, paddle.randperm
CONCAT = paddle.concat


def concat(parts: list[Any], axis: int = 0, **more: Any) -> Any:
    """Join numbers, too: paddledet 2.6.0 was written when the parts of a shape had an axis."""
    return CONCAT([part.reshape([1]) if part.ndim == 0 else part for part in parts], axis, **more)


paddle.concat = concat


class Downwards(paddle.nn.Layer):
    """Stands in for the fifth stage."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = paddle.nn.Conv2D(cases.CHANNELS, cases.CHANNELS, 3, 2, 1)

    def forward(self, regions: Any, stage: int = 0) -> Any:
        return paddle.nn.functional.relu(self.conv(regions))


class OwnIndices(MaskAssigner):
    """Counts the regions of all images, where the official class begins anew with each."""

    def __call__(self, rois: Any, labels: Any, places: Any, inputs: Any) -> Any:
        *found, index, weights = super().__call__(rois, labels, places, inputs)
        lengths = [0, *(len(one) for one in rois)]
        first = np.repeat(np.cumsum(lengths)[:-1], found[1].numpy())
        return *found, index + paddle.to_tensor(first.reshape(index.shape)), weights


def replay() -> None:
    """Draw samples with the cases' random numbers."""
    state = {"image": 0}

    def subsample(labels: Any, number: int, *more: Any) -> Any:
        kind = {count: name for name, count in cases.SAMPLED.items()}[number]
        numbers = iter(cases.draws(number, kind)[state["image"]][::-1])  # negative ones are drawn first
        state["image"] = 1 - state["image"]

        def permutation(count: Any, dtype: str = "int32") -> Any:
            return paddle.to_tensor(cases.shuffled(int(count), next(numbers)), dtype)

        paddle.randperm = permutation
        return SUBSAMPLE(labels, number, *more)

    target.subsample_labels = subsample


def stop_replaying() -> None:
    """Draw samples as ever."""
    target.subsample_labels, paddle.randperm = SUBSAMPLE, PERMUTATION


class Detector(paddle.nn.Layer):
    """The official heads behind given feature maps.

    Args:
        name: of :data:`cases.DETECTORS`.
        case: of the objects.
    """

    def __init__(self, name: str, case: str) -> None:
        super().__init__()
        kind, norm, agnostic, aligned = cases.DETECTORS[name]
        single = kind == "c4"
        strides = [16] if single else list(cases.STRIDES)
        sizes = list(cases.ANCHORS) if single else [[size] for size in cases.ANCHORS]
        ignored = cases.IGNORED if case == "crowd" and kind == "fpn" else -1.0
        drawn = {"use_random": case == "random", "ignore_thresh": ignored}
        rule = {"min_size": cases.SMALLEST, "nms_thresh": 0.7}
        self.rpn_head = RPNHead(
            {"anchor_sizes": sizes, "strides": strides},
            {"batch_size_per_im": cases.SAMPLED["rpn"], **drawn},
            {**rule, **cases.TRAIN, "topk_after_collect": not single},
            {**rule, **cases.TEST},
            cases.CHANNELS,
        )
        scales = [1 / stride for stride in strides[:4]]
        cut = {"sampling_ratio": 0, "aligned": aligned, "spatial_scale": scales, "canonical_size": cases.CANONICAL}
        assigner = BBoxAssigner(cases.SAMPLED["box"], num_classes=cases.CLASSES, **drawn)
        common = {"bbox_assigner": assigner, "num_classes": cases.CLASSES}
        weights = [10.0, 10.0, 5.0, 5.0]
        self.cascade = kind == "cascade"
        if self.cascade:
            weights = [30.0, 30.0, 15.0, 15.0]
            head = (
                CascadeTwoFCHead(cases.CHANNELS, 16, 7, 3)
                if norm is None
                else CascadeXConvNormHead(cases.CHANNELS, 4, cases.WIDE, 16, 7, norm)
            )
            self.bbox_head = CascadeHead(
                head, 16, {"resolution": 7, **cut}, reg_class_agnostic=agnostic, **common
            )
        elif single:
            self.bbox_head = BBoxHead(Downwards(), cases.CHANNELS, {"resolution": 14, **cut}, with_pool=True, **common)
        else:
            head = (
                TwoFCHead(cases.CHANNELS, 16, 7)
                if norm is None
                else XConvNormHead(cases.CHANNELS, 4, cases.WIDE, 16, 7, norm)
            )
            self.bbox_head = BBoxHead(head, 16, {"resolution": 7, **cut}, **common)
        masks = MaskFeat(cases.CHANNELS, cases.WIDE if norm else 8, 0 if single else 4, norm)
        size = 14 if single else 28
        self.mask_head = MaskHead(
            masks, {"resolution": 14, **cut}, OwnIndices(cases.CLASSES, size), cases.CLASSES, share_bbox_feat=single
        )
        nms = MultiClassNMS(nms_top_k=-1, return_index=True, **cases.SELECTION)
        self.finish = BBoxPostProcess(cases.CLASSES, RCNNBox(weights, num_classes=cases.CLASSES), nms)
        shapes = {key: list(value.shape) for key, value in self.state_dict().items()}
        self.set_state_dict(cases.weights(name, shapes))

    def losses(self, features: list[Any], inputs: dict[str, Any]) -> tuple[dict[str, Any], Any, Any]:
        """Return the losses, the sampled regions and their targets."""
        self.train()
        rois, counts, losses = self.rpn_head(features, inputs)
        found, seen = self.bbox_head(features, rois, counts, inputs)
        regions, numbers = self.bbox_head.get_assigned_rois()
        targets = self.bbox_head.get_assigned_targets()
        masks = self.mask_head(features, regions, numbers, inputs, targets, seen)
        return {**losses, **found, **masks}, regions, targets

    def found(self, features: list[Any], inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        """Return proposals, boxes and masks."""
        self.eval()
        rois, counts, _ = self.rpn_head(features, inputs)
        stored = {f"roi {image}": one.numpy() for image, one in enumerate(rois)}
        given = inputs if self.cascade else None
        predicted, first = self.bbox_head(features, rois, counts, given)
        regions = self.bbox_head.get_refined_rois() if self.cascade else rois
        rows, numbers, _ = self.finish(predicted, (regions, counts), inputs["im_shape"], inputs["scale_factor"])
        masks = self.mask_head(features, rows, numbers, inputs, feat_func=first)
        _, final, numbers = self.finish.get_pred(rows, numbers, inputs["im_shape"], inputs["scale_factor"])
        return {**stored, "rows": final.numpy(), "counts": numbers.numpy(), "masks": masks.numpy()[:, ::3, ::3]}


def given(case: str) -> dict[str, Any]:
    """Return a case's objects as the official heads take them."""
    made = cases.objects(case)
    used = made["gt_count"].tolist()
    return {
        "gt_bbox": [paddle.to_tensor(boxes[:count]) for boxes, count in zip(made["gt_bbox"], used)],
        "gt_class": [
            paddle.to_tensor(classes[:count, None].astype(np.int32))
            for classes, count in zip(made["gt_class"], used)
        ],
        "is_crowd": [
            paddle.to_tensor(crowd[:count, None].astype(np.int32)) for crowd, count in zip(made["is_crowd"], used)
        ],
        "gt_poly": cases.polygons(made),
        "im_shape": paddle.to_tensor(cases.IM_SHAPE),
        "scale_factor": paddle.to_tensor(cases.SCALE),
    }


def main() -> None:
    """Write what each detector finds, and its losses and gradients by case."""
    stored: dict[str, Any] = {}
    for name, listed in cases.CASES.items():
        maps = cases.features(name, 1 if cases.DETECTORS[name][0] == "c4" else len(cases.STRIDES))
        heads = Detector(name, "objects")
        stored[f"{name} keys"] = np.array(sorted(heads.state_dict()))
        for key, value in heads.found([paddle.to_tensor(one) for one in maps], given("objects")).items():
            stored[f"{name} {key}"] = value
        for case in listed:
            heads, inputs = Detector(name, case), given(case)
            if case == "random":
                replay()
            features = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
            losses, regions, targets = heads.losses(features, inputs)
            stop_replaying()
            paddle.add_n([value.sum() for value in losses.values()]).backward()
            place = f"{name} {case}"
            stored[f"{place} losses"] = np.array([value.item() for _, value in sorted(losses.items())])
            stored[f"{place} regions"] = np.concatenate([one.numpy() for one in regions])
            stored[f"{place} labels"] = np.concatenate([one.numpy() for one in targets[0]])
            for level, one in enumerate(features):
                stored[f"{place} gradient {level}"] = cases.sample(one.grad.numpy())
            stored[f"{place} of parameters"] = np.array(
                [
                    0.0 if one.grad is None else np.abs(one.grad.numpy()).sum()
                    for _, one in sorted(heads.named_parameters())
                ]
            )
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
