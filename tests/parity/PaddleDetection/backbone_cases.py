"""Seeded weights and images of backbones and their necks, for both implementations; numpy alone."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.parity.recipe import uniform

HEIGHT, WIDTH = 64, 96

RESNETS: dict[str, dict[str, Any]] = {
    "r18": {"depth": 18, "freeze_norm": False},
    "r50vd dcn": {"depth": 50, "variant": "d", "return_idx": [1, 2, 3], "dcn_v2_stages": [2, 3]},
    "dcn": {"depth": 50, "num_stages": 1, "return_idx": [0], "dcn_v2_stages": [0], "freeze_at": -1},
    "r101 groups": {"depth": 101, "variant": "a", "groups": 2, "base_width": 16, "std_senet": True},
}
"""What the constructor of each ResNet is given."""

LEARNING = {"r18": (64, 96), "dcn": (16, 24)}
"""Those whose gradients are compared, for images of this height and width: with more numbers a ReLU's input is bound to
be so near 0 that rounding decides."""

PYRAMIDS: dict[str, dict[str, Any]] = {
    "pool": {},
    "c5": {"has_extra_convs": True, "extra_stage": 2},
    "p5": {"has_extra_convs": True, "extra_stage": 2, "use_c5": False, "relu_before_extra_convs": False},
    "norm": {"has_extra_convs": True, "extra_stage": 2, "use_c5": False, "norm_type": "gn"},
}
"""What the constructor of each pyramid is given, besides its channels."""

PYRAMID_CHANNELS = (8, 12, 16)
"""Of the feature maps that the pyramids are given."""

PYRAMID_OUT = 64

PYRAMID_LEVELS = ((16, 24), (8, 12), (4, 6))
"""Height and width of these feature maps."""



MOBILE: dict[str, dict[str, Any]] = {
    "large": {"scale": 0.5, "feature_maps": [7, 13, 16]},
    "small lite": {
        "model_name": "small",
        "feature_maps": [10, 13, 14, 15, 16, 17],
        "with_extra_blocks": True,
        "multiplier": 0.5,
    },
}
"""What the constructor of each MobileNetV3 is given."""

VGGS: dict[str, dict[str, Any]] = {
    "300": {},
    "512": {
        "normalizations": [20.0, -1, -1, -1, -1, -1, -1],
        "extra_block_filters": [
            [256, 512, 1, 2, 3],
            [128, 256, 1, 2, 3],
            [128, 256, 1, 2, 3],
            [128, 256, 1, 2, 3],
            [128, 256, 1, 1, 4],
        ],
    },
}
"""What the constructor of each VGG is given."""

VGG_SIZES = {"300": (260, 270), "512": (264, 264)}
"""Height and width of their images."""

FACES = {
    "plain": ({"act": "relu"}, "None"),
    "deep": ({"use_5x5kernel": False}, "only_ssh"),
    "fpn": ({"act": "hard_swish"}, "fpn_ssh"),
}
"""What the constructor of each BlazeNet is given, and its neck's kind."""

LAST = ("branch2c.norm", "conv_pw2._batch_norm")
"""The last normalisations of residual branches; where there are none, those of basic blocks are."""


def weights(case: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return weights by name, with which neither outputs nor differences of rounding grow from layer to layer.

    Args:
        case: seeds them with the names.
        shapes: by name.
    """
    last = LAST if any("branch2c" in name for name in shapes) else (*LAST[1:], "branch2b.norm")
    made = {}
    for name, shape in shapes.items():
        seed, damping = f"{case} {name}", 0.3 if any(one in name for one in last) else 1.0
        if name.endswith("_variance"):
            made[name] = uniform(seed, shape, 0.7, 1.3)
        elif name.endswith("_mean"):
            made[name] = uniform(seed, shape, -0.2, 0.2)
        elif len(shape) == 1:
            low, high = (0.7, 1.3) if name.endswith(("weight", "scale", "scale_reg")) else (-0.2, 0.2)
            made[name] = uniform(seed, shape, low, high) * np.float32(damping)
        else:
            fan = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
            bound = float(np.sqrt(6.0 / fan)) * (0.05 if "conv_offset" in name else 1.0)
            made[name] = uniform(seed, shape, -bound, bound)
            if len(shape) == 4:
                made[name] -= made[name].mean(axis=(1, 2, 3), keepdims=True)
    return made


def image(case: str, count: int = 1, height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Return images (count, 3, height, width)."""
    return uniform(f"{case} image", (count, 3, height, width), -1.5, 1.5)


def sample(level: np.ndarray) -> np.ndarray:
    """Return some channels, and some cells of large maps, of feature maps (N, C, H, W)."""
    _, channels, height, _ = level.shape
    step = 2 if height > 8 else 1
    return level[:, :: max(1, channels // 8), ::step, ::step]


def mixture(case: str, shape: Sequence[int]) -> np.ndarray:
    """Return factors on feature maps, of whose sum the gradients are taken."""
    return uniform(f"{case} mixture {list(shape)}", shape, -1.0, 1.0)


def pyramid_maps() -> list[np.ndarray]:
    """Return feature maps of two images, the finest first."""
    return [
        uniform(f"pyramid level {level}", (2, channels, *size), -1.5, 1.5)
        for level, (channels, size) in enumerate(zip(PYRAMID_CHANNELS, PYRAMID_LEVELS))
    ]


def checksum(shapes: Mapping[str, Sequence[int]]) -> int:
    """Return a number that differs where a name or a shape does."""
    return zlib.crc32("\n".join(f"{key} {list(shapes[key])}" for key in sorted(shapes)).encode())
