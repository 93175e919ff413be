"""Store what PaddleDetection's YOLOX says of seeded images, feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/yolox.py

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
from ppdet.modeling.assigners.simota_assigner import SimOTAAssigner  # noqa: E402
from ppdet.modeling.backbones.csp_darknet import CSPDarkNet  # noqa: E402
from ppdet.modeling.heads.yolo_head import YOLOXHead  # noqa: E402
from ppdet.modeling.layers import MultiClassNMS  # noqa: E402
from ppdet.modeling.necks.yolo_fpn import YOLOCSPPAN  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "yolox.npz"


def head_of(channels: list[int], width: float, depthwise: bool) -> YOLOXHead:
    """Return the official head."""
    suppression = MultiClassNMS(score_threshold=0.1, nms_top_k=50, keep_top_k=20, nms_threshold=0.65)
    return YOLOXHead(
        cases.CLASSES,
        width,
        depthwise,
        channels,
        assigner=SimOTAAssigner(num_classes=cases.CLASSES, use_vfl=False),
        nms=suppression,
    )


def set_weights(layer: paddle.nn.Layer, case: str) -> list[str]:
    """Give a layer seeded weights, and return their names."""
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(cases.lively(case, shapes))
    return sorted(shapes)


def main() -> None:
    """Write the whole network's maps and boxes, and the head's losses and gradients by case."""
    stored = {}
    for name, depthwise in cases.YOLOX.items():
        backbone = CSPDarkNet(depth_mult=cases.YOLOX_DEPTH, width_mult=cases.YOLOX_WIDTH, depthwise=depthwise)
        channels = backbone._out_channels
        neck = YOLOCSPPAN(cases.YOLOX_DEPTH, channels, depthwise)
        head = head_of(channels, cases.YOLOX_WIDTH, depthwise)
        whole = paddle.nn.Layer()
        whole.backbone, whole.neck, whole.head = backbone, neck, head
        stored[f"{name} keys"] = np.array(set_weights(whole, f"yolox {name}"))
        whole.eval()
        maps = backbone({"image": paddle.to_tensor(cases.image("yolox"))})
        levels = neck(maps)
        for part, found in (("backbone", maps), ("neck", levels)):
            for level, one in enumerate(found):
                stored[f"{name} {part} {level}"] = one.numpy()[:, ::2]
        rows, counts = head.post_process(head(levels), None, paddle.to_tensor(cases.SCALE))
        stored[f"{name} rows"], stored[f"{name} counts"] = rows.numpy(), counts.numpy()

    head = head_of([cases.CHANNELS] * 3, 0.03125, False)
    set_weights(head, "yolox head")
    head.train()
    maps = cases.features("yolox", cases.pyramid())
    for case in cases.COUNTS:
        inputs = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
        found = cases.objects(case, cases.FCOS_SHAPES, 4)
        used = found["gt_count"].tolist()
        targets = {
            "gt_bbox": [paddle.to_tensor(boxes[:count]) for boxes, count in zip(found["gt_bbox"], used)],
            "gt_class": [
                paddle.to_tensor(classes[:count, None].astype(np.int32))
                for classes, count in zip(found["gt_class"], used)
            ],
            "epoch_id": cases.YOLOX_EPOCHS[case],
        }
        losses = head(inputs, targets)
        losses["loss"].backward()
        for key in ("loss", "loss_cls", "loss_obj", "loss_iou", "loss_l1"):
            stored[f"{case} {key}"] = np.float64(losses[key].item())
        for level, one in enumerate(inputs):
            stored[f"{case} gradient {level}"] = one.grad.numpy()
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
