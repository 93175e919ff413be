"""Video files, frame by frame: one frame is in memory at a time, and what a file may ask for is bounded."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, Union

import cv2
import numpy as np

from core.vision.error_stream import error_stream
from core.vision.formats import pixel_limit
from core.weights.atomic import synchronise_directory
from core.weights.messages import shown

PathLike = Union[str, "os.PathLike[str]"]

VIDEO_EXTENSIONS = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".webm")

MAXIMUM_FRAMES = 1_000_000
"""About nine hours at 30 frames a second."""

MAXIMUM_THREADS = 16
"""Of a decoder, which has as many as OpenCV is set to use: one in worker processes."""

USUAL_RATE = 25.0
"""Frames per second where a file gives none that can be."""

_SIGNATURE = re.compile(rb"....(?:ftyp|moov|mdat|wide|free|skip)|RIFF....AVI |\x1aE\xdf\xa3", re.DOTALL)
"""MP4 and MOV, AVI, Matroska and WebM; playlists, which may name other files and hosts, are none of them."""

_MADE_UP = re.compile(
    r"^(?:\[[^]]*\] )?(.*(?:error while decoding|concealing|damaged at|Error at MB|corrupt).*)", re.MULTILINE
)
"""What FFmpeg's decoders write when they fill a frame with what they guess."""


