"""The features by which FID and KID compare images: Inception's where its weights are at hand, else a classifier's."""

from __future__ import annotations

from typing import Any, Optional

import cv2
import numpy as np

import core
from core.jit import to_static
from core.weights import cache_path
from PaddleClas.models.base import FeatureExtractor
from PaddleClas.models.inception_v3 import InceptionV3
from PaddleClas.models.weights import WEIGHTS
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.distance import Features
from PaddleGAN.metrics.pictures import as_pictures

_SIDE = 299
_MEAN = np.array([0.485, 0.456, 0.406], np.float32) * 255
_STD = np.array([0.229, 0.224, 0.225], np.float32) * 255


class InceptionFeatures:
    """The 2048 numbers before the last layer of Inception-v3.

    The published distances were taken with another file of weights, of TensorFlow: these are not to be compared with
    them, but with one another.

    Args:
        weights: the weight file; None: the one that PaddleClas publishes, from the cache, without a download.
        batch_size: images that are computed together.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it does not fit the network.
    """

    description = "Inception-v3 of PaddleClas, trained on ImageNet-1k"

    def __init__(self, weights: Optional[str] = None, batch_size: int = 16) -> None:
        path = str(inception_path()) if weights is None else weights
        network = FeatureExtractor(InceptionV3(pretrained=path), [-1])
        network.eval()
        self.network = to_static(network)
        self.batch_size = batch_size

    def __call__(self, images: Any) -> np.ndarray:
        """Return the features of images, float32, shape (N, 2048).

        Args:
            images: uint8, shape (N, H, W, C); or floating point, shape (N, C, H, W), -1 to 1.
        """
        pictures = as_pictures("InceptionFeatures", images)
        parts = [
            self._features(pictures[start : start + self.batch_size])
            for start in range(0, len(pictures), self.batch_size)
        ]
        return np.concatenate(parts)

    def _features(self, pictures: np.ndarray) -> np.ndarray:
        colored = np.repeat(pictures, 3, axis=3) if pictures.shape[3] == 1 else pictures
        way = cv2.INTER_AREA if pictures.shape[1] > _SIDE else cv2.INTER_LINEAR
        resized = np.stack([cv2.resize(picture, (_SIDE, _SIDE), interpolation=way) for picture in colored])
        inputs = ((resized - _MEAN) / _STD).transpose(0, 3, 1, 2)
        with core.no_grad():
            maps = self.network(core.to_tensor(np.ascontiguousarray(inputs)))[0]
        return maps.numpy().mean(axis=(2, 3))


def inception_path() -> Any:
    """Return where the weights of Inception-v3 lie, or would lie, in the cache."""
    return cache_path(WEIGHTS["InceptionV3"].url)


def choose_features(classifier: Optional[Classifier] = None) -> Features:
    """Return Inception's features where its weights are in the cache, else a classifier's.

    Args:
        classifier: trained on the real images; None: there is none.

    Raises:
        FileNotFoundError: there are neither.
    """
    if inception_path().is_file():
        return InceptionFeatures()
    if classifier is None:
        raise FileNotFoundError(
            "FID and KID need features: put the weights of Inception-v3 at "
            f"{str(inception_path())!r}, or train a classifier"
        )
    return classifier.features
