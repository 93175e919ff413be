"""The Trainer owns the loop, and nothing else does."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import math
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from core.train.callback import Callback, EarlyStop
from core.train.checkpoint import CheckpointStore, Progress, load_network, load_optimizer, load_progress
from core.train.console import Clock, Console
from core.train.curve import learning_curve
from core.train.interruption import Interruption, TrainingInterrupted
from core.train.options import TrainOptions
from core.train.run_folder import RunFolder
from core.train.run_log import RunLog, read_metrics
from core.train.seeds import seed_everything, step_seed
from core.train.step import Averages, EvaluationPass, NonFiniteLossError, PhaseStep, StepResult, samples_of
from core.train.task import Task
from core.weights.atomic import atomic_write

CURVE_SECONDS = 60.0
"""The learning curve is drawn again after an epoch when it is older than this."""


@dataclasses.dataclass
class Outcome:
    """How a run ended.

    Attributes:
        results: the final numbers of each evaluated split.
        evaluators: the filled evaluator of each, for pictures.
        best_epoch: the epoch of the weights that were evaluated; 0 when none was marked best.
        seconds: time spent training, evaluation included.
    """

    results: dict[str, dict[str, float]]
    evaluators: dict[str, Any]
    best_epoch: int
    seconds: float


class Trainer:
    """Trains a task: epochs, evaluation, checkpoints, resume, early stop, logs.

    Args:
        task: what is trained and how it is judged.
        options: how long, how often, and what to keep.
        folder: where everything is written.
        seed: of the run, not negative.
        callbacks: hooks into the loop.
        console: what is shown meanwhile; None: the usual.
    """

    def __init__(
        self,
        task: Task,
        options: TrainOptions,
        folder: RunFolder,
        seed: int = 0,
        callbacks: Sequence[Callback] = (),
        console: Optional[Console] = None,
    ) -> None:
        loader = task.loader("train")
        if loader is None or len(loader) == 0:
            raise ValueError("there is nothing to train on: the train split has no full batch; lower the batch size")
        self.task = task
        self.options = options
        self.folder = folder
        self.console = console or Console()
        self.callbacks = [*callbacks, *([EarlyStop(options.early_stop)] if options.early_stop else [])]
        self.loader = loader
        self.steps_per_epoch = len(loader)
        self.phases = task.phases(self.steps_per_epoch, options.epochs)
        self.progress = Progress(seed=seed, threads=_threads())
        self.checkpoints = CheckpointStore(folder.checkpoints, options.keep_checkpoints)
        self.evaluate_split = EvaluationPass(task, options.compiled)
        self._steps = [PhaseStep(phase, options.compiled) for phase in self.phases]
        self._stop_reason: Optional[str] = None
        self._resumed = False
        self._drawn = time.monotonic()

    def stop(self, reason: str) -> None:
        """Ask for training to end after the current epoch.

        Args:
            reason: printed.
        """
        self._stop_reason = reason

    def resume(self) -> bool:
        """Continue from the run folder's newest checkpoint.

        Returns:
            Whether there is one; without one training starts from the beginning.
        """
        self._resumed = True
        newest = self.checkpoints.newest()
        if newest is None:
            self.console.line(f"{self.folder} holds no checkpoint yet: starting from the beginning")
            return False
        progress = load_progress(newest)
        for name, network in self.task.networks.items():
            load_network(newest, name, network)
        for phase in self.phases:
            load_optimizer(newest, phase.name, phase.optimizer, self.task.networks)
        if progress.threads != _threads():
            self.console.line(
                f"note: {_threads()} threads now, {progress.threads} before; results will differ in the last bits"
            )
        self.progress = dataclasses.replace(progress, threads=_threads())
        self.console.line(f"continuing after step {progress.step} (epoch {progress.epoch}) from {newest}")
        return True

    def fit(self) -> Outcome:
        """Train to the end, then evaluate the test split with the best weights.

        Returns:
            The final numbers.

        Raises:
            NonFiniteLossError: the loss is infinite or not a number; names the step and the last good checkpoint.
            TrainingInterrupted: Ctrl-C or SIGTERM came; a checkpoint was saved before.
        """
        log = RunLog(self.folder, self.progress.step if self._resumed else None, self.options.tensorboard)
        epochs = self.options.epochs
        try:
            with Interruption() as interruption:
                self.console.open(epochs * self.steps_per_epoch, self.progress.step)
                self.task.train_mode()
                self._call("on_train_begin")
                while self.progress.epoch < epochs and self._stop_reason is None:
                    self._train_epoch(log, interruption)
                self.console.close()
                if self._stop_reason is not None:
                    self.console.line(f"stopped after epoch {self.progress.epoch}: {self._stop_reason}")
                self._call("on_train_end")
            return self._finish(log)
        finally:
            self.console.close()
            log.close()

    def _train_epoch(self, log: RunLog, interruption: Interruption) -> None:
        progress, epoch = self.progress, self.progress.epoch
        averages, clock = Averages(), Clock()
        pending: collections.deque[StepResult] = collections.deque()
        spent = progress.seconds
        self.loader.set_epoch(epoch)
        with contextlib.closing(self.loader.batches(start=progress.step_in_epoch)) as batches:
            for batch in batches:
                seed_everything(step_seed(progress.seed, progress.step))
                pending.extend(self._make_step(batch))
                progress.step += 1
                progress.step_in_epoch += 1
                clock.samples += samples_of(batch)
                while len(pending) > len(self._steps):  # numbers are read one step late, so that the engine never waits
                    self._read(pending.popleft(), averages, clock)
                progress.seconds = spent + clock.seconds
                if interruption.signal is not None and progress.step_in_epoch < self.steps_per_epoch:
                    self._leave(pending, averages, clock, interruption)
        while pending:
            self._read(pending.popleft(), averages, clock)
        progress.epoch, progress.step_in_epoch = epoch + 1, 0
        self._end_epoch(log, averages, clock, spent)
        if interruption.signal is not None and progress.epoch < self.options.epochs:
            self._leave(pending, averages, clock, interruption)

    def _make_step(self, batch: Sequence[Any]) -> list[StepResult]:
        results = []
        for step in self._steps:
            if self.progress.step % step.phase.period == 0:
                results.append(step(self.progress.step, batch))
                for phase in self.phases:
                    phase.optimizer.clear_grad(set_to_zero=False)  # a parameter without a gradient is not moved
                step.advance_schedule()
        return results

    def _read(self, result: StepResult, averages: Averages, clock: Clock) -> None:
        try:
            values = result.read()
        except NonFiniteLossError as error:
            newest = self.checkpoints.newest()
            last = f"the last good checkpoint is {newest}" if newest is not None else "no checkpoint was saved before"
            raise NonFiniteLossError(f"{error}; {last}; lower the learning rate") from None
        if len(self._steps) > 1:
            values = {f"{result.phase}_{name}": value for name, value in values.items()}
        averages.add({**values, "learning_rate": result.learning_rate}, result.samples)
        if result.phase == self.phases[-1].name:
            self.console.step(self.progress.epoch + 1, self.options.epochs, averages.means(), clock.rate)
        self._call("on_step_end", values)

    def _end_epoch(self, log: RunLog, averages: Averages, clock: Clock, spent: float) -> None:
        progress, options = self.progress, self.options
        values = {**averages.means(), "samples_per_second": clock.rate, "seconds": clock.seconds}
        log.write("train", progress.step, progress.epoch, values)
        self._call("on_epoch_end", values)
        line = f"epoch {progress.epoch:>{len(str(options.epochs))}}/{options.epochs}  train {_shown(averages.means())}"
        is_best = False
        last = progress.epoch == options.epochs
        if last or progress.epoch % options.evaluate_every == 0:
            evaluator = self.evaluate_split("valid")
            if evaluator is not None:
                numbers = evaluator.result()
                is_best = self._judge(numbers)
                log.write("valid", progress.step, progress.epoch, numbers)
                self._call("on_evaluate_end", "valid", numbers)
                line += f"  valid {_shown(numbers)}{'  best' if is_best else ''}"
        self.console.line(f"{line}  [{clock.seconds:.1f} s]")
        progress.seconds = spent + clock.seconds
        if is_best or last or self._stop_reason is not None or progress.epoch % options.checkpoint_every == 0:
            self._save(is_best)
        if time.monotonic() - self._drawn > CURVE_SECONDS:
            self._draw()

    def _judge(self, numbers: dict[str, float]) -> bool:
        name, progress = self.task.monitor, self.progress
        if name not in numbers:
            raise KeyError(f"the task monitors {name!r}, but its evaluator gives only {', '.join(numbers)}")
        value = numbers[name] if self.task.higher_is_better else -numbers[name]
        before = -math.inf if progress.best is None else progress.best if self.task.higher_is_better else -progress.best
        progress.evaluations_without_improvement += 1
        if value > before:
            progress.evaluations_without_improvement = 0
        if not value >= before or not math.isfinite(value):
            return False
        progress.best, progress.best_epoch = numbers[name], progress.epoch  # of equals the later, trained longer
        return True

    def _save(self, is_best: bool = False) -> Path:
        optimizers = {phase.name: phase.optimizer for phase in self.phases}
        return self.checkpoints.save(self.progress, self.task.networks, optimizers, is_best)

    def _leave(
        self, pending: collections.deque[StepResult], averages: Averages, clock: Clock, interruption: Interruption
    ) -> None:
        while pending:
            self._read(pending.popleft(), averages, clock)
        saved = self._save()
        self._draw()
        raise TrainingInterrupted(
            f"interrupted after step {self.progress.step}; saved {saved}; continue with --resume {self.folder}",
            interruption.exit_code,
        )

    def _finish(self, log: RunLog) -> Outcome:
        best = self.checkpoints.best()
        if best is not None:
            for name, network in self.task.networks.items():
                load_network(best, name, network)
        results, evaluators = {}, {}
        for split in ("valid", "test"):
            evaluator = self.evaluate_split(split)
            if evaluator is not None:
                evaluators[split], results[split] = evaluator, evaluator.result()
        if "test" in results:
            log.write("test", self.progress.step, self.progress.best_epoch or self.progress.epoch, results["test"])
        outcome = Outcome(results, evaluators, self.progress.best_epoch, self.progress.seconds)
        summary = {"results": results, "best_epoch": outcome.best_epoch, "training_seconds": outcome.seconds}
        with atomic_write(self.folder.results) as stream:
            stream.write((json.dumps(summary, indent=1) + "\n").encode("utf-8"))
        self._draw()
        return outcome

    def _draw(self) -> None:
        learning_curve(read_metrics(self.folder.metrics), self.folder.curve, self.folder.path.name)
        self._drawn = time.monotonic()

    def _call(self, event: str, *arguments: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, event)(self, *arguments)


def _threads() -> int:
    """Return how many threads the engine computes with."""
    return int(os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0)))


def _shown(values: dict[str, float]) -> str:
    return "  ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in values.items())
