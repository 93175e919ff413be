"""What all tasks of graph learning share: the data, the network, the optimizer, and batches made of numbers."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from core.io import DataLoader, Dataset
from core.train.optimizers import OPTIMIZERS
from core.train.schedules import SCHEDULES
from core.train.task import Task
from PGL.config import DATASETS, MODELS, GraphConfig


class GraphTask(Task):
    """A task with one network on one graph.

    Args:
        config: the experiment.
        decays: weight decay of the parameters whose names fit a shell pattern, the first that fits; None: all have the
            optimizer's.

    Attributes:
        data: the data set.
        network: the network, or table of embeddings.
        models: the names of the models that the task trains.
        splits: the splits that can be evaluated.
    """

    models: Sequence[str] = ()
    splits: Sequence[str] = ("valid", "test")

    def __init__(self, config: GraphConfig, decays: Optional[Mapping[str, float]] = None) -> None:
        if config.model.name not in self.models:
            raise ValueError(
                f"task.name: {config.task.name} trains {', '.join(self.models)}, not model.name: {config.model.name}"
            )
        self.config, self.decays = config, decays
        root = config.data.root
        if root is not None and not Path(root).is_dir():
            raise NotADirectoryError(f"data.root: no folder {root!r}; say where the data is with --data FOLDER")
        self.data = DATASETS.build(config.data.dataset, root=root)

    def build_network(self, **provided: Any) -> Any:
        """Return the config's network, and note it as the one that checkpoints hold.

        Args:
            **provided: what of its arguments follows from the data.
        """
        try:
            self.network = MODELS.build(self.config.model, **provided)
        except (TypeError, ValueError) as error:
            raise ValueError(f"model: {error}") from None
        self.networks = {"model": self.network}
        if self.decays:
            _groups(list(self.network.named_parameters()), self.decays)  # which says what does not fit
        return self.network

    def optimizer(self, steps_per_epoch: int, epochs: int) -> tuple[Sequence[Any], Any, Any]:
        """Return parameters, the optimizer that moves them, and its schedule.

        Args:
            steps_per_epoch: for the schedule.
            epochs: for the schedule.
        """
        named = [(name, value) for name, value in self.network.named_parameters() if not value.stop_gradient]
        parameters = [value for _, value in named]
        schedule = SCHEDULES.build(self.config.schedule, steps_per_epoch=steps_per_epoch, epochs=epochs)
        groups: Any = _groups(named, self.decays) if self.decays else parameters
        return parameters, OPTIMIZERS.build(self.config.optimizer, learning_rate=schedule, parameters=groups), schedule

    def facts(self) -> list[str]:
        """Return lines that say what is learnt on."""
        raise NotImplementedError

    def embeddings(self) -> np.ndarray:
        """Return a row for each node, float32, as the network stands."""
        raise NotImplementedError

    def labels(self) -> Optional[np.ndarray]:
        """Return a class for each node, -1 for none, to colour pictures by; None: the data has none."""
        return None

    def names(self) -> Optional[Sequence[str]]:
        """Return the nodes' names; None: they have numbers alone."""
        return None

    def predictions(self) -> dict[str, np.ndarray]:
        """Return further arrays of a row for each node that infer.py writes, by name."""
        return {}

    def export(self, target: Path) -> str:
        """Write the inference program, and return what it takes and gives."""
        raise NotImplementedError


def _groups(named: Sequence[tuple[str, Any]], decays: Mapping[str, float]) -> list[dict[str, Any]]:
    groups: dict[Optional[str], list[Any]] = {}
    for name, value in named:
        pattern = next((pattern for pattern in decays if fnmatch.fnmatchcase(name, pattern)), None)
        groups.setdefault(pattern, []).append(value)
    for pattern in decays:
        if pattern not in groups:
            known = ", ".join(name for name, _ in named)
            raise ValueError(f"task.decays: no parameter is called {pattern!r}; there are {known}")
    return [
        {"params": values, **({} if pattern is None else {"weight_decay": decays[pattern]})}
        for pattern, values in groups.items()
    ]


class Numbers(Dataset):
    """The numbers 0, 1, ... of things of which any batch is made at once.

    Args:
        count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    def __getitem__(self, number: int) -> int:
        return number

    def __len__(self) -> int:
        return self.count


def loader_of(
    make: Callable[[Sequence[int]], Sequence[Any]],
    count: int,
    batch_size: int,
    seed: int,
    shuffle: bool = False,
    num_workers: int = 0,
) -> DataLoader:
    """Return a loader of batches that a function makes of numbers.

    Args:
        make: called with a list of numbers, returns a batch's fields; it draws from core.io.randomness alone.
        count: the numbers are 0 ... count - 1.
        batch_size: how many make a batch.
        seed: what order and draws follow from, with the epoch and the batch.
        shuffle: go through the numbers in a new random order in each epoch.
        num_workers: how many processes make batches; these do not depend on it.
    """
    return DataLoader(
        Numbers(count),
        batch_size=batch_size,
        shuffle=shuffle,
        collate_fn=make,
        num_workers=num_workers,
        persistent_workers=num_workers > 0,
        seed=seed,
    )
