"""Store what PaddleDetection's FCOS head says of seeded feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/fcos.py

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
from ppdet.data.transform.batch_operators import Gt2FCOSTarget  # noqa: E402
from ppdet.modeling.heads.fcos_head import FCOSFeat, FCOSHead  # noqa: E402
from ppdet.modeling.layers import MultiClassNMS  # noqa: E402
from ppdet.modeling.losses import FCOSLoss  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "fcos.npz"
FAR = 1e5
"""Where the one object of an image without any is, for the official code fails without one."""


def targets_of(case: str) -> dict[str, paddle.Tensor]:
    """Return what the official reader's batch transform makes of a case's objects."""
    found, samples = cases.objects(case, cases.FCOS_SHAPES, 4), []
    for boxes, classes, count in zip(*found.values()):
        if count == 0:
            boxes[0] = [FAR, FAR, FAR + 1, FAR + 1]
        used = max(count, 1)
        image = np.zeros((3, cases.HEIGHT, cases.WIDTH), np.float32)
        samples.append({"image": image, "gt_bbox": boxes[:used], "gt_class": classes[:used, None].astype(np.int32)})
    Gt2FCOSTarget(cases.FCOS_BOUNDARY, 1.5, list(cases.PYRAMID_STRIDES))(samples)
    names = [name for name in samples[0] if name != "image"]
    return {name: paddle.to_tensor(np.stack([sample[name] for sample in samples])) for name in names}


def main() -> None:
    """Write final boxes, losses and gradients by case."""
    stored = {}
    strides = list(cases.PYRAMID_STRIDES)
    suppression = MultiClassNMS(score_threshold=0.025, nms_top_k=100, keep_top_k=30, nms_threshold=0.6)
    feat = FCOSFeat(cases.CHANNELS, 256, 1, "gn")
    head = FCOSHead(cases.CLASSES, feat, strides, fcos_loss=FCOSLoss(), nms=suppression)
    shapes = {key: list(value.shape) for key, value in head.state_dict().items()}
    head.set_state_dict(cases.weights("fcos", shapes))
    stored["keys"] = np.array(sorted(shapes))
    maps = cases.features("fcos", cases.pyramid())
    head.eval()
    rows, counts = head.post_process(head([paddle.to_tensor(one) for one in maps]), paddle.to_tensor(cases.SCALE))
    stored["rows"], stored["counts"] = rows.numpy(), counts.numpy()

    head.train()
    for case in ("objects", "one empty"):
        inputs = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
        losses = head(inputs, targets_of(case))
        losses["loss"].backward()
        for key in ("loss_cls", "loss_box", "loss_quality"):
            stored[f"{case} {key}"] = np.float64(losses[key].item())
        for level, one in enumerate(inputs):
            stored[f"{case} gradient {level}"] = one.grad.numpy()
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
