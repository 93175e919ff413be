"""The tables of data sets, transforms and mixes that a config may name, and what a split of the data is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Optional

import numpy as np
import pydantic

from core.io.randomness import sample_scope
from core.train.config.table import Component, Named, Table
from core.train.runner import splits
from core.vision import transforms
from core.vision.transforms.mixing import OneOf
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


class SplitSection(splits.SplitSection):
    """One split of the data."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS

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

    def mixes(self, class_num: int) -> OneOf:
        """Return what makes a batch of samples, mixed.

        Args:
            class_num: the number of classes.
        """
        return OneOf([MIXES.build(mix, class_num=class_num) for mix in self.mix])

    # what preview.py shows

    def steps(self) -> list[str]:
        """Return the names of what is done to the images."""
        return [component.name for component in [*self.transforms, *self.mix]]

    def mixed(self, samples: Sequence[Any], config: Any, split: str, epoch: int) -> Sequence[Any]:
        """Return samples mixed with one another, where training mixes; the epochs take turns."""
        if not self.mix or split != "train":
            return samples
        with sample_scope(config.seed, epoch, 0, (2,)):
            mix = MIXES.build(self.mix[epoch % len(self.mix)], class_num=config.class_num)
            mixed: Sequence[Any] = mix(samples)
            return mixed

    def original(self, dataset: Any, index: int) -> list[tuple[Any, str]]:
        """Return an image before the transforms, and its class."""
        return [(dataset.image(index), dataset.class_names[dataset.label(index)])]

    def caption(self, sample: Any, dataset: Any) -> str:
        """Return a class's name, or the greatest shares of a mixed label."""
        shares, names = np.asarray(sample[1]), dataset.class_names
        if shares.ndim == 0:
            return str(names[int(shares)])
        best = np.argsort(-shares, kind="stable")[:2]
        return ", ".join(f"{names[number]} {shares[number]:.0%}" for number in best if shares[number] > 0)
