"""Store what PaddleDetection's PP-YOLO says of seeded feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/ppyolo.py

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
from ppdet.data.transform.batch_operators import Gt2YoloTarget  # noqa: E402
from ppdet.modeling.heads.yolo_head import YOLOv3Head  # noqa: E402
from ppdet.modeling.layers import MatrixNMS, MultiClassNMS, YOLOBox  # noqa: E402
from ppdet.modeling.losses import IouAwareLoss, IouLoss, YOLOv3Loss  # noqa: E402
from ppdet.modeling.necks.yolo_fpn import PPYOLOFPN, PPYOLOPAN, PPYOLOTinyFPN  # noqa: E402
from ppdet.modeling.post_process import BBoxPostProcess  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases, pp_cases, yolo_cases  # noqa: E402
from tests.parity.PaddleDetection.make.yolo import samples  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "ppyolo.npz"


def neck_of(kind: str) -> paddle.nn.Layer:
    """Return an official neck."""
    channels = list(pp_cases.CHANNELS_OF[kind])
    if kind == "tiny":
        return PPYOLOTinyFPN(channels, list(pp_cases.TINY), spp=True, drop_block=True)
    if kind == "second":
        return PPYOLOPAN(channels, spp=True, drop_block=True)
    count = 2 if kind == "coordinates" else 0
    return PPYOLOFPN(channels, coord_conv=True, conv_block_num=count, spp=True, drop_block=True)


def suppression_of(kind: str) -> object:
    """Return the official suppression of boxes."""
    if kind in pp_cases.AWARE:
        return MatrixNMS(0.01, 0.01, -1, 20, background_label=-1)
    return MultiClassNMS(0.005, 1000, 20, nms_threshold=0.45)


def network(kind: str) -> dict[str, np.ndarray]:
    """Return names of weights, maps and boxes of a neck with its head."""
    whole = paddle.nn.Layer()
    whole.neck = neck_of(kind)
    levels = len(pp_cases.CHANNELS_OF[kind])
    anchors = ([list(anchor) for anchor in pp_cases.ANCHORS[levels]], [list(mask) for mask in pp_cases.MASKS[levels]])
    aware = {"iou_aware": kind in pp_cases.AWARE, "iou_aware_factor": pp_cases.AWARE.get(kind, 0.0)}
    channels = [shape.channels for shape in whole.neck.out_shape]
    whole.yolo_head = YOLOv3Head(channels, *anchors, yolo_cases.CLASSES, loss=None, **aware)
    shapes = {key: list(value.shape) for key, value in whole.state_dict().items()}
    whole.set_state_dict(onestage_cases.lively(kind, shapes))
    whole.eval()
    maps = whole.neck([paddle.to_tensor(one) for one in pp_cases.backbone_maps(kind)])
    decode = YOLOBox(yolo_cases.CLASSES, 0.01 if kind in pp_cases.AWARE else 0.005, scale_x_y=1.05)
    finish = BBoxPostProcess(yolo_cases.CLASSES, decode, suppression_of(kind))
    sizes = (paddle.to_tensor(onestage_cases.image_shape()), paddle.to_tensor(onestage_cases.SCALE))
    rows, counts, _ = finish(whole.yolo_head(maps), whole.yolo_head.mask_anchors, *sizes)
    found = {f"{kind} neck {level}": one.numpy()[:, :: max(one.shape[1] // 64, 1)] for level, one in enumerate(maps)}
    return {
        **found,
        f"{kind} keys": np.array(sorted(shapes)),
        f"{kind} rows": rows.numpy(),
        f"{kind} counts": counts.numpy(),
    }


def losses(case: str, options: dict[str, float]) -> dict[str, np.ndarray]:
    """Return losses and gradients of a case."""
    batch = samples(case)
    thresh = options.get("iou_thresh", 1.0)
    Gt2YoloTarget(yolo_cases.ANCHORS, yolo_cases.MASKS, yolo_cases.STRIDES, yolo_cases.CLASSES, thresh)(batch)
    names = ("gt_bbox", "target0", "target1", "target2")
    targets = {name: paddle.to_tensor(np.stack([sample[name] for sample in batch])) for name in names}
    outputs = [paddle.to_tensor(output, stop_gradient=False) for output in pp_cases.outputs(case)]
    aware = IouAwareLoss() if "iou_aware_weight" in options else None
    parts = {"iou_loss": IouLoss(2.5), "iou_aware_loss": aware}
    loss = YOLOv3Loss(yolo_cases.CLASSES, downsample=yolo_cases.STRIDES, scale_x_y=1.05, **parts)
    anchors = [[yolo_cases.ANCHORS[index] for index in mask] for mask in yolo_cases.MASKS]
    found = loss(outputs, targets, anchors)
    found["loss"].backward()
    stored = {f"{case} {name}": np.float64(value.item()) for name, value in found.items()}
    for level, output in enumerate(outputs):
        stored[f"{case} gradient {level}"] = output.grad.numpy()
    return stored


def main() -> None:
    """Write what the necks, heads and losses give."""
    stored = {}
    for kind in pp_cases.CHANNELS_OF:
        stored.update(network(kind))
    for case, options in pp_cases.LOSS_CASES.items():
        stored.update(losses(case, options))
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
