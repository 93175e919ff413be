"""Store what PaddleDetection's YOLOv3 loss says of seeded outputs and objects: values and gradients.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/yolo.py

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
from ppdet.modeling.losses import YOLOv3Loss  # noqa: E402

from tests.parity.PaddleDetection import yolo_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "yolo.npz"


def samples(case: str) -> list[dict[str, np.ndarray]]:
    """Return the objects of a case as the official reader's batch transform takes them."""
    found = cases.objects(case)
    made = []
    for boxes, classes, scores in zip(found.boxes, found.classes, found.scores):
        shares = boxes / np.array([cases.WIDTH, cases.HEIGHT] * 2, np.float32)
        low, high = shares[:, :2], shares[:, 2:]
        made.append(
            {
                "image": np.zeros((3, cases.HEIGHT, cases.WIDTH), np.float32),
                "gt_bbox": np.concatenate([(low + high) / 2, high - low], -1),
                "gt_class": classes[:, None].astype(np.int32),
                "gt_score": scores[:, None],
            }
        )
    return made


def main() -> None:
    """Write losses and gradients by case."""
    stored = {}
    for case, options in cases.OPTIONS.items():
        batch = samples(case)
        Gt2YoloTarget(cases.ANCHORS, cases.MASKS, cases.STRIDES, cases.CLASSES)(batch)
        targets = {
            name: paddle.to_tensor(np.stack([sample[name] for sample in batch]))
            for name in ("gt_bbox", "target0", "target1", "target2")
        }
        outputs = [paddle.to_tensor(output, stop_gradient=False) for output in cases.outputs(case)]
        loss = YOLOv3Loss(cases.CLASSES, downsample=cases.STRIDES, **options)
        anchors = [[cases.ANCHORS[index] for index in mask] for mask in cases.MASKS]
        found = loss(outputs, targets, anchors)
        found["loss"].backward()
        for name, value in found.items():
            stored[f"{case} {name}"] = np.float64(value.item())
        for level, output in enumerate(outputs):
            stored[f"{case} gradient {level}"] = output.grad.numpy().astype(np.float32)
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
