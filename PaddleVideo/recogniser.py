"""A trained run or an exported folder, ready to recognise actions in videos."""

from __future__ import annotations

import abc
import collections
import dataclasses
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from scipy.special import softmax

import core
from core.jit.exported.paths import path_text
from core.train.logs.class_names import read_class_names
from core.train.runner.experiment import opens_exported
from core.train.runner.preprocessing import stored_transforms
from core.train.runner.trained import TrainedNetwork
from core.vision.video import MAXIMUM_FRAMES, USUAL_RATE, camera_frames
from PaddleVideo.config import TOOLKIT
from PaddleVideo.data.pipeline import TRANSFORMS, SplitSection
from PaddleVideo.data.sources import ArrayFrames, FileFrames, FrameSource

Video = Union[str, "os.PathLike[str]", np.ndarray, FrameSource]
"""A video file or its URL; frames, uint8 (T, H, W, 3); or where frames come from."""


@dataclasses.dataclass
class Action:
    """The best classes of a part of a video.

    Attributes:
        start: where the part begins, seconds.
        end: where it ends, seconds.
        classes: class numbers, best first.
        names: their names.
        probabilities: their probabilities.
    """

    start: float
    end: float
    classes: list[int]
    names: list[str]
    probabilities: list[float]


class ActionRecogniser(abc.ABC):
    """Videos to actions: choice of frames, preprocessing, a network, class names; :func:`open_recogniser` makes one.

    Attributes:
        path: the folder that it was made of.
        transform: what turns (frames to choose from, -1) into the network's input, (T, C, H, W) or several views.
        class_names: the classes, in the order of their numbers.
    """

    path: Path
    transform: Any
    class_names: Sequence[str]

    @abc.abstractmethod
    def logits(self, clips: np.ndarray) -> np.ndarray:
        """Return the network's outputs, (N, classes), for prepared clips, float32 (N, T, C, H, W)."""

    def predict(self, video: Video, top: int = 5, color: str = "rgb") -> Action:
        """Recognise the action of a whole video.

        Args:
            video: a file or its URL, frames, or where they come from.
            top: how many classes to return.
            color: of frames: "rgb", or "bgr" for those of OpenCV.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is damaged, or the frames are of another shape or type; or ``color`` is unknown.
        """
        source = frames_of(video, color)
        return self._best(self.probabilities(source), 0.0, source.count / source.frames_per_second, top)

    def watch(
        self,
        frames: Union[Video, int, Iterable[np.ndarray]],
        seconds: float = 2.0,
        step: Optional[float] = None,
        frames_per_second: float = USUAL_RATE,
        top: int = 5,
        color: str = "rgb",
    ) -> Iterator[Action]:
        """Recognise actions as time goes on; only the frames of one window are in memory.

        Args:
            frames: a file or its URL, frames, the number of a camera, or an iterable of frames, uint8 (H, W, 3).
            seconds: the length of a window; each is recognised on its own.
            step: seconds from one window to the next; None: windows follow each other.
            frames_per_second: of an iterable, or a camera.
            top: how many classes to return.
            color: of frames: "rgb" or "bgr".

        Yields:
            The best classes of each window; where frames are left at the end, of a last one that ends with them.

        Raises:
            ValueError: a window or a step would hold no frame, or too many.
        """
        stream, rate = frames_in_order(frames, frames_per_second, color)
        length, pace = (count * rate for count in (seconds, seconds if step is None else step))
        if not (0.5 <= length <= MAXIMUM_FRAMES and 0.5 <= pace <= MAXIMUM_FRAMES):
            text = f"of {seconds} s" if step is None else f"of {seconds} s every {step} s"
            raise ValueError(
                f"windows {text} have no frame, or more than {MAXIMUM_FRAMES}, at {rate:g} frames a second"
            )
        length, pace = max(round(length), 1), max(round(pace), 1)
        window: collections.deque[np.ndarray] = collections.deque(maxlen=length)
        number, unseen = 0, 0
        for number, frame in enumerate(stream, start=1):
            if window and np.shape(frame) != np.shape(window[-1]):
                shapes = f"{np.shape(frame)}, the one before of {np.shape(window[-1])}"
                raise ValueError(f"frame {number} is of shape {shapes}; give frames of one size")
            window.append(frame)
            unseen += 1
            if len(window) == length and (number - length) % pace == 0:
                unseen = 0
                yield self._window(window, number, rate, top)
        if unseen:
            yield self._window(window, number, rate, top)

    def _window(self, window: Iterable[np.ndarray], end: int, rate: float, top: int) -> Action:
        source = ArrayFrames(np.stack(list(window)), rate)
        return self._best(self.probabilities(source), (end - source.count) / rate, end / rate, top)

    def probabilities(self, source: FrameSource) -> np.ndarray:
        """Return the probabilities of the classes, float32 (classes,); the mean of the views, where there are several.

        Args:
            source: the frames.
        """
        clips = np.asarray(self.transform((source, -1))[0], np.float32)
        return softmax(self.logits(clips if clips.ndim == 5 else clips[None]), axis=-1).mean(axis=0)

    def _best(self, probabilities: np.ndarray, start: float, end: float, top: int) -> Action:
        if not isinstance(top, int) or top < 1:
            raise ValueError(f"top must be a positive whole number, not {top!r}")
        best = np.argsort(-probabilities, kind="stable")[:top].tolist()
        names = [self.class_names[number] for number in best]
        return Action(start, end, best, names, [float(probabilities[number]) for number in best])


