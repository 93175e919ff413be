"""What all tasks of graph learning share: the data, the network, the optimizer, and batches made of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.io import DataLoader, Dataset
from core.train.runner.splits import require_root
from core.train.runner.task import Program, Suggestion, ToolkitTask
from PGL.config import DATASETS, NETWORKS, GraphConfig

Columns = dict[str, Sequence[Any]]
"""Columns of a listing by their names, all of one length."""


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
        """Return a row for each node, float32, as the network is."""
        raise NotImplementedError

    def labels(self) -> Optional[np.ndarray]:
        """Return a class for each node, -1 for none, to colour pictures by; None: the data has none."""
        return None

    def names(self) -> Optional[Sequence[str]]:
        """Return the nodes' names, or ids in the user's files; None: they have numbers alone."""
        names = getattr(self.data, "node_names", None)
        return None if names is None else [str(name) for name in names]

    def class_names(self) -> Optional[Sequence[str]]:
        """Return the names of the classes by number; None: they have numbers alone."""
        names = getattr(self.data, "class_names", None)
        return list(names) if names else None

    def predictions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return further arrays that infer.py writes, by name.

        Args:
            rows: what :meth:`embeddings` returned.
        """
        return {}

    def listings(self, predicted: Mapping[str, np.ndarray] = {}) -> dict[str, Columns]:
        """Return what is listed of the rows: columns by the name of a file.

        Args:
            predicted: what :meth:`predictions` returned; "classes" becomes a column of names.
        """
        return {"nodes.tsv": self.listing(self.data.graph.num_nodes, self.names(), predicted)}

    def listing(self, count: int, names: Optional[Sequence[str]], predicted: Mapping[str, np.ndarray] = {}) -> Columns:
        """Return columns that say whose each row is, "row" and "id", and of which "class" it was found to be."""
        columns: Columns = {"row": range(count), "id": range(count) if names is None else names}
        if "classes" in predicted:
            called = self.class_names()
            columns["class"] = [called[number] if called else number for number in predicted["classes"].tolist()]
        return columns

    def exported(self, program: Program) -> Program:
        """Return a program that is exported with files that say whose each row is, and with the classes' names."""
        named = {} if self.class_names() is None else {"class_names": self.class_names()}
        files = {name: tsv(columns) for name, columns in self.listings().items()}
        return program._replace(extra={**program.extra, **named}, files=files)

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--near 0 1", "embeddings, a picture, the nodes most like 0 and 1")]


def tsv(columns: Columns) -> bytes:
    """Return columns as lines of text with tabs between them, the first line their names."""
    rows = zip(*([" ".join(str(value).split()) for value in column] for column in columns.values()))
    return "".join("\t".join(row) + "\n" for row in [tuple(columns), *rows]).encode("utf-8")


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
