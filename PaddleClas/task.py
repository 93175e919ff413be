"""Image classification: what a training step and an evaluation step are."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
import PaddleClas
from core.io import DataLoader
from core.io.files import is_url
from core.metric import ConfusionMatrix
from core.train.optimizers import OPTIMIZERS
from core.train.schedules import SCHEDULES
from core.train.task import Evaluator, Phase, Task
from core.train.yaml_file import shortened
from PaddleClas.calibration import Calibration, calibration
from PaddleClas.config import LOSSES, ClassificationConfig, ModelSection, TeacherSection
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.data.pipeline import build_dataset, build_loader
from PaddleClas.losses import distillation, several_heads
from PaddleClas.models.base import main_logits
from PaddleClas.views import averaged


class ClassificationEvaluator(Evaluator):
    """Accuracies, loss, and the prediction for every image.

    Args:
        class_num: the number of classes.
        topk: an image is right for k where its class is among the k best; those that k leaves no class out are dropped.
    """

    def __init__(self, class_num: int, topk: Sequence[int] = (1, 5)) -> None:
        self.class_num = class_num
        self.confusion = ConfusionMatrix(class_num)
        self.labels: list[int] = []
        self.predictions: list[int] = []
        self.confidences: list[float] = []
        self._hits = {k: 0 for k in topk if k > 1 and class_num > 2 * k}
        self._loss = 0.0

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in a batch's logits, shape (N, class_num), and its labels, the batch's second field."""
        probabilities = softmax(outputs[0])
        labels = batch[1].numpy().reshape(-1)
        predictions = probabilities.argmax(axis=1)
        of_label = np.take_along_axis(probabilities, labels[:, None], axis=1)[:, 0]
        better = (probabilities > of_label[:, None]).sum(axis=1)
        self.confusion.update(predictions, labels)
        for k in self._hits:
            self._hits[k] += int((better < k).sum())
        self._loss -= float(np.log(np.maximum(of_label, 1e-30)).sum())
        self.labels += labels.tolist()
        self.predictions += predictions.tolist()
        self.confidences += probabilities.max(axis=1).tolist()

    def result(self) -> dict[str, float]:
        """Return "accuracy", "topK_accuracy" where there are more than twice as many classes, and "loss"."""
        count = max(len(self.labels), 1)
        numbers = {"accuracy": float(np.trace(self.confusion.matrix)) / count}
        numbers.update({f"top{k}_accuracy": hits / count for k, hits in self._hits.items()})
        return {**numbers, "loss": self._loss / count}

    def calibration(self) -> Calibration:
        """Return how far the confidences are from what is right."""
        return calibration(self.confidences, [a == b for a, b in zip(self.predictions, self.labels)])

    def accuracy_of_classes(self) -> list[Optional[float]]:
        """Return for each class the share of its images that is recognised; None where it has no image."""
        matrix = self.confusion.matrix
        return [float(row[i] / row.sum()) if row.sum() else None for i, row in enumerate(matrix)]


