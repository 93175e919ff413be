"""A small regression whose answers are known, for tests of the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.io import DataLoader, Dataset
from core.io.randomness import uniform
from core.train import Callback, Evaluator, Phase, RunFolder, Task, Trainer, TrainOptions
from core.train.logs.console import Console

TRUE_WEIGHT = np.array([[1.0], [-2.0]], np.float32)


class Points(Dataset):
    """Noisy points of a plane; the noise is augmentation, drawn anew each epoch."""

    def __init__(self, count: int = 24, noise: float = 0.0) -> None:
        self.inputs = np.random.RandomState(0).randn(count, 2).astype(np.float32)
        self.noise = noise

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        shift = np.float32(uniform(-self.noise, self.noise)) if self.noise else np.float32(0)
        return self.inputs[index], self.inputs[index] @ TRUE_WEIGHT + shift

    def __len__(self) -> int:
        return len(self.inputs)


class SquaredError(Evaluator):
    def __init__(self) -> None:
        self.errors: list[float] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        self.errors += ((outputs[0] - batch[1].numpy()) ** 2).mean(axis=1).tolist()

    def result(self) -> dict[str, float]:
        return {"loss": float(np.mean(self.errors))}


class Regression(Task):
    monitor = "loss"
    higher_is_better = False

    def __init__(
        self,
        rate: float = 0.1,
        noise: float = 0.0,
        dropout: float = 0.0,
        splits: Sequence[str] = ("train", "valid", "test"),
        num_workers: int = 0,
        batch_size: int = 6,
        width: int = 8,
    ) -> None:
        core.seed(5)
        self.network = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Dropout(dropout), nn.Linear(width, 1))
        self.networks = {"model": self.network}
        self.rate = rate
        self.noise = noise
        self.splits = splits
        self.num_workers = num_workers
        self.batch_size = batch_size

    def loader(self, split: str) -> Optional[DataLoader]:
        if split not in self.splits:
            return None
        train = split == "train"
        return DataLoader(
            Points(24, self.noise if train else 0.0),
            batch_size=self.batch_size,
            shuffle=train,
            drop_last=train,
            num_workers=self.num_workers if train else 0,
            persistent_workers=train and self.num_workers > 0,
            seed=1,
        )

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        schedule = core.optimizer.lr.CosineAnnealingDecay(self.rate, T_max=steps_per_epoch * epochs)
        optimizer = core.optimizer.Momentum(schedule, 0.9, parameters=self.network.parameters())
        return [Phase("fit", self.loss, self.network.parameters(), optimizer, schedule)]

    def loss(self, inputs: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        error = self.network(inputs) - targets
        return (error * error).mean(), {"mean_error": error.abs().mean()}

    def predict(self, inputs: Any, targets: Any) -> Sequence[Any]:
        return [self.network(inputs)]

    def evaluator(self, split: str) -> SquaredError:
        return SquaredError()


def trainer_for(
    task: Task, path: Path, callbacks: Sequence[Callback] = (), resume: bool = False, seed: int = 3, **options: Any
) -> Trainer:
    if not resume:
        RunFolder.create(path).config.write_text("{}")
    chosen = TrainOptions(**{"epochs": 4, "tensorboard": False, **options})
    return Trainer(task, chosen, RunFolder(path), seed, callbacks, Console(quiet=True))


def weights(network: Any) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in network.state_dict().items()}


def assert_same_weights(first: Any, second: Any) -> None:
    one, two = weights(first), weights(second)
    assert list(one) == list(two)
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], err_msg=name)
