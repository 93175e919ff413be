"""Checkpoints: folders that are whole or not there; the newest k and the best are kept."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

import core
from core.weights.atomic import synchronise_directory

FORMAT = 1


@dataclasses.dataclass
class Progress:
    """Everything besides weights and optimizer states on which the next step depends.

    Attributes:
        seed: the run's seed.
        epoch: epochs completed.
        step_in_epoch: steps made in the current epoch.
        step: steps made in all.
        best: the best value of the monitored number; None before the first evaluation.
        best_epoch: after which epoch it came.
        evaluations_without_improvement: evaluations since then.
        seconds: training time spent.
        threads: of the engine; other counts give other rounding.
    """

    seed: int = 0
    epoch: int = 0
    step_in_epoch: int = 0
    step: int = 0
    best: Optional[float] = None
    best_epoch: int = 0
    evaluations_without_improvement: int = 0
    seconds: float = 0.0
    threads: Optional[int] = None


class CheckpointStore:
    """The checkpoints of one run.

    A checkpoint is a folder step_00000240 with one .pdparams per network, one .pdopt per phase, names.json (which
    parameter the .pdopt files call how) and progress.json. The link ``best`` points to the best one.

    Args:
        directory: where they are; made when missing.
        keep: how many of the newest to keep, beside the best.
    """

    def __init__(self, directory: Union[str, os.PathLike[str]], keep: int = 2) -> None:
        self.directory = Path(directory)
        self.keep = keep
        self.directory.mkdir(parents=True, exist_ok=True)
        for leftover in self.directory.glob(".*.tmp"):
            _remove(leftover)

    def save(
        self, progress: Progress, networks: Mapping[str, Any], optimizers: Mapping[str, Any], is_best: bool = False
    ) -> Path:
        """Write a checkpoint, unless there is one of this step already, and delete those no longer kept.

        Args:
            progress: where training stands.
            networks: the networks, by name.
            optimizers: the phases' optimizers, by phase.
            is_best: whether to point ``best`` here.

        Returns:
            The checkpoint's folder.
        """
        target = self.directory / f"step_{progress.step:08d}"
        if not target.exists():
            temporary = self.directory / f".{target.name}.{uuid.uuid4().hex[:8]}.tmp"
            temporary.mkdir()
            for name, network in networks.items():
                core.save(network.state_dict(), str(temporary / f"{name}.pdparams"))
            for name, optimizer in optimizers.items():
                core.save(optimizer.state_dict(), str(temporary / f"{name}.pdopt"))
            (temporary / "names.json").write_text(json.dumps(parameter_names(networks), indent=1), encoding="utf-8")
            text = json.dumps({"format": FORMAT, **dataclasses.asdict(progress)}, indent=1)
            (temporary / "progress.json").write_text(text, encoding="utf-8")
            for file in temporary.iterdir():
                with open(file, "rb") as stream:
                    os.fsync(stream.fileno())
            synchronise_directory(temporary)
            os.rename(temporary, target)
            synchronise_directory(self.directory)
        if is_best:
            link = self.directory / f".best.{uuid.uuid4().hex[:8]}.tmp"
            link.symlink_to(target.name)
            os.replace(link, self.directory / "best")
        self._delete_old()
        return target

    def all(self) -> list[Path]:
        """Return the checkpoints, oldest first."""
        return sorted(path for path in self.directory.glob("step_*") if (path / "progress.json").is_file())

    def newest(self) -> Optional[Path]:
        """Return the newest checkpoint, or None."""
        found = self.all()
        return found[-1] if found else None

    def best(self) -> Optional[Path]:
        """Return the best checkpoint, or None when none was marked."""
        link = self.directory / "best"
        return self.directory / os.readlink(link) if link.is_symlink() and link.exists() else None

    def _delete_old(self) -> None:
        best = self.best()
        for path in self.all()[: -self.keep]:
            if path != best:
                _remove(path)


def load_progress(checkpoint: Path) -> Progress:
    """Read where training stood.

    Args:
        checkpoint: a checkpoint's folder.

    Returns:
        The progress.

    Raises:
        FileNotFoundError: it is no checkpoint.
        ValueError: it was written by a later version.
    """
    file = checkpoint / "progress.json"
    if not file.is_file():
        raise FileNotFoundError(f"{str(checkpoint)!r} is not a checkpoint: it has no progress.json")
    values = json.loads(file.read_text(encoding="utf-8"))
    version = values.pop("format", None)
    if version != FORMAT:
        raise ValueError(f"checkpoint {str(checkpoint)!r} has format {version!r}; this version reads format {FORMAT}")
    return Progress(**values)


def load_network(checkpoint: Path, name: str, network: Any) -> None:
    """Load a network's weights; every parameter and buffer must be there and fit.

    Args:
        checkpoint: a checkpoint's folder.
        name: the network's name.
        network: the Layer.

    Raises:
        FileNotFoundError: the checkpoint holds no such network.
        ValueError: names or shapes differ.
    """
    file = checkpoint / f"{name}.pdparams"
    if not file.is_file():
        raise FileNotFoundError(f"no weights file {str(file)!r}")
    state = core.load(str(file))
    wanted = network.state_dict()
    missing, unexpected = sorted(set(wanted) - set(state)), sorted(set(state) - set(wanted))
    if missing or unexpected:
        kind, key = ("lacks", missing[0]) if missing else ("has the unknown", unexpected[0])
        count = len(missing) + len(unexpected)
        raise ValueError(f"{str(file)!r} does not fit the network: it {kind} entry {key!r} ({count} such entries)")
    for key, value in state.items():
        if list(value.shape) != list(wanted[key].shape):
            raise ValueError(
                f"{str(file)!r} does not fit the network: {key!r} has shape {list(value.shape)}, "
                f"the network needs {list(wanted[key].shape)}"
            )
    network.set_state_dict(state)


def load_optimizer(checkpoint: Path, name: str, optimizer: Any, networks: Mapping[str, Any]) -> None:
    """Load the state of a phase's optimizer.

    Its entries are named after parameters' global names, which count the layers that a process has made; they are
    translated to the names of this process.

    Args:
        checkpoint: a checkpoint's folder.
        name: the phase's name.
        optimizer: the optimizer.
        networks: the networks, by name.

    Raises:
        FileNotFoundError: the checkpoint holds no such state.
    """
    file = checkpoint / f"{name}.pdopt"
    if not file.is_file():
        raise FileNotFoundError(f"no optimizer state {str(file)!r}")
    before = json.loads((checkpoint / "names.json").read_text(encoding="utf-8"))
    now = parameter_names(networks)
    translation = {before[key]: now[key] for key in before if key in now}
    optimizer.set_state_dict(_renamed(core.load(str(file)), translation))


def parameter_names(networks: Mapping[str, Any]) -> dict[str, str]:
    """Return the global name of every parameter, by its path "network/structured name".

    Args:
        networks: the networks, by name.
    """
    return {
        f"{name}/{path}": parameter.name
        for name, network in networks.items()
        for path, parameter in network.named_parameters()
    }


def _renamed(state: dict[str, Any], translation: Mapping[str, str]) -> dict[str, Any]:
    """Rename entries "<parameter>" and "<parameter>_<what>", in nested dicts too."""
    renamed = {}
    for key, value in state.items():
        owners = [old for old in translation if key == old or key.startswith(f"{old}_")]
        owner = max(owners, key=len, default=None)
        new_key = key if owner is None else translation[owner] + key[len(owner) :]
        renamed[new_key] = _renamed(value, translation) if isinstance(value, dict) else value
    return renamed


def _remove(path: Path) -> None:
    """Delete a file, link or folder so that at no instant a half-deleted checkpoint has a checkpoint's name."""
    if path.is_symlink() or path.is_file():
        path.unlink()
        return
    if not path.name.endswith(".tmp"):
        path = path.rename(path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp"))
    shutil.rmtree(path)
