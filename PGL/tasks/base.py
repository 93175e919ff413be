"""What all tasks of graph learning share: the data, the network, the optimizer, and batches made of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.io import DataLoader, Dataset
from core.train.runner.splits import require_root
from core.train.runner.task import Suggestion, ToolkitTask
from PGL.config import DATASETS, NETWORKS, GraphConfig


class GraphTask(ToolkitTask):
    """A task with one network on one graph.

    Args:
        config: the experiment.

    Attributes:
        data: the data set.
        network: the network, or table of embeddings.
        models: the names of the networks that the task trains.
        splits: the splits that can be evaluated.
    """

    models: Sequence[str] = ()
    splits: Sequence[str] = ("valid", "test")

    def __init__(self, config: GraphConfig) -> None:
        if config.network.name not in self.models:
            known, chosen = ", ".join(self.models), config.network.name
            raise ValueError(f"task.name: {config.task.name} trains {known}, not network.name: {chosen}")
        super().__init__(config)
        require_root(config.data.root)
        self.data = DATASETS.build(config.data.dataset, root=config.data.root)

    def require_split(self, split: str) -> None:
        """Refuse a split that cannot be evaluated."""
        if split not in self.splits:
            known = ", ".join(self.splits)
            raise ValueError(f"{self.config.task.name} has no split {split!r} to evaluate; it has {known}")

    def build_network(self, **provided: Any) -> Any:
        """Return the config's network, and note it as the one that checkpoints hold.

        Args:
            **provided: what of its arguments follows from the data.
        """
        self.network = self.add_network("model", NETWORKS, self.config.network, "network", **provided)
        return self.network

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

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--near 0 1", "embeddings, a picture, the nodes most like 0 and 1")]


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
