"""Write ``paddle_2_6_2.npz``: what Paddle's optimizers make of the cases in ``paddle_cases.py``.

Run it from the repository root with a Python that has paddlepaddle 2.6.2:
``PYTHONPATH=. python tests/core/optimizer/data/make_references.py``
"""

from __future__ import annotations

import zlib  # noqa: F401, I001 - Paddle 2.6 crashes where zlib is imported after it
from pathlib import Path

import numpy as np
import paddle

from tests.core.optimizer.paddle_cases import CASES, VALUES, train


def parameters(prefix, own_settings):
    """Parameters with the values of VALUES; names must be unique in a process."""
    settings = {key: {} for key in VALUES}
    if own_settings:
        settings["b"] = {"learning_rate": 2.0, "regularizer": paddle.regularizer.L2Decay(0.3)}
        settings["z"] = {"need_clip": False, "regularizer": paddle.regularizer.L1Decay(0.1)}
    return [
        paddle.create_parameter(
            value.shape,
            "float32",
            attr=paddle.ParamAttr(
                name=f"{prefix}_{key}", initializer=paddle.nn.initializer.Assign(value), **settings[key]
            ),
        )
        for key, value in VALUES.items()
    ]


def main():
    """Run every case and store its trajectory."""
    results = {}
    for name in CASES:
        for kind in ("plain", "own"):
            made = parameters(f"{name}_{kind}", kind == "own")
            results[f"{name}/{kind}"] = train(
                name, made, paddle.optimizer, paddle.nn, paddle.regularizer, paddle.to_tensor
            )
    np.savez_compressed(Path(__file__).parent / "paddle_2_6_2.npz", **results)


if __name__ == "__main__":
    main()
