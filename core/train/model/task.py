"""What ``Model`` hands to the Trainer: its task, its data, and its callbacks."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

import core
from core.callbacks import CallbackList, configured
from core.io.batch import samples_of
from core.train.callback import Callback
from core.train.logs.announcement import announcement
from core.train.step import Averages
from core.train.task import Evaluator, Phase, Task

if TYPE_CHECKING:
    from core.train.model.model import Model
    from core.train.trainer import Trainer


def listed(value: Any) -> list[Any]:
    """Return a list or tuple as a list, None as an empty one, anything else as a list of one."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def input_count(network: Any) -> int:
    """Return how many inputs a network needs: the arguments of ``forward`` that have no default."""
    parameters = inspect.signature(network.forward).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return max(1, sum(one.kind in kinds and one.default is one.empty for one in parameters))


class Batches:
    """Batches from a DataLoader or any other iterable, as lists of Tensors.

    Args:
        source: iterated again each epoch.
        limit: how many batches to give in all; None: no bound.
        observe: called with each batch.
    """

    def __init__(
        self, source: Iterable[Any], limit: Optional[int] = None, observe: Optional[Callable[[list[Any]], None]] = None
    ) -> None:
        self.source = source
        self.limit = limit
        self.observe = observe
        self.batch_size = getattr(source, "batch_size", None)
        self.batch_sampler = getattr(source, "batch_sampler", None)
        self.epoch = 0
        try:
            self._length = len(source)  # type: ignore[arg-type]  # TypeError says that it has none
            self.known_length = True
        except TypeError:  # a stream
            self._length, self.known_length = sys.maxsize, False

    def __len__(self) -> int:
        return self._length if self.limit is None else min(self._length, self.limit)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch."""
        self.epoch = epoch
        if hasattr(self.source, "set_epoch"):
            self.source.set_epoch(epoch)

    def batches(self, start: int = 0) -> Generator[list[Any], None, None]:
        """Yield the epoch's batches from number ``start`` on."""
        end = None if self.limit is None else max(self.limit - self.epoch * len(self), start)
        for batch in itertools.islice(iter(self.source), start, end):
            fields = batch.values() if isinstance(batch, Mapping) else listed(batch)
            tensors = [field if isinstance(field, core.Tensor) else core.to_tensor(field) for field in fields]
            if self.observe is not None:
                self.observe(tensors)
            yield tensors