def frames_of(video: Video, color: str = "rgb") -> FrameSource:
    """Return where the frames of a video come from.

    Args:
        video: a file, frames, or where they come from.
        color: of frames: "rgb" or "bgr".

    Raises:
        OSError: the file cannot be read.
        TypeError: it is none of these.
        ValueError: it is damaged, or the frames are of another shape or type; or ``color`` is unknown.
    """
    if color not in ("rgb", "bgr"):
        raise ValueError(f"color must be 'rgb' or 'bgr', not {color!r}")
    if isinstance(video, FrameSource):
        return video
    if isinstance(video, np.ndarray):
        return ArrayFrames(video[..., ::-1] if color == "bgr" else video)
    kinds = "a path, a URL, or frames uint8 (frames, height, width, 3) in one array"
    return FileFrames(path_text(video, "a video", kinds))


def frames_in_order(
    frames: Union[Video, int, Iterable[np.ndarray]], frames_per_second: float, color: str
) -> tuple[Iterable[np.ndarray], float]:
    """Return frames one after another, RGB, and how fast they follow each other.

    Args:
        frames: a file, frames, where they come from, the number of a camera, or an iterable of frames.
        frames_per_second: of an iterable, or a camera.
        color: of frames: "rgb" or "bgr".
    """
    if isinstance(frames, (str, os.PathLike)):
        frames = FileFrames(os.fspath(frames))
    if isinstance(frames, FileFrames):
        return frames, frames.frames_per_second
    if isinstance(frames, int):
        return camera_frames(frames), frames_per_second
    if isinstance(frames, (np.ndarray, FrameSource)):
        known = frames_of(frames, color)
        return (known.read(np.array(number)) for number in range(known.count)), known.frames_per_second
    if color not in ("rgb", "bgr"):
        raise ValueError(f"color must be 'rgb' or 'bgr', not {color!r}")
    return (frame[..., ::-1] if color == "bgr" else frame for frame in frames), frames_per_second


class Recogniser(TrainedNetwork, ActionRecogniser):
    """The network of a run in evaluation mode, with its preprocessing and class names.

    Args:
        path: the run's folder.
        checkpoint: "best", "newest", or the name of a folder in the run's checkpoints.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
        ValueError: it is a run of another task.
    """

    def __init__(self, path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> None:
        super().__init__(TOOLKIT, path, checkpoint)
        if self.config.task.name != "Recognition":
            raise ValueError(f"{str(self.path)!r} is a run of the task {self.config.task.name}, which takes no videos")
        self.class_names = read_class_names(self.folder, self.config.class_num)
        self.transform = self.section.build_transform()

    def logits(self, clips: np.ndarray) -> np.ndarray:
        """Return the network's outputs, (N, classes)."""
        with core.no_grad():
            found: np.ndarray = self.forward(core.to_tensor(clips)).numpy()
        return found


class ExportedRecogniser(ActionRecogniser):
    """An exported folder that export.py wrote.

    Args:
        path: the folder.

    Raises:
        FileNotFoundError: it is no exported folder.
        ValueError: a file in it is damaged, or it holds no preprocessing of clips.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = Path(path)
        self.predictor = core.jit.Predictor(path)
        stored = {"transforms": self.predictor.preprocessing} if self.predictor.class_names else None
        parts = stored_transforms(path, "PaddleVideo", stored, {"transforms": TRANSFORMS})
        self.transform = SplitSection.composed(parts["transforms"])
        self.class_names = self.predictor.class_names or []

    def logits(self, clips: np.ndarray) -> np.ndarray:
        """Return the network's outputs, (N, classes)."""
        return np.asarray(self.predictor.run(clips))


def open_recogniser(path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> ActionRecogniser:
    """Open the folder of a run, or an exported one.

    Args:
        path: the folder.
        checkpoint: which one of a run.

    Raises:
        FileNotFoundError: it is neither.
    """
    return ExportedRecogniser(path) if opens_exported(path, checkpoint) else Recogniser(path, checkpoint)
