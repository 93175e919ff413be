"""paddle.vision: reading images, transforms, data sets, operators on images and boxes, and networks."""

from __future__ import annotations

import importlib
from importlib.machinery import PathFinder
from typing import Any

from core.vision import datasets, transforms
from core.vision.datasets import MNIST, VOC2012, Cifar10, Cifar100, DatasetFolder, FashionMNIST, Flowers, ImageFolder
from core.vision.image import (
    get_image_backend,
    image_files,
    image_load,
    read_image,
    set_image_backend,
    write_image,
)
from core.vision.transforms import (
    BaseTransform,
    BrightnessTransform,
    CenterCrop,
    ColorJitter,
    Compose,
    ContrastTransform,
    Grayscale,
    HueTransform,
    Normalize,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
    Resize,
    SaturationTransform,
    ToTensor,
    Transpose,
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    center_crop,
    crop,
    hflip,
    normalize,
    pad,
    resize,
    rotate,
    to_grayscale,
    to_tensor,
    vflip,
)

__all__ = [
    "MNIST",
    "VOC2012",
    "BaseTransform",
    "BrightnessTransform",
    "CenterCrop",
    "Cifar10",
    "Cifar100",
    "ColorJitter",
    "Compose",
    "ContrastTransform",
    "DatasetFolder",
    "FashionMNIST",
    "Flowers",
    "Grayscale",
    "HueTransform",
    "ImageFolder",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Resize",
    "SaturationTransform",
    "ToTensor",
    "Transpose",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "center_crop",
    "crop",
    "datasets",
    "get_image_backend",
    "hflip",
    "image_files",
    "image_load",
    "models",
    "normalize",
    "ops",
    "pad",
    "read_image",
    "resize",
    "rotate",
    "set_image_backend",
    "to_grayscale",
    "to_tensor",
    "transforms",
    "vflip",
    "write_image",
]


_LOAD_THE_ENGINE = ("models", "ops")


def __getattr__(name: str) -> Any:
    if name in _LOAD_THE_ENGINE:  # which reading data does not need
        return importlib.import_module(f"core.vision.{name}")
    # Paddle has each network here too. The import of a submodule asks for its name first, and must not load the engine.
    if not name.startswith("_") and PathFinder.find_spec(f"core.vision.{name}", __path__) is None:
        models = importlib.import_module("core.vision.models")
        if name in models.__all__:
            return getattr(models, name)
    raise AttributeError(f"core.vision has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LOAD_THE_ENGINE})
