"""The one folder that a run writes."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Optional, Union


class RunFolder:
    """Names of the files of a run.

    Args:
        path: the folder, which exists.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = Path(path)
        self.config = self.path / "config.yaml"
        self.metrics = self.path / "metrics.jsonl"
        self.tensorboard = self.path / "tensorboard"
        self.checkpoints = self.path / "checkpoints"
        self.curve = self.path / "learning_curve.png"
        self.results = self.path / "results.json"

    def __str__(self) -> str:
        return str(self.path)

    @classmethod
    def create(cls, path: Union[str, os.PathLike[str]]) -> RunFolder:
        """Make a folder for a new run, at ``path`` or, when runs stand there already, at path-2, path-3 and so on.

        Args:
            path: where to write.

        Returns:
            The new, empty folder.
        """
        base = Path(path)
        base.parent.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            candidate = base if number == 1 else base.with_name(f"{base.name}-{number}")
            try:
                candidate.mkdir()
            except FileExistsError:
                if candidate.is_dir() and not any(candidate.iterdir()):
                    return cls(candidate)
                continue
            return cls(candidate)
        raise AssertionError("itertools.count ends never")

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]]) -> RunFolder:
        """Open the folder of an earlier run.

        Args:
            path: the folder.

        Returns:
            The folder.

        Raises:
            FileNotFoundError: it is no run's folder.
        """
        folder = cls(path)
        if not folder.config.is_file():
            raise FileNotFoundError(f"{os.fspath(path)!r} is not the folder of a run: it has no config.yaml")
        return folder

    @classmethod
    def newest(cls, path: Union[str, os.PathLike[str]]) -> Optional[RunFolder]:
        """Return the last of the runs that :meth:`create` made for ``path``; None when there is none."""
        base = Path(path)
        pattern = re.compile(re.escape(base.name) + r"(?:-(\d+))?")
        found = []
        for candidate in base.parent.glob(f"{base.name}*"):
            match = pattern.fullmatch(candidate.name)
            if match and (candidate / "config.yaml").is_file():
                found.append((int(match.group(1) or 1), candidate))
        return cls(max(found)[1]) if found else None
