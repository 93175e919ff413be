"""Data sets of images in the file formats of their publishers, under the names of ``paddle.vision.datasets``."""

from __future__ import annotations

from core.vision.datasets.cifar import Cifar10, Cifar100
from core.vision.datasets.flowers import Flowers
from core.vision.datasets.folder import DatasetFolder, ImageFolder
from core.vision.datasets.mnist import MNIST, FashionMNIST
from core.vision.datasets.voc2012 import VOC2012

__all__ = [
    "MNIST",
    "VOC2012",
    "Cifar10",
    "Cifar100",
    "DatasetFolder",
    "FashionMNIST",
    "Flowers",
    "ImageFolder",
]
