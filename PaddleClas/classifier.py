"""A trained run or an exported folder, ready to classify images."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

import core
from core.jit.program_file import is_exported
from core.train.checkpoint import load_network
from core.train.config import load_config
from core.train.run_folder import RunFolder
from core.train.table import Component
from core.vision.transforms import Compose
from core.weights.atomic import atomic_write
from PaddleClas.config import ClassificationConfig
from PaddleClas.data.pipeline import TRANSFORMS, build_transform
from PaddleClas.task import build_network, softmax

CLASS_NAMES = "classes.json"


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

    def predict(self, images: Sequence[np.ndarray], top: int = 5) -> list[Prediction]:
        """Classify images.

        Args:
            images: uint8, each (H, W, 3) in RGB order, of any size.
            top: how many classes to return for each.

        Returns:
            One prediction for each image.
        """
        predictions = []
        for image in images:
            probabilities = softmax(self.logits(np.asarray(self.transform(image), dtype=np.float32)[None])[0])
            best = np.argsort(-probabilities, kind="stable")[:top].tolist()
            names = [self.class_names[number] for number in best]
            predictions.append(Prediction(best, names, [float(probabilities[number]) for number in best]))
        return predictions


class Classifier(ImageClassifier):
    """The network of a run in evaluation mode, with its preprocessing and class names.

    Args:
        path: the run's folder.
        checkpoint: "best", "newest", or the name of a folder in the run's checkpoints.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
    """

    def __init__(self, path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> None:
        self.folder = RunFolder.open(path)
        self.path = self.folder.path
        self.config = load_config(ClassificationConfig, self.folder.config)
        self.config.model.pretrained = False  # the checkpoint has the weights
        self.checkpoint = find_checkpoint(self.folder, checkpoint)
        self.class_names = read_class_names(self.folder, self.config.model.class_num)
        self.network = build_network(self.config)
        load_network(self.checkpoint, "model", self.network)
        self.network.eval()
        self.section = self.config.data.test or self.config.data.valid or self.config.data.train
        self.transform = build_transform(self.section.transforms)
        self._forward = core.jit.to_static(self.network.__call__) if self.config.train.compiled else self.network

    def logits(self, batch: np.ndarray) -> np.ndarray:
        """Return the network's outputs."""
        with core.no_grad():
            return self._forward(core.to_tensor(batch)).numpy()


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
        if not isinstance(self.predictor.preprocessing, list) or self.predictor.class_names is None:
            raise ValueError(f"{os.fspath(path)!r} was not exported by PaddleClas/export.py: it has no preprocessing")
        try:
            components = [TRANSFORMS.check(Component.model_validate(part)) for part in self.predictor.preprocessing]
        except ValueError as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"the preprocessing in {os.fspath(path)!r} cannot be built: {reason}") from None
        self.transform = build_transform(components)
        self.class_names = self.predictor.class_names

    def logits(self, batch: np.ndarray) -> np.ndarray:
        """Return the network's outputs."""
        return self.predictor.run(batch)


def open_classifier(path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> ImageClassifier:
    """Open the folder of a run, or an exported one.

    Args:
        path: the folder.
        checkpoint: which one of a run.

    Raises:
        FileNotFoundError: it is neither.
    """
    return ExportedClassifier(path) if is_exported(path) else Classifier(path, checkpoint)


def find_checkpoint(folder: RunFolder, which: str) -> Path:
    """Return a checkpoint of a run.

    Args:
        folder: the run's folder.
        which: "best" (the newest where none was marked), "newest", or a folder's name.

    Raises:
        FileNotFoundError: there is none.
    """
    steps = sorted(folder.checkpoints.glob("step_*"))
    if which in ("best", "newest"):
        best = folder.checkpoints / "best"
        if which == "best" and best.exists():
            return best
        if not steps:
            raise FileNotFoundError(f"{str(folder)!r} holds no checkpoint; train first")
        return steps[-1]
    chosen = folder.checkpoints / which
    if not chosen.is_dir():
        names = ", ".join(["best", "newest", *(step.name for step in steps)])
        raise FileNotFoundError(f"{str(folder)!r} holds no checkpoint {which!r}; there are {names}")
    return chosen


def write_class_names(folder: RunFolder, names: Sequence[str]) -> None:
    """Write the classes' names into a run's folder.

    Args:
        folder: the run's folder.
        names: the names, in the order of their numbers.
    """
    with atomic_write(folder.path / CLASS_NAMES) as stream:
        stream.write(json.dumps(list(names), ensure_ascii=False).encode("utf-8"))


def read_class_names(folder: RunFolder, class_num: int) -> list[str]:
    """Read the classes' names from a run's folder; classes without a name get their number.

    Args:
        folder: the run's folder.
        class_num: how many classes the network has.
    """
    file = folder.path / CLASS_NAMES
    names: list[Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return [*names, *(str(number) for number in range(len(names), class_num))]
