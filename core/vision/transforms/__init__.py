"""Image transforms under the names of ``paddle.vision.transforms``, in numpy and OpenCV."""

from __future__ import annotations

from core.vision.transforms import functional
from core.vision.transforms.functional import (
    center_crop,
    crop,
    hflip,
    normalize,
    pad,
    resize,
    to_grayscale,
    to_tensor,
    vflip,
)
from core.vision.transforms.transforms import (
    BaseTransform,
    CenterCrop,
    Compose,
    Grayscale,
    Normalize,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Resize,
    ToTensor,
    Transpose,
)

__all__ = [
    "BaseTransform",
    "CenterCrop",
    "Compose",
    "Grayscale",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomVerticalFlip",
    "Resize",
    "ToTensor",
    "Transpose",
    "center_crop",
    "crop",
    "functional",
    "hflip",
    "normalize",
    "pad",
    "resize",
    "to_grayscale",
    "to_tensor",
    "vflip",
]
