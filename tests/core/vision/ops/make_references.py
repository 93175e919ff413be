"""Writes references.npz with the official vision operators' results for reference_cases.py.

Run in an environment with paddlepaddle 2.6.2 and paddledet 2.6.0, from the repository's root:
``python tests/core/vision/ops/make_references.py``.
"""

from __future__ import annotations

import sys
import zlib  # noqa: F401  # must be loaded before paddle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import paddle
from paddle.vision import ops
from ppdet.modeling import ops as detection_ops

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[4])]
import reference_cases  # noqa: E402

official = SimpleNamespace(**{name: getattr(ops, name) for name in ops.__all__})
for name in ("multiclass_nms", "anchor_generator"):  # which Paddle has under inner names only
    setattr(official, name, getattr(detection_ops, name))

arrays = {}
for name, case in reference_cases.CASES.items():
    for i, array in enumerate(reference_cases.run(official, case, paddle.to_tensor)):
        arrays[f"{name}/{i}"] = array
np.savez_compressed(Path(__file__).parent / "references.npz", **arrays)
print(len(arrays), "arrays")
