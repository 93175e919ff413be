"""From a config's words to a loader: the tables of data sets and transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import pydantic

from core.io import DataLoader
from core.train.config import Section
from core.train.table import Component, Table
from core.vision import transforms
from PaddleClas.data import operators
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.data.digits import Digits
from PaddleClas.data.folder import DatasetFolder
from PaddleClas.data.image_list import ImageNetDataset
from PaddleClas.data.mnist import MNIST

DATASETS = Table(
    "data set",
    {"Digits": Digits, "DatasetFolder": DatasetFolder, "ImageNetDataset": ImageNetDataset, "MNIST": MNIST},
    provided=("transform",),
)
TRANSFORMS = Table(
    "transform",
    {
        "Resize": transforms.Resize,
        "CenterCrop": transforms.CenterCrop,
        "Pad": transforms.Pad,
        "RandomCrop": transforms.RandomCrop,
        "RandomResizedCrop": transforms.RandomResizedCrop,
        "RandomHorizontalFlip": transforms.RandomHorizontalFlip,
        "RandomVerticalFlip": transforms.RandomVerticalFlip,
        "RandomAffine": transforms.RandomAffine,
        "RandomRotation": transforms.RandomRotation,
        "RandomPerspective": transforms.RandomPerspective,
        "BrightnessTransform": transforms.BrightnessTransform,
        "ContrastTransform": transforms.ContrastTransform,
        "SaturationTransform": transforms.SaturationTransform,
        "HueTransform": transforms.HueTransform,
        "ColorJitter": transforms.ColorJitter,
        "Grayscale": transforms.Grayscale,
        "AutoAugment": transforms.AutoAugment,
        "RandAugment": transforms.RandAugment,
        "Transpose": transforms.Transpose,
        "ToTensor": transforms.ToTensor,
        "Normalize": transforms.Normalize,
        "RandomErasing": transforms.RandomErasing,
        "DecodeImage": operators.DecodeImage,
        "ResizeImage": operators.ResizeImage,
        "CropImage": operators.CropImage,
        "RandCropImage": operators.RandCropImage,
        "RandFlipImage": operators.RandFlipImage,
        "NormalizeImage": operators.NormalizeImage,
        "ToCHWImage": operators.ToCHWImage,
    },
    provided=("keys",),
)


class SplitSection(Section):
    """One split of the data."""

    dataset: Annotated[Component, pydantic.AfterValidator(DATASETS.check)] = pydantic.Field(
        description=f"one of {', '.join(DATASETS.entries)}"
    )
    transforms: list[Annotated[Component, pydantic.AfterValidator(TRANSFORMS.check)]] = pydantic.Field(
        description=f"in order; of {', '.join(TRANSFORMS.entries)}"
    )
    batch_size: pydantic.PositiveInt = pydantic.Field(description="images per step")
    shuffle: bool = pydantic.Field(False, description="visit the images in a new random order each epoch")
    drop_last: bool = pydantic.Field(False, description="leave out the last batch when it is not full")


def build_transform(components: Sequence[Component]) -> transforms.Compose:
    """Return the transform that a split's section asks for.

    Args:
        components: of TRANSFORMS, in order.

    Returns:
        One function of an image.
    """
    return transforms.Compose([TRANSFORMS.build(component) for component in components])


def build_dataset(section: SplitSection) -> ImageDataset:
    """Return the data set that a split's section asks for.

    Args:
        section: the section.

    Returns:
        The data set.

    Raises:
        FileNotFoundError: files of it are missing.
        ValueError: they are broken, or an argument is out of range.
    """
    return DATASETS.build(section.dataset, transform=build_transform(section.transforms))


def build_loader(section: SplitSection, dataset: Any, seed: int) -> DataLoader:
    """Return the loader that a split's section asks for.

    Args:
        section: the section.
        dataset: its data set.
        seed: of the run; order and augmentation depend on it, the epoch and the sample alone.

    Returns:
        The loader; its batches are images and labels.
    """
    return DataLoader(
        dataset, batch_size=section.batch_size, shuffle=section.shuffle, drop_last=section.drop_last, seed=seed
    )
