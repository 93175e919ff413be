"""Writes references.npz with the official vision operators' results for reference_cases.py.

Run in an environment with paddlepaddle 2.6.2: ``python tests/core/vision/ops/make_references.py`` from the
repository's root.
"""

from __future__ import annotations

import sys
import zlib  # noqa: F401  # must be loaded before paddle
from pathlib import Path

import numpy as np
import paddle
from paddle.vision import ops

sys.path.insert(0, str(Path(__file__).parent))
import reference_cases  # noqa: E402

arrays = {}
for name, case in reference_cases.CASES.items():
    for i, array in enumerate(reference_cases.run(ops, case, paddle.to_tensor)):
        arrays[f"{name}/{i}"] = array
np.savez_compressed(Path(__file__).parent / "references.npz", **arrays)
print(len(arrays), "arrays")
