"""The checkpoint manager: the Trainer's way to and from checkpoints."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from core.train.checkpoints.callback_states import callback_names
from core.train.checkpoints.state_files import NotFiniteError
from core.train.checkpoints.store import CheckpointStore, Progress, load_network, load_optimizer, load_progress
from core.train.logs.run_folder import RunFolder
from core.train.seeds import threads
from core.train.step import NonFiniteLossError

if TYPE_CHECKING:
    from core.train.trainer import Trainer


class CheckpointManager:
    """Saves a Trainer's state and brings it back; without a folder it keeps nothing.

    Args:
        trainer: whose state.
        folder: the run's folder, or None.
    """

    def __init__(self, trainer: Trainer, folder: Optional[RunFolder]) -> None:
        self._trainer = trainer
        keep = trainer.options.keep_checkpoints
        self.store = CheckpointStore(folder.checkpoints, keep) if folder is not None else None

    def clean(self) -> None:
        """Delete what a killed process left half-written."""
        if self.store is not None:
            self.store.clean()

    def resume(self, fresh: Progress) -> Optional[Progress]:
        """Load the newest checkpoint.

        Args:
            fresh: the progress of a run that begins.

        Returns:
            How far training was; None when there is no checkpoint.
        """
        trainer, store = self._trainer, self.store
        self.clean()
        newest = store.newest() if store is not None else None
        if store is None or newest is None:
            return None
        progress = load_progress(newest)
        networks = trainer.task.networks
        if trainer.average is not None:
            for name, network in networks.items():
                load_network(newest, name, network)
            trainer.average.reset(progress.average_updates)
        for name, network in networks.items():
            load_network(newest, name, network, trained=True)
        for phase in trainer.phases:
            load_optimizer(newest, phase.name, phase.optimizer, networks)
        for step in trainer.steps:
            if step.scaler is not None and step.phase.name in progress.scalers:
                step.scaler.load_state_dict(progress.scalers[step.phase.name])
        for name, callback in zip(callback_names(trainer.callbacks), trainer.callbacks):
            if name in progress.callbacks:
                callback.set_state_dict(progress.callbacks[name])
        # The run may have been killed after saving, and before the rest.
        store.mark(newest, progress.is_best)
        store.prune()
        for what, before, now in (("threads", progress.threads, threads()), ("as seed", progress.seed, fresh.seed)):
            if before != now:
                trainer.console.line(f"note: {now} {what} now, {before} before; results will differ")
        trainer.console.line(f"continuing after step {progress.step} (epoch {progress.epoch}) from {newest}")
        return dataclasses.replace(progress, threads=threads(), seed=fresh.seed)

    def save(self, progress: Progress) -> Optional[Path]:
        """Write a checkpoint.

        Args:
            progress: how far training is.

        Returns:
            Its folder; None when nothing is kept.

        Raises:
            NonFiniteLossError: a weight is infinite or not a number.
            OutputError: it cannot be written.
        """
        trainer = self._trainer
        if self.store is None:
            return None
        progress.average_updates = trainer.average.updates if trainer.average is not None else 0
        scalers = {step.phase.name: step.scaler.state_dict() for step in trainer.steps if step.scaler is not None}
        progress.scalers = {name: {**state, "scale": float(state["scale"][0])} for name, state in scalers.items()}
        optimizers = {phase.name: phase.optimizer for phase in trainer.phases}
        try:
            return self.store.save(
                progress, trainer.task.networks, optimizers, trainer.average, trainer.task.averaged
            )
        except NotFiniteError as error:
            rates = ", ".join(f"{phase.optimizer.get_lr():.4g}" for phase in trainer.phases)
            raise NonFiniteLossError(
                f"{error} after step {progress.step - 1} (learning rate {rates}); {self.last_good()}; "
                "lower the learning rate"
            ) from None

    def last_good(self) -> str:
        """Say which checkpoint is the newest."""
        newest = self.store.newest() if self.store is not None else None
        return f"the last good checkpoint is {newest}" if newest is not None else "no checkpoint was saved before"
