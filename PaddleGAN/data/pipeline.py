"""The tables of data sets and transforms that a config may name, and what a split of the data is."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pydantic

from core.train.config.table import Component, Named, Table
from core.train.runner import splits
from core.vision import transforms
from PaddleGAN.data.anime import AnimeGANV2Dataset, ResizeToScale
from PaddleGAN.data.celeba import CelebA
from PaddleGAN.data.clips import MovingFaces, REDSDataset
from PaddleGAN.data.domains import StarGANv2Dataset
from PaddleGAN.data.faces import FaceOutlines, Faces, UnpairedFaces
from PaddleGAN.data.mnist import MNIST, FashionMNIST
from PaddleGAN.data.paired import PairedDataset
from PaddleGAN.data.restoration_transforms import PairedRandomTransposeHW, SRPairedRandomCrop
from PaddleGAN.data.super_resolution import SRDataset, SRFaces
from PaddleGAN.data.talking import Wav2LipDataset
from PaddleGAN.data.unpaired import SingleDataset, UnpairedDataset

DATASETS = Table(
    "data set",
    {
        "AnimeGANV2Dataset": AnimeGANV2Dataset,
        "CelebA": CelebA,
        "FaceOutlines": FaceOutlines,
        "Faces": Faces,
        "FashionMNIST": FashionMNIST,
        "MNIST": MNIST,
        "MovingFaces": MovingFaces,
        "PairedDataset": PairedDataset,
        "REDSDataset": REDSDataset,
        "SRDataset": SRDataset,
        "SRFaces": SRFaces,
        "SingleDataset": SingleDataset,
        "StarGANv2Dataset": StarGANv2Dataset,
        "UnpairedDataset": UnpairedDataset,
        "UnpairedFaces": UnpairedFaces,
        "Wav2LipDataset": Wav2LipDataset,
    },
    provided=("transform",),
    paths=("root", "root_a", "root_b", "list_path", "image_path", "label_path", "gt_folder", "lq_folder"),
)
TRANSFORMS = Table(
    "transform",
    {
        "Resize": transforms.Resize,
        "ResizeToScale": ResizeToScale,
        "CenterCrop": transforms.CenterCrop,
        "Pad": transforms.Pad,
        "RandomCrop": transforms.RandomCrop,
        "RandomResizedCrop": transforms.RandomResizedCrop,
        "RandomHorizontalFlip": transforms.RandomHorizontalFlip,
        "RandomVerticalFlip": transforms.RandomVerticalFlip,
        "PairedRandomTransposeHW": PairedRandomTransposeHW,
        "SRPairedRandomCrop": SRPairedRandomCrop,
        "ToTensor": transforms.ToTensor,
        "Normalize": transforms.Normalize,
    },
    provided=("keys",),
)

class SplitSection(splits.SplitSection):
    """One split of the data; the images of a pair are cut and mirrored alike."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS

    dataset: Annotated[Component, Named(DATASETS)] = pydantic.Field(description="with its settings")
    transforms: list[Annotated[Component, Named(TRANSFORMS)]] = pydantic.Field(
        description="in order; a pair is cut and mirrored alike"
    )

    def build_transform(self) -> Any:
        """Return the function of an image, or of a pair of which each transform draws once."""
        together: int = DATASETS.resolve(self.dataset.name).images_together  # type: ignore[attr-defined]  # every data set has it
        return self.composed(self.transforms, keys=("image",) * together)

    def image_transform(self) -> Any:
        """Return the function of a single image, also where the data set has pairs."""
        return self.composed(self.transforms, keys=("image",))
