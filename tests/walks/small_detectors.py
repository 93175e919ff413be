"""Detection configs made small: drawn scenes, images of few pixels, networks of few channels, two steps."""

from __future__ import annotations

import re
from typing import Any

from PaddleDetection.models.arguments import signature

SIDE = 96
"""Of images, pixels, where a network takes such small ones."""
OWN_SIZE = re.compile("^ssd")
"""Networks whose last feature maps are of one cell for images of the size that their config says."""

SCENES = {"count": 4, "size": SIDE, "most": 4}
"""Settings of the data sets."""

SIZES = (
    *("target_size", "size", "target_dim", "input_dim", "resizes", "cropsizes"),
    *("min_size", "max_size", "short_side_sizes"),
)
"""Arguments of transforms that are numbers of pixels."""

NETWORK: dict[str, Any] = {
    "scale": 0.25,
    "freeze_norm": False,
    "width": 16,
    "channels": 32,
    "head_channels": 32,
    "mask_channels": 16,
    "train_pre_nms_top_n": 100,
    "train_post_nms_top_n": 50,
    "test_pre_nms_top_n": 100,
    "test_post_nms_top_n": 50,
    "batch_size_per_im": 16,
    "rpn_batch_size_per_im": 32,
    "keep_top_k": 20,
}
"""Arguments of networks, of those that have them; nothing is frozen, for all begins with random weights."""


def smaller(config: dict[str, Any], output: str, wider: bool = False) -> dict[str, Any]:
    """Return a config that takes seconds, with the transforms, losses, optimizer and schedule of the whole one.

    Args:
        config: as its file has it.
        output: the folder of the run.
        wider: whether WIDER FACE's data sets stay.
    """
    network = config["network"]
    faces = network.get("num_classes") == 1
    known = signature(network["name"]).parameters
    network = {**network, **{name: value for name, value in NETWORK.items() if name in known}}
    network.pop("pretrained", None)
    data = {"num_workers": 0}
    for split, section in config["data"].items():
        if isinstance(section, dict):
            small = section if OWN_SIZE.match(network["name"]) else _smaller_images(section)
            drawn = {"name": "FaceScenes" if faces else "DigitScenes", "split": split, **SCENES}
            data[split] = {**small, "batch_size": 2, "dataset": section["dataset"] if wider else drawn}
    train = {key: value for key, value in config["train"].items() if key in ("ema",)}
    return {
        **{key: value for key, value in config.items() if key != "expect"},
        "network": {**network, "num_classes": 1 if faces else 10},
        "data": data,
        "output": output,
        "train": {**train, "epochs": 1, "compiled": False, "tensorboard": False},
    }


def _smaller_images(part: Any) -> Any:
    """Return a section whose transforms make small images."""
    if isinstance(part, list):
        return [_smaller_images(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {key: _at_most(value) if key in SIZES else _smaller_images(value) for key, value in part.items()}


def _at_most(size: Any) -> Any:
    return [_at_most(one) for one in size] if isinstance(size, list) else min(size, SIDE)
