"""Store what PaddleDetection's ResNets and feature pyramids say of seeded images and feature maps.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/resnet.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from ppdet.modeling.backbones.resnet import ResNet  # noqa: E402
from ppdet.modeling.necks.fpn import FPN  # noqa: E402

from tests.parity.PaddleDetection import backbone_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "resnet.npz"


def set_weights(layer: paddle.nn.Layer, case: str) -> list[str]:
    """Give a layer seeded weights, and return their names."""
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(cases.weights(case, shapes))
    return sorted(shapes)


def mixed(case: str, levels: list[paddle.Tensor]) -> paddle.Tensor:
    """Return a sum over feature maps with seeded factors."""
    return paddle.add_n([(one * paddle.to_tensor(cases.mixture(case, one.shape))).sum() for one in levels])


def main() -> None:
    """Write names, feature maps and gradients."""
    stored = {}
    for name, settings in cases.RESNETS.items():
        network = ResNet(**settings)
        stored[f"{name} keys"] = np.array(set_weights(network, name))
        network.eval()
        for level, one in enumerate(network({"image": paddle.to_tensor(cases.image(name))})):
            stored[f"{name} {level}"] = cases.sample(one.numpy())
        if name not in cases.LEARNING:
            continue
        network.train()
        image = paddle.to_tensor(cases.image(name, 2, *cases.LEARNING[name]), stop_gradient=False)
        levels = network({"image": image})
        mixed(name, levels).backward()
        stored[f"{name} training"] = cases.sample(levels[-1].numpy())
        stored[f"{name} gradient"] = image.grad.numpy()[:, :, ::2, ::4]
    strides = (8, 16, 32)
    for name, settings in cases.PYRAMIDS.items():
        scales = [1 / stride for stride in strides]
        neck = FPN(list(cases.PYRAMID_CHANNELS), cases.PYRAMID_OUT, scales, **settings)
        stored[f"{name} keys"] = np.array(set_weights(neck, name))
        given = [paddle.to_tensor(one, stop_gradient=False) for one in cases.pyramid_maps()]
        levels = neck(given)
        mixed(name, levels).backward()
        for level, one in enumerate(levels):
            stored[f"{name} {level}"] = cases.sample(one.numpy())
        for level, one in enumerate(given):
            stored[f"{name} gradient {level}"] = cases.sample(one.grad.numpy())
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
