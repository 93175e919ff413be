"""Store what PaddleDetection's RetinaNet head says of seeded feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/retina.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from ppdet.modeling import heads  # noqa: E402
from ppdet.modeling.assigners import MaxIoUAssigner  # noqa: E402
from ppdet.modeling.heads.retina_head import RetinaFeat, RetinaHead  # noqa: E402
from ppdet.modeling.layers import MultiClassNMS  # noqa: E402
from ppdet.modeling.losses import FocalLoss, SmoothL1Loss  # noqa: E402
from ppdet.modeling.proposal_generator.anchor_generator import RetinaAnchorGenerator  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "retina.npz"


FAR = 1e5
"""Where the one object of an image without any is, for the official code fails without one."""


def deltas(anchors: paddle.Tensor, boxes: paddle.Tensor, weights: list[float]) -> paddle.Tensor:
    """Return what the official function does, which fails without boxes."""
    return official_deltas(anchors, boxes, weights) if len(anchors) else paddle.zeros([0, 4])


def background(levels: list[paddle.Tensor]) -> dict[str, paddle.Tensor]:
    """Return the losses of a batch without any object, at which the official head fails, by the official focal loss."""
    scores = paddle.concat([one.transpose([0, 2, 3, 1]).reshape([-1, cases.CLASSES]) for one in levels])
    loss = FocalLoss()(scores, paddle.full([len(scores)], cases.CLASSES, "int64"), reduction="sum")
    return {"loss_cls": loss, "loss_reg": paddle.zeros([1]), "loss": loss}


official_deltas = heads.retina_head.bbox2delta
heads.retina_head.bbox2delta = deltas


def main() -> None:
    """Write final boxes, losses and gradients by case."""
    stored = {}
    for name, (beta, norm) in cases.RETINA.items():
        head = RetinaHead(
            cases.CLASSES,
            RetinaFeat(cases.CHANNELS, cases.TOWER, 2, norm),
            RetinaAnchorGenerator(strides=[float(stride) for stride in cases.PYRAMID_STRIDES]),
            MaxIoUAssigner(0.5, 0.4),
            FocalLoss(),
            SmoothL1Loss(beta),
            MultiClassNMS(score_threshold=0.05, nms_top_k=100, keep_top_k=30, nms_threshold=0.5),
            nms_pre=60,
        )
        shapes = {key: list(value.shape) for key, value in head.state_dict().items()}
        head.set_state_dict(cases.weights(f"retina {name}", shapes))
        stored[f"{name} keys"] = np.array(sorted(shapes))
        maps = cases.features(f"retina {name}", cases.pyramid())
        head.eval()
        found = head([paddle.to_tensor(one) for one in maps])
        shape, scale = paddle.to_tensor(cases.image_shape()), paddle.to_tensor(cases.SCALE)
        rows, counts, _ = head.post_process(found, shape, scale)
        stored[f"{name} rows"], stored[f"{name} counts"] = rows.numpy(), counts.numpy()

        for case in cases.COUNTS:
            objects = cases.objects(case, cases.RETINA_SHAPES, 0)
            counts = objects["gt_count"].clip(1)
            objects["gt_bbox"][objects["gt_count"] == 0, 0] = [FAR, FAR, FAR + 1, FAR + 1]
            targets = {
                key: [paddle.to_tensor(rows[:count]) for rows, count in zip(objects[key], counts)]
                for key in ("gt_bbox", "gt_class")
            }
            inputs = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
            found = head(inputs)
            losses = head.get_loss(found, targets) if objects["gt_count"].any() else background(found[0])
            losses["loss"].backward()
            for key in ("loss_cls", "loss_reg"):
                stored[f"{name} {case} {key}"] = np.float64(losses[key].item())
            for level, one in enumerate(inputs):
                stored[f"{name} {case} gradient {level}"] = one.grad.numpy()
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
