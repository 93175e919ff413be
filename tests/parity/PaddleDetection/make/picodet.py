"""Store what PaddleDetection's PicoDet says of seeded images, feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/picodet.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0. Where no image has an object, the official loss divides by
zero: that case is left out.
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
from ppdet.modeling.backbones.lcnet import LCNet  # noqa: E402
from ppdet.modeling.heads.pico_head import PicoFeat, PicoHeadV2  # noqa: E402
from ppdet.modeling.layers import MultiClassNMS  # noqa: E402
from ppdet.modeling.losses.gfocal_loss import DistributionFocalLoss  # noqa: E402
from ppdet.modeling.losses.iou_loss import GIoULoss  # noqa: E402
from ppdet.modeling.losses.varifocal_loss import VarifocalLoss  # noqa: E402
from ppdet.modeling.necks.lc_pan import LCPAN  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "picodet.npz"


def head_of(channels: int, levels: int, num_convs: int) -> PicoHeadV2:
    """Return the official head."""
    return PicoHeadV2(
        PicoFeat(channels, channels, levels, num_convs, "bn", True, use_se=True),
        None,
        cases.CLASSES,
        [8, 16, 32, 64][:levels],
        loss_class=VarifocalLoss(use_sigmoid=False),
        loss_dfl=DistributionFocalLoss(loss_weight=0.5),
        loss_bbox=GIoULoss(loss_weight=2.5),
        static_assigner_epoch=100,
        static_assigner=ATSSAssigner(9, cases.CLASSES),
        assigner=TaskAlignedAssigner(13),
        reg_max=7,
        feat_in_chan=channels,
        cell_offset=0.5,
        nms=MultiClassNMS(score_threshold=0.1, nms_top_k=50, keep_top_k=20, nms_threshold=0.6),
    )


def set_weights(layer: paddle.nn.Layer, case: str) -> list[str]:
    """Give a layer seeded weights, and return their names."""
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(cases.pico_weights(case, shapes))
    return sorted(shapes)


def main() -> None:
    """Write the whole network's maps and boxes, and the head's losses and gradients by case."""
    stored = {}
    whole = paddle.nn.Layer()
    whole.backbone = LCNet(0.35)
    scales = [0.125, 0.0625, 0.03125]
    whole.neck = LCPAN(whole.backbone._out_channels, cases.PICO_CHANNELS, num_features=4, spatial_scales=scales)
    whole.head = head_of(cases.PICO_CHANNELS, 4, 2)
    stored["keys"] = np.array(set_weights(whole, "pico"))
    whole.eval()
    maps = whole.backbone({"image": paddle.to_tensor(cases.image("pico"))})
    levels = whole.neck(maps)
    for part, found in (("backbone", maps), ("neck", levels)):
        for level, one in enumerate(found):
            stored[f"{part} {level}"] = one.numpy()[:, ::2]
    rows, counts = whole.head.post_process(whole.head(levels), paddle.to_tensor(cases.SCALE))
    stored["rows"], stored["counts"] = rows.numpy(), counts.numpy()

    head = head_of(cases.CHANNELS, 3, 1)
    set_weights(head, "pico head")
    head.train()
    maps = cases.features("pico", cases.PICO_LEVELS)
    for case in ("objects", "one empty"):
        for stage, epoch in cases.PICO_EPOCHS.items():
            inputs = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
            found = cases.objects(case, cases.FCOS_SHAPES, 4)
            given = np.arange(6) < found["gt_count"][:, None]
            targets = {
                "gt_bbox": paddle.to_tensor(found["gt_bbox"]),
                "gt_class": paddle.to_tensor(found["gt_class"][:, :, None]),
                "pad_gt_mask": paddle.to_tensor(given[:, :, None].astype(np.float32)),
                "im_id": paddle.zeros([2, 1]),
                "epoch_id": epoch,
            }
            losses = head.get_loss(head(inputs), targets)
            paddle.add_n(list(losses.values())).backward()
            for key, value in losses.items():
                stored[f"{case} {stage} {key}"] = np.float64(value.item())
            for level, one in enumerate(inputs):
                stored[f"{case} {stage} gradient {level}"] = one.grad.numpy()
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
