"""Store what ppvideo's measures of labelled videos give for drawn scores.

    REFERENCE_PYTHON tests/parity/PaddleVideo/make_metrics.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and ppvideo 2.3.1. It writes tests/parity/PaddleVideo/tagging.json.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import paddle  # noqa: E402

from tests.parity.foreign.stand_ins import StandIns  # noqa: E402
from tests.parity.PaddleVideo.tagging_cases import CASES, drawn  # noqa: E402

UNUSED = ("paddle.fluid", "decord", "av", "SimpleITK", "lmdb", "nvidia", "moviepy", "librosa", "ppcls", "imageio")


def main() -> None:
    """Write the numbers of all cases."""
    sys.meta_path.append(StandIns(UNUSED))
    paddle.device.is_compiled_with_npu = lambda: False
    found = importlib.util.find_spec("ppvideo")
    assert found is not None and found.submodule_search_locations
    sys.path.insert(0, found.submodule_search_locations[0])
    from paddlevideo.metrics.youtube8m import eval_util

    numbers = {}
    for name in CASES:
        scores, labels = drawn(name)
        numbers[name] = {
            "hit_at_one": float(eval_util.calculate_hit_at_one(scores, labels)),
            "perr": float(eval_util.calculate_precision_at_equal_recall_rate(scores, labels)),
            "gap": float(eval_util.calculate_gap(scores, labels)),
        }
    (PARITY / "PaddleVideo" / "tagging.json").write_text(json.dumps(numbers, indent=1) + "\n")
    print(numbers)


if __name__ == "__main__":
    main()
