"""Statistics of batch normalisation that are taken anew: against numpy, resumed, and where they cannot be."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.train import Callback, Trainer, TrainOptions
from tests.core.train.regression import Regression, assert_same_weights, trainer_for, weights

EVERY_SECOND = {"every": 2, "batches": 3}


class Normalised(Regression):
    """The regression with batch normalisation between its layers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        layers = list(self.network)
        self.network = nn.Sequential(layers[0], nn.BatchNorm1D(8), *layers[1:])
        self.networks = {"model": self.network}


class StopAfterThree(Callback):
    """Stops a run after its third epoch."""

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        if trainer.progress.epoch == 3:
            trainer.stop("enough")


def expected(task: Normalised, epoch: int) -> tuple[np.ndarray, np.ndarray]:
    """The means over three batches of the epoch that would follow, of the batches' means and variances."""
    loader = task.loader("train")
    assert loader is not None
    loader.set_epoch(epoch)
    linear = weights(task.network[0])
    hidden = [batch[0].numpy() @ linear["weight"] + linear["bias"] for batch in list(loader)[:3]]
    return np.mean([x.mean(0) for x in hidden], 0), np.mean([x.var(0) for x in hidden], 0)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("epochs", [2, 3])  # the last epoch is always one of those
def test_statistics_are_means_of_those_of_batches(tmp_path: Path, epochs: int, compiled: bool) -> None:
    task = Normalised(splits=["train"])
    trainer_for(task, tmp_path / "run", epochs=epochs, compiled=compiled, precise_norm=EVERY_SECOND).fit()
    layer = task.network[1]
    for found, wanted in zip((layer._mean, layer._variance), expected(task, epochs)):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert layer._momentum == 0.9


def test_other_epochs_keep_the_averages(tmp_path: Path) -> None:
    plain, precise = Normalised(), Normalised()
    seen: list[np.ndarray] = []

    def evaluator(split: str, task: Any) -> Any:
        seen.append(weights(task.network)["1._mean"])
        return Regression.evaluator(task, split)

    for task, options in ((plain, None), (precise, EVERY_SECOND)):
        task.evaluator = functools.partial(evaluator, task=task)  # type: ignore[method-assign]
        trainer_for(task, tmp_path / str(options is None), epochs=2, precise_norm=options).fit()
    first, second = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    np.testing.assert_array_equal(first[0], second[0])
    assert not np.array_equal(first[1], second[1])


def test_a_resumed_run_takes_the_same(tmp_path: Path) -> None:
    whole, first, second = Normalised(dropout=0.5), Normalised(dropout=0.5), Normalised(dropout=0.5)
    trainer_for(whole, tmp_path / "whole", precise_norm=EVERY_SECOND).fit()
    trainer = trainer_for(first, tmp_path / "parts", [StopAfterThree()], precise_norm=EVERY_SECOND)
    trainer.fit()
    resumed = trainer_for(second, tmp_path / "parts", resume=True, precise_norm=EVERY_SECOND)
    assert resumed.resume()
    resumed.fit()
    assert_same_weights(whole.network, second.network)


def test_what_has_no_statistics_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^train.precise_norm: the network has no batch normalisation whose statis"):
        trainer_for(Regression(), tmp_path / "run", precise_norm=EVERY_SECOND).fit()
    frozen = Normalised()
    frozen.network[1]._use_global_stats = True
    with pytest.raises(ValueError, match="has no batch normalisation whose statistics move; leave it out"):
        trainer_for(frozen, tmp_path / "frozen", precise_norm=EVERY_SECOND).fit()
    task = Normalised()
    phases = task.phases

    def two(*length: int) -> Any:
        return [*phases(*length), *phases(*length)]

    task.phases = two  # type: ignore[method-assign, assignment]
    with pytest.raises(ValueError, match="precise_norm is for training with one loss and one optimizer; leave it out"):
        trainer_for(task, tmp_path / "two", precise_norm=EVERY_SECOND).fit()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 2, "ema": 0.9}, "precise_norm and ema exclude each other"),
        ({"steps": 2}, "precise_norm goes with epochs, not with steps"),
    ],
)
def test_options_that_exclude_each_other(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainOptions(**options, precise_norm=EVERY_SECOND)


def test_it_computes_without_gradients(tmp_path: Path) -> None:
    task = Normalised(splits=["train"])
    recorded = []
    loss = task.loss

    def watched(inputs: Any, targets: Any) -> Any:
        recorded.append(core.is_grad_enabled())
        return loss(inputs, targets)

    task.loss = watched  # type: ignore[method-assign]
    trainer_for(task, tmp_path / "run", epochs=2, compiled=False, precise_norm=EVERY_SECOND).fit()
    assert recorded == [True] * 8 + [False] * 3
