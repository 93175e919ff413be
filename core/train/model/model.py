"""``Model``: fit, evaluate and predict in one line each; a thin face of the Trainer."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core.io import DataLoader, Dataset
from core.train.config.options import TrainOptions
from core.train.evaluation_pass import EvaluationPass
from core.train.interruption import TrainingInterrupted
from core.train.logs.console import Console
from core.train.model.observed_inputs import ObservedInputs
from core.train.model.summary import summary
from core.train.model.task import Batches, Bridge, ModelTask, input_count, listed
from core.train.precision import MixedPrecision, precision_chosen
from core.train.step import PhaseStep
from core.train.trainer import Trainer


class Model:
    """A network with what is needed to train and judge it.

    ``fit`` runs the Trainer that trains every task here, without a run folder, and with the callbacks of
    :mod:`core.callbacks`; networks run compiled.

    Args:
        network: the Layer.
        inputs: InputSpecs of the network's inputs, one or a list; None: ``forward`` shows how many there are, and the
            batches that it is given what they look like.
        labels: InputSpecs of the labels; None: what a batch holds after the inputs.
    """

    def __init__(self, network: Any, inputs: Any = None, labels: Any = None) -> None:
        self.network = network
        self.inputs = listed(inputs)
        self.labels = listed(labels)
        self.input_count = len(self.inputs) or input_count(network)
        self.observed = ObservedInputs()
        self.stop_training = False
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list[Any] = []
        self._compiled = True
        self._precision: Optional[MixedPrecision] = None
        self._step: Optional[PhaseStep] = None
        self._pass: Optional[EvaluationPass] = None

    def prepare(
        self,
        optimizer: Any = None,
        loss: Any = None,
        metrics: Any = None,
        amp_configs: Any = None,
        compiled: bool = True,
    ) -> None:
        """Say how to train and judge.

        Args:
            optimizer: moves the parameters.
            loss: a Layer or function of the outputs and the labels; what it returns, one Tensor or several, is summed.
            metrics: one Metric or a list.
            amp_configs: mixed precision: a level of :func:`core.amp.auto_cast` (``O0``, ``O1``, ``O2``), or a dict with
                ``level`` and arguments of auto_cast (``custom_white_list``, ``custom_black_list``, ``dtype``: the
                device's by default) and of GradScaler.
            compiled: run compiled graphs; False runs operator by operator, for debugging.

        Raises:
            TypeError: the loss cannot be called, a metric is no Metric, or ``amp_configs`` is of another type.
            ValueError: ``amp_configs`` has an unknown key, level or type.
        """
        precision = precision_chosen(amp_configs, "Model.prepare")
        if loss is not None and not callable(loss):
            raise TypeError(f"Model.prepare: loss must be a Layer or a function, not {type(loss).__name__}")
        for metric in listed(metrics):
            if not isinstance(metric, core.metric.Metric):
                raise TypeError(f"Model.prepare: metrics must be core.metric.Metric, not {type(metric).__name__}")
        self._optimizer, self._loss, self._metrics = optimizer, loss, listed(metrics)
        self._compiled, self._precision = compiled, precision
        self._step = self._pass = None
        if precision is not None and optimizer is not None:
            precision.prepare(self.network, optimizer)

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: Any = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: Optional[str] = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Any = None,
        accumulate_grad_batches: int = 1,
        num_iters: Optional[int] = None,
    ) -> None:
        """Train.

        Args:
            train_data: a Dataset, or a DataLoader or other iterable of batches (inputs, then labels).
            eval_data: the same, evaluated after epochs.
            batch_size: of both; or a list of the two. Like ``drop_last``, ``shuffle`` and ``num_workers`` only for a
                Dataset.
            epochs: how often the data is visited.
            eval_freq: epochs between evaluations.
            log_freq: batches between two prints.
            save_dir: where to save the weights after epochs; None: nowhere.
            save_freq: epochs between saves.
            verbose: 0: print nothing; 1: one line that moves; 2: a line now and then.
            drop_last: leave out the last batch when it is not full.
            shuffle: visit the training data in random order.
            num_workers: processes that read.
            callbacks: one Callback of :mod:`core.callbacks` or a list.
            accumulate_grad_batches: batches of one step. Their gradients are averaged, so that the step is that of one
                large batch (Paddle adds them); callbacks see one batch.
            num_iters: end after so many batches; None: after ``epochs``.

        Raises:
            RuntimeError: there is no optimizer or no loss.
            ValueError: there is nothing to train on.
            NonFiniteLossError: the loss became infinite or not a number.
        """
        if self._optimizer is None or self._loss is None:
            raise RuntimeError("Model.fit: call prepare(optimizer, loss) first")
        sizes = batch_size if isinstance(batch_size, (list, tuple)) else (batch_size, batch_size)
        train = self._batches(train_data, sizes[0], shuffle, drop_last, num_workers, num_iters)
        if train is None:
            raise ValueError("Model.fit: give train_data")
        valid = self._batches(eval_data, sizes[1], False, False, num_workers)
        if num_iters is not None and train.known_length:
            epochs = math.ceil(num_iters / len(train))
        task = ModelTask(self, train, valid)
        bridge = Bridge(self, task, callbacks, epochs, log_freq, verbose, save_dir, save_freq)
        chosen = {"epochs": epochs, "evaluate_every": eval_freq, "accumulate": accumulate_grad_batches}
        options = TrainOptions.model_validate({**chosen, "compiled": self._compiled})
        self.stop_training = False
        trainer = Trainer(task, options, None, _seed(), [bridge], Console(quiet=True), lag=0, precision=self._precision)
        try:
            trainer.fit()
        except TrainingInterrupted:
            raise KeyboardInterrupt from None

    def evaluate(
        self,
        eval_data: Any,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Any = None,
        num_iters: Optional[int] = None,
    ) -> dict[str, Any]:
        """Compute loss and metrics over a data set.

        Args:
            eval_data: as for :meth:`fit`.
            batch_size: of a Dataset.
            log_freq: batches between two prints.
            verbose: as for :meth:`fit`.
            num_workers: processes that read a Dataset.
            callbacks: as for :meth:`fit`.
            num_iters: how many batches to evaluate; None: all.

        Returns:
            "loss", a list of means over all samples (Paddle gives the last batch's), and each metric by name.
        """
        batches = self._batches(eval_data, batch_size, False, False, num_workers, num_iters)
        task = ModelTask(self, None, batches)
        bridge = Bridge(self, task, callbacks, 1, log_freq, verbose)
        bridge.begin_evaluation()
        numbers = EvaluationPass(task, self._compiled)("valid").result()
        bridge.end_evaluation(numbers)
        return task.logs(numbers)

    def predict(
        self,
        test_data: Any,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        verbose: int = 1,
        callbacks: Any = None,
    ) -> list[Any]:
        """Compute the network's outputs over a data set.

        Args:
            test_data: as for :meth:`fit`; labels may be there and are not used.
            batch_size: of a Dataset.
            num_workers: processes that read a Dataset.
            stack_outputs: return one array for each output instead of a list with one for each batch.
            verbose: as for :meth:`fit`.
            callbacks: as for :meth:`fit`.

        Returns:
            For each output of the network its arrays.
        """
        batches = self._batches(test_data, batch_size, False, False, num_workers)
        assert batches is not None
        bridge = Bridge(self, ModelTask(self, None, batches), callbacks, 1, 10, verbose)
        bridge.call("on_predict_begin", {"steps": len(batches) if batches.known_length else None})
        columns: list[list[np.ndarray]] = []
        for number, batch in enumerate(batches.batches()):
            bridge.call("on_predict_batch_begin", number, {})
            outputs = self.predict_batch(batch[: self.input_count])
            columns = columns or [[] for _ in outputs]
            for column, output in zip(columns, outputs):
                column.append(output)
            bridge.call("on_predict_batch_end", number, {})
        bridge.call("on_predict_end", {})
        return [np.concatenate(column) for column in columns] if stack_outputs else columns

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """Train on one batch.

        Args:
            inputs: a Tensor or array, or a list of them.
            labels: the same.
            update: move the parameters; False only adds to their gradients.

        Returns:
            A list with the loss, an array; with metrics the pair of that and a list of their values on the batch.
        """
        if self._optimizer is None or self._loss is None:
            raise RuntimeError("Model.train_batch: call prepare(optimizer, loss) first")
        task, batch = self._batch_task(inputs, labels)
        if self._step is None:
            self._step = PhaseStep(task.phases(1, 1)[0], self._compiled, precision=self._precision)
        self.network.train()
        tensors = self._step.backward(batch)
        if update:
            self._step.update()
            self._optimizer.clear_grad(set_to_zero=False)
        outputs = [tensor for name, tensor in tensors.items() if name.startswith("output")]
        return self._answer([tensors["loss"].numpy()], task.update_metrics(outputs, batch))

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Evaluate one batch; as :meth:`train_batch`, without changing the network."""
        task, batch = self._batch_task(inputs, labels)
        losses, outputs = task.split(self._run(task, batch))
        return self._answer([loss.numpy() for loss in losses], task.update_metrics(outputs, batch))

    def predict_batch(self, inputs: Any) -> list[np.ndarray]:
        """Return the network's outputs for one batch, as arrays.

        Args:
            inputs: a Tensor or array, or a list of them.
        """
        task, batch = self._batch_task(inputs, None)
        return [output.numpy() for output in task.split(self._run(task, batch))[1]]

    def save(self, path: str, training: bool = True) -> None:
        """Save the weights and the optimizer, or a program that runs without this code.

        Args:
            path: without a suffix: ``path.pdparams`` and ``path.pdopt`` are written; for a program: a folder.
            training: False: export the program. Without the Model's ``inputs`` its sizes are those that the network was
                given so far, open where they differed, and for the batch.

        Raises:
            RuntimeError: there are no ``inputs``, and the network was given nothing.
        """
        if not training:
            specs = self.inputs or self.observed.specs()
            if not specs:
                raise RuntimeError(
                    "Model.save(training=False) does not know the inputs: fit, evaluate or predict first, or make the"
                    " Model(network, inputs=[InputSpec(...)])"
                )
            core.jit.save(self.network, path, input_spec=specs)
            return
        core.save(self.network.state_dict(), f"{path}.pdparams")
        if self._optimizer is not None:
            core.save(self._optimizer.state_dict(), f"{path}.pdopt")

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Load weights, and the optimizer's state where there is one.

        Args:
            path: as for :meth:`save`.
            skip_mismatch: leave out weights that are missing or of another shape, instead of an error.
            reset_optimizer: leave the optimizer as it is.

        Raises:
            FileNotFoundError: there are no such weights.
            ValueError: weights are missing, or of another shape.
        """
        base = path[: -len(".pdparams")] if path.endswith(".pdparams") else path
        state = core.load(f"{base}.pdparams")
        wanted = self.network.state_dict()
        unfit = [key for key, value in wanted.items() if key not in state or state[key].shape != value.shape]
        if unfit and not skip_mismatch:
            what = "lacks" if unfit[0] not in state else "has another shape of"
            raise ValueError(
                f"'{base}.pdparams' {what} {unfit[0]!r} ({len(unfit)} such weights); "
                "pass skip_mismatch=True to leave them as they are"
            )
        self.network.set_state_dict({key: old if key in unfit else state[key] for key, old in wanted.items()})
        if self._optimizer is not None and not reset_optimizer and os.path.isfile(f"{base}.pdopt"):
            self._optimizer.set_state_dict(core.load(f"{base}.pdopt"))

    def parameters(self, include_sublayers: bool = True) -> list[Any]:
        """Return the network's parameters."""
        return list(self.network.parameters(include_sublayers))

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """Print a table of the network's layers; see :func:`core.summary`.

        Args:
            input_size: shape of the input, or a list of them; None: the shapes of ``inputs``, or of what the network
                was given so far.
            dtype: the type of each input.
        """
        return summary(self.network, input_size or self.inputs or self.observed.specs(), dtype)

    def _batches(
        self,
        data: Any,
        batch_size: int,
        shuffle: bool,
        drop_last: bool,
        num_workers: int,
        limit: Optional[int] = None,
    ) -> Optional[Batches]:
        if data is None:
            return None
        if isinstance(data, Dataset):
            streamed = isinstance(data, core.io.IterableDataset)
            data = DataLoader(
                data, batch_size=batch_size, shuffle=shuffle and not streamed, drop_last=drop_last,
                num_workers=num_workers,
            )  # fmt: skip
        return Batches(data, limit, lambda batch: self.observed.add(batch[: self.input_count]))

    def _batch_task(self, inputs: Any, labels: Any) -> tuple[ModelTask, list[Any]]:
        batch = [core.to_tensor(value) for value in (*listed(inputs), *listed(labels))]
        self.observed.add(batch[: len(listed(inputs))])
        return ModelTask(self, None, None, len(listed(inputs))), batch

    def _run(self, task: ModelTask, batch: Sequence[Any]) -> Sequence[Any]:
        """Run the network in evaluation mode."""
        if self._pass is None or self._pass.task.input_count != task.input_count:  # type: ignore[attr-defined]  # its task is a ModelTask
            self._pass = EvaluationPass(task, self._compiled)
        self.network.eval()
        try:
            with core.no_grad():
                return self._pass._predict(*batch)
        finally:
            self.network.train()

    def _answer(self, losses: list[np.ndarray], metrics: list[Any]) -> Any:
        return (losses, metrics) if metrics else losses


def _seed() -> int:
    """Return a seed that both ``core.seed`` and ``numpy.random.seed`` decide."""
    drawn = int(core.randint(0, 2**31 - 1, [1]).numpy()[0])
    return drawn ^ int(np.random.randint(2**31 - 1))  # noqa: NPY002
