"""A task that trains a classifier: what those of images and those of clips share."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import core
from core.train.classification.evaluator import ClassificationEvaluator, write_pictures
from core.train.classification.losses import LOSSES, main_logits, several_heads
from core.train.config.table import Component
from core.train.config.yaml_file import shortened
from core.train.distillation import frozen, symmetric_divergence
from core.train.logs.class_names import read_class_names, write_class_names
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import ToolkitTask
from core.train.task import Evaluator, Phase


class ClassifierTask(ToolkitTask):
    """Trains a network that tells samples apart; a subclass says what networks there are, and checks samples.

    Samples are (input, class number). The data sets have ``class_names``, ``label(index)``, ``image(index)``, which is
    a picture of a sample, and ``all_classes``: whether the names are those of all classes. The config has
    ``class_num``, ``loss``, ``evaluate.topk``, and may have ``teacher``.

    Args:
        config: the experiment; the network is built when the classes of the data fit it.

    Attributes:
        thing: what a sample is, for messages.
        class_names: the classes that the network knows, in order; None before data is read.
        several_views: whether an evaluation looks at samples more closely than training's own evaluations.

    Raises:
        ValueError: the teacher has other classes than the network, or the config expects a number that no evaluation
            gives.
    """

    monitor = "accuracy"
    thing = "image"

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.several_views = False
        self.class_names: Optional[Sequence[str]] = None
        if config.teacher is not None:
            asked, class_num = config.teacher.network.arguments.get("class_num", 1000), config.class_num
            if asked != class_num:
                raise ValueError(
                    f"teacher.network.class_num is {asked}, network.class_num is {class_num}; make them equal"
                )
        found = ClassificationEvaluator(config.class_num, config.evaluate.topk).result()
        self.numbers = [*found, "calibration_error"]
        self._loss = LOSSES.build(config.loss)

    def build_network(self, component: Component) -> Any:
        """Return a network that the config asks for."""
        raise NotImplementedError(f"{type(self).__name__} must define build_network(component)")

    def check_sample(self, split: str, dataset: Any) -> None:
        """Refuse a data set of which the network cannot take the first sample, before a run begins."""
        raise NotImplementedError(f"{type(self).__name__} must define check_sample(split, dataset)")

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        return self.build_network(self.config.network)

    @functools.cached_property
    def networks(self) -> dict[str, Any]:  # type: ignore[override]  # an attribute that is made on first use
        """The same under the name that it has in checkpoints."""
        return {"model": self.network}

    @functools.cached_property
    def teacher(self) -> Optional[Any]:
        """The trained network whose answers this one learns to give, if the config names one."""
        return None if self.config.teacher is None else frozen(self.build_network(self.config.teacher.network))

    def begin(self, folder: RunFolder) -> None:
        """Write the classes' names."""
        write_class_names(folder, self.dataset("train").class_names)

    def reopen(self, folder: RunFolder) -> None:
        """Read the classes' names."""
        self.class_names = read_class_names(folder, self.config.class_num)

    def begin_evaluation(self) -> None:
        """Look at samples as closely as ``config.evaluate`` asks for."""
        self.several_views = True

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data with other classes than the network or the splits before, or that the network cannot take."""
        self._check_class_num(split, dataset)
        self._check_class_names(split, dataset.class_names)
        self.check_sample(split, dataset)
        _ = self.teacher  # so that a mistake in its section is found here, too

    def collate(self, split: str) -> Any:
        """Return what makes batches; what is evaluated is never mixed."""
        if split != "train" or self.several_views:
            return None
        return self.config.data.train.mixes(self.config.class_num)

    def _check_class_num(self, split: str, dataset: Any) -> None:
        """Refuse data for which the network's head is not made, before a network of the wrong size is built.

        A list without class names says only what classes there are at least: of a split that is only evaluated, or
        after one that named the classes, it may hold fewer.
        """
        found, class_num = len(dataset.class_names), self.config.class_num
        message = f"data.{split} has {found} classes, but network.class_num is {class_num}"
        if self.class_names is None:
            if found > class_num or (found < class_num and (dataset.all_classes or split == "train")):
                names = "" if dataset.all_classes else f", or name all classes in data.{split}.dataset.class_names_path"
                raise ValueError(f"{message}; set network.class_num: {found}{names}")
        elif found > class_num:
            raise ValueError(
                f"{message}, as the network is trained on {len(self.class_names)} classes; "
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

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, inputs: Any, labels: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and its accuracy.

        Args:
            inputs: what the network takes, of N samples.
            labels: int64, shape (N,); of mixed samples the shares of the classes, float32, shape (N, class_num).
        """
        outputs = self.network(inputs)
        logits = main_logits(outputs)
        if self.teacher is None:
            loss = several_heads(self._loss, outputs, labels)
        else:
            with core.no_grad():
                answers = main_logits(self.teacher(inputs))
            loss = self.config.teacher.weight * symmetric_divergence(logits, answers)
        truth = core.argmax(labels, axis=-1) if labels.ndim == 2 else labels  # of mixed samples, what most of it is
        hits = core.equal(core.argmax(logits, axis=-1), truth)
        return loss, {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, inputs: Any, labels: Any = None) -> Sequence[Any]:
        """Return the logits, shape (N, class_num)."""
        return [main_logits(self.network(inputs))]

    def evaluator(self, split: str) -> ClassificationEvaluator:
        """Return an empty evaluator."""
        names = None if self.class_names is None else list(self.class_names)
        return ClassificationEvaluator(self.config.class_num, self.config.evaluate.topk, names, f"{self.thing}s")

    def facts(self) -> list[str]:
        """Return how many samples there are, and what may be a mistake: classes without a sample to train on."""
        (line,) = super().facts()
        dataset = self.dataset("train")
        seen = {dataset.label(index) for index in range(len(dataset))}
        unseen = [name for number, name in enumerate(dataset.class_names) if number not in seen]
        more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
        note = f"note: data.train has no {self.thing} of the class {', '.join(unseen[:5])}{more}"
        return [f"{line} {self.thing}s", *([note] if unseen else [])]

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write confusion_matrix.png and .csv, calibration.png and predictions.png; return their names."""
        assert isinstance(evaluator, ClassificationEvaluator)
        return write_pictures(evaluator, self.dataset(split), self.config.network.name, split, folder)
