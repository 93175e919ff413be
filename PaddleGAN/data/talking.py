"""Faces that talk, with their sounds: the data of Wav2Lip."""

from __future__ import annotations

import os
from typing import Optional

import cv2
import numpy as np

from core.io import Dataset
from core.io.randomness import integer
from core.vision.image import read_image
from PaddleGAN.data.images import Transform, text_lines
from PaddleGAN.data.speech import FRAMES, melspectrogram, read_wave

WINDOW = 5
"""Pictures of a sample."""

RATE = 25
"""Pictures a second."""


class Wav2LipDataset(Dataset):
    """Samples of five pictures that follow each other; an epoch has one of each video.

    A sample is: pictures whose lower halves are 0 with others of the same video behind them, float32 (6, 5, S, S), 0 to
    1, blue first; the sound of each, (5, 1, 80, 16); the sound of all, (1, 80, 16); and the pictures, (3, 5, S, S).

    The folder has a folder for each video: faces cut out of its pictures, 0.jpg, 1.jpg and so on, 25 a second, and
    audio.wav.

    Paper: Prajwal et al., "A lip sync expert is all you need for speech to lip generation in the wild", ACM MM 2020,
        https://arxiv.org/abs/2008.10010

    Args:
        root: the folder.
        list_path: a list of the videos' folders, relative to ``root``; what follows a space does not count.
        img_size: S.
        random: draw where a sample begins, as in training; else it is the middle of the video.
        transform: there is none to give; pictures are resized.

    Raises:
        NotADirectoryError: a folder is missing.
        ValueError: the list is empty, a video is too short, or ``transform`` is given.
    """

    images_together = 1

    def __init__(
        self,
        root: str,
        list_path: str,
        img_size: int = 96,
        random: bool = True,
        transform: Optional[Transform] = None,
    ) -> None:
        lines = [line.split()[0] for line in text_lines(list_path) if line]
        if not lines:
            raise ValueError(f"Wav2LipDataset: the list {list_path!r} is empty")
        self.videos = [os.path.join(root, line) for line in lines]
        for video in self.videos:
            if not os.path.isdir(video):
                raise NotADirectoryError(f"Wav2LipDataset: no folder {video!r}, which {list_path!r} names")
        self.img_size, self.random = img_size, random
        self._heard: dict[int, tuple[np.ndarray, list[int]]] = {}

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        if not 0 <= index < len(self):
            raise IndexError(f"sample {index} is outside a Wav2LipDataset of {len(self)} samples")
        mel, starts = self._opened(index)
        start = starts[integer(0, len(starts)) if self.random else len(starts) // 2]
        others = [other for other in starts if other != start]
        other = others[integer(0, len(others)) if self.random else 0]
        pictures, strangers = self._pictures(index, start), self._pictures(index, other)
        masked = pictures.copy()
        masked[:, :, self.img_size // 2 :] = 0
        sounds = np.stack([_piece(mel, start - 1 + number) for number in range(WINDOW)])
        return np.concatenate([masked, strangers]), sounds[:, None], _piece(mel, start)[None], pictures

    def __len__(self) -> int:
        return len(self.videos)

    def _opened(self, index: int) -> tuple[np.ndarray, list[int]]:
        """Return a video's spectrogram, and where a sample may begin: pictures and sound go on long enough."""
        if index not in self._heard:
            video = self.videos[index]
            names = {entry.name for entry in os.scandir(video)}
            mel = melspectrogram(read_wave(os.path.join(video, "audio.wav")))
            starts = [
                number
                for number in range(1, len(names))
                if all(f"{number + i}.jpg" in names for i in range(WINDOW))
                and _begin(number + WINDOW - 2) + FRAMES <= mel.shape[1]
            ]
            if len(starts) < 2:
                seconds = mel.shape[1] / 80
                raise ValueError(
                    f"Wav2LipDataset: {video!r} has {len(names) - 1} pictures and {seconds:.2f} seconds of sound: too "
                    "short; leave it out of the list"
                )
            self._heard[index] = mel, starts
        return self._heard[index]

    def _pictures(self, index: int, start: int) -> np.ndarray:
        size = (self.img_size, self.img_size)
        files = [os.path.join(self.videos[index], f"{start + number}.jpg") for number in range(WINDOW)]
        pictures = [cv2.resize(read_image(file)[:, :, ::-1], size) for file in files]
        return (np.stack(pictures).transpose(3, 0, 1, 2) / 255.0).astype(np.float32)


def _begin(picture: int) -> int:
    return int(80 * picture / RATE)


def _piece(mel: np.ndarray, picture: int) -> np.ndarray:
    return mel[:, _begin(picture) : _begin(picture) + FRAMES]
