"""Store what PaddleDetection's own metrics say of seeded detections.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/metrics.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY / "PaddleDetection"))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

from metric_cases import CLASSES, images  # noqa: E402
from ppdet.metrics.map_utils import DetectionMAP  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "metrics.json"


def voc(seed: int, kind: str, difficult: bool) -> float:
    """Return the mean average precision of the images of a seed."""
    metric = DetectionMAP(
        len(CLASSES), map_type=kind, evaluate_difficult=difficult, catid2name=dict(enumerate(CLASSES)), classwise=False
    )
    for image in images(seed):
        rows = image.detections
        metric.update(rows[:, 2:], rows[:, 1], rows[:, 0], image.boxes, image.classes, image.difficult.astype(int))
    metric.accumulate()
    return float(metric.get_map())


def main() -> None:
    """Write the numbers by their case."""
    found = {
        f"voc {seed} {kind} {difficult}": voc(seed, kind, difficult)
        for seed in range(4)
        for kind in ("11point", "integral")
        for difficult in (False, True)
    }
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
