"""What all adversarial tasks share: data, networks, phases, and the sheets of pictures drawn while they train."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Union

import numpy as np

from core.train.callback import Callback
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import Suggestion, ToolkitTask
from core.train.task import Phase
from core.vision.image import write_image
from PaddleGAN.config import DiscriminatorSection, GANConfig, GeneratorSection
from PaddleGAN.models.registry import DISCRIMINATOR_NETWORKS, GENERATOR_NETWORKS

Player = Union[GeneratorSection, DiscriminatorSection]


class AdversarialTask(ToolkitTask):
    """A task with generators, and discriminators, if any, that judge what these make.

    Args:
        config: the experiment.

    Attributes:
        generators: the names of the generators that the task trains.
        discriminators: the names of the discriminators that judge them; none where distances alone teach.
        modes: what infer.py can do with the trained generator; each is a method.
        networks: all networks, by name.
        averaged: the names of the generators among them, which ``train.ema`` follows.
    """

    generators: Sequence[str] = ()
    discriminators: Sequence[str] = ()
    modes: Sequence[str] = ()
    monitor = "fid"
    higher_is_better = False

    def __init__(self, config: GANConfig) -> None:
        players: tuple[tuple[str, Optional[Player], Sequence[str]], ...] = (
            ("generator", config.generator, self.generators),
            ("discriminator", config.discriminator, self.discriminators),
        )
        for kind, player, known in players:
            if player is None and known:
                raise ValueError(f"{kind}: {config.task.name} needs one of {', '.join(known)}; add the section")
            if player is not None and not known:
                raise ValueError(f"{kind}: {config.task.name} has none; leave the section out")
            if player is not None and player.network.name not in known:
                chosen = player.network.name
                raise ValueError(f"task.name: {config.task.name} trains the {kind}s {', '.join(known)}, not {chosen}")
        super().__init__(config)
        self.averaged: list[str] = []

    @property
    def calibration(self) -> str:
        """The split on which an export in 8 bits is calibrated: for validation, where there is one, else what is
        evaluated, which has the noise that generators take."""
        return "valid" if "valid" in self.splits else "test"

    # networks

    def add_generator(self, name: str = "generator", **provided: Any) -> Any:
        """Build the generator that the config asks for, and note it under a name; a task may have several.

        Args:
            name: of its file in a checkpoint.
            **provided: what of its arguments follows from the data.
        """
        self.averaged.append(name)
        return self.add_network(
            name, GENERATOR_NETWORKS, self.config.generator.network, "generator.network", **provided
        )

    def add_discriminator(self, name: str = "discriminator", **provided: Any) -> Any:
        """Build the discriminator that the config asks for, likewise."""
        chosen = self.config.discriminator.network
        return self.add_network(name, DISCRIMINATOR_NETWORKS, chosen, "discriminator.network", **provided)

    def phase(
        self,
        name: str,
        loss: Callable[..., tuple[Any, Mapping[str, Any]]],
        networks: Sequence[str],
        player: Player,
        steps_per_epoch: int,
        epochs: float,
        period: int = 1,
        **further: Any,
    ) -> Phase:
        """Return a phase that trains networks with the optimizer and schedule of a section.

        Args:
            name: of the phase.
            loss: of a batch's fields.
            networks: the names of the networks that it moves.
            player: the section of the config.
            steps_per_epoch: as the Trainer gives it.
            epochs: likewise.
            period: the phase runs at every period-th step.
            **further: of :class:`core.train.Phase`.

        Raises:
            ValueError: the phase would run less than once an epoch, so that its networks starve.
        """
        if not 1 <= period <= steps_per_epoch:
            raise ValueError(
                f"task: the {' and '.join(networks)} would learn once in {period} steps, and an epoch has "
                f"{steps_per_epoch}: it would not be trained; choose a ratio from 1 to {steps_per_epoch}, or "
                "smaller batches"
            )
        prefix = "generator." if player is self.config.generator else "discriminator."
        learning = self.learning(player, networks, -(-steps_per_epoch // period), epochs, prefix)
        return Phase(name, loss, *learning, period, **further)

    # pictures

    def callbacks(self) -> list[Callback]:
        """Return what writes the sheets."""
        return [SampleSheets(self)]

    def sheet(self) -> np.ndarray:
        """Return the picture that shows how far training is, from the same noise or images each time.

        Returns:
            uint8 (height, width, 3).
        """
        raise NotImplementedError

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        (line,) = super().facts()
        return [f"{line} ({self.config.data.train.dataset.name})"]

    def pictures(self) -> list[str]:
        """Return where the sheets are."""
        return ["samples"]

    def suggestions(self) -> list[Suggestion]:
        """Return the modes of infer.py."""
        return [Suggestion("infer", self.needs(mode).strip(), "draw", mode) for mode in self.modes]

    def diverged(self, folder: RunFolder) -> str:
        """Write the sheet of the moment, and say where it is."""
        sheet = samples_folder(folder) / "diverged.png"
        write_sheet(self, sheet)
        return f"{sheet} shows the samples of this moment"

    def needs(self, mode: str) -> str:
        """Return what a command line of infer.py needs behind the run's folder, with a space in front, or nothing."""
        return ""


class SampleSheets(Callback):
    """Writes the task's sheet to RUN/samples before training and after every few epochs, from the averaged weights.

    Args:
        task: draws it.
    """

    def __init__(self, task: AdversarialTask) -> None:
        self.task = task

    def on_train_begin(self, trainer: Any) -> None:
        """Write the sheet of the untrained generator."""
        if trainer.progress.step == 0:
            self._write(trainer, "epoch_0000")

    def on_epoch_end(self, trainer: Any, values: Mapping[str, float]) -> None:
        """Write the sheet of this epoch, if it is its turn."""
        epoch = trainer.progress.epoch
        if epoch % self.task.config.samples.every == 0:
            self._write(trainer, f"epoch_{epoch:04d}")

    def on_train_end(self, trainer: Any) -> None:
        """Write the last sheet, if its epoch had none."""
        name = f"epoch_{trainer.progress.epoch:04d}"
        if trainer.folder is not None and not (samples_folder(trainer.folder) / f"{name}.png").exists():
            self._write(trainer, name)

    def _write(self, trainer: Any, name: str) -> None:
        if trainer.folder is None:
            return
        with trainer.average.apply() if trainer.average is not None else contextlib.nullcontext():
            write_sheet(self.task, samples_folder(trainer.folder) / f"{name}.png")


def samples_folder(folder: Any) -> Path:
    """Return where a run's sheets are."""
    return Path(folder.path) / "samples"


def write_sheet(task: AdversarialTask, path: Path) -> None:
    """Write a task's sheet, drawn in evaluation mode.

    Args:
        task: draws it.
        path: a .png.
    """
    import core

    task.eval_mode()
    try:
        with core.no_grad():
            write_image(path, task.sheet())
    finally:
        task.train_mode()
