"""Writes references.npz with the official transforms' results for reference_cases.py.

Run in an environment with paddlepaddle 2.6.2, opencv-python and pillow:
``python tests/core/vision/make_references.py`` from the repository's root.
"""

from __future__ import annotations

import sys
import zlib  # noqa: F401  # must be loaded before paddle
from pathlib import Path

import numpy as np
import paddle
from paddle.vision.transforms import functional

sys.path.insert(0, str(Path(__file__).parent))
import reference_cases  # noqa: E402

arrays = {}
for name, case in reference_cases.CASES.items():
    for kind in case.kinds:
        result = reference_cases.run(functional, case, kind, paddle.to_tensor)
        arrays[f"{name}/{kind}"] = np.round(result, 4)  # which makes the file small
np.savez_compressed(Path(__file__).parent / "references.npz", **arrays)
print(len(arrays), "arrays")