class ModelTask(Task):
    """A Model as the Trainer sees it.

    Args:
        model: the Model.
        train: the training data, or None.
        valid: the data of evaluations, or None.
        inputs: how many fields of a batch are inputs; None: what the Model says.
    """

    monitor = "loss"
    higher_is_better = False

    def __init__(
        self, model: Model, train: Optional[Batches], valid: Optional[Batches], inputs: Optional[int] = None
    ) -> None:
        self.model = model
        self.networks = {"model": model.network}
        self.input_count = inputs or model.input_count
        self.bridge: Optional[Bridge] = None
        self._data = {"train": train, "valid": valid}
        self._loss_count = 0

    def loader(self, split: str) -> Any:
        """Return the batches of a split."""
        return self._data.get(split)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase; the learning rate is a callback's affair."""
        parameters = [one for one in self.model.network.parameters() if not one.stop_gradient]
        return [Phase("train", self.loss, parameters, self.model._optimizer, measure=self.measure)]

    def loss(self, *batch: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the sum of the losses, each of them where there are several, and the outputs."""
        losses, outputs = self.split(self.predict(*batch))
        total = losses[0]
        for further in losses[1:]:
            total = total + further
        parts = {f"loss{number}": loss for number, loss in enumerate(losses)} if len(losses) > 1 else {}
        return total, {**parts, **{f"output{number}": output for number, output in enumerate(outputs)}}

    def predict(self, *batch: Any) -> Sequence[Any]:
        """Return the losses, where the batch has labels and there is a loss, then the outputs."""
        outputs = listed(self.model.network(*batch[: self.input_count]))
        labels = batch[self.input_count :]
        losses = []
        if self.model._loss is not None and labels:
            losses = [loss.mean() for loss in listed(self.model._loss(*outputs, *labels))]
        self._loss_count = len(losses)
        return [*losses, *outputs]

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return what :meth:`predict` returned as losses and outputs."""
        return list(values[: self._loss_count]), list(values[self._loss_count :])

    def measure(self, tensors: Mapping[str, Any], batch: Sequence[Any]) -> dict[str, float]:
        """Return the separate losses, and the metrics since they were reset."""
        losses = {name: float(tensor) for name, tensor in tensors.items() if name.startswith("loss")}
        self.update_metrics([tensor for name, tensor in tensors.items() if name.startswith("output")], batch)
        return {**losses, **self.metrics()}

    def update_metrics(self, outputs: Sequence[Any], batch: Sequence[Any]) -> list[Any]:
        """Let the metrics take in a batch; return each one's value on it."""
        results = []
        for metric in self.model._metrics:
            computed = metric.compute(*outputs, *batch[self.input_count :])
            results.append(metric.update(*[_array(value) for value in listed(computed)]))
        return results

    def metrics(self) -> dict[str, float]:
        """Return what the metrics have gathered, by name."""
        found: dict[str, float] = {}
        for metric in self.model._metrics:
            found.update(zip(listed(metric.name()), listed(metric.accumulate())))
        return found

    def logs(self, values: Mapping[str, float]) -> dict[str, Any]:
        """Return numbers as callbacks know them: "loss" is a list."""
        parts = [value for name, value in values.items() if name[:4] == "loss" and name[4:].isdigit()]
        names = [name for metric in self.model._metrics for name in listed(metric.name())]
        logs: dict[str, Any] = {"loss": parts or [values["loss"]]} if "loss" in values else {}
        return {**logs, **{name: values[name] for name in names if name in values}}

    def evaluator(self, split: str) -> Evaluator:
        """Return an evaluator; it resets the metrics."""
        return _ModelEvaluator(self)


class _ModelEvaluator(Evaluator):
    """Means of the losses, and the metrics."""

    def __init__(self, task: ModelTask) -> None:
        self._task = task
        self._losses = Averages()
        self._step = 0
        for metric in task.model._metrics:
            metric.reset()

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        bridge = self._task.bridge
        if bridge is not None:
            bridge.call("on_eval_batch_begin", self._step, {})
        losses, predicted = self._task.split(outputs)
        names = ["loss"] if len(losses) == 1 else [f"loss{number}" for number in range(len(losses))]
        values = dict(zip(names, map(float, losses)))
        if len(losses) > 1:
            values["loss"] = sum(values.values())
        self._losses.add(values, samples_of(batch))
        self._task.update_metrics([core.to_tensor(output) for output in predicted], batch)
        if bridge is not None:
            logs = {**self._task.logs({**values, **self._task.metrics()}), "batch_size": samples_of(batch)}
            bridge.call("on_eval_batch_end", self._step, logs)
        self._step += 1

    def result(self) -> dict[str, float]:
        return {**self._losses.means(), **self._task.metrics()}


class Bridge(Callback):
    """Calls the callbacks of a Model at the Trainer's events.

    Args:
        model: the Model.
        task: its task.
        callbacks: what the user gave.
        epochs: how many there are.
        log_freq: for the progress logger.
        verbose: for the progress logger.
        save_dir: for the checkpoints; None: none.
        save_freq: for the checkpoints.
    """

    def __init__(
        self,
        model: Model,
        task: ModelTask,
        callbacks: Any,
        epochs: int,
        log_freq: int,
        verbose: int,
        save_dir: Optional[str] = None,
        save_freq: int = 1,
    ) -> None:
        self.model, self.task, self.verbose = model, task, verbose
        task.bridge = self
        train, valid = task.loader("train"), task.loader("valid")
        self._steps = len(train) if train is not None and train.known_length else None
        self._valid_steps = len(valid) if valid is not None and valid.known_length else None
        metrics = ["loss", *(name for metric in model._metrics for name in listed(metric.name()))]
        self._metric_names = metrics
        params = {
            "epochs": epochs, "steps": self._steps, "verbose": verbose, "metrics": metrics, "save_dir": save_dir,
        }  # fmt: skip
        chosen = configured(listed(callbacks), train is not None, log_freq, verbose, save_dir, save_freq)
        self._list = CallbackList(chosen, model, params)
        self._logs: dict[str, Any] = {}

    def call(self, event: str, *arguments: Any) -> None:
        """Call all callbacks."""
        self._list.call(event, *arguments)

    def on_train_begin(self, trainer: Trainer) -> None:
        """Print what is trained, and begin."""
        if self.verbose:
            print("\n".join(announcement(trainer)))
        self.call("on_train_begin", {"steps": self._steps, "metrics": self._metric_names})

    def on_epoch_begin(self, trainer: Trainer) -> None:
        """Reset the metrics."""
        for metric in self.model._metrics:
            metric.reset()
        self.call("on_epoch_begin", trainer.progress.epoch, {})

    def on_step_begin(self, trainer: Trainer) -> None:
        """Pass it on."""
        self.call("on_train_batch_begin", trainer.progress.step_in_epoch, self._logs)

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Pass it on, with loss and metrics."""
        self._logs = self.task.logs(values)
        self.call("on_train_batch_end", trainer.progress.step_in_epoch - 1, self._logs)

    def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Pass it on, and stop if a callback asked for it."""
        self.call("on_epoch_end", trainer.progress.epoch - 1, self._logs)
        self._check(trainer)

    def on_evaluate_begin(self, trainer: Trainer, split: str) -> None:
        """Pass it on."""
        if self.task.loader("valid") is not None:
            self.call("on_eval_begin", {"steps": self._valid_steps, "metrics": self._metric_names})

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        """Pass it on, and stop if a callback asked for it."""
        self.call("on_eval_end", self.task.logs(values))
        self._check(trainer)

    def on_train_end(self, trainer: Trainer) -> None:
        """Pass it on."""
        self.call("on_train_end", self._logs)

    def begin_evaluation(self) -> None:
        """Tell that an evaluation outside training begins."""
        self.call("on_eval_begin", {"steps": self._valid_steps, "metrics": self._metric_names})

    def end_evaluation(self, values: Mapping[str, float]) -> None:
        """Tell that it has ended, with its numbers."""
        self.call("on_eval_end", self.task.logs(values))

    def _check(self, trainer: Trainer) -> None:
        if self.model.stop_training:
            trainer.stop("a callback asked for it")


def _array(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value
