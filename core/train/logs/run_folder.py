"""The one folder that a run writes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import re
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional, Union

LOCK = "run.lock"
BEST, NEWEST = "best", "newest"
"""Links in a run's checkpoints to the best and to the newest of them."""

AVERAGED = "averaged"
"""The checkpoint that holds the mean of several."""


class OutputError(OSError):
    """The run's folder cannot be written; the message says what, and why."""


class LostFolderError(OutputError):
    """The run's folder was deleted while it was written."""


@contextlib.contextmanager
def writing(path: Union[str, os.PathLike[str]]) -> Iterator[None]:
    """Name what could not be written, when the system refuses it within the block.

    An error that a function of this project raises names its own file, which may be one that the block reads.

    Args:
        path: what the block writes.

    Raises:
        OutputError: for any OSError of the block.
    """
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        named = error.errno is None
        raise OutputError(str(error) if named else f"cannot write {os.fspath(path)!r}: {error.strerror}") from error


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
        self.profile = self.path / "profile.json"
        self._lock: Any = None
        self._descriptor = -1

    def __str__(self) -> str:
        return str(self.path)

    @classmethod
    def create(cls, path: Union[str, os.PathLike[str]]) -> RunFolder:
        """Make a folder for a new run, at ``path`` or, when runs are there already, at path-2, path-3 and so on.

        Args:
            path: where to write.

        Returns:
            The new folder, claimed for this process.

        Raises:
            OutputError: it cannot be made.
        """
        base = Path(path)
        try:
            base.parent.mkdir(parents=True, exist_ok=True)
            for number in itertools.count(1):
                candidate = base if number == 1 else base.with_name(f"{base.name}-{number}")
                with contextlib.suppress(FileExistsError):
                    candidate.mkdir()
                if candidate is base and not candidate.is_dir():  # a device, too: nothing is written beside those
                    raise FileExistsError(errno.EEXIST, "it is a file")
                if not candidate.is_dir() or any(entry.name != LOCK for entry in candidate.iterdir()):
                    continue
                folder = cls(candidate)
                with contextlib.suppress(BlockingIOError):  # another process made it at the same moment
                    folder.claim()
                    if all(entry.name == LOCK for entry in candidate.iterdir()):
                        return folder
                    folder.release()
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(
                f"cannot make a folder for the run at {str(base)!r}: {error.strerror}; choose another output folder"
            ) from None
        raise AssertionError("unreachable: itertools.count has no end")

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

    def find_checkpoint(self, which: str) -> Path:
        """Return a checkpoint of this run.

        Args:
            which: "best" (in a run of an earlier version that marked none, the newest), "newest", "averaged" where
                :mod:`core.train.checkpoints.averaging` wrote it, or a folder's name.

        Raises:
            FileNotFoundError: there is none.
        """
        steps = {path.name: path for path in sorted(self.checkpoints.glob("step_*")) if path.is_dir()}
        if not steps:
            raise FileNotFoundError(f"{str(self)!r} holds no checkpoint; train first")
        newest = next(reversed(list(steps.values())))
        best = self.checkpoints / BEST
        chosen = {BEST: best if best.exists() else newest, NEWEST: newest, **steps}
        if (self.checkpoints / AVERAGED).is_dir():
            chosen[AVERAGED] = self.checkpoints / AVERAGED
        if which not in chosen:
            raise FileNotFoundError(f"{str(self)!r} holds no checkpoint {which!r}; there are {', '.join(chosen)}")
        return chosen[which]

    def claim(self) -> None:
        """Keep other processes from writing into this folder, until :meth:`release` or the end of this process.

        Raises:
            BlockingIOError: another process writes into it; the message names it.
            OutputError: the folder cannot be written.
        """
        if self._lock is not None:
            return
        with writing(self.path):
            descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        lock = weakref.finalize(self, os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
            lock()
            raise BlockingIOError(
                errno.EWOULDBLOCK, f"another run (process {owner}) writes into {str(self.path)!r}; wait until it ends"
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):  # a file system without locks
                raise
        with writing(self.path / LOCK):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        self._lock, self._descriptor = lock, descriptor
        for leftover in self.path.glob(".*.tmp"):  # of a run that was killed while it wrote a file
            if leftover.is_file():
                leftover.unlink()

    def require(self) -> None:
        """Refuse to go on writing into a folder that was deleted since it was claimed.

        Raises:
            OutputError: it was; the message says so.
        """
        if self._lock is not None and os.fstat(self._descriptor).st_nlink == 0:
            raise LostFolderError(
                f"the run's folder {str(self.path)!r} was deleted during training, so nothing can be saved; train again"
            )

    def release(self) -> None:
        """Let other processes write into this folder."""
        if self._lock is not None:
            self._lock()
            self._lock = None
