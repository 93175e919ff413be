"""What a run does beside its steps: reads their numbers, and evaluates, logs and saves when that is due."""

from __future__ import annotations

import collections
import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Optional

from core.drawing import learning_curve
from core.train.checkpoints.callback_states import states_of
from core.train.config.interval import Interval
from core.train.due import Due
from core.train.finish import judge
from core.train.interruption import Interruption, TrainingInterrupted
from core.train.logs.announcement import shown
from core.train.logs.console import Clock
from core.train.logs.run_folder import RunFolder, writing
from core.train.logs.run_log import RunLog, read_metrics
from core.train.step import Averages, NonFiniteLossError, StepResult
from core.vision.image import write_image

if TYPE_CHECKING:
    from core.train.trainer import Trainer

EVERY_EPOCH = Interval(epochs=1)
CURVE = Interval(minutes=1)


class _Interrupted(Exception):
    """A signal came during an evaluation."""


class Recorder:
    """Follows a Trainer's steps; evaluates, writes rows and lines, and saves checkpoints when they are due.

    A row of the train split holds the means since the last one. With the usual row an epoch they are the epoch's.

    Args:
        trainer: whose steps; it is where it begins, or continues.
        log: takes the rows.
        interruption: ends the run.
    """

    def __init__(self, trainer: Trainer, log: RunLog, interruption: Interruption) -> None:
        progress, options = trainer.progress, trainer.options
        self._trainer, self._log, self._interruption = trainer, log, interruption
        self._length = trainer.length
        self._evaluation = Due(options.evaluate_every, progress.seconds)
        self._saving = Due(options.checkpoint_every, progress.seconds, limited=True)
        self._logging = Due(options.log_every, progress.seconds)
        self._drawing = Due(CURVE, time.monotonic(), limited=True)
        self._averages = Averages(progress.sums)
        self._row = self._averages if options.log_every == EVERY_EPOCH else Averages(progress.row_sums)
        self._clock = self._row_clock = Clock()
        self._spent = progress.seconds
        self._pending: collections.deque[StepResult] = collections.deque()
        self._states: Optional[dict[str, Any]] = None

    def begin_epoch(self) -> None:
        """Start the epoch's clock."""
        self._clock = Clock()
        if self._row is self._averages:
            self._row_clock = self._clock
        self._spent = self._trainer.progress.seconds
        self._trainer.call("on_epoch_begin")

    def catch_up(self) -> bool:
        """Make the evaluation within an epoch in which an earlier process was interrupted, if there is one.

        Returns:
            Whether training ends here.
        """
        progress = self._trainer.progress
        due = progress.evaluation_due and not self._length.at_epoch_end(progress)
        return due and self._pause(evaluate=True, save=True)

    def after_step(self, results: Sequence[StepResult]) -> bool:
        """Take in the results of a step, one for each phase that ran, and do what is due after it.

        Args:
            results: not yet waited for.

        Returns:
            Whether training ends here, within the epoch.

        Raises:
            TrainingInterrupted: a signal came; everything is saved.
        """
        trainer, clock = self._trainer, self._clock
        progress = trainer.progress
        progress.step += 1
        progress.step_in_epoch += 1
        self._pending.extend(results)
        clock.samples += self._pending[-1].samples
        if self._row_clock is not clock:
            self._row_clock.samples += self._pending[-1].samples
        while len(self._pending) > trainer.lag:
            self._read(self._pending.popleft())
        progress.seconds = self._spent + clock.seconds
        evaluate = save = False
        if not self._length.at_epoch_end(progress):  # which does the same and more
            evaluate = self._length.is_over(progress) or self._evaluation.after_step(progress.step, progress.seconds)
            save = trainer.folder is not None and self._saving.after_step(progress.step, progress.seconds)
        if self._interruption.signal is not None:
            progress.evaluation_due = evaluate or self._length.is_over(progress)
            self._leave()
        stopping = trainer.stop_reason is not None and self._length.steps_per_epoch is None
        return (evaluate or save or stopping) and self._pause(evaluate, save)

    def end_epoch(self) -> None:
        """Evaluate and save; only then the epoch is complete.

        Raises:
            TrainingInterrupted: a signal came; everything is saved.
        """
        trainer, clock = self._trainer, self._clock
        progress, made = trainer.progress, trainer.progress.step_in_epoch
        self._drain()
        self._states = states_of(trainer.callbacks)  # an interrupted end of an epoch begins again
        progress.epoch, progress.step_in_epoch = progress.epoch + 1, 0
        try:
            self._require_folder()
            means = self._averages.means()
            values = self._values(means, clock)
            row = values if self._row is self._averages else self._values(self._row.means(), self._row_clock)
            trainer.call("on_epoch_end", values)
            last, moment = self._length.is_over(progress), (progress.epoch, progress.step, progress.seconds)
            numbers = self._evaluate() if last or self._evaluation.after_epoch(*moment) else None
        except _Interrupted:
            progress.epoch, progress.step_in_epoch = progress.epoch - 1, max(made, self._length.steps_per_epoch or 0)
            progress.evaluation_due = self._length.is_over(progress)
            self._leave()
        apart = self._row is not self._averages
        self._averages, self._states, progress.evaluation_due = Averages(), None, False
        if last or self._logging.after_epoch(*moment):
            self._write_row(row, progress.step)
        if not apart:
            self._row = self._averages
        total = self._length.total_epochs
        name = f"epoch {progress.epoch}" if total is None else f"epoch {progress.epoch:>{len(str(total))}}/{total}"
        best = self._report(name, means, numbers)
        progress.seconds = self._spent + clock.seconds
        if best or last or trainer.stop_reason is not None or self._saving.after_epoch(*moment):
            self._save()
        self._draw_now_and_then()
        trainer.console.end_pause(last or total is not None)
        if self._interruption.signal is not None and not last:
            self._leave()

    def _pause(self, evaluate: bool, save: bool) -> bool:
        """Do what is due within an epoch; return whether training ends here."""
        trainer = self._trainer
        progress = trainer.progress
        self._drain()
        self._states = states_of(trainer.callbacks)  # an interrupted evaluation begins again
        over, means = self._length.is_over(progress), self._averages.means()
        try:
            self._require_folder()
            numbers = self._evaluate() if evaluate else None
        except _Interrupted:
            progress.evaluation_due = True
            self._leave()
        self._states, progress.evaluation_due = None, False
        if over:
            self._write_row(self._values(self._row.means(), self._row_clock), progress.step)
        best = self._report(f"step {progress.step}/{self._length.total_steps}", means, numbers) if evaluate else False
        progress.seconds = self._spent + self._clock.seconds
        ends = over or (trainer.stop_reason is not None and (evaluate or self._length.steps_per_epoch is None))
        if ends and not over:
            self._write_row(self._values(self._row.means(), self._row_clock), progress.step)
        if best or save or ends:
            self._save()
        self._draw_now_and_then()
        trainer.console.end_pause(over or (evaluate and self._evaluation.by_steps(progress.step)))
        if self._interruption.signal is not None and not over:
            self._leave()
        return ends

    def _evaluate(self) -> Optional[dict[str, float]]:
        """Return the numbers of the valid split; None without one, and for weights that were evaluated just before."""
        trainer = self._trainer
        if trainer.progress.evaluated_step == trainer.progress.step:
            return None

        def check() -> None:
            if self._interruption.signal is not None:
                raise _Interrupted

        trainer.call("on_evaluate_begin", "valid")
        averaged = contextlib.nullcontext() if trainer.average is None else trainer.average.apply()
        with trainer.part("evaluation"), averaged:
            evaluator = trainer.evaluate_split("valid", check)
            numbers = None if evaluator is None else evaluator.result()
        self._evaluation.done(self._spent + self._clock.seconds)
        return numbers

    def _report(self, name: str, means: Mapping[str, float], numbers: Optional[Mapping[str, float]]) -> bool:
        """Judge an evaluation, if there was one, write its row and a line; return whether it is the best."""
        trainer, best, line = self._trainer, False, f"{name}  train {shown(means)}"
        if numbers is not None:
            epoch = self._length.epoch(trainer.progress)
            best = judge(trainer.task, trainer.progress, numbers, epoch)
            self._log.write("valid", trainer.progress.step, epoch, numbers)
            trainer.call("on_evaluate_end", "valid", numbers)
            line += f"  valid {shown(numbers)}{'  best' if best else ''}"
        trainer.console.line(f"{line}  [{self._clock.seconds:.1f} s]")
        return best

    def _drain(self) -> None:
        while self._pending:
            self._read(self._pending.popleft())

    def _read(self, result: StepResult) -> None:
        trainer = self._trainer
        try:
            values = result.read()
        except NonFiniteLossError as error:
            raise NonFiniteLossError(f"{error}; {trainer.manager.last_good()}; lower the learning rate") from None
        prefix = f"{result.phase.name}_" if len(trainer.steps) > 1 else ""
        values = {f"{prefix}{name}": value for name, value in values.items()}
        numbers = {**values, f"{prefix}learning_rate": result.learning_rate}
        self._averages.add(numbers, result.samples)
        apart = self._row is not self._averages
        if apart:
            self._row.add(numbers, result.samples)
        if not any(other.step == result.step for other in self._pending):  # the last phase that ran in its step
            epoch, rate = trainer.progress.epoch + 1, self._clock.rate
            trainer.console.step(epoch, self._length.total_epochs, self._averages.means(), rate)
            if apart and self._logging.after_step(result.step + 1, trainer.progress.seconds):
                self._write_row(self._values(self._row.means(), self._row_clock), result.step + 1)
        trainer.call("on_step_end", values)

    def _values(self, means: Mapping[str, float], clock: Clock) -> dict[str, float]:
        return {**means, "samples_per_second": clock.rate, "seconds": clock.seconds} if means else {}

    def _write_row(self, values: Mapping[str, float], step: int) -> None:
        """Write a row of the train split, if there were steps since the last one, and begin the next."""
        progress = self._trainer.progress
        if values:
            self._log.write("train", step, self._length.epoch(progress, step), values)
        self._logging.done(progress.seconds)
        if self._row is not self._averages:
            self._row, self._row_clock = Averages(), Clock()

    def _save(self) -> Optional[Path]:
        trainer = self._trainer
        progress, began = trainer.progress, time.monotonic()
        progress.sums = self._averages.sums
        progress.row_sums = {} if self._row is self._averages else self._row.sums
        progress.callbacks = states_of(trainer.callbacks) if self._states is None else self._states
        with trainer.part("checkpoint"):
            saved = trainer.manager.save(progress)
        note = self._saving.done(progress.seconds, time.monotonic() - began)
        if note is not None:
            trainer.console.line(f"note: a checkpoint {note}")
        return saved

    def _leave(self) -> NoReturn:
        trainer = self._trainer
        self._drain()
        saved, message = self._save(), f"interrupted after step {trainer.progress.step}"
        if saved is not None:
            draw_curve(trainer.folder)
            message += f"; saved {saved}; continue with --resume {trainer.folder}"
        raise TrainingInterrupted(message, self._interruption.exit_code)

    def _require_folder(self) -> None:
        if self._trainer.folder is not None:
            self._trainer.folder.require()

    def _draw_now_and_then(self) -> None:
        began = time.monotonic()
        if self._drawing.after_step(0, began):
            draw_curve(self._trainer.folder)
            self._drawing.done(time.monotonic(), time.monotonic() - began)


def draw_curve(folder: Optional[RunFolder]) -> None:
    """Draw the learning curve of a run.

    Args:
        folder: the run's; None: nothing is drawn.

    Raises:
        OutputError: it cannot be written.
    """
    if folder is not None:
        with writing(folder.curve):
            write_image(folder.curve, learning_curve(read_metrics(folder.metrics), folder.path.name))
