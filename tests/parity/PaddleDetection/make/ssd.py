"""Store what PaddleDetection's SSD and BlazeFace heads say of seeded feature maps and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/ssd.py

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
from ppdet.modeling.heads import FaceHead, SSDHead  # noqa: E402
from ppdet.modeling.layers import AnchorGeneratorSSD, MultiClassNMS, SSDBox  # noqa: E402
from ppdet.modeling.losses import SSDLoss  # noqa: E402
from ppdet.modeling.post_process import BBoxPostProcess  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "ssd.npz"


def main() -> None:
    """Write predictions, final boxes, losses and gradients by case."""
    stored = {}
    for name, priors in cases.SSD_PRIORS.items():
        least = [one if len(one) > 1 else one[0] for one in priors["min_sizes"]]
        made = AnchorGeneratorSSD(**{"flip": True, **priors, "min_sizes": least})
        kind = FaceHead if name == "face" else SSDHead
        loss = SSDLoss(overlap_threshold=0.35 if name == "face" else 0.5)
        channels = [cases.CHANNELS] * len(cases.SSD_LEVELS)
        head = kind(cases.CLASSES, channels, made, loss=loss, **cases.SSD_HEADS[name])
        shapes = {key: list(value.shape) for key, value in head.state_dict().items()}
        head.set_state_dict(cases.weights(f"ssd {name}", shapes))
        stored[f"{name} keys"] = np.array(sorted(shapes))
        image = paddle.zeros([2, 3, cases.HEIGHT, cases.WIDTH])
        maps = cases.features(f"ssd {name}", cases.SSD_LEVELS)

        head.eval()
        found, anchors = head([paddle.to_tensor(one) for one in maps], image)
        process = BBoxPostProcess(
            cases.CLASSES,
            SSDBox(),
            MultiClassNMS(score_threshold=0.01, nms_top_k=400, keep_top_k=40, nms_threshold=0.45),
        )
        shape, scale = paddle.to_tensor(cases.image_shape()), paddle.to_tensor(cases.SCALE)
        rows, counts, _ = process(found, anchors, shape, scale)
        stored[f"{name} deltas"] = paddle.concat(found[0], 1).numpy()
        stored[f"{name} rows"], stored[f"{name} counts"] = rows.numpy(), counts.numpy()

        for case in cases.COUNTS:
            targets = cases.objects(case, cases.SSD_SHAPES, 4)
            shares = targets["gt_bbox"] / np.array([cases.WIDTH, cases.HEIGHT] * 2, np.float32)
            inputs = [paddle.to_tensor(one, stop_gradient=False) for one in maps]
            (boxes, scores), anchors = head(inputs, image)
            value = loss(boxes, scores, paddle.to_tensor(shares), paddle.to_tensor(targets["gt_class"]), anchors)
            value.backward()
            stored[f"{name} {case} loss"] = np.float64(value.item())
            for level, one in enumerate(inputs):
                stored[f"{name} {case} gradient {level}"] = one.grad.numpy()
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
