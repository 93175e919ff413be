"""Writes references.npz with the official transforms' answers to cases.py.

Run in an environment with paddlepaddle 2.6.2, opencv-python and pillow:
``python tests/parity/transforms/make_references.py`` from the repository's root.
"""

from __future__ import annotations

import json
import sys
import warnings
import zlib  # noqa: F401  # must be loaded before paddle
from pathlib import Path

import numpy as np
import paddle
from paddle.vision import transforms

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))
import cases  # noqa: E402

warnings.simplefilter("ignore")
answers, values = {}, []
for kind in cases.IMAGES:
    for name in cases.asked(kind):
        call, picture = cases.CALLS[name], cases.image(kind, paddle.to_tensor)
        try:
            result = cases.run(transforms, call, picture)
            form, array = cases.described(result)
        except Exception as error:
            answers[f"{name} | {kind}"] = {"refused": f"{type(error).__name__}: {error}".splitlines()[0][:100]}
            continue
        answers[f"{name} | {kind}"] = {"form": form, "dtype": str(array.dtype), "shape": array.shape}
        values.append(np.round(array.astype(np.float32).ravel()[:: cases.EVERY], 4))  # which makes the file small
stored = np.frombuffer(json.dumps(answers).encode(), np.uint8)
np.savez_compressed(FOLDER / "references.npz", answers=stored, values=np.concatenate(values))
print(len(answers), "answers")