class VideoReader:
    """The frames of a local video file, in order; a ``for`` loop over it begins anew each time.

    Args:
        path: an MP4, MOV, AVI, Matroska or WebM file; its contents say which, not its extension.
        maximum_pixels: how many pixels a frame may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120
            million.
        maximum_frames: how many frames are read; a longer video is refused when it comes to more.

    Attributes:
        height: of a frame, pixels.
        width: likewise.
        frames_per_second: as the file says; 25 where it says none between 0.1 and 1000.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no video of these kinds, a damaged one, or its frames are too large.
    """

    def __init__(
        self, path: PathLike, maximum_pixels: Optional[int] = None, maximum_frames: int = MAXIMUM_FRAMES
    ) -> None:
        self.path = os.fspath(path)
        self.maximum_frames = maximum_frames
        self._limit = pixel_limit(maximum_pixels)
        if not os.path.isfile(self.path):
            raise FileNotFoundError(f"no video file {self.path!r}")
        with open(self.path, "rb") as stream:
            if not _SIGNATURE.match(stream.read(64)):
                raise ValueError(f"{self.path!r} is no video file: it is neither MP4, MOV, AVI, Matroska nor WebM")
        capture = self._opened()
        sides = cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FRAME_WIDTH
        self.height, self.width = (int(capture.get(side)) for side in sides)
        rate = capture.get(cv2.CAP_PROP_FPS)
        self.frames_per_second = float(rate) if 0.1 <= rate <= 1000 else USUAL_RATE
        self._check(self.height, self.width)
        self._kept: Any = capture  # opening it costs as much as decoding several frames

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs, which opens the file again."""
        return {**self.__dict__, "_kept": None}

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yield each frame, uint8 (H, W, 3), RGB.

        Raises:
            ValueError: no frame can be read, there are more than the limit, or they become too large.
        """
        capture, count = self._opened(), 0
        try:
            while True:
                with error_stream() as caught:
                    whole, frame = capture.read()
                    self._check_decoded(caught.text())
                if whole and count == self.maximum_frames:
                    raise ValueError(f"video file {self.path!r} has more than {self.maximum_frames} frames; cut it up")
                if not whole:
                    break
                self._check(*frame.shape[:2])
                count += 1
                yield cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
        finally:
            capture.release()
        if not count:
            raise ValueError(f"video file {self.path!r} is damaged: no frame of it can be read")

    def _opened(self, decoded: bool = True) -> Any:
        """Return the file opened, to give upright frames, or packets as they are in the file."""
        kept = getattr(self, "_kept", None)
        if decoded and kept is not None:
            self._kept = None
            return kept
        threads = min(max(cv2.getNumThreads(), 1), MAXIMUM_THREADS)
        options = [cv2.CAP_PROP_N_THREADS, threads] if decoded else [cv2.CAP_PROP_FORMAT, -1]
        level = cv2.getLogLevel()
        cv2.setLogLevel(0)
        try:
            with error_stream():  # FFmpeg writes there what is wrong with a file
                capture = cv2.VideoCapture(self.path, cv2.CAP_FFMPEG, options)
                if decoded and not capture.isOpened():
                    self._refuse()
        finally:
            cv2.setLogLevel(level)
        if not capture.isOpened():
            raise ValueError(f"video file {self.path!r} is damaged, or its codec is not known")
        if decoded:
            capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 1)  # as it was held when it was taken
        return capture

    def _refuse(self) -> None:
        """Name the codec of a file of which packets can be read, but no frames."""
        packets = cv2.VideoCapture(self.path, cv2.CAP_FFMPEG, [cv2.CAP_PROP_FORMAT, -1])
        if packets.isOpened() and packets.grab():
            code = int(packets.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little").decode("latin-1")
            raise ValueError(
                f"video file {self.path!r} has the codec {shown(code)}, which OpenCV has no decoder for here; "
                "convert it to H.264"
            )

    def _check_decoded(self, text: str) -> None:
        """Refuse frames that the decoder made up where the file is damaged: it says so on C's error stream alone."""
        found = _MADE_UP.search(text)
        if found:
            raise ValueError(f"video file {self.path!r} is damaged: its decoder says {shown(found[1].strip())}")

    def _check(self, height: int, width: int) -> None:
        if height < 1 or width < 1:
            raise ValueError(f"video file {self.path!r} is damaged: its frames have {height} x {width} pixels")
        if height * width > self._limit:
            raise ValueError(
                f"video file {self.path!r} has frames of {height} x {width} pixels, more than {self._limit}; it is not "
                "read (CORE_MAXIMUM_PIXELS sets the limit)"
            )


def camera_frames(device: int) -> Iterator[np.ndarray]:
    """Yield the frames of a camera as they come, uint8 (H, W, 3), RGB, until it gives none.

    Args:
        device: the camera's number, from 0.

    Raises:
        ConnectionError: there is no such camera, or it gives no frame.
    """
    capture, count = cv2.VideoCapture(device), 0
    try:
        while capture.isOpened():
            arrived, frame = capture.read()
            if not arrived:
                break
            count += 1
            yield cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
    finally:
        capture.release()
    if not count:
        raise ConnectionError(f"camera {device} gives no frames; is it connected, and may this user read it?")


class VideoWriter:
    """Writes an MP4 file frame by frame, as a context; the file appears whole when the context ends without an error.

    Args:
        path: the file, NAME.mp4.
        height: of all frames, pixels.
        width: likewise.
        frames_per_second: how fast they follow each other.

    Raises:
        ValueError: the name ends otherwise, or there is no room for frames of this size.
    """

    def __init__(self, path: PathLike, height: int, width: int, frames_per_second: float = USUAL_RATE) -> None:
        self.path = Path(path)
        if self.path.suffix.lower() != ".mp4":
            raise ValueError(f"a video is written as NAME.mp4, not {os.fspath(path)!r}")
        self.height, self.width = height, width
        self._folder = tempfile.TemporaryDirectory(prefix=".video", dir=self.path.parent)
        self._file = os.path.join(self._folder.name, "video.mp4")
        code = cv2.VideoWriter.fourcc(*"mp4v")
        self._writer = cv2.VideoWriter(self._file, cv2.CAP_FFMPEG, code, frames_per_second, (width, height))
        if not self._writer.isOpened():
            self._folder.cleanup()
            raise ValueError(f"cannot write frames of {height} x {width} pixels as the video {os.fspath(path)!r}")

    def write(self, frame: np.ndarray) -> None:
        """Add a frame.

        Args:
            frame: uint8 (height, width, 3), RGB.

        Raises:
            ValueError: it is of another size or type.
        """
        if frame.shape != (self.height, self.width, 3) or frame.dtype != np.uint8:
            raise ValueError(
                f"a frame of {str(self.path)!r} is uint8 of shape ({self.height}, {self.width}, 3), not {frame.dtype} "
                f"of shape {frame.shape}"
            )
        self._writer.write(cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], where: Optional[TracebackType]
    ) -> None:
        self._writer.release()
        try:
            if kind is None:
                os.replace(self._file, self.path)
                synchronise_directory(self.path.parent)
        finally:
            self._folder.cleanup()


def write_video(path: PathLike, frames: Iterable[np.ndarray], frames_per_second: float = USUAL_RATE) -> None:
    """Write frames, one at a time, as a video of the first one's size.

    Args:
        path: the file, NAME.mp4.
        frames: uint8 (height, width, 3) each, RGB; one at least.
        frames_per_second: how fast they follow each other.

    Raises:
        ValueError: as of :class:`VideoWriter`, or there is no frame.
    """
    following = iter(frames)
    first = next(following, None)
    if first is None:
        raise ValueError(f"there are no frames for the video {os.fspath(path)!r}")
    height, width = first.shape[:2]
    with VideoWriter(path, height, width, frames_per_second) as writer:
        writer.write(first)
        for frame in following:
            writer.write(frame)