class ClassificationTask(Task):
    """Trains a network to tell images apart.

    Args:
        config: the experiment.
        network: the network; None: the one that the config names, built when the classes of the data fit it.
        class_names: the classes that the network knows, in order; None: those of the first split that is read.
        several_views: whether an evaluation looks at the views that ``config.evaluate`` asks for.

    Raises:
        NotADirectoryError: ``data.root`` is no folder.
        ValueError: the teacher has other classes than the network.
    """

    monitor = "accuracy"

    def __init__(
        self,
        config: ClassificationConfig,
        network: Optional[Any] = None,
        class_names: Optional[Sequence[str]] = None,
        several_views: bool = False,
    ) -> None:
        self.config = config
        self.several_views = several_views
        self.class_names = class_names
        sections = {"train": config.data.train, "valid": config.data.valid, "test": config.data.test}
        self.sections = {split: section for split, section in sections.items() if section is not None}
        self._datasets: dict[str, ImageDataset] = {}
        self._loaders: dict[str, DataLoader] = {}
        root = config.data.root
        if root is not None and not is_url(root) and not os.path.isdir(root):
            raise NotADirectoryError(f"data.root: no folder {root!r}; say where the data is with --data FOLDER")
        teacher, class_num = config.teacher, config.model.class_num
        if teacher is not None and teacher.class_num != class_num:
            raise ValueError(
                f"teacher.class_num is {teacher.class_num}, model.class_num is {class_num}; make them equal"
            )
        if network is not None:
            self.network = network
        self._loss = LOSSES.build(config.loss)

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        return build_network(self.config.model)

    @functools.cached_property
    def networks(self) -> dict[str, Any]:
        """The same under the name that it has in checkpoints."""
        return {"model": self.network}

    @functools.cached_property
    def teacher(self) -> Optional[Any]:
        """The trained network whose answers this one learns to give, if the config names one."""
        return None if self.config.teacher is None else _frozen(self.config.teacher)

    def dataset(self, split: str) -> ImageDataset:
        """Return the data set of a split, read on first use.

        Args:
            split: "train", "valid" or "test".

        Raises:
            ValueError: the config has no such split, its data has other classes than the network or than the splits
                before, the networks cannot be built as the config says, or the transforms do not make arrays (C, H, W)
                of the images.
        """
        if split not in self.sections:
            raise ValueError(f"the config has no data.{split}; it has {', '.join(self.sections)}")
        if split not in self._datasets:
            try:
                dataset = build_dataset(self.sections[split], self.config.data.root)
            except (OSError, ValueError) as error:
                kind = ValueError if isinstance(error, ValueError) else type(error)
                raise kind(f"data.{split}: {error}") from None
            self._check_class_num(split, dataset)
            self._check_class_names(split, dataset.class_names)
            self._check_sample(split, dataset)
            _ = self.teacher  # so that a mistake in its section is found here, too
            self._datasets[split] = dataset
        return self._datasets[split]

    def _check_class_num(self, split: str, dataset: ImageDataset) -> None:
        """Refuse data for which the network's head is not made, before a network of the wrong size is built.

        A list without class names says only what classes there are at least: of a split that is only evaluated, or
        after one that named the classes, it may hold fewer.
        """
        found, class_num = len(dataset.class_names), self.config.model.class_num
        told = f"data.{split} has {found} classes, but model.class_num is {class_num}"
        if self.class_names is None:
            if found > class_num or (found < class_num and (dataset.all_classes or split == "train")):
                names = "" if dataset.all_classes else f", or name all classes in data.{split}.dataset.class_names_path"
                raise ValueError(f"{told}; set model.class_num: {found}{names}")
        elif found > class_num:
            raise ValueError(
                f"{told}, as the network is trained on {len(self.class_names)} classes; "
                f"let data.{split}.dataset name the same ones, without {shortened(dataset.class_names[class_num])}"
            )

    def _check_class_names(self, split: str, names: Sequence[str]) -> None:
        """Refuse a split that counts the classes in another way; the numbers of one may be fewer."""
        if self.class_names is None:
            self.class_names = names
        for number, (known, name) in enumerate(zip(self.class_names, names)):
            if known != name:
                raise ValueError(
                    f"data.{split}: class {number} is {name!r}, but {known!r} in what the network is trained on; "
                    f"name the same classes in the same order, as in classes: [{', '.join(self.class_names)}]"
                )

    def _check_sample(self, split: str, dataset: ImageDataset) -> None:
        """Refuse a data set of which the network cannot take the first image, before a run begins."""
        try:
            image = dataset[0][0]
        except (OSError, ValueError) as error:
            raise ValueError(f"data.{split}, first image: {error}") from None
        if not isinstance(image, np.ndarray) or image.ndim != 3 or image.dtype != np.float32:
            found = f"{image.dtype} of shape {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
            raise ValueError(
                f"data.{split}.transforms must give float32 of shape (channels, height, width), not {found}; "
                "end them with ToTensor, or with NormalizeImage and ToCHWImage"
            )
        self.network.eval()
        try:
            with core.no_grad():
                self.network(core.to_tensor(image[None]))
        except ValueError as error:
            shape = " x ".join(map(str, image.shape))
            name = self.config.model.name
            raise ValueError(f"{name} cannot take the {shape} images of data.{split}.transforms: {error}") from None

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of a split, or None when the config has no such split."""
        if split not in self.sections:
            return None
        if split not in self._loaders:
            self._loaders[split] = self._build_loader(split)
        return self._loaders[split]

    def _build_loader(self, split: str) -> DataLoader:
        section, data = self.sections[split], self.config.data
        if split != "train":  # an evaluation sees every image once, in the data set's order, whatever the config says
            section = section.model_copy(update={"shuffle": False, "drop_last": False})
        class_num = self.config.model.class_num if split == "train" else None  # what is evaluated is never mixed
        dataset, seed = self.dataset(split), self.config.seed
        return build_loader(section, dataset, seed, data.num_workers, split != "test", class_num)

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        parameters = [parameter for parameter in self.network.parameters() if not parameter.stop_gradient]
        schedule = SCHEDULES.build(self.config.schedule, steps_per_epoch=steps_per_epoch, epochs=epochs)
        groups: list[Any] = parameters
        if not self.config.decay_norm_and_bias:
            groups = [
                {"params": [parameter for parameter in parameters if parameter.ndim > 1]},
                {"params": [parameter for parameter in parameters if parameter.ndim <= 1], "weight_decay": 0.0},
            ]
        optimizer = OPTIMIZERS.build(self.config.optimizer, learning_rate=schedule, parameters=groups)
        return [Phase("train", self.loss, parameters, optimizer, schedule)]

    def loss(self, images: Any, labels: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and its accuracy.

        Args:
            images: float32, shape (N, C, H, W).
            labels: int64, shape (N,); of mixed images the shares of the classes, float32, shape (N, class_num).
        """
        outputs = self.network(images)
        logits = main_logits(outputs)
        if self.teacher is None:
            loss = several_heads(self._loss, outputs, labels)
        else:
            with core.no_grad():
                answers = main_logits(self.teacher(images))
            loss = self.config.teacher.weight * distillation(logits, answers)
        truth = core.argmax(labels, axis=-1) if labels.ndim == 2 else labels  # of mixed images, what most of it is
        hits = core.equal(core.argmax(logits, axis=-1), truth)
        return loss, {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, images: Any, labels: Any = None) -> Sequence[Any]:
        """Return the logits, shape (N, class_num); averaged over the config's views, where there are several."""
        options = self.config.evaluate
        if not self.several_views or (options.crops == 1 and not options.flip):
            return [main_logits(self.network(images))]
        views = {"crops": options.crops, "flip": options.flip, "crop_size": options.crop_size}
        return [averaged(self.network, images, **views)]

    def evaluator(self, split: str) -> ClassificationEvaluator:
        """Return an empty evaluator."""
        return ClassificationEvaluator(self.config.model.class_num, self.config.evaluate.topk)


def _frozen(teacher: TeacherSection) -> Any:
    """Return a trained network in evaluation mode, whose parameters take no gradient."""
    network = build_network(teacher)
    network.eval()
    for parameter in network.parameters():
        parameter.stop_gradient = True
    return network


def build_network(model: ModelSection) -> Any:
    """Return the network that a section of a config names.

    Args:
        model: the section.
    """
    return PaddleClas.create_model(
        model.name,
        class_num=model.class_num,
        pretrained=model.pretrained,
        adapt_head=model.adapt_head,
        **model.arguments,
    )


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return probabilities for logits, along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)
