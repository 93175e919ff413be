"""A trained run or an exported folder, ready to find objects in images."""

from __future__ import annotations

import abc
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union, overload

import numpy as np
from pycocotools import mask as coco_mask

import core
from core.jit.exported.paths import path_text
from core.train.config.table import Component
from core.train.logs.class_names import read_class_names
from core.train.runner.experiment import opens_exported
from core.train.runner.preprocessing import stored_transforms
from core.train.runner.trained import TrainedNetwork
from core.vision.inputs import read_picture
from PaddleDetection.config import TOOLKIT
from PaddleDetection.data.dataset import Transform
from PaddleDetection.data.pipeline import BATCH_TRANSFORMS, TRANSFORMS, SplitSection, network_image
from PaddleDetection.data.transforms.batch import InOrder, PadBatch
from PaddleDetection.metrics.base import Found
from PaddleDetection.outputs import found_in

Image = Union[str, "os.PathLike[str]", np.ndarray]
"""A file, or pixels, uint8 (H, W, 3)."""
Images = Union[list[Image], tuple[Image, ...]]


@dataclasses.dataclass
class Detections:
    """What is found in one image, the best first within each class.

    Attributes:
        boxes: corners x1, y1, x2, y2 in pixels of the image, float32 (D, 4).
        classes: class numbers, int64 (D,).
        scores: between 0 and 1, float32 (D,).
        names: the classes' names.
        masks: the pixels of each object as pycocotools' run lengths; None: the detector finds boxes alone.
    """

    boxes: np.ndarray
    classes: np.ndarray
    scores: np.ndarray
    names: list[str]
    masks: Optional[list[dict[str, Any]]] = None

    def mask(self, place: int) -> np.ndarray:
        """Return the pixels of an object, bool (H, W) of the image.

        Args:
            place: which object.

        Raises:
            ValueError: the detector finds boxes alone.
        """
        if self.masks is None:
            raise ValueError("this detector finds no masks, only boxes")
        return np.asarray(coco_mask.decode(self.masks[place])) != 0

    @property
    def rows(self) -> np.ndarray:
        """Class, score and corners of each, float32 (D, 6)."""
        return np.concatenate([self.classes[:, None], self.scores[:, None], self.boxes], axis=1, dtype=np.float32)

    def above(self, threshold: float) -> Detections:
        """Return those that score at least a threshold."""
        kept = np.flatnonzero(self.scores >= threshold)
        names = [self.names[place] for place in kept.tolist()]
        masks = None if self.masks is None else [self.masks[place] for place in kept.tolist()]
        return Detections(self.boxes[kept], self.classes[kept], self.scores[kept], names, masks)


class ObjectDetector(abc.ABC):
    """Images to boxes: preprocessing, a network, class names; :func:`open_detector` makes one.

    Attributes:
        path: the folder that it was made of.
        transform: what a sample goes through before the network.
        class_names: the classes, in the order of their numbers.
    """

    path: Path
    transform: Transform
    class_names: Sequence[str]

    @abc.abstractmethod
    def run(self, image: np.ndarray, im_shape: np.ndarray, scale_factor: np.ndarray) -> Sequence[np.ndarray]:
        """Return the network's boxes (N, K, 6), their numbers (N,), and masks, for prepared images (N, 3, H, W)."""

    @overload
    def predict(self, images: Image, color: str = "rgb", batch_size: int = 8) -> Detections: ...

    @overload
    def predict(self, images: Images, color: str = "rgb", batch_size: int = 8) -> list[Detections]: ...

    def predict(
        self, images: Union[Image, Images], color: str = "rgb", batch_size: int = 8
    ) -> Union[Detections, list[Detections]]:
        """Find objects.

        Args:
            images: a file, or pixels, uint8 (H, W, 3) of any size; or a list of them.
            color: of pixels: "rgb", or "bgr" for the frames of OpenCV's cameras and videos.
            batch_size: so many images of a list go through the network at once, where they have one size as prepared.

        Returns:
            What is found; of a list a list, in its order.

        Raises:
            OSError: a file cannot be read.
            ValueError: an image is damaged, or not of this shape and type; or ``color`` is unknown.
        """
        if color not in ("rgb", "bgr"):
            raise ValueError(f"color must be 'rgb' or 'bgr', not {color!r}")
        if not isinstance(images, (list, tuple)):
            (found,) = self._found([images], color, 1)
            return found
        return self._found(images, color, batch_size)

    def _found(self, images: Sequence[Image], color: str, batch_size: int) -> list[Detections]:
        found: dict[int, Detections] = {}
        waiting: dict[tuple[int, ...], list[tuple[int, Any]]] = {}
        for place, image in enumerate(images):
            sample = self.transform({"image": _pixels(image, color)})
            same = waiting.setdefault(sample["image"].shape, [])
            same.append((place, sample))
            if len(same) >= batch_size:
                found.update(self._of_batch(same))
                same.clear()
        for same in waiting.values():
            found.update(self._of_batch(same))
        return [found[place] for place in range(len(images))]

    def _of_batch(self, samples: Sequence[tuple[int, Any]]) -> dict[int, Detections]:
        if not samples:
            return {}
        names = ("image", "im_shape", "scale_factor")
        image, *sizes = (np.stack([sample[name] for _, sample in samples]) for name in names)
        results = found_in(self.run(image, *sizes), *sizes)
        return {place: self._named(result) for (place, _), result in zip(samples, results)}

    def _named(self, found: Found) -> Detections:
        classes = found.rows[:, 0].astype(np.int64)
        names = [self.class_names[number] for number in classes.tolist()]
        return Detections(found.rows[:, 2:], classes, found.rows[:, 1], names, found.masks)


