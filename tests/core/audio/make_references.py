"""Store what Paddle 2.6.2 gives for the calls of reference_cases.py, beside them as references.npz.

Run with a Python that has paddlepaddle==2.6.2: ``python -m tests.core.audio.make_references``.
"""

from __future__ import annotations

import zlib  # noqa: F401 - Paddle's libraries bring another one, which crashes if it comes first
from pathlib import Path

import numpy as np
import paddle

from tests.core.audio.reference_cases import CASES, FEATURES, feature

if __name__ == "__main__":
    answers = {name: case(paddle).numpy() for name, case in CASES.items()}
    answers.update({name: feature(paddle, name).numpy() for name in FEATURES})
    np.savez_compressed(Path(__file__).parent / "references.npz", **answers)
    print(f"{len(answers)} answers")
