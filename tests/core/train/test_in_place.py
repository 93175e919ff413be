"""A phase whose loss moves the parameters itself."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.train import Callback, NonFiniteLossError, Phase, Trainer, TrainingInterrupted
from core.train.logs.console import Console
from tests.core.train.regression import Regression, assert_same_weights, trainer_for


class ByHand(Regression):
    """Moves the bias of the last layer towards 3 by the learning rate, and leaves everything else."""

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        (phase,) = super().phases(steps_per_epoch, epochs)
        phase.in_place = True
        self.optimizer = phase.optimizer
        return [phase]

    def loss(self, inputs: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        bias = self.network[3].bias
        loss = float((bias.numpy()[0] - 3) ** 2)
        bias.set_value(bias.numpy() - self.optimizer.get_lr() * 2 * (bias.numpy() - 3))
        return core.to_tensor(loss), {}


def test_the_loss_alone_moves_weights_with_the_schedule() -> None:
    task = ByHand()
    before = {name: value.numpy().copy() for name, value in task.network.state_dict().items()}
    options = core.train.TrainOptions(epochs=4, tensorboard=False)
    Trainer(task, options, None, console=Console(quiet=True)).fit()
    expected, schedule = 0.0, core.optimizer.lr.CosineAnnealingDecay(0.1, T_max=16)
    for _ in range(16):
        expected -= schedule() * 2 * (expected - 3)
        schedule.step()
    after = {name: value.numpy() for name, value in task.network.state_dict().items()}
    assert after["3.bias"][0] == pytest.approx(expected, rel=1e-5)
    rest = [name for name in after if name != "3.bias"]
    assert all((before[name] == after[name]).all() for name in rest) and len(rest) == 3


class Stop(Callback):
    """Sends Ctrl-C once, after some steps."""

    def on_step_begin(self, trainer: Trainer) -> None:
        if trainer.progress.step == 7:
            signal.raise_signal(signal.SIGINT)


def test_it_resumes_bit_for_bit(tmp_path: Path) -> None:
    whole = ByHand()
    trainer_for(whole, tmp_path / "whole").fit()
    with pytest.raises(TrainingInterrupted):
        trainer_for(ByHand(), tmp_path / "parts", [Stop()]).fit()
    second = ByHand()
    trainer = trainer_for(second, tmp_path / "parts", resume=True)
    assert trainer.resume()
    trainer.fit()
    assert_same_weights(whole.network, second.network)


def test_a_loss_that_is_no_number_stops_it(tmp_path: Path) -> None:
    task = ByHand()
    task.network[3].bias.set_value(np.array([np.nan], np.float32))
    with pytest.raises(NonFiniteLossError, match="the loss of phase 'fit' is nan at step 0"):
        trainer_for(task, tmp_path / "run").fit()
