"""Chosen frames of video files: each is the one that reading from the beginning gives, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import cv2
import numpy as np

from core.vision.error_stream import error_stream
from core.vision.video import MAXIMUM_FRAMES, PathLike, VideoReader

SHORTEST = 0.9
"""What share of the frames that a file promises must be there."""


class VideoFrames(VideoReader):
    """The frames of a local video file by their numbers.

    The frames before a chosen one are decoded, but not converted to colours: in most videos a frame can only be
    decoded after those before it.

    Args:
        path: as of :class:`core.vision.video.VideoReader`.
        maximum_pixels: likewise.
        maximum_frames: how many frames the file may have.

    Attributes:
        count: how many frames the file has, counted without decoding them.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no video of these kinds, a damaged one, one that ends early, or its frames are too large or
            too many.
    """

    def __init__(
        self, path: PathLike, maximum_pixels: Optional[int] = None, maximum_frames: int = MAXIMUM_FRAMES
    ) -> None:
        super().__init__(path, maximum_pixels, maximum_frames)
        self.count = self._counted()

    def read(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return frames, uint8 (H, W, 3), RGB.

        Args:
            numbers: which, from 0, in rising order, none twice.

        Raises:
            ValueError: one of them cannot be decoded.
        """
        found: list[np.ndarray] = []
        wanted = iter(numbers)
        chosen, number = next(wanted, None), 0
        capture = self._opened()
        try:
            with error_stream() as caught:
                while chosen is not None and capture.grab():
                    if number == chosen:
                        whole, frame = capture.retrieve()
                        if not whole:
                            break
                        self._check(*frame.shape[:2])
                        found.append(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
                        chosen = next(wanted, None)
                    number += 1
                printed = caught.text()
        finally:
            capture.release()
        self._check_decoded(printed)
        if chosen is not None:
            raise ValueError(
                f"video file {self.path!r} is damaged: of its {self.count} frames only {number} can be read"
            )
        return found

    def _counted(self) -> int:
        """Return how many frames the file holds, as it says itself or as there are packets of the picture."""
        capture = self._opened(decoded=False)
        stated = capture.get(cv2.CAP_PROP_FRAME_COUNT)
        count = 0
        try:
            with error_stream():
                while count <= self.maximum_frames and capture.grab():
                    count += 1
        finally:
            capture.release()
        if count > self.maximum_frames:
            raise ValueError(f"video file {self.path!r} has more than {self.maximum_frames} frames; cut it up")
        if not count:
            raise ValueError(f"video file {self.path!r} is damaged: no frame of it can be read")
        with open(self.path, "rb") as stream:
            matroska = stream.read(4) == b"\x1aE\xdf\xa3"  # which has no count: it estimates one from the rate
        if count < SHORTEST * stated and not matroska:
            raise ValueError(
                f"video file {self.path!r} is damaged, or ends early: of {stated:.0f} frames it has {count}"
            )
        return count
