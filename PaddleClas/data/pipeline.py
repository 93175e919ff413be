"""From a config's words to a loader: the tables of data sets and transforms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, Optional

import pydantic

from core.io import DataLoader, default_collate_fn
from core.io.files import is_url
from core.io.randomness import integer
from core.train.config import Section
from core.train.table import Component, Table
from core.vision import transforms
from PaddleClas.data import masking, operators
from PaddleClas.data.cifar import Cifar10, Cifar100
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.data.digits import Digits
from PaddleClas.data.flowers import Flowers
from PaddleClas.data.fmix import FMix
from PaddleClas.data.folder import DatasetFolder
from PaddleClas.data.image_list import ImageNetDataset
from PaddleClas.data.mnist import MNIST, FashionMNIST
from PaddleClas.data.part import Part

DATASETS = Table(
    "data set",
    {
        "Digits": Digits,
        "DatasetFolder": DatasetFolder,
        "ImageNetDataset": ImageNetDataset,
        "MNIST": MNIST,
        "FashionMNIST": FashionMNIST,
        "Cifar10": Cifar10,
        "Cifar100": Cifar100,
        "Flowers": Flowers,
    },
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
        "Cutout": masking.Cutout,
        "HideAndSeek": masking.HideAndSeek,
        "GridMask": masking.GridMask,
    },
    provided=("keys",),
)
MIXES = Table(
    "mix",
    {"Mixup": transforms.Mixup, "CutMix": transforms.CutMix, "FMix": FMix},
    provided=("class_num", "data_format"),
)


PATHS = (
    *("root", "image_root", "cls_label_path", "class_names_path", "image_path", "label_path"),
    *("data_file", "label_file", "setid_file"),
)
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
    mix: list[Annotated[Component, pydantic.AfterValidator(MIXES.check)]] = pydantic.Field(
        [], description=f"each batch is mixed by one of these, drawn anew; of {', '.join(MIXES.entries)}"
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


class OneOf:
    """Mixes each batch by one of several ways, and makes arrays of it.

    Args:
        mixes: the ways; none of them leaves batches as they are.
    """

    def __init__(self, mixes: Sequence[Any]) -> None:
        self.mixes = list(mixes)

    def __call__(self, batch: Any) -> Any:
        """Return images and labels; labels that were mixed are shares of the classes, float32 (N, class_num)."""
        if self.mixes:
            batch = self.mixes[integer(0, len(self.mixes))](batch)
        return default_collate_fn(batch)


def build_loader(
    section: SplitSection,
    dataset: Any,
    seed: int,
    num_workers: int = 0,
    keep_workers: bool = False,
    class_num: Optional[int] = None,
) -> DataLoader:
    """Return the loader that a split's section asks for.

    Args:
        section: the section.
        dataset: its data set.
        seed: of the run; order and augmentation depend on it, the epoch and the sample alone.
        num_workers: how many processes read; the batches do not depend on it.
        keep_workers: whether they live from one epoch to the next.
        class_num: the number of classes, for mixing; None: the batches are not mixed.

    Returns:
        The loader; its batches are images and labels.
    """
    mixes = [] if class_num is None else section.mix
    return DataLoader(
        dataset,
        collate_fn=OneOf([MIXES.build(mix, class_num=class_num) for mix in mixes]),
        batch_size=section.batch_size,
        shuffle=section.shuffle,
        drop_last=section.drop_last,
        num_workers=num_workers,
        persistent_workers=keep_workers and num_workers > 0,
        seed=seed,
    )
