"""A small task whose samples hold texts and boxes, as many as there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.io import Concatenate, DataLoader, Keep, Pad, ShuffledStream
from core.train import Evaluator, Phase, Task
from core.train.config.batching import Batching
from tests.core.io.worker_datasets import Scenes, SceneStream, length_of_record

BATCHING = Batching(tokens=48, samples=5, buckets={"length": [8, 16], "boxes": [8, 32]}, longest="truncate")
FIELDS = {
    "tokens": Pad("length", dtype="int64"),
    "boxes": Concatenate("boxes", numbers=True),
    "side": {"weights": Pad("length", mask=False)},
    "name": Keep(),
}


class Errors(Evaluator):
    """The absolute errors by name."""

    def __init__(self) -> None:
        self.errors: dict[str, float] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        errors = np.abs(outputs[0] - batch["target"].numpy())
        assert len(batch["name"]) == len(errors) == batch.samples
        self.errors.update(zip(batch["name"], errors.tolist()))

    def result(self) -> dict[str, float]:
        return {"error": float(np.mean(list(self.errors.values())))}


class Counting(nn.Layer):
    """An embedding of the tokens and a weight for each number of the boxes, summed over each sample."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 1)
        self.linear = nn.Linear(4, 1)

    def forward(self, fields: Mapping[str, Any]) -> Any:
        mask = core.cast(fields["tokens_mask"], "float32")
        texts = (self.embedding(fields["tokens"]).squeeze(-1) * mask * fields["side"]["weights"]).sum(axis=1)
        belongs = nn.functional.one_hot(fields["boxes_numbers"], texts.shape[0] + 1)  # filling rows are in the last
        boxes = core.matmul(belongs, self.linear(fields["boxes"]), transpose_x=True).squeeze(-1)
        return texts + boxes[: texts.shape[0]]


class SceneTask(Task):
    monitor = "error"
    higher_is_better = False

    def __init__(self, num_workers: int = 2, count: int = 60, stream: bool = False) -> None:
        core.seed(5)
        self.network = Counting()
        self.networks = {"model": self.network}
        self.num_workers = num_workers
        self.data = Scenes(count)
        self.stream = ShuffledStream(SceneStream(count), 10) if stream else None

    def loader(self, split: str) -> Optional[DataLoader]:
        if split == "test":
            return None
        train = split == "train"
        workers: dict[str, Any] = {"num_workers": self.num_workers if train else 0}
        workers["persistent_workers"] = workers["num_workers"] > 0
        if self.stream is not None and train:
            return BATCHING.loader(self.stream, FIELDS, 8, length_of_record, drop_last=True, seed=1, **workers)
        return BATCHING.loader(self.data, FIELDS, 8, shuffle=train, drop_last=train, seed=1, **workers)

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        optimizer = core.optimizer.Adam(0.05, parameters=self.network.parameters())
        return [Phase("fit", self.loss, self.network.parameters(), optimizer)]

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        assert "name" not in fields
        error = self.network(fields) - fields["target"]
        return (error * error).mean(), {"error": error.abs().mean()}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        return [self.network(fields)]

    def evaluator(self, split: str) -> Errors:
        return Errors()
