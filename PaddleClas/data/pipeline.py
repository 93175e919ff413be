"""From a config's words to a loader: the tables of data sets and transforms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, Optional

import pydantic

from core.io import DataLoader
from core.io.files import is_url
from core.train.config import Section
from core.train.table import Component, Table
from core.vision import transforms
from PaddleClas.data import operators
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.data.digits import Digits
from PaddleClas.data.folder import DatasetFolder
from PaddleClas.data.image_list import ImageNetDataset
from PaddleClas.data.mnist import MNIST
from PaddleClas.data.part import Part

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


PATHS = ("root", "image_root", "cls_label_path", "class_names_path", "image_path", "label_path")
"""The arguments of data sets that are paths."""


def _rising(share: list[float]) -> list[float]:
    if len(share) != 2 or not 0 <= share[0] < share[1] <= 1:
        raise ValueError(f"must be two rising numbers between 0 and 1, as in [0, 0.8], not {share}")
    return share


class SplitSection(Section):
    """One split of the data."""

    dataset: Annotated[Component, pydantic.AfterValidator(DATASETS.check)] = pydantic.Field(
        description=f"one of {', '.join(DATASETS.entries)}"
    )
    transforms: list[Annotated[Component, pydantic.AfterValidator(TRANSFORMS.check)]] = pydantic.Field(
        description=f"in order; of {', '.join(TRANSFORMS.entries)}"
    )
    share: Optional[Annotated[list[float], pydantic.AfterValidator(_rising)]] = pydantic.Field(
        None, description="take this part of each class, as [0, 0.8] and [0.8, 1], of a set that comes without splits"
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


def build_dataset(section: SplitSection, root: Optional[str] = None) -> ImageDataset:
    """Return the data set that a split's section asks for.

    Args:
        section: the section.
        root: the folder that its paths are relative to; None: the working directory.

    Returns:
        The data set.

    Raises:
        FileNotFoundError: files of it are missing.
        ValueError: they are broken, or an argument is out of range.
    """
    chosen = section.dataset
    if root is not None:
        paths = {name: value for name, value in chosen.arguments.items() if name in PATHS and value is not None}
        chosen = chosen.model_copy(update={name: below(root, path) for name, path in paths.items()})
    dataset: ImageDataset = DATASETS.build(chosen, transform=build_transform(section.transforms))
    return dataset if section.share is None else Part(dataset, section.share)


def below(root: str, path: str) -> str:
    """Return where a path leads that is relative to a folder; an absolute one, or a URL, stays as it is."""
    if is_url(path):
        return path
    return f"{root.rstrip('/')}/{path}" if is_url(root) else os.path.normpath(os.path.join(root, path))


def build_loader(
    section: SplitSection, dataset: Any, seed: int, num_workers: int = 0, keep_workers: bool = False
) -> DataLoader:
    """Return the loader that a split's section asks for.

    Args:
        section: the section.
        dataset: its data set.
        seed: of the run; order and augmentation depend on it, the epoch and the sample alone.
        num_workers: how many processes read; the batches do not depend on it.
        keep_workers: whether they live from one epoch to the next.

    Returns:
        The loader; its batches are images and labels.
    """
    return DataLoader(
        dataset,
        batch_size=section.batch_size,
        shuffle=section.shuffle,
        drop_last=section.drop_last,
        num_workers=num_workers,
        persistent_workers=keep_workers and num_workers > 0,
        seed=seed,
    )
