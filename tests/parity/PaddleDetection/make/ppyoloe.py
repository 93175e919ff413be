"""Store what PaddleDetection's PP-YOLOE+ says of seeded images, feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/ppyoloe.py

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
from ppdet.modeling.assigners.atss_assigner import ATSSAssigner  # noqa: E402
from ppdet.modeling.assigners.task_aligned_assigner import TaskAlignedAssigner  # noqa: E402
from ppdet.modeling.backbones.cspresnet import CSPResNet  # noqa: E402
from ppdet.modeling.heads.ppyoloe_head import PPYOLOEHead  # noqa: E402
from ppdet.modeling.layers import MultiClassNMS  # noqa: E402
from ppdet.modeling.necks.custom_pan import CustomCSPPAN  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases, pp_cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "ppyoloe.npz"


def head_of(channels: list[int]) -> PPYOLOEHead:
    """Return the official head."""
    return PPYOLOEHead(
        channels,
        onestage_cases.CLASSES,
        fpn_strides=pp_cases.E_STRIDES,
        static_assigner_epoch=30,
        static_assigner=ATSSAssigner(9, onestage_cases.CLASSES),
        assigner=TaskAlignedAssigner(13),
        nms=MultiClassNMS(score_threshold=0.1, nms_top_k=50, keep_top_k=20, nms_threshold=0.7),
    )


def set_weights(layer: paddle.nn.Layer, case: str) -> list[str]:
    """Give a layer seeded weights, and return their names."""
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(pp_cases.e_weights(case, shapes))
    return sorted(shapes)


def main() -> None:
    """Write the whole network's maps and boxes, and the head's losses and gradients by case."""
    stored = {}
    whole = paddle.nn.Layer()
    scale = {"depth_mult": pp_cases.E_DEPTH, "width_mult": pp_cases.E_WIDTH}
    whole.backbone = CSPResNet(use_large_stem=True, use_alpha=True, **scale)
    channels = [shape.channels for shape in whole.backbone.out_shape]
    whole.neck = CustomCSPPAN(channels, [768, 384, 192], act="swish", spp=True, **scale)
    whole.yolo_head = head_of([shape.channels for shape in whole.neck.out_shape])
    stored["keys"] = np.array(set_weights(whole, "ppyoloe"))
    whole.eval()
    image = paddle.to_tensor(onestage_cases.image("ppyoloe"))
    maps = whole.backbone({"image": image})
    levels = whole.neck(maps)
    for part, found in (("backbone", maps), ("neck", levels)):
        for level, one in enumerate(found):
            stored[f"{part} {level}"] = one.numpy()[:, ::2]
    rows, counts, _ = whole.yolo_head.post_process(whole.yolo_head(levels), paddle.to_tensor(onestage_cases.SCALE))
    stored["rows"], stored["counts"] = rows.numpy(), counts.numpy()
    whole.train()
    for level, one in enumerate(whole.backbone({"image": image})):
        stored[f"training {level}"] = one.numpy()[:, ::2]

    head = head_of([onestage_cases.CHANNELS] * 3)
    set_weights(head, "ppyoloe head")
    head.train()
    for case, counts in onestage_cases.COUNTS.items():
        for stage, epoch in pp_cases.E_EPOCHS.items():
            inputs = [paddle.to_tensor(one, stop_gradient=False) for one in pp_cases.e_features()]
            found = onestage_cases.objects(case, onestage_cases.FCOS_SHAPES, 4)
            given = np.arange(6) < np.array(counts)[:, None]
            targets = {
                "gt_bbox": paddle.to_tensor(found["gt_bbox"]),
                "gt_class": paddle.to_tensor(found["gt_class"][:, :, None]),
                "pad_gt_mask": paddle.to_tensor(given[:, :, None].astype(np.float32)),
                "epoch_id": epoch,
            }
            losses = head(inputs, targets)
            losses["loss"].backward()
            for key in ("loss", "loss_cls", "loss_iou", "loss_dfl"):
                stored[f"{case} {stage} {key}"] = np.float64(losses[key].item())
            for level, one in enumerate(inputs):
                stored[f"{case} {stage} gradient {level}"] = one.grad.numpy()[:, ::2]
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
