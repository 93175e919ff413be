"""Seeded weights, feature maps and objects of one-stage heads, for both implementations; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.parity.recipe import uniform

CLASSES = 3
CHANNELS = 8
HEIGHT, WIDTH = 64, 96
SCALE = np.array([[0.5, 0.5], [0.8, 0.75]], np.float32)
"""Of two images' heights and widths."""

COUNTS = {"objects": (6, 4), "one empty": (5, 0), "all empty": (0, 0)}
"""How many objects the two images of each case have."""

SSD_LEVELS = ((8, 12), (4, 6))
SSD_PRIORS = {
    "plain": {
        "min_sizes": [[12.0], [30.0]],
        "max_sizes": [[], [50.0]],
        "aspect_ratios": [[2.0], [2.0, 3.0]],
        "steps": [0.0, 0.0],
    },
    "lite": {
        "min_sizes": [[12.0], [30.0]],
        "max_sizes": [[30.0], [50.0]],
        "aspect_ratios": [[2.0], [2.0, 3.0]],
        "steps": [8.0, 16.0],
        "clip": True,
        "min_max_aspect_ratios_order": True,
    },
    "face": {
        "min_sizes": [[10.0, 16.0], [24.0, 32.0, 48.0]],
        "max_sizes": [[], []],
        "aspect_ratios": [[1.0], [1.0]],
        "steps": [8.0, 16.0],
        "flip": False,
    },
}
"""Prior boxes of SSD's, SSDLite's and BlazeFace's heads."""

SSD_HEADS = {
    "plain": {"kernel_size": 1, "padding": 0},
    "lite": {"use_sepconv": True},
    "face": {},
}
"""What else the heads' constructors are given."""

PYRAMID_STRIDES = (8, 16, 32)


def image_shape() -> np.ndarray:
    """Return height and width of the network's two images."""
    return np.array([[HEIGHT, WIDTH]] * 2, np.float32)


def features(case: str, levels: Sequence[Sequence[int]], channels: int = CHANNELS) -> list[np.ndarray]:
    """Return feature maps of two images, the finest first.

    Args:
        case: seeds them.
        levels: height and width of each.
        channels: of each.
    """
    return [uniform(f"{case} level {i}", (2, channels, *size), -1.5, 1.5) for i, size in enumerate(levels)]


