"""Store what PaddleDetection's data-anchor sampling, and its test of faces at many sizes, say of seeded input.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/faces.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
from ppdet.data.transform.operators import CropWithDataAchorSampling  # noqa: E402
from ppdet.metrics import widerface_utils  # noqa: E402

from tests.parity.PaddleDetection import face_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "faces.npz"


def main() -> None:
    """Write what samples become, which views an image has, and what remains of a vote."""
    stored: dict[str, Any] = {}
    for case, settings in cases.SAMPLING.items():
        transform = CropWithDataAchorSampling(cases.BATCH_SAMPLER, cases.ANCHOR_SAMPLER, **settings)
        for seed in cases.SEEDS:
            image, boxes = cases.scene(seed)
            classes = np.arange(len(boxes), dtype=np.int32)[:, None]
            np.random.seed(seed)  # noqa: NPY002  # what the official transforms draw from
            random.seed(seed)
            found = transform.apply({"image": image, "gt_bbox": boxes.copy(), "gt_class": classes}, None)
            if found["image"] is not image:  # else its boxes are shares by mistake
                stored[f"{case} {seed} image"] = np.float32(found["image"])[::16, ::16]
                stored[f"{case} {seed} boxes"], stored[f"{case} {seed} classes"] = found["gt_bbox"], found["gt_class"]
            stored[f"{case} {seed} next"] = np.array([np.random.uniform(), random.random()])  # noqa: NPY002
    for number, (height, width) in enumerate(cases.SIZES):
        stored[f"views {number}"] = views(height, width)
    rows = cases.detections()
    voted = widerface_utils.bbox_vote(np.concatenate([rows[:, 2:], rows[:, 1:2]], 1).astype(np.float64))
    stored["voted"] = voted
    np.savez_compressed(TARGET, **stored)


def views(height: int, width: int) -> np.ndarray:
    """Return each view's scale, whether it is mirrored, and which of three faces count: small, middling and large."""
    boxes = [(0, 0, side - 1, side - 1) for side in (20, 60, 120)]
    looked: list[list[float]] = []

    def look(model: Any, image: np.ndarray, scale: float) -> np.ndarray:
        looked.append([scale, image[0, 0, 0], len(looked)])
        return np.array([[*box, len(looked) - 1] for box in boxes], np.float64)

    kept = widerface_utils.detect_face
    widerface_utils.detect_face = look
    image = np.zeros((height, width, 3), np.uint8)
    image[0, -1] = 1  # in a mirror image it comes first
    own, most = widerface_utils.get_shrink(height, width)
    parts = [
        widerface_utils.detect_face(None, image, own),
        widerface_utils.flip_test(None, image, own),
        *widerface_utils.multi_scale_test(None, image, most),
        widerface_utils.multi_scale_test_pyramid(None, image, most),
    ]
    widerface_utils.detect_face = kept
    found = np.concatenate(parts)
    output = []
    for number, (scale, flipped, _) in enumerate(looked):
        sides = (found[found[:, 4] == number, 3] - found[found[:, 4] == number, 1]).astype(int)
        output.append([scale, flipped, *(side - 1 in sides for side in (20, 60, 120))])
    return np.array(output, np.float64)


main()
