"""Writes references.npz with the official distributions' results for reference_cases.py.

Run in an environment with paddlepaddle 2.6.2: ``python tests/core/distribution/make_references.py`` from the
repository's root.
"""

from __future__ import annotations

import sys
import zlib  # noqa: F401  # must be loaded before paddle
from pathlib import Path

import numpy as np
import paddle

sys.path.insert(0, str(Path(__file__).parent))
import reference_cases  # noqa: E402

arrays = {}
for name, case in reference_cases.CASES.items():
    for asked, array in reference_cases.run(paddle.distribution, case, paddle.to_tensor).items():
        arrays[f"{name}: {asked}"] = array
np.savez_compressed(Path(__file__).parent / "references.npz", **arrays)
print(len(arrays), "arrays")
