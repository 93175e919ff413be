"""Callbacks of :class:`core.Model` (paddle.callbacks)."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NoReturn, Optional

__all__ = [
    "Callback",
    "EarlyStopping",
    "LRScheduler",
    "ModelCheckpoint",
    "ProgBarLogger",
    "ReduceLROnPlateau",
    "VisualDL",
    "WandbCallback",
]

Logs = Optional[Mapping[str, Any]]


class Callback:
    """Does something at points of ``Model.fit``, ``evaluate`` and ``predict``; subclasses override what they need.

    Attributes:
        model: the Model.
        params: "epochs", "steps" of an epoch, "verbose", "metrics" and "save_dir".
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Take over the run's settings."""
        self.params = dict(params)

    def set_model(self, model: Any) -> None:
        """Take over the Model."""
        self.model = model

    def on_train_begin(self, logs: Logs = None) -> None:
        """Called before the first epoch."""

    def on_train_end(self, logs: Logs = None) -> None:
        """Called after the last epoch."""

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Called before an evaluation."""

    def on_eval_end(self, logs: Logs = None) -> None:
        """Called after an evaluation, with loss and metrics."""

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Called before a prediction."""

    def on_predict_end(self, logs: Logs = None) -> None:
        """Called after a prediction."""

    def on_epoch_begin(self, epoch: Optional[int] = None, logs: Logs = None) -> None:
        """Called before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Called after an epoch, before its evaluation."""

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a training batch."""

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a training batch, with its loss and the metrics so far."""

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a batch of an evaluation is judged."""

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a batch of an evaluation."""

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a batch of a prediction."""

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a batch of a prediction."""


class CallbackList:
    """Several callbacks as one.

    Args:
        callbacks: called in this order.
        model: the Model.
        params: the run's settings.
    """

    def __init__(self, callbacks: Sequence[Callback], model: Any, params: Mapping[str, Any]) -> None:
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def call(self, event: str, *arguments: Any) -> None:
        """Call an event of all."""
        for callback in self.callbacks:
            getattr(callback, event)(*arguments)


def configured(
    callbacks: Sequence[Any], training: bool, log_freq: int, verbose: int, save_dir: Optional[str], save_freq: int
) -> list[Callback]:
    """Return the user's callbacks with the usual ones that are not among them.

    Raises:
        TypeError: one is no Callback.
    """
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise TypeError(f"callbacks must be core.callbacks.Callback, not {type(callback).__name__}")
    chosen = list(callbacks)
    if verbose and not any(isinstance(one, ProgBarLogger) for one in chosen):
        chosen.insert(0, ProgBarLogger(log_freq, verbose))
    if training and not any(isinstance(one, LRScheduler) for one in chosen):
        chosen.append(LRScheduler())
    if training and save_dir is not None and not any(isinstance(one, ModelCheckpoint) for one in chosen):
        chosen.append(ModelCheckpoint(save_freq, save_dir))
    for callback in chosen:
        if isinstance(callback, EarlyStopping):
            callback.save_dir = save_dir
    return chosen


