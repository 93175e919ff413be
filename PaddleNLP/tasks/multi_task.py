"""Several tasks at once: one encoder, a head for each task, batches of one task each."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import numpy as np

from core.io import ConcatDataset, DataLoader, JoinedBatchSampler
from core.io.batch import NamedBatch
from core.train.config.table import Component, Named
from core.train.logs.run_folder import RunFolder
from core.train.task import Evaluator
from core.weights.atomic import atomic_write
from PaddleNLP.config import TASKS, LanguageConfig
from PaddleNLP.data.lines import json_file
from PaddleNLP.data.several import SeveralDatasets
from PaddleNLP.evaluators.multi_task import MultiTaskEvaluator
from PaddleNLP.models.combined.multi_head import SHARED, HeadSize, MultiHead
from PaddleNLP.tasks.base import LanguageTask

PARTS = "parts.json"
"""The file in a run's folder with what the tasks know of their data."""


class MultiTask(LanguageTask):
    """Trains one encoder on several tasks, as dialogue understanding (DGU) has matching, intents, slots and states.

    A step has a batch of one task; a task with more data has more steps.

    Args:
        config: the experiment, whose data sets are SeveralDatasets with a part for each task.
        parts: the tasks by name, each with its settings; those with a class, labels, a number or a rank for each text,
            and those that tag it.

    Raises:
        ValueError: there are no parts, or one cannot share an encoder.
    """

    reader = "multi_task"
    monitor = "mean"
    labelled = False

    def __init__(self, config: LanguageConfig, parts: dict[str, Annotated[Component, Named(TASKS)]]) -> None:
        super().__init__(config)
        self.parts: dict[str, Any] = {}
        for name, part in parts.items():
            component = Component.model_validate(part)
            self.parts[name] = TASKS.build(component, config=config.model_copy(update={"task": component}))
            if getattr(self.parts[name], "head", "") not in SHARED:
                raise ValueError(f"task.parts.{name}: {component.name} cannot share an encoder with other tasks")
        if not self.parts:
            raise ValueError("task.parts is empty: name the tasks that are to be learned together")
        if all(part.numbers for part in self.parts.values()):
            of_parts = [f"{name}_{number}" for name, part in self.parts.items() for number in part.numbers]
            self.numbers = [*of_parts, "mean"]
        self._pairs: dict[str, bool] = {}

    # data

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data that is not of the same tasks, and what each task refuses."""
        if not isinstance(dataset, SeveralDatasets) or set(dataset.parts) != set(self.parts):
            found = ", ".join(getattr(dataset, "parts", ())) or "one data set"
            raise ValueError(
                f"data.{split} must be SeveralDatasets with the parts {', '.join(self.parts)}, not {found}"
            )
        for name, part in self.parts.items():
            try:
                part.adopt(split, dataset.parts[name])
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            self._pairs.setdefault(name, "text_pair" in dataset.parts[name][0])

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of a split, whose batches are each of one task; None when the config has none."""
        if split not in self.splits:
            return None
        if split not in self._loaders:
            self.dataset(split)
            for part in self.parts.values():
                part.tokenizer = self.tokenizer
            loaders = {name: part.loader(split) for name, part in self.parts.items()}
            samples = ConcatDataset(_Named(name, part.dataset) for name, part in loaders.items())
            section, training = self.config.data.split(split), split == "train"
            order = JoinedBatchSampler(
                [part.batch_sampler for part in loaders.values()],
                [len(part.dataset) for part in loaders.values()],
                training and section.shuffle,
                self.config.seed,
            )
            workers = self.config.data.num_workers
            options = {"num_workers": workers, "persistent_workers": workers > 0 and split != "test"}
            collate = _Collate({name: part.collate_fn for name, part in loaders.items()})
            loader = DataLoader(samples, batch_sampler=order, collate_fn=collate, seed=self.config.seed, **options)
            self._loaders[split] = loader
        return self._loaders[split]

    # network

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        if not all(part.class_names or not part.labelled for part in self.parts.values()):
            self.dataset("train")
        encoder = self.built_network("encoder")
        sizes = {name: HeadSize(part.head, part.class_count()) for name, part in self.parts.items()}
        network = MultiHead(encoder, sizes, self.config.network.arguments.get("dropout"))
        for name, part in self.parts.items():
            part.network = network.one(name)
        self.networks["model"] = network
        return network

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch's task."""
        ((name, own),) = fields.items()
        _ = self.network
        return self.parts[name].loss(own)[0], {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return what the evaluator of a batch's task takes."""
        ((name, own),) = fields.items()
        _ = self.network
        found: Sequence[Any] = self.parts[name].predict(own)
        return found

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        """Return what a batch's task makes of its outputs."""
        ((name, own),) = batch.items()
        return self.parts[name].post_process(outputs, own)

    def evaluator(self, split: str) -> MultiTaskEvaluator:
        """Return an empty evaluator."""
        parts = {name: part.evaluator(split) for name, part in self.parts.items()}
        return MultiTaskEvaluator(parts, {name: part.monitor for name, part in self.parts.items()})

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write the pictures of each task into a folder of its name."""
        assert isinstance(evaluator, MultiTaskEvaluator)
        files = []
        for name, part in self.parts.items():
            written = part.write_pictures(evaluator.parts[name], split, folder / name)
            files += [f"{name}/{file}" for file in written]
        return files

    # what a run keeps and says

    def begin(self, folder: RunFolder) -> None:
        """Write the tokeniser, and of each task its classes and whether it reads pairs."""
        super().begin(folder)
        content = {
            name: {"class_names": list(part.class_names), "pairs": self._pairs[name]}
            for name, part in self.parts.items()
        }
        with atomic_write(folder.path / PARTS) as stream:
            stream.write(json.dumps(content, ensure_ascii=False).encode("utf-8"))

    def reopen(self, folder: RunFolder) -> None:
        """Read what :meth:`begin` wrote.

        Raises:
            ValueError: the tasks are others.
        """
        super().reopen(folder)
        content = json_file(str(folder.path / PARTS))
        if not isinstance(content, dict) or set(content) != set(self.parts):
            raise ValueError(f"{str(folder.path / PARTS)!r} is not of the tasks {', '.join(self.parts)}")
        for name, part in self.parts.items():
            part.class_names, self._pairs[name] = content[name]["class_names"], content[name]["pairs"]

    def facts(self) -> list[str]:
        """Return how many samples there are of each task."""
        counts = {split: self.dataset(split).parts for split in self.splits}
        lines = [
            f"{name}: {', '.join(f'{len(parts[name]):,} {split}' for split, parts in counts.items())} samples"
            for name in self.parts
        ]
        return [*lines, f"vocabulary: {len(self.tokenizer):,} tokens"]

    def reader_settings(self) -> dict[str, Any]:
        """Return what the reader of each task needs."""
        settings = {}
        for number, (name, part) in enumerate(self.parts.items()):
            kept = {"reader": part.reader, "class_names": list(part.class_names), "settings": part.reader_settings()}
            settings[name] = {**kept, "output": number, "pairs": self._pairs[name]}
        return {"parts": settings}


class _Named(ConcatDataset):
    """The samples of a data set, each below a name.

    Args:
        name: the name.
        dataset: the data set.
    """

    def __init__(self, name: str, dataset: Any) -> None:
        super().__init__([dataset])
        self.name = name

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {self.name: super().__getitem__(index)}


class _Collate:
    """Makes a batch of the samples of one task, as that task does.

    Args:
        parts: what makes the batches of each task.
    """

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.parts = dict(parts)

    def __call__(self, samples: Sequence[Mapping[str, Any]]) -> NamedBatch:
        (name,) = samples[0]
        return NamedBatch({name: dict(self.parts[name]([sample[name] for sample in samples]))}, len(samples))
