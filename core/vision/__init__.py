"""What several vision toolkits share, under the names of ``paddle.vision``: reading images, transforms, data sets."""

from __future__ import annotations

import importlib
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


def __getattr__(name: str) -> Any:
    if name == "ops":  # which loads the engine: reading data does not need it
        return importlib.import_module("core.vision.ops")
    raise AttributeError(f"core.vision has no attribute {name!r}")
