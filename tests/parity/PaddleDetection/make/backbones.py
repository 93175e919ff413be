"""Store what PaddleDetection's MobileNetV3, VGG, BlazeNet and deformable towers say of seeded images.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/backbones.py

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
from ppdet.modeling.backbones.blazenet import BlazeNet  # noqa: E402
from ppdet.modeling.backbones.mobilenet_v3 import MobileNetV3  # noqa: E402
from ppdet.modeling.backbones.vgg import VGG  # noqa: E402
from ppdet.modeling.heads.fcos_head import FCOSFeat  # noqa: E402
from ppdet.modeling.necks.blazeface_fpn import BlazeNeck  # noqa: E402

from tests.parity.PaddleDetection import backbone_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "backbones.npz"


class Face(paddle.nn.Layer):
    """A BlazeNet with its neck."""

    def __init__(self, settings: dict[str, object], neck_type: str) -> None:
        super().__init__()
        self.backbone = BlazeNet(**settings)
        self.neck = BlazeNeck([96, 96], neck_type)

    def forward(self, inputs: dict[str, paddle.Tensor]) -> list[paddle.Tensor]:
        """Return the neck's feature maps."""
        return self.neck(self.backbone(inputs))


def main() -> None:
    """Write names, feature maps and gradients."""
    stored = {}
    networks = {
        **{f"mobile {name}": (MobileNetV3(**settings), ()) for name, settings in cases.MOBILE.items()},
        **{f"vgg {name}": (VGG(**settings), cases.VGG_SIZES[name]) for name, settings in cases.VGGS.items()},
        **{f"face {name}": (Face(*settings), ()) for name, settings in cases.FACES.items()},
    }
    for name, (network, size) in networks.items():
        shapes = {key: list(value.shape) for key, value in network.state_dict().items()}
        network.set_state_dict(cases.weights(name, shapes))
        stored[f"{name} keys"] = np.array(sorted(shapes))
        network.eval()
        image = paddle.to_tensor(cases.image(name, 1, *size), stop_gradient=False)
        maps = network({"image": image})
        paddle.add_n([(one * paddle.to_tensor(cases.mixture(name, one.shape))).sum() for one in maps]).backward()
        for level, one in enumerate(maps):
            stored[f"{name} {level}"] = cases.sample(one.numpy())
        if not name.startswith("vgg"):  # of so many numbers one is bound to be so near 0 that rounding decides
            stored[f"{name} gradient"] = image.grad.numpy()[:, :, ::4, ::4]
    tower = FCOSFeat(cases.PYRAMID_CHANNELS[0], cases.PYRAMID_OUT, 2, "gn", True)
    shapes = {key: list(value.shape) for key, value in tower.state_dict().items()}
    tower.set_state_dict(cases.weights("tower", shapes))
    stored["tower keys"] = np.array(sorted(shapes))
    given = paddle.to_tensor(cases.pyramid_maps()[0], stop_gradient=False)
    found = tower(given)
    paddle.add_n([(one * paddle.to_tensor(cases.mixture("tower", one.shape))).sum() for one in found]).backward()
    stored["tower gradient"] = cases.sample(given.grad.numpy())
    for number, one in enumerate(found):
        stored[f"tower {number}"] = cases.sample(one.numpy())
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
