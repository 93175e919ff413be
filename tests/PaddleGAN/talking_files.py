"""Small videos for Wav2Lip: folders of pictures of noise with a sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import wavfile

from core.vision.image import write_image


def write_sound(path: Path, seconds: float, rate: int = 16_000, seed: int = 0) -> Path:
    """Write noise as a WAV file of 16 bits."""
    numbers = np.random.default_rng(seed).uniform(-8000, 8000, int(seconds * rate))
    wavfile.write(path, rate, numbers.astype(np.int16))
    return path


def write_talking(folder: Path, videos: int = 4, pictures: int = 9) -> Path:
    """Write videos, and the lists of those to train and to test."""
    for number in range(videos):
        video = folder / "lrs2_preprocessed" / f"{number:05d}"
        video.mkdir(parents=True)
        for picture in range(pictures):
            source = np.random.default_rng([number, picture])
            write_image(video / f"{picture}.jpg", source.integers(0, 256, (100, 90, 3), np.uint8))
        write_sound(video / "audio.wav", pictures / 25 + 0.2, seed=number)
    (folder / "filelists").mkdir()
    names = [f"{number:05d} 1" for number in range(videos)]
    for name, lines in (("train", names), ("val", names[:2])):
        (folder / "filelists" / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return folder
