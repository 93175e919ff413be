"""Checkpoints: folders that are whole or not there; the newest k and the best are kept."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import uuid
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from core.train.checkpoints.callback_states import split_arrays, write_callback_arrays
from core.train.checkpoints.progress import FORMAT, Progress, load_progress
from core.train.checkpoints.state_files import (
    NotFiniteError,
    network_file,
    read_network,
    read_optimizer,
    trained_file,
    write_network,
    write_optimizer,
)
from core.train.logs.run_folder import BEST, NEWEST, writing
from core.weights.atomic import synchronise_directory

__all__ = ["CheckpointStore", "NotFiniteError", "Progress", "load_network", "load_optimizer", "load_progress"]

REPLACED = ".replaced"


class CheckpointStore:
    """The checkpoints of one run.

    A checkpoint is a folder step_00000240 with each network's weights, each phase's optimizer, the arrays of callbacks'
    states, and progress.json; see :mod:`core.train.checkpoints.state_files`. After every save the link ``newest``
    points to what was saved, and ``best`` to the best one: the newest, as long as no evaluation has told them apart.

    Args:
        directory: where they are; made when the first is saved.
        keep: how many of the newest to keep, beside the best.
    """

    def __init__(self, directory: Union[str, os.PathLike[str]], keep: int = 2) -> None:
        self.directory = Path(directory)
        self.keep = keep

    def clean(self) -> None:
        """Delete what a killed process left half-written; only for the process that writes here."""
        for replaced in self.directory.glob(f".*{REPLACED}"):
            target = self.directory / replaced.name[1 : -len(REPLACED)]
            if target.exists():
                shutil.rmtree(replaced)
            else:  # killed between the two renames
                os.rename(replaced, target)
        for leftover in self.directory.glob(".*.tmp"):
            _remove(leftover)

    def save(
        self,
        progress: Progress,
        networks: Mapping[str, Any],
        optimizers: Mapping[str, Any],
        average: Optional[Any] = None,
        averaged: Optional[Sequence[str]] = None,
    ) -> Path:
        """Write a checkpoint, unless there is the very same already, and delete those no longer kept.

        Args:
            progress: how far training is; says whether this is the best checkpoint so far, too.
            networks: the networks, by name.
            optimizers: the phases' optimizers, by phase.
            average: an ExponentialMovingAverage of networks' weights, which are then saved twice.
            averaged: the names of these networks; None: all.

        Returns:
            The checkpoint's folder.

        Raises:
            OutputError: it cannot be written; earlier checkpoints are as they were.
            NotFiniteError: a weight is infinite or not a number; nothing was written.
        """
        target = self.directory / f"step_{progress.step:08d}"
        with writing(target):
            self.directory.mkdir(parents=True, exist_ok=True)
            if not target.exists() or not _holds(target, progress):
                twice = set() if average is None else set(networks if averaged is None else averaged)
                self._write(target, progress, networks, optimizers, average, twice)
            self.mark(target, progress.is_best)
            self.prune()
        return target

    def _write(
        self,
        target: Path,
        progress: Progress,
        networks: Mapping[str, Any],
        optimizers: Mapping[str, Any],
        average: Optional[Any],
        twice: Collection[str],
    ) -> None:
        temporary = self.directory / f".{target.name}.{uuid.uuid4().hex[:8]}.tmp"
        try:
            temporary.mkdir()
            for name, network in networks.items():
                write_network(network, (trained_file if name in twice else network_file)(temporary, name))
            if average is not None:
                with average.apply():
                    for name in twice:
                        write_network(networks[name], network_file(temporary, name))
            for name, optimizer in optimizers.items():
                write_optimizer(temporary, name, optimizer, networks)
            callbacks, arrays = split_arrays(progress.callbacks)
            write_callback_arrays(temporary, arrays)
            plain = dataclasses.asdict(dataclasses.replace(progress, callbacks=callbacks))
            with open(temporary / "progress.json", "w", encoding="utf-8") as stream:
                stream.write(json.dumps({"format": FORMAT, **plain}, indent=1))
                stream.flush()
                os.fsync(stream.fileno())
            synchronise_directory(temporary)
            replaced = self.directory / f".{target.name}{REPLACED}"
            if target.exists():  # of this step, but of an earlier moment, as before an evaluation
                os.rename(target, replaced)
            os.rename(temporary, target)
            if replaced.exists():
                shutil.rmtree(replaced)
        except BaseException:
            with contextlib.suppress(OSError):
                shutil.rmtree(temporary)
            raise
        synchronise_directory(self.directory)

    def mark(self, checkpoint: Path, is_best: bool) -> None:
        """Point ``newest``, and perhaps ``best``, to a checkpoint; each changes at one instant.

        Args:
            checkpoint: its folder.
            is_best: whether it is the best, too.
        """
        for name in (NEWEST, BEST) if is_best else (NEWEST,):
            link = self.directory / f".{name}.{uuid.uuid4().hex[:8]}.tmp"
            link.symlink_to(checkpoint.name)
            os.replace(link, self.directory / name)

    def all(self) -> list[Path]:
        """Return the checkpoints, oldest first."""
        return sorted(path for path in self.directory.glob("step_*") if (path / "progress.json").is_file())

    def newest(self) -> Optional[Path]:
        """Return the newest checkpoint, or None."""
        found = self.all()
        return found[-1] if found else None

    def best(self) -> Optional[Path]:
        """Return the best checkpoint, or None when none was marked."""
        link = self.directory / BEST
        return self.directory / os.readlink(link) if link.is_symlink() and link.exists() else None

    def prune(self) -> None:
        """Delete the checkpoints that are no longer kept."""
        best = self.best()
        for path in self.all()[: -self.keep]:
            if path != best:
                _remove(path)


def load_network(checkpoint: Path, name: str, network: Any, trained: bool = False) -> None:
    """Load a network's weights; every parameter and buffer must be there and fit.

    Args:
        checkpoint: a checkpoint's folder.
        name: the network's name.
        network: the Layer.
        trained: where the checkpoint has a moving average of the weights too, take the weights as they were trained,
            to continue training; else the average, to predict.

    Raises:
        FileNotFoundError: the checkpoint holds no such network.
        ValueError: names or shapes differ.
    """
    as_trained = trained_file(checkpoint, name)
    read_network(as_trained if trained and as_trained.is_file() else network_file(checkpoint, name), network)


def load_optimizer(checkpoint: Path, name: str, optimizer: Any, networks: Mapping[str, Any]) -> None:
    """Load the state of a phase's optimizer.

    Args:
        checkpoint: a checkpoint's folder.
        name: the phase's name.
        optimizer: the optimizer.
        networks: the networks, by name.

    Raises:
        FileNotFoundError: the checkpoint holds no such state.
    """
    read_optimizer(checkpoint, name, optimizer, networks)


def _holds(checkpoint: Path, progress: Progress) -> bool:
    """Return whether a checkpoint is one of this very progress."""
    saved = load_progress(checkpoint)
    (one, these), (other, those) = split_arrays(saved.callbacks), split_arrays(progress.callbacks)
    alike = dataclasses.replace(saved, callbacks=one) == dataclasses.replace(progress, callbacks=other)
    return alike and these.keys() == those.keys() and all(np.array_equal(these[key], those[key]) for key in these)


def _remove(path: Path) -> None:
    """Delete a file, link or folder so that at no instant a half-deleted checkpoint has a checkpoint's name."""
    if path.is_symlink() or path.is_file():
        path.unlink()
        return
    if not path.name.endswith(".tmp"):
        path = path.rename(path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp"))
    shutil.rmtree(path)
