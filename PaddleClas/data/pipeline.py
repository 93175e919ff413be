"""The tables of data sets, transforms and mixes that a config may name, and what a split of the data is."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Optional

import pydantic

from core.train.classification.mixing import MixedSplitSection
from core.train.config.table import Component, Named, Table
from core.vision import transforms
from PaddleClas.data import masking, operators
from PaddleClas.data.cifar import Cifar10, Cifar100
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
    paths=(
        *("root", "image_root", "cls_label_path", "class_names_path", "image_path", "label_path"),
        *("data_file", "label_file", "setid_file"),
    ),
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


def _rising(share: list[float]) -> list[float]:
    if len(share) != 2 or not 0 <= share[0] < share[1] <= 1:
        raise ValueError(f"must be two rising numbers between 0 and 1, as in [0, 0.8], not {share}")
    return share


class SplitSection(MixedSplitSection):
    """One split of the data."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS
    mix_table: ClassVar[Table] = MIXES

    dataset: Annotated[Component, Named(DATASETS)] = pydantic.Field(description="with its settings")
    transforms: list[Annotated[Component, Named(TRANSFORMS)]] = pydantic.Field(description="in order")
    mix: list[Annotated[Component, Named(MIXES)]] = pydantic.Field(
        [], description="each batch of training is mixed by one of these, drawn at random"
    )
    share: Optional[Annotated[list[float], pydantic.AfterValidator(_rising)]] = pydantic.Field(
        None, description="take this part of each class, as [0, 0.8] and [0.8, 1], of a set that comes without splits"
    )

    def build_dataset(self, root: Optional[str] = None) -> Any:
        """Return the data set, or the part of it that ``share`` names."""
        dataset = super().build_dataset(root)
        return dataset if self.share is None else Part(dataset, self.share)
