"""The Trainer owns the loop, and nothing else does."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Generator, Sequence
from typing import Any, Optional

from core.optimizer import ExponentialMovingAverage
from core.train.callback import Callback, EarlyStop
from core.train.checkpoints.manager import CheckpointManager
from core.train.checkpoints.progress import Progress
from core.train.config.length import TrainingLength, steps_per_epoch
from core.train.config.options import TrainOptions
from core.train.evaluation_pass import EvaluationPass
from core.train.finish import Outcome, finish
from core.train.interruption import Interruption
from core.train.logs.announcement import announcement
from core.train.logs.console import Console
from core.train.logs.profile import Profile
from core.train.logs.run_folder import OutputError, RunFolder
from core.train.logs.run_log import RunLog
from core.train.precise_norm import PreciseNorm
from core.train.precision import MixedPrecision, precision_named
from core.train.recorder import Recorder, draw_curve
from core.train.seeds import seed_everything, step_seed, threads
from core.train.step import PhaseStep, StepResult
from core.train.task import Phase, Task


class Trainer:
    """Trains a task: epochs, evaluation, checkpoints, resume, early stop, logs.

    A step takes ``options.accumulate`` batches, the last one of an epoch what is left. Training by steps goes through
    as many epochs as they take; a stream without a length that ends begins again.

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
        ValueError: there is nothing to train on, a stream is to be visited a number of times, or the device does not
            compute in that precision.
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
        self.steps_per_epoch = None if loader is None else steps_per_epoch(loader, options.accumulate)
        if loader is None or self.steps_per_epoch == 0:
            message = "the train split has no full batch, of one bucket where there are some"
            raise ValueError(f"there is nothing to train on: {message}; lower its batch_size, or set drop_last: false")
        self.task = task
        self.options = options
        self.folder = folder
        self.console = console or Console()
        early = [EarlyStop(options.early_stop)] if options.early_stop else []
        precise = options.precise_norm
        statistics = [PreciseNorm(precise.every, precise.batches)] if precise else []
        self.callbacks = [*statistics, *callbacks, *early, *task.callbacks()]
        self.loader = loader
        self.phases = task.phases(*self.length.for_schedules)
        self.progress = Progress(seed=seed, threads=threads())
        self.evaluate_split = EvaluationPass(task, options.compiled)
        self.profile = Profile() if profile else None
        self.average = _moving_average(task, options.ema)
        self.manager = CheckpointManager(self, folder)
        scaling = options.loss_scaling
        self.precision = precision or precision_named(options.precision, scaling.model_dump() if scaling else None)
        self.steps = [
            PhaseStep(phase, options.compiled, self.profile, self.precision, _constants(phase, self.phases))
            for phase in self.phases
        ]
        self.lag = lag * len(self.phases)
        self.stop_reason: Optional[str] = None
        self._resumed = False

    @property
    def length(self) -> TrainingLength:
        """How long training is."""
        return TrainingLength(self.steps_per_epoch, self.options.epochs, self.options.steps)

    def write_to(self, folder: RunFolder) -> None:
        """Write into a folder that is made when everything else is known to be right; call it before training.

        Args:
            folder: of the run.
        """
        self.folder = folder
        self.manager = CheckpointManager(self, folder)

    def stop(self, reason: str) -> None:
        """Ask for training to end after the current epoch, or after an evaluation within it; of a stream, at once.

        Args:
            reason: printed.
        """
        self.stop_reason = reason

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
        progress = self.manager.resume(self.progress)
        if progress is None:
            self.console.line(f"{self.folder} holds no checkpoint yet: starting from the beginning")
            return False
        self.progress = progress
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
            self.manager.clean()
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
                    f"{error}; {self.manager.last_good()}; when there is room, continue with --resume {self.folder}"
                ) from None

    def _train(self, log: RunLog) -> None:
        length, progress = self.length, self.progress
        with Interruption() as interruption:
            recorder = Recorder(self, log, interruption)
            pauses = length.pauses_left(progress, self.options.evaluate_every)
            self.console.open(length.total_steps, progress.step, pauses)
            self.task.train_mode()
            self.call("on_train_begin")
            while self.stop_reason is None and (progress.evaluation_due or not length.is_over(progress)):
                self._train_epoch(length, recorder)
            self.console.close()
            if self.stop_reason is not None:
                within = f"step {progress.step}" if progress.step_in_epoch else f"epoch {progress.epoch}"
                self.console.line(f"stopped after {within}: {self.stop_reason}")
            self.call("on_train_end")

    def _train_epoch(self, length: TrainingLength, recorder: Recorder) -> None:
        recorder.begin_epoch()
        if recorder.catch_up():
            return
        with contextlib.closing(self._batches(length)) as steps:
            for batches in steps:
                self.call("on_step_begin")
                with self.console.making_step():
                    results = self._make_step(batches)
                if recorder.after_step(results):
                    return
        if length.epochs is None and self.progress.step_in_epoch == 0:
            raise ValueError(
                f"there is nothing to train on: the train split gave no batch in epoch {self.progress.epoch + 1}"
            )
        recorder.end_epoch()

    def _batches(self, length: TrainingLength) -> Generator[list[Sequence[Any]], None, None]:
        """Yield the batches of each step that is left in the epoch."""
        progress, size = self.progress, self.options.accumulate
        # for the order that a loader without a seed draws: the same where a resumed run continues the epoch
        seed_everything(step_seed(progress.seed, progress.step - progress.step_in_epoch))
        self.loader.set_epoch(progress.epoch)
        if length.at_epoch_end(progress):  # only the evaluation is to come
            return
        with contextlib.closing(self.loader.batches(start=progress.step_in_epoch * size)) as loaded:
            while True:
                with self.part("data"):
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

    def _finish(self, log: RunLog) -> Outcome:
        outcome = finish(self, self.manager, log)
        draw_curve(self.folder)
        if self.profile is not None:
            self.profile.close()
            for line in self.profile.lines():
                self.console.line(line)
            if self.folder is not None:
                self.profile.save(self.folder)
        return outcome

    def part(self, name: str) -> contextlib.AbstractContextManager[None]:
        """Measure a part of the run within a block, where the run is profiled.

        Args:
            name: one of :data:`core.train.logs.profile.PARTS`.
        """
        return contextlib.nullcontext() if self.profile is None else self.profile.part(name)

    def call(self, event: str, *arguments: Any) -> None:
        """Call all callbacks.

        Args:
            event: the method's name.
            *arguments: what it takes beside the Trainer.
        """
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
