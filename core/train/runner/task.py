"""What the tasks of all toolkits share: they are made of a config, read its data, and say what they do."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from core.io import Collate, DataLoader
from core.train.config.optimizers import Optimized, build_optimizer
from core.train.config.table import Component, Table
from core.train.logs.run_folder import RunFolder
from core.train.runner.config import Learner
from core.train.task import Evaluator, Task


class Suggestion(NamedTuple):
    """A command to try next.

    Args:
        command: "infer".
        words: what follows the run's folder.
        meaning: what it does.
        mode: what precedes the run's folder.
    """

    command: str
    words: str
    meaning: str
    mode: str = ""


class Program(NamedTuple):
    """What an export writes.

    Args:
        network: the Layer.
        inputs: what it takes, as :func:`core.jit.save` is description it: InputSpecs, or examples.
        description: what it takes and gives, in words.
        extra: what else is kept in the folder: further arguments of :func:`core.jit.save`.
        ordered: whether the results have an order of their own; otherwise those of model.onnx are not compared number
            by number, and the toolkit compares what they mean.
        files: further files of the folder by name.
    """

    network: Any
    inputs: Sequence[Any]
    description: str
    extra: Mapping[str, Any] = {}
    ordered: bool = True
    files: Mapping[str, bytes] = {}


class ToolkitTask(Task):
    """A task that a config describes.

    Args:
        config: the experiment.

    Attributes:
        numbers: the names of all numbers that an evaluation may give; none: they are not known before one.
    """

    numbers: Sequence[str] = ()

    def __init__(self, config: Any) -> None:
        self.config = config
        self._datasets: dict[str, Any] = {}
        self._loaders: dict[str, DataLoader] = {}

    # data

    @property
    def splits(self) -> Sequence[str]:
        """The splits that there are."""
        names: Sequence[str] = self.config.data.names
        return names

    @property
    def calibration(self) -> str:
        """The split on which an export in 8 bits is calibrated: for validation, where there is one, else training's."""
        return "valid" if "valid" in self.splits else "train"

    def dataset(self, split: str) -> Any:
        """Return the data set of a split, read on first use.

        Args:
            split: "train", "valid" or "test".

        Raises:
            ValueError: the config has no such split, or its data is broken.
            OSError: its folder or files are missing.
        """
        if split not in self._datasets:
            dataset = self.config.data.build_dataset(split)
            self.check_dataset(split, dataset)
            self._datasets[split] = dataset
        return self._datasets[split]

    def require_split(self, split: str) -> None:
        """Refuse a split that is not there, or of which the data does not fit.

        Raises:
            ValueError: it is not.
        """
        self.dataset(split)

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse a data set that does not fit the network, before a run begins."""

    def fields(self, split: str) -> Any:
        """Return the data set whose samples are the fields of a split's batches; a task may add fields."""
        return self.dataset(split)

    def collate(self, split: str) -> Any:
        """Return what makes a batch of samples of a split; None: arrays of their fields."""
        return None

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of a split; None when the config has none."""
        if split not in self.splits:
            return None
        if split not in self._loaders:
            section, data = self.config.data.split(split), self.config.data
            if split != "train":  # an evaluation sees every sample once, in the data set's order
                section = section.model_copy(update={"shuffle": False, "drop_last": False})
            given = self.fields(split), self.config.seed, data.num_workers, split != "test", self.collate(split)
            try:
                loader = self._loaders[split] = section.build_loader(*given)
            except ValueError as error:
                raise ValueError(f"data.{split}: {error}") from None
            if isinstance(loader.collate_fn, Collate):
                loader.collate_fn.sizes.section = f"data.{split}.batching"
        return self._loaders[split]

    # networks

    @functools.cached_property
    def networks(self) -> dict[str, Any]:  # type: ignore[override]  # an attribute that is made on first use
        """The networks whose weights a checkpoint holds, by name."""
        return {}

    def add_network(self, name: str, table: Table, component: Component, key: str, **provided: Any) -> Any:
        """Build a network that the config asks for, and note it as one that checkpoints hold.

        Args:
            name: of its file in a checkpoint.
            table: of the networks.
            component: what the config asks for.
            key: where in the config, for messages.
            **provided: what of its arguments follows from the data.

        Raises:
            ValueError: it cannot be built, or an argument is given that follows from the data.
        """
        twice = sorted(set(component.arguments) & set(provided))
        if twice:
            raise ValueError(f"{key}.{twice[0]} follows from the data, as {provided[twice[0]]}; leave it out")
        try:
            self.networks[name] = table.build(component, **provided)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{key}: {error}") from None
        return self.networks[name]

    def learning(
        self, learner: Learner, names: Sequence[str], steps_per_epoch: int, epochs: float, prefix: str = ""
    ) -> Optimized:
        """Return parameters, the optimizer that moves them, and its schedule, as a Phase takes them.

        Args:
            learner: the section of the config with optimizer and schedule.
            names: of the networks that are trained.
            steps_per_epoch: as the Trainer gives it.
            epochs: likewise.
            prefix: of the section's key in the config, for messages: "generator.".
        """
        networks = {name: self.networks[name] for name in names}
        lengths: dict[str, Any] = {"steps_per_epoch": steps_per_epoch, "epochs": epochs}
        return build_optimizer(learner.optimizer, learner.schedule, networks, prefix=prefix, **lengths)

    # what a run says and draws

    def facts(self) -> list[str]:
        """Return lines that describe the training data, printed before training."""
        return [f"data: {', '.join(f'{len(self.dataset(split)):,} {split}' for split in self.splits)}"]

    def remarks(self) -> list[str]:
        """Return lines that say how the numbers of an evaluation came about."""
        return []

    def begin(self, folder: RunFolder) -> None:
        """Write into the folder of a run what it takes to open it again, beside the config."""

    def reopen(self, folder: RunFolder) -> None:
        """Read from the folder of a run what :meth:`begin` wrote; called before data is read."""

    def begin_evaluation(self) -> None:
        """Prepare for the evaluation command, which may look more closely than training's own evaluations."""

    def diverged(self, folder: RunFolder) -> str:
        """Return what to say when a loss is no number, after perhaps a picture of the moment was written."""
        return ""

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write pictures of an evaluation; return their names.

        Args:
            evaluator: it is filled.
            split: what was evaluated.
            folder: where to write.
        """
        return []

    def pictures(self) -> list[str]:
        """Return what else in a run's folder is worth a look, besides what :meth:`write_pictures` wrote."""
        return []

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run, besides evaluating and exporting it."""
        return [Suggestion("infer", "", "predict")]

    # use

    def program(self) -> Program:
        """Return what an export writes.

        Raises:
            NotImplementedError: the task has nothing to export.
        """
        raise NotImplementedError(f"{self.config.task.name} has no program to export")
