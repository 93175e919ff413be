"""What all adversarial tasks share: data, networks, phases, and the sheets of pictures drawn while they train."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Union

import numpy as np

from core.io import DataLoader
from core.train.callback import Callback
from core.train.optimizers import OPTIMIZERS
from core.train.schedules import SCHEDULES
from core.train.task import Phase, Task
from core.vision.image import write_image
from PaddleGAN.config import DISCRIMINATORS, GENERATORS, DiscriminatorSection, GANConfig, GeneratorSection
from PaddleGAN.data.pipeline import build_dataset, build_loader

Player = Union[GeneratorSection, DiscriminatorSection]


class AdversarialTask(Task):
    """A task with generators, and discriminators that judge what these make.

    Args:
        config: the experiment.

    Attributes:
        generators: the names of the generators that the task trains.
        discriminators: the names of the discriminators that judge them.
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
        for kind, chosen, known in (
            ("generator", config.generator.network.name, self.generators),
            ("discriminator", config.discriminator.network.name, self.discriminators),
        ):
            if chosen not in known:
                raise ValueError(f"task.name: {config.task.name} trains the {kind}s {', '.join(known)}, not {chosen}")
        self.config = config
        self.networks = {}
        self.averaged: list[str] = []
        self._datasets: dict[str, Any] = {}

    # data

    @property
    def splits(self) -> list[str]:
        """The splits that the config has."""
        return [split for split in ("train", "valid", "test") if getattr(self.config.data, split) is not None]

    def dataset(self, split: str) -> Any:
        """Return a split's data set, read once.

        Raises:
            ValueError: the config has no such split.
            NotADirectoryError: there is no such folder.
        """
        if split not in self.splits:
            raise ValueError(f"data: the config has no split {split!r}; it has {', '.join(self.splits)}")
        if split not in self._datasets:
            root = self.config.data.root
            if root is not None and not Path(root).is_dir():
                raise NotADirectoryError(f"data.root: no folder {root!r}; say where the data is with --data FOLDER")
            self._datasets[split] = build_dataset(getattr(self.config.data, split), root)
        return self._datasets[split]

    def fields(self, split: str) -> Any:
        """Return the data set whose samples are the fields of a split's batches; a task may add fields."""
        return self.dataset(split)

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of a split; None when the config has none."""
        if split not in self.splits:
            return None
        section, data = getattr(self.config.data, split), self.config.data
        return build_loader(
            section, self.fields(split), self.config.seed, data.num_workers, keep_workers=split == "train"
        )

    # networks

    def add_generator(self, name: str = "generator", **provided: Any) -> Any:
        """Build the generator that the config asks for, and note it under a name; a task may have several.

        Args:
            name: of its file in a checkpoint.
            **provided: what of its arguments follows from the data.
        """
        self.averaged.append(name)
        return self._add(name, GENERATORS, "generator", provided)

    def add_discriminator(self, name: str = "discriminator", **provided: Any) -> Any:
        """Build the discriminator that the config asks for, likewise."""
        return self._add(name, DISCRIMINATORS, "discriminator", provided)

    def _add(self, name: str, table: Any, player: str, provided: Mapping[str, Any]) -> Any:
        chosen = getattr(self.config, player).network
        twice = sorted(set(chosen.arguments) & set(provided))
        if twice:
            raise ValueError(
                f"{player}.network.{twice[0]} follows from the data, as {provided[twice[0]]}; leave it out"
            )
        try:
            self.networks[name] = table.build(chosen, **provided)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{player}.network: {error}") from None
        return self.networks[name]

    def phase(
        self,
        name: str,
        loss: Callable[..., tuple[Any, Mapping[str, Any]]],
        networks: Sequence[str],
        player: Player,
        steps_per_epoch: int,
        epochs: int,
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
                f"{steps_per_epoch}: it would starve; choose a ratio from 1 to {steps_per_epoch}, or smaller batches"
            )
        parameters = [
            parameter
            for network in networks
            for parameter in self.networks[network].parameters()
            if not parameter.stop_gradient
        ]
        schedule = SCHEDULES.build(player.schedule, steps_per_epoch=-(-steps_per_epoch // period), epochs=epochs)
        optimizer = OPTIMIZERS.build(player.optimizer, learning_rate=schedule, parameters=parameters)
        return Phase(name, loss, parameters, optimizer, schedule, period, **further)

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
        """Return lines that say what is learnt on."""
        counts = ", ".join(f"{len(self.dataset(split)):,} {split}" for split in self.splits)
        return [f"data: {counts} ({self.config.data.train.dataset.name})"]

    def needs(self, mode: str) -> str:
        """Return what a command line of infer.py needs behind the run's folder, with a space in front, or nothing."""
        return ""

    def remarks(self) -> list[str]:
        """Return lines that say how the numbers of an evaluation came about, as by which features."""
        return []

    def export(self, target: Path) -> str:
        """Write the inference program of the generator, and return what it takes and gives."""
        raise NotImplementedError


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
        if epoch % self.task.config.samples.every == 0 or epoch == trainer.options.epochs:
            self._write(trainer, f"epoch_{epoch:04d}")

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
