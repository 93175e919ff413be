"""A trained run or an exported folder, ready to say when which action happens in videos, given as features."""

from __future__ import annotations

import abc
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Optional, Union

import numpy as np

import core
from core.jit.exported.file import PROGRAM_FILE
from core.train.checkpoints.store import load_network
from core.train.logs.class_names import read_class_names
from core.train.logs.run_folder import RunFolder
from core.train.runner.experiment import opens_exported
from PaddleVideo.config import TOOLKIT
from PaddleVideo.data.intervals.features import Features, read_features
from PaddleVideo.localization.steps import KINDS, Steps

Video = Union[str, "os.PathLike[str]", np.ndarray]
"""A file of features, ``NAME.npy`` or ``NAME.pkl``, or an array (steps, features)."""


@dataclasses.dataclass
class Interval:
    """When an action happens.

    Attributes:
        start: when it begins, seconds.
        end: when it ends, seconds.
        number: of its class.
        name: of its class; "action" where the network tells no classes apart.
        score: how sure the network is; of proposals no probability, only to be compared.
    """

    start: float
    end: float
    number: int
    name: str
    score: float


class Localizer(abc.ABC):
    """Features of videos to intervals; :func:`open_localizer` makes one.

    Attributes:
        path: the folder that it was made of.
        steps: what surrounds the network.
        class_names: the classes, in the order of their numbers.
    """

    path: Path
    steps: Steps
    class_names: Sequence[str]

    @abc.abstractmethod
    def outputs(self, features: np.ndarray) -> list[np.ndarray]:
        """Return the network's outputs for what :meth:`Steps.inputs` makes of one video, without batch axis."""

    def read(self, video: Video, duration: Optional[float] = None) -> tuple[np.ndarray, float]:
        """Return the features of a video, float32 (T, D), and its duration in seconds.

        Args:
            video: a file or an array.
            duration: seconds; None: the file says it.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it holds something else, or nobody says how long the video is.
        """
        if isinstance(video, np.ndarray):
            name, features = "the video", Features(video)
        else:
            name = repr(os.fspath(video))
            features = read_features(os.fspath(video), self.steps.features_first)
        seconds = features.duration if duration is None else duration
        if seconds is None:
            raise ValueError(f"{name} does not say how long the video is; give its duration in seconds (--duration)")
        if not 0 < seconds < float("inf"):
            raise ValueError(f"the duration of {name} must be more than 0 seconds, not {seconds}")
        return features.values, seconds

    def find(self, values: np.ndarray, duration: float, name: str = "the video") -> np.ndarray:
        """Return the intervals of a video, float64 (M, 4): class, score, begin and end in seconds.

        Args:
            values: features, (T, D).
            duration: seconds.
            name: of the video, for messages.

        Raises:
            ValueError: a step has another number of features than the network takes, or one is not finite.
        """
        return self.steps.found(self.outputs(self.steps.inputs(values, name)), duration)

    def predict(self, video: Video, duration: Optional[float] = None) -> list[Interval]:
        """Find the intervals of a video; of segments in the order of time, else the best first.

        Args:
            video: a file of features, or an array (steps, features).
            duration: seconds; None: the file says it.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: as of :meth:`read` and :meth:`find`.
        """
        values, seconds = self.read(video, duration)
        name = "the video" if isinstance(video, np.ndarray) else repr(os.fspath(video))
        return self.named(self.find(values, seconds, name))

    def named(self, found: np.ndarray) -> list[Interval]:
        """Return intervals with the names of their classes.

        Args:
            found: class, score, begin and end in seconds, (M, 4).
        """
        return [
            Interval(float(begin), float(end), int(kind), self.class_names[int(kind)], float(score))
            for kind, score, begin, end in found
        ]


class RunLocalizer(Localizer):
    """The network of a run in evaluation mode.

    Args:
        path: the run's folder.
        checkpoint: "best", "newest", or the name of a folder in the run's checkpoints.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
        ValueError: it is a run of another task.
    """

    def __init__(self, path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> None:
        self.folder = RunFolder.open(path)
        self.path = self.folder.path
        self.config = TOOLKIT.load(self.folder.config).continued()
        if self.config.task.name not in KINDS:
            raise ValueError(f"{str(self.path)!r} is a run of the task {self.config.task.name}, which has no intervals")
        task = TOOLKIT.build_task(self.config)
        load_network(self.folder.find_checkpoint(checkpoint), "model", task.network)
        task.eval_mode()
        self.steps = task.steps
        self.class_names = read_class_names(self.folder, 0)
        self.network = task.network

    def outputs(self, features: np.ndarray) -> list[np.ndarray]:
        """Return the network's outputs, without batch axis."""
        with core.no_grad():
            return self.steps.unbatched(self.network(core.to_tensor(features)))


class ExportedLocalizer(Localizer):
    """An exported folder that export.py wrote.

    Args:
        path: the folder.

    Raises:
        FileNotFoundError: it is no exported folder.
        ValueError: a file in it is damaged, or it is of another task.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = Path(path)
        self.predictor = core.jit.Predictor(path)
        stored, names = self.predictor.preprocessing, self.predictor.class_names
        settings = dict(stored) if isinstance(stored, dict) else {}
        kind = KINDS.get(str(settings.pop("task", "")))
        numbers = all(isinstance(value, (int, float)) and value > 0 for value in settings.values())
        if kind is None or names is None or not numbers:
            raise ValueError(f"{os.fspath(path)!r} was not exported from a run that finds intervals")
        try:
            self.steps = kind(**settings)
        except TypeError as error:
            raise ValueError(f"the preprocessing in {os.fspath(path)!r} cannot be built: {error}") from None
        self.class_names = names

    def outputs(self, features: np.ndarray) -> list[np.ndarray]:
        """Return the network's outputs, without batch axis."""
        return self.steps.unbatched(self.predictor.run(features))


def open_localizer(path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> Localizer:
    """Open the folder of a run, or an exported one.

    Args:
        path: the folder.
        checkpoint: which one of a run.

    Raises:
        FileNotFoundError: it is neither.
        ValueError: it is of another task.

    Example:
        >>> localizer = open_localizer("runs/moving_digits_ctcn")
        >>> for interval in localizer.predict("features/clip.pkl"):
        ...     print(f"{interval.start:.1f} - {interval.end:.1f} s: {interval.name}")
    """
    return ExportedLocalizer(path) if opens_exported(path, checkpoint) else RunLocalizer(path, checkpoint)


def finds_intervals(path: Union[str, os.PathLike[str]]) -> bool:
    """Whether a folder is of a run that finds intervals, or was exported from one, as far as its files say.

    Args:
        path: the folder.

    Raises:
        FileNotFoundError: it is neither of a run nor exported.
    """
    if opens_exported(path):
        program = (Path(path) / PROGRAM_FILE).read_bytes()
        return any(f'"{kind}"'.encode() in program for kind in KINDS)
    return TOOLKIT.load(RunFolder.open(path).config, quiet=True).task.name in KINDS


__all__ = ["ExportedLocalizer", "Interval", "Localizer", "RunLocalizer", "finds_intervals", "open_localizer"]
