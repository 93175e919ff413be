"""Store what PaddleDetection's TTFNet says of seeded feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/ttf.py

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
from ppdet.data.transform.batch_operators import Gt2TTFTarget  # noqa: E402
from ppdet.modeling.backbones.darknet import DarkNet  # noqa: E402
from ppdet.modeling.heads.ttf_head import TTFHead  # noqa: E402
from ppdet.modeling.layers import TTFBox  # noqa: E402
from ppdet.modeling.losses.ctfocal_loss import CTFocalLoss  # noqa: E402
from ppdet.modeling.losses.iou_loss import GIoULoss  # noqa: E402
from ppdet.modeling.necks.ttf_fpn import TTFFPN  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "ttf.npz"


def whole_of(channels: list[int], planes: list[int], classes: int, head_planes: tuple[int, int]) -> paddle.nn.Layer:
    """Return neck and head."""
    whole = paddle.nn.Layer()
    whole.neck = TTFFPN(channels, planes)
    wanted = {"hm_loss": CTFocalLoss(), "wh_loss": GIoULoss(loss_weight=5.0, reduction="sum")}
    whole.ttf_head = TTFHead(planes[-1], classes, *head_planes, **wanted)
    return whole


def targets_of(case: str) -> list[paddle.Tensor]:
    """Return what the official reader's batch transform makes of a case's objects."""
    found, samples = cases.objects(case, cases.FCOS_SHAPES, 4), []
    for boxes, classes, count in zip(*found.values()):
        image = np.zeros((3, 96, 96), np.float32)
        samples.append({"image": image, "gt_bbox": boxes[:count], "gt_class": classes[:count, None].astype(np.int32)})
    samples = Gt2TTFTarget(cases.CLASSES)(samples)
    names = ("ttf_heatmap", "ttf_box_target", "ttf_reg_weight")
    return [paddle.to_tensor(np.stack([sample[name] for sample in samples])) for name in names]


def main() -> None:
    """Write the neck's map, final boxes, losses and gradients by case, and how many parameters the detector has."""
    stored = {}
    full = whole_of([128, 256, 512, 1024], [256, 128, 64], 80, (128, 64))
    full.backbone = DarkNet(freeze_at=-1, return_idx=[1, 2, 3, 4])
    stored["count"] = np.array(sum(int(one.size) for one in full.parameters() if not one.stop_gradient))
    whole = whole_of(list(cases.TTF_CHANNELS), list(cases.TTF_PLANES), cases.CLASSES, (8, 8))
    shapes = {key: list(value.shape) for key, value in whole.state_dict().items()}
    whole.set_state_dict(cases.ttf_weights(shapes))
    stored["keys"] = np.array(sorted(shapes))
    whole.eval()
    maps = cases.ttf_features()
    level = whole.neck([paddle.to_tensor(one) for one in maps])
    stored["neck"] = level.numpy()
    heat, sides = whole.ttf_head(level)
    kept = []
    for image in range(2):
        scale = paddle.to_tensor(cases.SCALE[image : image + 1])
        rows, _ = TTFBox(30, 0.1)(heat[image : image + 1], sides[image : image + 1], scale, scale)
        kept.append(rows.numpy()[:-1])  # the last one is always there, of class -1
    stored["counts"] = np.array([len(rows) for rows in kept])
    stored["rows"] = np.concatenate(kept)
    for case in cases.COUNTS:
        inputs = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
        heat, sides = whole.ttf_head(whole.neck(inputs))
        targets = targets_of(case)
        if case == "all empty":
            stored[f"{case} hm_loss"] = np.float64(
                CTFocalLoss()(paddle.clip(paddle.nn.functional.sigmoid(heat), 1e-4, 1 - 1e-4), targets[0]).item()
            )
            continue
        losses = whole.ttf_head.get_loss(heat, sides, *targets)
        paddle.add_n(list(losses.values())).backward()
        for key, value in losses.items():
            stored[f"{case} {key}"] = np.float64(value.item())
        for place, one in enumerate(inputs):
            stored[f"{case} gradient {place}"] = one.grad.numpy()
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
