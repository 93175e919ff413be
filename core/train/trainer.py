"""The Trainer owns the loop, and nothing else does."""

from __future__ import annotations

import collections
import contextlib
import itertools
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Optional

from core.drawing import learning_curve
from core.optimizer import ExponentialMovingAverage
from core.train.announcement import announcement, shown
from core.train.callback import Callback, EarlyStop
from core.train.callback_states import states_of
from core.train.checkpoint import Progress
from core.train.console import Clock, Console
from core.train.evaluation_pass import EvaluationPass
from core.train.finish import Outcome, finish, judge
from core.train.interruption import Interruption, TrainingInterrupted
from core.train.keeper import Keeper
from core.train.options import TrainOptions
from core.train.precision import MixedPrecision, precision_named
from core.train.profile import Profile
from core.train.run_folder import OutputError, RunFolder, writing
from core.train.run_log import RunLog, read_metrics
from core.train.seeds import seed_everything, step_seed, threads
from core.train.step import Averages, NonFiniteLossError, PhaseStep, StepResult
from core.train.task import Phase, Task
from core.vision.image import write_image

CURVE_SECONDS = 60.0
"""The learning curve is drawn again after an epoch when it is older than this."""


class _Interrupted(Exception):
    """A signal came during an evaluation."""


class Trainer:
    """Trains a task: epochs, evaluation, checkpoints, resume, early stop, logs.

    A step takes ``options.accumulate`` batches, the last one of an epoch what is left.

    Args:
        task: what is trained and how it is judged.
        options: how long, how often, and what to keep.
        folder: where everything is written; None: nothing is, and the final weights are not those of the best
            evaluation.
        seed: of the run, not negative.
        callbacks: hooks into the loop; the task's own come after them.
        console: what is shown meanwhile; None: the usual.
        profile: whether to measure where time goes, and show and write it at the end.
        lag: how many steps later a step's numbers are read; with one the engine need not wait for Python.
        precision: mixed precision in other ways than ``options.precision`` says; None: in those.

    Raises:
        ValueError: there is nothing to train on, or the device does not compute in that precision.
    """

    def __init__(
        self,
        task: Task,
        options: TrainOptions,
        folder: Optional[RunFolder],
        seed: int = 0,
        callbacks: Sequence[Callback] = (),
        console: Optional[Console] = None,
        profile: bool = False,
        lag: int = 1,
        precision: Optional[MixedPrecision] = None,
    ) -> None:
        loader = task.loader("train")
        if loader is None or len(loader) == 0:
            raise ValueError("there is nothing to train on: the train split has no full batch; lower the batch size")
        self.task = task
        self.options = options
        self.folder = folder
        self.console = console or Console()
        early = [EarlyStop(options.early_stop)] if options.early_stop else []
        self.callbacks = [*callbacks, *early, *task.callbacks()]
        self.loader = loader
        self.steps_per_epoch = math.ceil(len(loader) / options.accumulate)
        self.phases = task.phases(self.steps_per_epoch, options.epochs)
        self.progress = Progress(seed=seed, threads=threads())
        self.evaluate_split = EvaluationPass(task, options.compiled)
        self.profile = Profile() if profile else None
        self.average = _moving_average(task, options.ema)
        self._keeper = Keeper(self, folder)
        self.precision = precision or precision_named(options.precision)
        self.steps = [
            PhaseStep(phase, options.compiled, self.profile, self.precision, _constants(phase, self.phases))
            for phase in self.phases
        ]
        self._lag = lag * len(self.phases)
        self._averages = Averages()
        self._pending: collections.deque[StepResult] = collections.deque()
        self._states: Optional[dict[str, Any]] = None
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

        Raises:
            ValueError: the Trainer has no folder.
            BlockingIOError: another process writes into the folder.
        """
        if self.folder is None:
            raise ValueError("a Trainer without a folder has nothing to resume from")
        self._resumed = True
        self.folder.claim()
        progress = self._keeper.resume(self.progress)
        if progress is None:
            self.console.line(f"{self.folder} holds no checkpoint yet: starting from the beginning")
            return False
        self.progress = progress
        self._averages = Averages(progress.sums)
        return True

    def fit(self) -> Outcome:
        """Train to the end, then evaluate the test split with the best weights.

        Returns:
            The final numbers.

        Raises:
            NonFiniteLossError: the loss, or a weight, is infinite or not a number; names the step, the learning rate
                and the last good checkpoint.
            TrainingInterrupted: Ctrl-C or SIGTERM came; a checkpoint was saved before.
            OutputError: the folder cannot be written, as when the disk is full; names the last good checkpoint.
            BlockingIOError: another process writes into the folder.
        """
        with contextlib.ExitStack() as stack:
            stack.callback(self.console.close)
            if self.folder is not None:
                self.folder.claim()
                stack.callback(self.folder.release)
            self._keeper.clean()
            try:
                resume_step = self.progress.step if self._resumed else None
                log = RunLog(self.folder, resume_step, self.options.tensorboard)
                stack.callback(log.close)
                if self.profile is not None:
                    stack.callback(self.profile.close)
                for line in announcement(self):
                    self.console.line(line)
                self._train(log)
                return self._finish(log)
            except OutputError as error:
                if self.folder is not None:
                    self.folder.require()
                raise OutputError(
                    f"{error}; {self._keeper.last_good()}; when there is room, continue with --resume {self.folder}"
                ) from None

    def _train(self, log: RunLog) -> None:
        epochs = self.options.epochs
        with Interruption() as interruption:
            self.console.open(epochs * self.steps_per_epoch, self.progress.step, epochs - self.progress.epoch)
            self.task.train_mode()
            self._call("on_train_begin")
            while self.progress.epoch < epochs and self._stop_reason is None:
                self._train_epoch(log, interruption)
            self.console.close()
            if self._stop_reason is not None:
                self.console.line(f"stopped after epoch {self.progress.epoch}: {self._stop_reason}")
            self._call("on_train_end")

    def _train_epoch(self, log: RunLog, interruption: Interruption) -> None:
        progress, clock = self.progress, Clock()
        spent = progress.seconds
        self._call("on_epoch_begin")
        for batches in self._batches():
            self._call("on_step_begin")
            with self.console.making_step():
                self._pending.extend(self._make_step(batches))
            progress.step += 1
            progress.step_in_epoch += 1
            clock.samples += self._pending[-1].samples
            while len(self._pending) > self._lag:
                self._read(self._pending.popleft(), clock)
            progress.seconds = spent + clock.seconds
            if interruption.signal is not None:
                self._leave(clock, interruption)
        while self._pending:
            self._read(self._pending.popleft(), clock)
        self._states = states_of(self.callbacks)  # an interrupted end of an epoch begins anew
        try:
            self._end_epoch(log, clock, spent, interruption)
            self.console.end_epoch()
        except _Interrupted:
            progress.epoch, progress.step_in_epoch = progress.epoch - 1, self.steps_per_epoch
            self._leave(clock, interruption)
        if interruption.signal is not None and progress.epoch < self.options.epochs:
            self._leave(clock, interruption)

    def _batches(self) -> Iterator[list[Sequence[Any]]]:
        """Yield the batches of each step that is left in the epoch."""
        progress, size = self.progress, self.options.accumulate
        seed_everything(step_seed(progress.seed, progress.step))  # for the order that a loader without a seed draws
        self.loader.set_epoch(progress.epoch)
        if progress.step_in_epoch >= self.steps_per_epoch:  # only the evaluation is to come
            return
        with contextlib.closing(self.loader.batches(start=progress.step_in_epoch * size)) as loaded:
            while True:
                with self._part("data"):
                    batches = list(itertools.islice(loaded, size))
                if not batches:
                    return
                yield batches

    def _make_step(self, batches: Sequence[Sequence[Any]]) -> list[StepResult]:
        progress = self.progress
        if self.profile is not None:
            self.profile.step()

        def reseed(number: int) -> None:
            seed_everything(step_seed(progress.seed, progress.step, number))

        reseed(0)
        results = []
        given: list[dict[str, Any]] = [{} for _ in batches]
        for step in self.steps:
            if progress.step % step.phase.period == 0:
                results.append(step(progress.step, batches, reseed, given))
                for phase in self.phases:
                    phase.optimizer.clear_grad(set_to_zero=False)  # a parameter without a gradient is not moved
                step.advance_schedule()
        if self.average is not None:
            self.average.update()
        return results

    def _read(self, result: StepResult, clock: Clock) -> None:
        try:
            values = result.read()
        except NonFiniteLossError as error:
            raise NonFiniteLossError(f"{error}; {self._keeper.last_good()}; lower the learning rate") from None
        prefix = f"{result.phase.name}_" if len(self.steps) > 1 else ""
        values = {f"{prefix}{name}": value for name, value in values.items()}
        self._averages.add({**values, f"{prefix}learning_rate": result.learning_rate}, result.samples)
        if not any(other.step == result.step for other in self._pending):  # the last phase that ran in its step
            self.console.step(self.progress.epoch + 1, self.options.epochs, self._averages.means(), clock.rate)
        self._call("on_step_end", values)

    def _end_epoch(self, log: RunLog, clock: Clock, spent: float, interruption: Interruption) -> None:
        """Evaluate and save; only then the epoch is complete."""
        progress, options, epoch = self.progress, self.options, self.progress.epoch + 1
        if self.folder is not None:
            self.folder.require()
        progress.epoch, progress.step_in_epoch = epoch, 0
        line = f"epoch {epoch:>{len(str(options.epochs))}}/{options.epochs}  train {shown(self._averages.means())}"
        values = {**self._averages.means(), "samples_per_second": clock.rate, "seconds": clock.seconds}
        self._call("on_epoch_end", values)
        is_best, last = False, epoch == options.epochs
        numbers = self._evaluate("valid", interruption) if last or epoch % options.evaluate_every == 0 else None
        self._averages, self._states = Averages(), None
        log.write("train", progress.step, epoch, values)
        if numbers is not None:
            is_best = judge(self.task, progress, numbers)
            log.write("valid", progress.step, epoch, numbers)
            self._call("on_evaluate_end", "valid", numbers)
            line += f"  valid {shown(numbers)}{'  best' if is_best else ''}"
        self.console.line(f"{line}  [{clock.seconds:.1f} s]")
        progress.seconds = spent + clock.seconds
        if is_best or last or self._stop_reason is not None or epoch % options.checkpoint_every == 0:
            self._save(is_best)
        if time.monotonic() - self._drawn > CURVE_SECONDS:
            self._draw()

    def _evaluate(self, split: str, interruption: Interruption) -> Optional[dict[str, float]]:
        def check() -> None:
            if interruption.signal is not None:
                raise _Interrupted

        self._call("on_evaluate_begin", split)
        with self._part("evaluation"), self.average.apply() if self.average is not None else contextlib.nullcontext():
            evaluator = self.evaluate_split(split, check)
            return None if evaluator is None else evaluator.result()

    def _save(self, is_best: bool = False) -> Optional[Path]:
        self.progress.sums = self._averages.sums
        self.progress.callbacks = states_of(self.callbacks) if self._states is None else self._states
        with self._part("checkpoint"):
            return self._keeper.save(self.progress, is_best)

    def _leave(self, clock: Clock, interruption: Interruption) -> None:
        while self._pending:
            self._read(self._pending.popleft(), clock)
        saved, told = self._save(), f"interrupted after step {self.progress.step}"
        if saved is not None:
            self._draw()
            told += f"; saved {saved}; continue with --resume {self.folder}"
        raise TrainingInterrupted(told, interruption.exit_code)

    def _finish(self, log: RunLog) -> Outcome:
        outcome = finish(self, self._keeper, log)
        self._draw()
        if self.profile is not None:
            self.profile.close()
            for line in self.profile.lines():
                self.console.line(line)
            if self.folder is not None:
                self.profile.save(self.folder)
        return outcome

    def _draw(self) -> None:
        if self.folder is not None:
            with writing(self.folder.curve):
                write_image(self.folder.curve, learning_curve(read_metrics(self.folder.metrics), self.folder.path.name))
            self._drawn = time.monotonic()

    def _part(self, name: str) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self.profile is None else self.profile.part(name)

    def _call(self, event: str, *arguments: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, event)(self, *arguments)


def _moving_average(task: Task, decay: Optional[float]) -> Optional[ExponentialMovingAverage]:
    """Return what follows the weights and buffers of those of a task's networks that are to be averaged."""
    if decay is None:
        return None
    names = task.networks if task.averaged is None else task.averaged
    tensors = {id(tensor): tensor for name in names for tensor in task.networks[name].state_dict().values()}
    return ExponentialMovingAverage(tensors.values(), decay)


def _constants(phase: Phase, phases: Sequence[Phase]) -> list[Any]:
    """Return the parameters that other phases move, and this one does not."""
    own = {id(parameter) for parameter in phase.parameters}
    others = {id(parameter): parameter for other in phases for parameter in other.parameters}
    return [parameter for key, parameter in others.items() if key not in own]