class ProgBarLogger(Callback):
    """Prints loss, metrics and the time of a batch.

    Args:
        log_freq: batches between two prints.
        verbose: 0: nothing; 1: one line that moves; 2: a new line each time.
    """

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        self.log_freq = max(log_freq, 1)
        self.verbose = verbose
        self._start = time.monotonic()
        self._steps: Optional[int] = None
        self._seen = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Explain the numbers."""
        if self.verbose:
            print("The loss is that of the current step; a metric is that of all steps of the epoch so far.")

    def on_epoch_begin(self, epoch: Optional[int] = None, logs: Logs = None) -> None:
        """Print the epoch's number."""
        self._begin(self.params.get("steps"))
        if self.verbose:
            print(f"Epoch {(epoch or 0) + 1}/{self.params.get('epochs')}")

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Print, now and then."""
        self._show(step + 1, logs)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Print the epoch's last batch."""
        self._show(self._seen, logs, last=True)

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Say that an evaluation begins."""
        self._begin((logs or {}).get("steps"))
        if self.verbose:
            print("Eval begin...")

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """Print, now and then."""
        self._show(step + 1, {name: value for name, value in (logs or {}).items() if name != "batch_size"})

    def on_eval_end(self, logs: Logs = None) -> None:
        """Print the evaluation's numbers."""
        self._show(self._seen, logs, last=True)

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Say that a prediction begins."""
        self._begin((logs or {}).get("steps"))
        if self.verbose:
            print("Predict begin...")

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """Print, now and then."""
        self._show(step + 1, logs)

    def on_predict_end(self, logs: Logs = None) -> None:
        """Print the number of batches."""
        self._show(self._seen, logs, last=True)

    def _begin(self, steps: Optional[int]) -> None:
        self._start, self._steps, self._seen = time.monotonic(), steps, 0

    def _show(self, step: int, logs: Logs, last: bool = False) -> None:
        self._seen = step
        if not self.verbose or not (last or step % self.log_freq == 0):
            return
        numbers = "".join(f" - {name}: {_text(value)}" for name, value in (logs or {}).items())
        each = 1e3 * (time.monotonic() - self._start) / max(step, 1)
        of = f"/{self._steps}" if self._steps is not None else ""
        moving = self.verbose == 1 and sys.stdout.isatty() and not last
        print(f"step {step}{of}{numbers} - {each:.0f}ms/step", end="\r" if moving else "\n", flush=True)


def _text(value: Any) -> str:
    """Return a number, or a list of them, in a few digits."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(_text, value))
    return f"{value:.4f}" if isinstance(value, float) and (value == 0 or abs(value) >= 1e-3) else f"{value:.4g}"


class ModelCheckpoint(Callback):
    """Saves weights and optimizer after epochs, as ``0.pdparams``, ``1.pdparams``, ... and ``final.pdparams``.

    Args:
        save_freq: epochs between saves.
        save_dir: where; None: nowhere.
    """

    def __init__(self, save_freq: int = 1, save_dir: Optional[str] = None) -> None:
        super().__init__()
        self.save_freq = save_freq
        self.save_dir = save_dir

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Save, every ``save_freq`` epochs."""
        if self.save_dir is not None and epoch % self.save_freq == 0:
            self.model.save(os.path.join(self.save_dir, str(epoch)))

    def on_train_end(self, logs: Logs = None) -> None:
        """Save for the last time."""
        if self.save_dir is not None:
            self.model.save(os.path.join(self.save_dir, "final"))


class LRScheduler(Callback):
    """Moves the learning rate along its schedule.

    Args:
        by_step: after each batch.
        by_epoch: after each epoch.

    Raises:
        ValueError: both are asked for.
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        super().__init__()
        if by_step and by_epoch:
            raise ValueError("LRScheduler: choose by_step or by_epoch, not both")
        self.by_step = by_step
        self.by_epoch = by_epoch

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Move, when by epoch."""
        if self.by_epoch:
            self._move()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Move, when by step."""
        if self.by_step:
            self._move()

    def _move(self) -> None:
        schedule = self.model._optimizer._learning_rate
        if hasattr(schedule, "step"):
            schedule.step()


class _Monitor(Callback):
    """Compares a number of each evaluation with the best one."""

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        super().__init__()
        kind = type(self).__name__
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"{kind}: mode must be 'auto', 'min' or 'max', not {mode!r}")
        self.monitor = monitor
        self.higher = mode == "max" or (mode == "auto" and "acc" in monitor)
        self.min_delta = abs(min_delta)
        self.best_value = -math.inf if self.higher else math.inf

    def improved(self, logs: Logs) -> bool:
        """Return whether an evaluation is better than the best, which it then becomes.

        Raises:
            KeyError: it lacks the number that is watched.
        """
        if logs is None or self.monitor not in logs:
            raise KeyError(
                f"{type(self).__name__} monitors {self.monitor!r}, but the evaluation gives only "
                f"{', '.join(logs or {})}"
            )
        value = logs[self.monitor]
        value = float(value[0] if isinstance(value, (list, tuple)) else value)
        better: Callable[[float, float], bool] = float.__gt__ if self.higher else float.__lt__
        margin = self.min_delta if self.higher else -self.min_delta
        if not better(value, self.best_value + margin):
            return False
        self.best_value = value
        return True


