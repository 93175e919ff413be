"""Image transforms under the names of ``paddle.vision.transforms``, in numpy and OpenCV.

Beyond Paddle's names there are those of PaddleClas recipes that several toolkits share: AutoAugment, RandAugment, and
Mixup and CutMix for whole batches.
"""

from __future__ import annotations

from core.vision.transforms import functional
from core.vision.transforms.auto_augment import AutoAugment, RandAugment
from core.vision.transforms.base import BaseTransform, Compose
from core.vision.transforms.functional import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    affine,
    center_crop,
    crop,
    erase,
    hflip,
    normalize,
    pad,
    perspective,
    resize,
    rotate,
    to_grayscale,
    to_tensor,
    vflip,
)
from core.vision.transforms.mixing import CutMix, Mixup
from core.vision.transforms.random_color import (
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    HueTransform,
    SaturationTransform,
)
from core.vision.transforms.random_transforms import (
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
)
from core.vision.transforms.random_warping import RandomAffine, RandomPerspective, RandomRotation
from core.vision.transforms.transforms import CenterCrop, Grayscale, Normalize, Pad, Resize, ToTensor, Transpose

__all__ = [
    "AutoAugment",
    "BaseTransform",
    "BrightnessTransform",
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ContrastTransform",
    "CutMix",
    "Grayscale",
    "HueTransform",
    "Mixup",
    "Normalize",
    "Pad",
    "RandAugment",
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomPerspective",
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
    "adjust_saturation",
    "affine",
    "center_crop",
    "crop",
    "erase",
    "functional",
    "hflip",
    "normalize",
    "pad",
    "perspective",
    "resize",
    "rotate",
    "to_grayscale",
    "to_tensor",
    "vflip",
]
