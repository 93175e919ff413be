"""A trained run or an exported folder, ready to classify images."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Union

import numpy as np
from scipy.special import softmax

import core
from core.drawing import heat_overlay
from core.train.classification.losses import main_logits
from core.train.logs.class_names import read_class_names
from core.train.runner.experiment import opens_exported
from core.train.runner.preprocessing import stored_transforms
from core.train.runner.trained import TrainedNetwork
from core.vision.transforms import Compose
from PaddleClas.config import TOOLKIT
from PaddleClas.data.pipeline import TRANSFORMS, SplitSection
from PaddleClas.grad_cam import grad_cam

BATCH_SIZE = 8
_NOT_SEEN = ("DecodeImage", "ToTensor", "Normalize", "NormalizeImage", "ToCHWImage", "Transpose")
"""Transforms after which an image shows the same, in other numbers or in another order."""


@dataclasses.dataclass
class Prediction:
    """The best classes of one image.

    Attributes:
        classes: class numbers, best first.
        names: their names.
        probabilities: their probabilities.
    """

    classes: list[int]
    names: list[str]
    probabilities: list[float]


class ImageClassifier:
    """Images to classes: preprocessing, a network, class names; :func:`open_classifier` makes one.

    Attributes:
        path: the folder that it was made of.
        transform: what turns an image, uint8 (H, W, 3), into the network's input.
        class_names: the classes, in the order of their numbers.
    """

    path: Path
    transform: Compose
    class_names: Sequence[str]

    def logits(self, batch: np.ndarray) -> np.ndarray:
        """Return the network's outputs, shape (N, classes).

        Args:
            batch: preprocessed images, float32, shape (N, C, H, W).
        """
        raise NotImplementedError(f"{type(self).__name__} must define logits(batch)")

    def predict(
        self, images: Sequence[np.ndarray], top: int = 5, batch_size: int = BATCH_SIZE, color: str = "rgb"
    ) -> list[Prediction]:
        """Classify images.

        Args:
            images: uint8, each (H, W, 3), of any size.
            top: how many classes to return for each.
            batch_size: how many go through the network at once.
            color: "rgb", or "bgr" for the frames of OpenCV's cameras and videos.

        Returns:
            One prediction for each image.

        Raises:
            ValueError: an image is not of this shape and type, or too small for the preprocessing; or ``color`` is
                unknown.
        """
        inputs = [self.preprocess(image, color) for image in images]
        predictions: dict[int, Prediction] = {}
        for numbers, size in batches(inputs, batch_size, len(inputs) > batch_size):
            for number, row in zip(numbers, self.answers([inputs[number] for number in numbers], size)):
                predictions[number] = self.best(row, top)
        return [predictions[number] for number in range(len(inputs))]

    def preprocess(self, image: np.ndarray, color: str = "rgb") -> np.ndarray:
        """Return the network's input for an image: float32, shape (C, H, W).

        Args:
            image: uint8, shape (H, W, 3) or, for networks of grey images, (H, W, 1).
            color: "rgb" or "bgr".

        Raises:
            ValueError: it is no such image, or too small; or ``color`` is unknown.
        """
        return np.asarray(self.transform(_as_rgb(image, color)), dtype=np.float32)

    def answers(self, inputs: Sequence[np.ndarray], size: int) -> np.ndarray:
        """Return the network's outputs, shape (N, classes).

        Args:
            inputs: N preprocessed images of one shape.
            size: of the batch, at least N; it is filled up, as one size needs one compiled program.
        """
        filled = [*inputs, *list(inputs[-1:]) * (size - len(inputs))]
        return self.logits(np.stack(filled))[: len(inputs)]

    def best(self, logits: np.ndarray, top: int) -> Prediction:
        """Return the best classes of one image.

        Args:
            logits: the network's outputs for it, shape (classes,).
            top: how many.
        """
        probabilities = softmax(logits, axis=-1)
        best = np.argsort(-probabilities, kind="stable")[:top].tolist()
        names = [self.class_names[number] for number in best]
        return Prediction(best, names, [float(probabilities[number]) for number in best])


def batches(inputs: Sequence[np.ndarray], batch_size: int, several: bool) -> Iterator[tuple[list[int], int]]:
    """Yield which images go through a network together, and to what size their batch is filled up.

    Args:
        inputs: preprocessed images; only those of one shape can go together.
        batch_size: how many at most.
        several: whether there are more batches, so that a last, smaller one is filled up.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for number, entry in enumerate(inputs):
        alike.setdefault(entry.shape, []).append(number)
    for members in alike.values():
        for first in range(0, len(members), batch_size):
            numbers = members[first : first + batch_size]
            yield numbers, batch_size if several and len(alike) == 1 else len(numbers)


def _as_rgb(image: np.ndarray, color: str) -> np.ndarray:
    if color not in ("rgb", "bgr"):
        raise ValueError(f"color must be 'rgb' or 'bgr', not {color!r}")
    frame = np.asarray(image)
    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] not in (1, 3) or not frame.size:
        raise ValueError(
            f"an image to classify is uint8 of shape (height, width, 3), not {frame.dtype} of shape {frame.shape}"
        )
    return np.ascontiguousarray(frame[:, :, ::-1]) if color == "bgr" else frame


class Classifier(TrainedNetwork, ImageClassifier):
    """The network of a run in evaluation mode, with its preprocessing and class names.

    Args:
        path: the run's folder.
        checkpoint: "best", "newest", or the name of a folder in the run's checkpoints.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
    """

    def __init__(self, path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> None:
        super().__init__(TOOLKIT, path, checkpoint)
        self.class_names = read_class_names(self.folder, self.config.class_num)
        self.transform = self.section.build_transform()
        self._view = self.section.composed([part for part in self.section.transforms if part.name not in _NOT_SEEN])

    def logits(self, batch: np.ndarray) -> np.ndarray:
        """Return the network's outputs."""
        with core.no_grad():
            return main_logits(self.forward(core.to_tensor(batch))).numpy()

    def grad_cam(self, image: np.ndarray, number: int, color: str = "rgb") -> np.ndarray:
        """Return what the network sees of an image, under a heat map of where it finds a class.

        Args:
            image: uint8, shape (H, W, 3).
            number: the class.
            color: "rgb" or "bgr", of the image.

        Returns:
            uint8, RGB, of the size of the network's input, shape (H', W', 3).
        """
        heat = grad_cam(self.network, core.to_tensor(self.preprocess(image, color)[None]), [number])[0]
        return heat_overlay(self._view(_as_rgb(image, color)), heat)


class ExportedClassifier(ImageClassifier):
    """An exported folder that export.py wrote.

    Args:
        path: the folder.

    Raises:
        FileNotFoundError: it is no exported folder.
        ValueError: a file in it is damaged, or it holds no preprocessing of images.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = Path(path)
        self.predictor = core.jit.Predictor(path)
        stored = {"transforms": self.predictor.preprocessing} if self.predictor.class_names else None
        parts = stored_transforms(path, "PaddleClas", stored, {"transforms": TRANSFORMS})
        self.transform = SplitSection.composed(parts["transforms"])
        self.class_names = self.predictor.class_names or []

    def logits(self, batch: np.ndarray) -> np.ndarray:
        """Return the network's outputs."""
        return main_logits(self.predictor.run(batch))


def open_classifier(path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> ImageClassifier:
    """Open the folder of a run, or an exported one.

    Args:
        path: the folder.
        checkpoint: which one of a run.

    Raises:
        FileNotFoundError: it is neither.
    """
    return ExportedClassifier(path) if opens_exported(path, checkpoint) else Classifier(path, checkpoint)