def _pixels(image: Image, color: str) -> np.ndarray:
    """Return the pixels of an image in the order red, green, blue."""
    if not isinstance(image, np.ndarray):
        kinds = "a path, a URL, or an array uint8 (height, width, 3)"
        return read_picture(path_text(image, "an image to look at", kinds))
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
        raise ValueError(
            f"an image to look at is uint8 of shape (height, width, 3), not {image.dtype} of shape {image.shape}"
        )
    return np.ascontiguousarray(image[:, :, ::-1]) if color == "bgr" else image


class Detector(TrainedNetwork, ObjectDetector):
    """The network of a run in evaluation mode, with its preprocessing and class names.

    Args:
        path: the run's folder.
        checkpoint: "best", "newest", or the name of a folder in the run's checkpoints.
        overrides: changes of keys of the run's config.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
    """

    def __init__(
        self, path: Union[str, os.PathLike[str]], checkpoint: str = "best", overrides: Sequence[str] = ()
    ) -> None:
        super().__init__(TOOLKIT, path, checkpoint, overrides)
        self.class_names = read_class_names(self.folder, self.config.num_classes)
        self.transform = prepared(self.section.transforms, self.section.batch_transforms, self.network.divisor)

    def run(self, image: np.ndarray, im_shape: np.ndarray, scale_factor: np.ndarray) -> Sequence[np.ndarray]:
        """Return boxes, their numbers, and masks where the network has them."""
        with core.no_grad():
            found = self.forward(*map(core.to_tensor, (image, im_shape, scale_factor)))
        return [tensor.numpy() for tensor in found]


class ExportedDetector(ObjectDetector):
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
        stored = self.predictor.preprocessing if self.predictor.class_names else None
        tables = {"transforms": TRANSFORMS, "batch_transforms": BATCH_TRANSFORMS}
        transforms: dict[str, Any] = stored_transforms(path, "PaddleDetection", stored, tables)
        self.transform = prepared(**transforms)
        self.class_names = self.predictor.class_names or []

    def run(self, image: np.ndarray, im_shape: np.ndarray, scale_factor: np.ndarray) -> Sequence[np.ndarray]:
        """Return boxes, their numbers, and masks where the network has them."""
        found: Sequence[np.ndarray] = self.predictor.run([image, im_shape, scale_factor])
        return found


class ONNXDetector(ExportedDetector):
    """The model.onnx of an exported folder, run by onnxruntime, with the folder's preprocessing and class names.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: there is no such file, or no exported folder around it.
        ImportError: onnxruntime is not installed.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"no file {os.fspath(path)!r}; export.py --onnx writes it")
        super().__init__(Path(path).parent)
        import onnxruntime  # no part of an installation

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
        self.inputs = [given.name for given in self.session.get_inputs()]

    def run(self, image: np.ndarray, im_shape: np.ndarray, scale_factor: np.ndarray) -> Sequence[np.ndarray]:
        """Return boxes, their numbers, and masks where the network has them."""
        given = {"image": image, "im_shape": im_shape, "scale_factor": scale_factor}
        found: Sequence[np.ndarray] = self.session.run(None, {name: given[name] for name in self.inputs})
        return found


def prepared(transforms: Sequence[Component], batch_transforms: Sequence[Component], divisor: int = 1) -> Transform:
    """Return what an image goes through by itself, as one function of a sample.

    Args:
        transforms: of a split's samples.
        batch_transforms: of its batches.
        divisor: the sides are padded to multiples of it in the end.
    """
    batched = [BATCH_TRANSFORMS.build(part) for part in batch_transforms]
    together = InOrder([*batched, PadBatch(divisor)], network_image)
    single = SplitSection.composed(transforms)
    return lambda sample: together([single(sample)])[0]


def open_detector(path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> ObjectDetector:
    """Open the folder of a run, an exported one, or the model.onnx in it.

    Args:
        path: the folder, or the file.
        checkpoint: which one of a run.

    Raises:
        FileNotFoundError: it is none of these.
    """
    if os.fspath(path).endswith(".onnx"):
        return ONNXDetector(path)
    return ExportedDetector(path) if opens_exported(path, checkpoint) else Detector(path, checkpoint)
