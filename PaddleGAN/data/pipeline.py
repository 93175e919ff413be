"""From a config's words to a loader: the tables of data sets and transforms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, Optional

import pydantic

from core.io import DataLoader, Dataset
from core.train.config import Section
from core.train.table import Component, Table
from core.vision import transforms
from PaddleGAN.data.celeba import CelebA
from PaddleGAN.data.faces import FaceOutlines, Faces, UnpairedFaces
from PaddleGAN.data.mnist import MNIST, FashionMNIST
from PaddleGAN.data.paired import PairedDataset
from PaddleGAN.data.unpaired import SingleDataset, UnpairedDataset

DATASETS = Table(
    "data set",
    {
        "CelebA": CelebA,
        "FaceOutlines": FaceOutlines,
        "Faces": Faces,
        "FashionMNIST": FashionMNIST,
        "MNIST": MNIST,
        "PairedDataset": PairedDataset,
        "SingleDataset": SingleDataset,
        "UnpairedDataset": UnpairedDataset,
        "UnpairedFaces": UnpairedFaces,
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
        "RandomHorizontalFlip": transforms.RandomHorizontalFlip,
        "ToTensor": transforms.ToTensor,
        "Normalize": transforms.Normalize,
    },
    provided=("keys",),
)
PATHS = ("root", "root_a", "root_b", "list_path", "image_path", "label_path")
"""The arguments of data sets that are paths."""


class SplitSection(Section):
    """One split of the data."""

    dataset: Annotated[Component, pydantic.AfterValidator(DATASETS.check)] = pydantic.Field(
        description=f"one of {', '.join(DATASETS.entries)}"
    )
    transforms: list[Annotated[Component, pydantic.AfterValidator(TRANSFORMS.check)]] = pydantic.Field(
        description=f"in order; a pair is cut and mirrored alike; of {', '.join(TRANSFORMS.entries)}"
    )
    batch_size: pydantic.PositiveInt = pydantic.Field(description="samples per step")
    shuffle: bool = pydantic.Field(False, description="visit the samples in a new random order each epoch")
    drop_last: bool = pydantic.Field(False, description="leave out the last batch when it is not full")


def build_transform(components: Sequence[Component], together: int = 1) -> transforms.Compose:
    """Return the transform that a split's section asks for.

    Args:
        components: of TRANSFORMS, in order.
        together: 1 for a function of an image, 2 for one of a pair, for which each transform draws once.

    Returns:
        The function.
    """
    keys = ("image",) * together
    return transforms.Compose([TRANSFORMS.build(component, keys=keys) for component in components])


def build_dataset(section: SplitSection, root: Optional[str] = None) -> Dataset:
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
        below = {name: os.path.normpath(os.path.join(root, path)) for name, path in paths.items()}
        chosen = chosen.model_copy(update=below)
    together: int = DATASETS.resolve(chosen.name).images_together  # type: ignore[attr-defined]
    dataset: Dataset = DATASETS.build(chosen, transform=build_transform(section.transforms, together))
    return dataset


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
        The loader.
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