def pyramid() -> list[tuple[int, int]]:
    """Return height and width of a pyramid's levels."""
    return [(HEIGHT // stride, WIDTH // stride) for stride in PYRAMID_STRIDES]


def weights(case: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return weights by name.

    Args:
        case: seeds them with the names.
        shapes: by name.
    """
    made = {}
    for name, shape in shapes.items():
        if name.endswith("_variance") or len(shape) == 1 and name.endswith("weight"):
            made[name] = uniform(f"{case} {name}", shape, 0.7, 1.3)
        elif len(shape) == 1:
            made[name] = uniform(f"{case} {name}", shape, -0.2, 0.2)
        else:
            bound = float(np.sqrt(3.0 / np.prod(shape[1:])))
            made[name] = uniform(f"{case} {name}", shape, -bound, bound)
    return made


SSD_SHAPES = ((12, 12), (17, 8.5), (30, 30), (21, 42), (42, 21))
"""Width and height near those of prior boxes: an object inside of several ones would overlap them all the same, and
which of them is its best would be a matter of rounding."""


def objects(case: str, shapes: Sequence[Sequence[float]], shift: float) -> dict[str, np.ndarray]:
    """Return objects, padded with zeros: "gt_bbox", "gt_class" and "gt_count".

    Args:
        case: which of :data:`COUNTS`.
        shapes: width and height that objects are near of, pixels.
        shift: centres are near this one and those of every eighth pixel from it on.
    """
    counts, rows = np.array(COUNTS[case]), 6
    cells = np.floor(uniform(f"{case} inner cells", (2, rows, 2), 0.3, 0.7) * [WIDTH // 8, HEIGHT // 8])
    centres = cells * 8 + shift + uniform(f"{case} jitter", (2, rows, 2), -1.5, 1.5)
    kinds = uniform(f"{case} kinds", (2, rows), 0, len(shapes)).astype(np.int64)
    halves = np.array(shapes)[kinds] * uniform(f"{case} sizes", (2, rows, 2), 0.9, 1.1) / 2
    boxes = np.concatenate([centres - halves, centres + halves], -1).clip(0, [WIDTH, HEIGHT] * 2)
    classes = uniform(f"{case} classes", (2, rows), 0, CLASSES).astype(np.int64)
    for image, used in enumerate(counts):
        boxes[image, used:], classes[image, used:] = 0, 0
    return {"gt_bbox": boxes.astype(np.float32), "gt_class": classes, "gt_count": counts}


RETINA = {"plain": (0.0, None), "smooth": (0.11, "gn")}
"""Below which differences count by their square, and the towers' normalisation."""

TOWER = 32
"""Channels of towers."""

RETINA_SHAPES = ((32, 32), (45, 23), (23, 45), (64, 45))
"""Width and height near those of RetinaNet's anchors."""

FCOS_BOUNDARY = [16, 32]
"""Distances, pixels, that divide objects among the pyramid's levels."""

FCOS_SHAPES = ((20, 20), (30, 24), (40, 50), (60, 44))
"""Width and height of objects for all of them."""

YOLOX = {"plain": False, "depthwise": True}
"""Whether 3 x 3 convolutions are depthwise."""

YOLOX_DEPTH, YOLOX_WIDTH = 0.33, 0.125
"""Of the whole network."""

YOLOX_EPOCHS = {"objects": 285, "one empty": 284, "all empty": 285}
"""Of each case of the loss: from 285 on the L1 loss counts."""


def image(case: str) -> np.ndarray:
    """Return two images."""
    return uniform(f"{case} image", (2, 3, HEIGHT, WIDTH), -1.5, 1.5)


def lively(case: str, shapes: Mapping[str, Sequence[int]], gain: float = 1.4) -> dict[str, np.ndarray]:
    """Return :func:`weights` for long chains of layers, in which those would fade.

    Args:
        case: seeds them with the names.
        shapes: by name.
        gain: factor on filters.
    """
    return {name: gain * value if len(value.shape) == 4 else value for name, value in weights(case, shapes).items()}


PICO_LEVELS = ((16, 24), (8, 12), (4, 6))
"""Height and width of the levels of PicoDet's head alone; each has more anchors than ATSS takes."""

PICO_EPOCHS = {"first": 99, "later": 100}
"""Before epoch 100 ATSS assigns anchors."""

PICO_CHANNELS = 16
"""Of the whole network's neck and head."""


def pico_weights(case: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return :func:`lively` weights of PicoDet, the same ones where the head has them under two names."""
    made = lively(case, shapes, 1.5)
    for name in shapes:
        for kind in ("head_cls", "head_reg"):
            if f"{kind}_list." in name:
                made[name] = made[name.replace(f"{kind}_list.", kind)]
        if name.endswith("project"):
            made[name] = np.arange(shapes[name][0], dtype=np.float32)
    return made


TTF_CHANNELS = (4, 6, 8, 10)
"""Of the feature maps that TTFNet's neck is given."""

TTF_LEVELS = ((24, 24), (12, 12), (6, 6), (3, 3))
"""Their height and width."""

TTF_PLANES = (8, 8, 8)
"""Channels of the neck."""


def ttf_features() -> list[np.ndarray]:
    """Return feature maps of two images, the finest first."""
    return [
        uniform(f"ttf level {i}", (2, channels, *size), -1.5, 1.5)
        for i, (channels, size) in enumerate(zip(TTF_CHANNELS, TTF_LEVELS))
    ]


def ttf_weights(shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return :func:`lively` weights of TTFNet; taps of deformable convolutions are moved by about a cell."""
    made = lively("ttf", shapes)
    return {name: 0.5 * value if "conv_offset" in name else value for name, value in made.items()}
