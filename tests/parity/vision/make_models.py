"""Store what the official ``paddle.vision.models`` are made of: signatures, parameter names and shapes, addresses.

Not part of the tests: it needs Paddle, the tests need only the file that it wrote. In a separate environment of
Python 3.10, with paddlepaddle==2.6.2, numpy==1.23.5 and 'protobuf<=3.20.3':

    python tests/parity/vision/make_models.py

It writes ``models.json.xz``: ``exported``, the names of ``__all__``; ``addresses``, by file the table
``model_urls``; and ``networks``, by a call such as ``vgg16(batch_norm=True)`` its ``name`` and ``arguments``, the names
and shapes of its state in order (``state``, shapes as ``64x3x7x7``), the number of trainable parameters, and the names
of its children.
"""

from __future__ import annotations

import importlib
import json
import lzma
import zlib  # noqa: F401  # it crashes when paddle came before
from pathlib import Path

import numpy as np
import paddle
from paddle.vision import models

STORE = Path(__file__).with_name("models.json.xz")
FILES = (
    *("alexnet", "densenet", "googlenet", "inceptionv3", "mobilenetv1", "mobilenetv2", "mobilenetv3"),
    *("resnet", "shufflenetv2", "squeezenet", "vgg"),
)
FURTHER = (
    ("LeNet", {}),
    ("LeNet", {"num_classes": 0}),
    ("alexnet", {"num_classes": 0}),
    ("densenet121", {"num_classes": 0}),
    ("googlenet", {"num_classes": 0, "with_pool": False}),
    ("inception_v3", {"num_classes": 7}),
    ("mobilenet_v1", {"scale": 0.3}),
    ("mobilenet_v2", {"scale": 0.35}),
    ("mobilenet_v2", {"scale": 1.4, "num_classes": 0}),
    ("mobilenet_v3_small", {"scale": 0.75}),
    ("mobilenet_v3_large", {"scale": 0.5, "num_classes": 3}),
    ("resnet18", {"num_classes": -1, "with_pool": False}),
    ("shufflenet_v2_swish", {"num_classes": 2, "with_pool": False}),
    ("vgg16", {"num_classes": 0, "with_pool": False}),
    *((f"vgg{depth}", {"batch_norm": True}) for depth in (11, 13, 16, 19)),
)
"""Networks with other arguments than the defaults, which each entry function is called with."""


def described(name: str, arguments: dict[str, object]) -> dict[str, object]:
    """Return what a network is made of."""
    with paddle.utils.unique_name.guard():
        network = getattr(models, name)(**arguments)
    trainable = [parameter for parameter in network.parameters() if parameter.trainable]
    return {
        "name": name,
        "arguments": arguments,
        "state": {name: "x".join(map(str, tensor.shape)) for name, tensor in network.state_dict().items()},
        "parameters": sum(int(np.prod(parameter.shape)) for parameter in trainable),
        "children": [name for name, _ in network.named_children()],
    }


def main() -> None:
    """Write the file."""
    calls = [*((name, {}) for name in models.__all__ if name.islower()), *FURTHER]
    answer = {
        "exported": sorted(models.__all__),
        "addresses": {
            file: importlib.import_module(f"paddle.vision.models.{file}").model_urls for file in FILES
        },
        "networks": {
            f"{name}({', '.join(f'{key}={value}' for key, value in arguments.items())})": described(name, arguments)
            for name, arguments in calls
        },
    }
    STORE.write_bytes(lzma.compress(json.dumps(answer, sort_keys=False).encode(), preset=9))
    print(f"{len(calls)} networks, {STORE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
