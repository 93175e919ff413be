"""Where frames come from: arrays, video files, folders of pictures, pictures in memory; chosen ones are decoded."""

from __future__ import annotations

import abc
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence

import numpy as np

from core.io.files import is_url, read_bytes
from core.vision.decoding import decode_image
from core.vision.image import read_image
from core.vision.video import USUAL_RATE
from core.vision.video_frames import VideoFrames


class FrameSource(abc.ABC):
    """The frames of a clip, by their numbers.

    Attributes:
        name: for messages.
        count: how many frames there are, at least one.
        frames_per_second: how fast they follow each other.
    """

    name: str
    count: int
    frames_per_second: float = USUAL_RATE

    @abc.abstractmethod
    def _frames(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return frames, uint8 (H, W, 3), RGB; the numbers rise, and no number comes twice."""

    def read(self, numbers: np.ndarray) -> np.ndarray:
        """Return frames.

        Args:
            numbers: which, from 0; integers of any shape; a frame may be asked for several times.

        Returns:
            uint8, (*numbers.shape, H, W, 3), RGB.

        Raises:
            ValueError: a frame cannot be read, or the frames differ in size.
            OSError: likewise.
        """
        wanted, places = np.unique(np.asarray(numbers, np.int64), return_inverse=True)
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < self.count:
            raise ValueError(f"{self.name} has {self.count} frames; there is no frame {wanted[-1]}")
        frames = self._frames(wanted.tolist())
        sizes = {frame.shape for frame in frames}
        if len(sizes) > 1:
            listed = " and ".join(f"{shape[0]} x {shape[1]}" for shape in sorted(sizes)[:2])
            raise ValueError(f"{self.name} has frames of different sizes: {listed} pixels")
        return np.stack(frames)[places.reshape(np.shape(numbers))]


class ArrayFrames(FrameSource):
    """Frames in memory.

    Args:
        frames: uint8 (T, H, W, 3), RGB.
        frames_per_second: how fast they follow each other.
        name: for messages.

    Raises:
        ValueError: they are of another shape or type, or there are none.
    """

    def __init__(self, frames: np.ndarray, frames_per_second: float = USUAL_RATE, name: str = "the clip") -> None:
        self.array = np.asarray(frames)
        if self.array.dtype != np.uint8 or self.array.ndim != 4 or self.array.shape[3] != 3 or not self.array.size:
            raise ValueError(
                f"{name} must be uint8 of shape (frames, height, width, 3), not {self.array.dtype} of shape "
                f"{self.array.shape}"
            )
        self.name = name
        self.count = len(self.array)
        self.frames_per_second = frames_per_second

    def _frames(self, numbers: Sequence[int]) -> list[np.ndarray]:
        return [self.array[number] for number in numbers]


class FileFrames(FrameSource):
    """The frames of a video file.

    Args:
        path: the file, or its URL, whose contents are in a temporary file as long as this object lives.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it cannot be read.
        ValueError: it is no video, or a damaged one.
    """

    def __init__(self, path: str) -> None:
        local = path
        if is_url(path):
            folder = tempfile.mkdtemp(prefix="video")
            weakref.finalize(self, shutil.rmtree, folder)
            local = os.path.join(folder, os.path.basename(path.split("?")[0]) or "video")
            with open(local, "wb") as stream:
                stream.write(read_bytes(path))
        self._file = VideoFrames(local)
        self.name = f"video file {path!r}"
        self.count = self._file.count
        self.frames_per_second = self._file.frames_per_second

    def _frames(self, numbers: Sequence[int]) -> list[np.ndarray]:
        return self._file.read(numbers)

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yield all frames in order, each uint8 (H, W, 3); one is in memory at a time."""
        yield from self._file


class FolderFrames(FrameSource):
    """The frames of a clip as pictures in a folder.

    Args:
        folder: where they are.
        count: how many there are.
        suffix: the file's name, as ``str.format`` takes it with the number of a frame, which begins with 1.

    Raises:
        FileNotFoundError: there is no such folder.
    """

    def __init__(self, folder: str, count: int, suffix: str = "img_{:05d}.jpg") -> None:
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"no folder of frames {folder!r}")
        self.folder = folder
        self.name = f"folder {folder!r}"
        self.count = count
        self.suffix = suffix

    def _frames(self, numbers: Sequence[int]) -> list[np.ndarray]:
        paths = [os.path.join(self.folder, self.suffix.format(number + 1)) for number in numbers]
        for path in paths:
            if not os.path.isfile(path):
                raise FileNotFoundError(
                    f"{self.name} should have {self.count} frames, but {os.path.basename(path)} is missing"
                )
        return [read_image(path) for path in paths]


class EncodedFrames(FrameSource):
    """The frames of a clip as pictures in memory, such as the JPEG files of a Kinetics pickle.

    Args:
        pictures: the bytes of each picture.
        name: for messages.

    Raises:
        ValueError: there are none.
    """

    def __init__(self, pictures: Sequence[bytes], name: str) -> None:
        if not pictures:
            raise ValueError(f"{name} has no frames")
        self.pictures = pictures
        self.name = name
        self.count = len(pictures)

    def _frames(self, numbers: Sequence[int]) -> list[np.ndarray]:
        return [decode_image(self.pictures[number], f"frame {number} of {self.name}") for number in numbers]
