"""An object that restores pictures and video in Python, as infer.py does at the shell."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Optional

import numpy as np

import core
from core.jit import to_static
from PaddleGAN.models.weights import CHECKPOINTS
from PaddleGAN.pictures import fractions_as_bytes
from PaddleGAN.restoration.tiles import tiled
from PaddleGAN.restoration.windows import chunks, windows
from PaddleGAN.tasks.restoration import finished

TILE = 192
OVERLAP = 16
CLIP = 10
"""Frames that a network takes together that reads whole clips."""


class Restorer:
    """Restores pictures, or frames of a video, of any size.

    Args:
        network: of :mod:`PaddleGAN.models.restoration`, with its weights.
        tile: pixels of a side of the tiles that large pictures are restored in.
        overlap: pixels that a tile sees beyond what it answers for. A network that looks no further gives what it gives
            of the whole picture; one that looks further differs from that a little.
        clip: frames at a time for a network that reads whole clips.

    Attributes:
        scale: how many times larger the results are.
        frames: how many frames the network looks at together: 1 for pictures.

    Raises:
        ValueError: the network restores nothing, or a number is out of range.
    """

    def __init__(self, network: Any, tile: int = TILE, overlap: int = OVERLAP, clip: int = CLIP) -> None:
        if not hasattr(network, "scale"):
            raise ValueError(f"a {type(network).__name__} restores no pictures")
        self.network = network
        network.eval()
        self.scale = int(network.scale)
        self.peak = float(getattr(network, "peak", 1.0))
        self.multiple = int(getattr(network, "multiple", 1))
        self.smallest = int(getattr(network, "smallest", 1))
        self.reads_clips = bool(getattr(network, "reads_clips", False))
        self.frames = clip if self.reads_clips else int(getattr(network, "nframes", 1))
        self.tile, self.overlap = tile, overlap
        if tile // self.multiple * self.multiple <= 2 * overlap or overlap < 0 or clip < 2:
            raise ValueError(
                f"tiles of {tile} pixels must be larger than twice the overlap of {overlap}, which is not negative, "
                f"and clips have two frames or more, not {clip}"
            )
        peak = self.peak
        self._program = to_static(lambda pictures: finished(network(pictures * peak), peak))

    def restore(self, image: np.ndarray) -> np.ndarray:
        """Return a restored picture.

        Args:
            image: uint8 (H, W, 3), RGB.

        Returns:
            uint8 (scale H, scale W, 3).

        Raises:
            ValueError: the network takes video.
        """
        if self.frames > 1:
            raise ValueError(f"{type(self.network).__name__} takes video, {self.frames} frames together, not pictures")
        return self._restored(image)

    def restore_window(self, frames: np.ndarray) -> np.ndarray:
        """Return the restored middle frame of a window.

        Args:
            frames: uint8 (frames, H, W, 3), RGB, as many as the network looks at together.

        Returns:
            uint8 (scale H, scale W, 3).
        """
        return self._restored(frames)

    def restore_video(self, frames: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Yield the restored frames of a video; a network for pictures restores one after the other.

        Args:
            frames: uint8 (H, W, 3), RGB, of one size.

        Raises:
            ValueError: there are fewer frames than the network looks at together, or they differ in size.
        """
        frames = _of_one_size(frames)
        if self.frames == 1:
            yield from map(self._restored, frames)
        elif self.reads_clips:
            for several in chunks(frames, self.frames):
                yield from self._restored(np.stack(several))
        else:
            for several in windows(frames, self.frames):
                yield self._restored(np.stack(several))

    def _restored(self, pictures: np.ndarray) -> np.ndarray:
        """Return restored pictures, uint8 (..., H, W, 3), of such."""
        if min(pictures.shape[-3:-1]) < self.smallest:
            height, width = pictures.shape[-3:-1]
            raise ValueError(
                f"{type(self.network).__name__} takes pictures of {self.smallest} pixels a side or more, not "
                f"{height}x{width}"
            )
        numbers = np.moveaxis(pictures, -1, -3).astype(np.float32) / np.float32(255)
        made = tiled(self._run, numbers, self.scale, self.tile, self.overlap, self.multiple)
        whole = fractions_as_bytes(made.reshape(-1, *made.shape[-3:]))
        return whole if made.ndim > 3 else whole[0]

    def _run(self, pictures: np.ndarray) -> np.ndarray:
        with core.no_grad():
            result: np.ndarray = self._program(core.to_tensor(pictures)).numpy()
        return result


def open_restorer(
    source: str, checkpoint: str = "best", tile: int = TILE, overlap: int = OVERLAP, clip: int = CLIP
) -> Restorer:
    """Return what restores pictures or video with a trained network.

    Args:
        source: a run's folder; or the name of an official weight file for restoration, a key of
            :data:`PaddleGAN.models.weights.CHECKPOINTS`, such as "realsr_df2k" or "edvr_m".
        checkpoint: of a run: "best", "newest", or the name of one.
        tile: as for :class:`Restorer`.
        overlap: likewise.
        clip: likewise.

    Raises:
        FileNotFoundError: there is no such run or checkpoint.
        ValueError: it restores nothing.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    network = published(source)
    if network is None:
        from core.train.runner.experiment import open_run  # the task's modules, which a published file does not need
        from PaddleGAN.config import TOOLKIT

        task, _ = open_run(TOOLKIT, source, checkpoint)
        network = task.networks["generator"]
    return Restorer(network, tile, overlap, clip)


def published(source: str) -> Optional[Any]:
    """Return the network of an official weight file, with its weights; None where a run's folder is meant.

    Args:
        source: a name, or the folder of a run.
    """
    if os.path.isdir(source) or source not in CHECKPOINTS:
        return None
    from PaddleGAN.models.registry import create_generator

    return create_generator(CHECKPOINTS[source].network, pretrained=source)


def _of_one_size(frames: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield frames, and refuse one of another size than the first."""
    size = None
    for number, frame in enumerate(frames):
        size = size or frame.shape
        if frame.shape != size:
            sizes = " and ".join("x".join(map(str, shape[:2])) for shape in (size, frame.shape))
            raise ValueError(f"frame {number} of the video differs from the first one in size: {sizes} pixels")
        yield frame