class EarlyStopping(_Monitor):
    """Stops training when evaluations no longer improve.

    Args:
        monitor: "loss" or a metric's name.
        mode: "min", "max", or "auto": "max" for names with "acc" in them.
        patience: how many evaluations in a row may bring nothing better.
        verbose: whether to print that training stops.
        min_delta: how much better counts as better.
        baseline: the value to beat at first; None: none.
        save_best_model: save the best weights as ``best_model`` in the ``save_dir`` of fit.

    Raises:
        ValueError: the mode is another one.
    """

    def __init__(
        self,
        monitor: str = "loss",
        mode: str = "auto",
        patience: int = 0,
        verbose: int = 1,
        min_delta: float = 0,
        baseline: Optional[float] = None,
        save_best_model: bool = True,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.save_best_model = save_best_model
        self.save_dir: Optional[str] = None
        self.wait_epoch = 0
        self.stopped_epoch = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Begin again."""
        self.wait_epoch = self.stopped_epoch = 0
        worst = -math.inf if self.higher else math.inf
        self.best_value = worst if self.baseline is None else float(self.baseline)

    def on_eval_end(self, logs: Logs = None) -> None:
        """Judge an evaluation."""
        if self.improved(logs):
            self.wait_epoch = 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(os.path.join(self.save_dir, "best_model"))
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= max(self.patience, 1):
            self.model.stop_training = True
            if self.verbose:
                print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
        self.stopped_epoch += 1


class ReduceLROnPlateau(_Monitor):
    """Multiplies the learning rate by a factor when evaluations no longer improve.

    Args:
        monitor: "loss" or a metric's name.
        factor: below 1.
        patience: how many evaluations in a row may bring nothing better.
        verbose: whether to print the new learning rate.
        mode: "min", "max", or "auto": "max" for names with "acc" in them.
        min_delta: how much better counts as better.
        cooldown: evaluations after a change that do not count.
        min_lr: the least learning rate.

    Raises:
        ValueError: the factor is not below 1, or the mode is another one.
    """

    def __init__(
        self,
        monitor: str = "loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 1,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau: factor must be below 1, not {factor!r}")
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.wait = 0
        self.cooldown_counter = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Begin again.

        Raises:
            TypeError: the learning rate comes from a schedule.
        """
        self.wait = self.cooldown_counter = 0
        self.best_value = -math.inf if self.higher else math.inf
        if not isinstance(self.model._optimizer._learning_rate, float):
            raise TypeError("ReduceLROnPlateau needs an optimizer whose learning rate is a float, not a schedule")

    def on_eval_end(self, logs: Logs = None) -> None:
        """Judge an evaluation."""
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.improved(logs):
            self.wait = 0
        elif self.cooldown_counter == 0:
            self.wait += 1
            before = self.model._optimizer.get_lr()
            if self.wait >= self.patience and before > self.min_lr:
                self.model._optimizer.set_lr(max(before * self.factor, self.min_lr))
                self.cooldown_counter, self.wait = self.cooldown, 0
                if self.verbose:
                    print(f"ReduceLROnPlateau: learning rate {before:.4g} -> {self.model._optimizer.get_lr():.4g}")


class VisualDL(Callback):
    """Refused: VisualDL is not supported."""

    def __init__(self, log_dir: str = "") -> NoReturn:
        raise NotImplementedError("the callback VisualDL is not supported; the Trainer's runs write TensorBoard events")


class WandbCallback(Callback):
    """Refused: Weights & Biases is not supported."""

    def __init__(
        self,
        project: Optional[str] = None,
        entity: Optional[str] = None,
        name: Optional[str] = None,
        dir: Optional[str] = None,
        mode: Optional[str] = None,
        job_type: Optional[str] = None,
        **kwargs: Any,
    ) -> NoReturn:
        raise NotImplementedError(
            "the callback WandbCallback is not supported; the Trainer's runs write TensorBoard events"
        )
