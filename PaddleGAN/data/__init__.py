"""Data sets for generating, translating and editing images; nothing here loads the engine."""

from __future__ import annotations

from core.vision.datasets.face_factors import FACE_ATTRIBUTES
from PaddleGAN.data.celeba import SELECTED_ATTRIBUTES, CelebA, flip_attribute, repair_contradictions
from PaddleGAN.data.clips import MovingFaces, REDSDataset
from PaddleGAN.data.faces import FaceOutlines, Faces, UnpairedFaces
from PaddleGAN.data.imresize import imresize
from PaddleGAN.data.mnist import MNIST, FashionMNIST
from PaddleGAN.data.paired import PairedDataset
from PaddleGAN.data.pipeline import DATASETS, TRANSFORMS, SplitSection
from PaddleGAN.data.super_resolution import SRDataset, SRFaces
from PaddleGAN.data.unpaired import SingleDataset, UnpairedDataset

__all__ = [
    "CelebA",
    "DATASETS",
    "FACE_ATTRIBUTES",
    "FaceOutlines",
    "Faces",
    "FashionMNIST",
    "MNIST",
    "MovingFaces",
    "PairedDataset",
    "REDSDataset",
    "SELECTED_ATTRIBUTES",
    "SRDataset",
    "SRFaces",
    "SingleDataset",
    "SplitSection",
    "TRANSFORMS",
    "UnpairedDataset",
    "UnpairedFaces",
    "flip_attribute",
    "imresize",
    "repair_contradictions",
]
