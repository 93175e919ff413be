"""Data sets of labelled images and the reading pipeline; nothing here loads the engine."""

from __future__ import annotations

from PaddleClas.data.cifar import Cifar10, Cifar100
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.data.digits import Digits
from PaddleClas.data.flowers import Flowers
from PaddleClas.data.folder import DatasetFolder
from PaddleClas.data.image_list import ImageNetDataset
from PaddleClas.data.mnist import MNIST, FashionMNIST
from PaddleClas.data.part import Part
from PaddleClas.data.pipeline import DATASETS, TRANSFORMS, SplitSection

__all__ = [
    "Cifar10",
    "Cifar100",
    "DATASETS",
    "DatasetFolder",
    "Digits",
    "FashionMNIST",
    "Flowers",
    "ImageDataset",
    "ImageNetDataset",
    "MNIST",
    "Part",
    "SplitSection",
    "TRANSFORMS",
]
