"""What the inference command makes with Wav2Lip: a video of a face that speaks a sound."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Optional

import cv2
import numpy as np

import core
from core.vision.image import write_image
from core.vision.inputs import read_picture
from core.vision.video import VIDEO_EXTENSIONS, VideoReader, VideoWriter
from PaddleGAN.data.speech import melspectrogram, pieces, read_wave
from PaddleGAN.models.wav2lip import SIDE

BATCH = 32
"""Pictures that are computed at once."""

FRAMES_PER_SECOND = 25.0
"""Of a video that is made of a picture."""


def speak(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Write the video, and its first picture."""
    return spoken(task.generator, options, target), 0


def spoken(generator: Any, options: argparse.Namespace, target: Path) -> list[str]:
    """Write a video of a face that speaks a sound, and its first picture; say how to put the sound to it.

    Args:
        generator: Wav2Lip, in evaluation mode.
        options: face, audio, box and fps.
        target: the folder to write into.

    Returns:
        The names of the files.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file cannot be used, the sound is too short, or there is no box, or not within the picture.
    """
    frames, rate = _frames(options.face, options.fps)
    height, width = frames[0].shape[:2]
    left, top, right, bottom = face_box(options.box, (height, width))
    sounds = pieces(melspectrogram(read_wave(options.audio)), rate)
    name = f"{Path(options.face).stem}.mp4"
    with VideoWriter(target / name, height, width, rate) as writer:
        for number, face in enumerate(_made(generator, frames, sounds, (left, top, right, bottom))):
            frame = frames[number % len(frames)].copy()
            frame[top:bottom, left:right] = cv2.resize(face, (right - left, bottom - top))
            writer.write(frame)
            if number == 0:
                write_image(target / "first.png", frame)
    made, whole = target / name, target / f"{Path(options.face).stem}_with_sound.mp4"
    print(f"the video is silent; put the sound to it: ffmpeg -i {made} -i {options.audio} -c:v copy -shortest {whole}")
    return [name, "first.png"]


def face_box(box: Optional[Sequence[int]], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return where the face is: left, top, right, bottom, pixels.

    Args:
        box: as the command line says.
        size: height and width of the pictures.

    Raises:
        ValueError: there is none, or it is not within the pictures.
    """
    height, width = size
    if box is None:
        raise ValueError(
            f"say where the face is in the {width}x{height} picture, chin included: --box LEFT TOP RIGHT BOTTOM; a "
            "detector of PaddleDetection, such as blazeface, finds it"
        )
    left, top, right, bottom = box
    if not (0 <= left < right <= width and 0 <= top < bottom <= height):
        raise ValueError(f"--box {left} {top} {right} {bottom} is not within the {width}x{height} picture")
    return left, top, right, bottom


def _frames(path: str, rate: Optional[float]) -> tuple[list[np.ndarray], float]:
    """Return the pictures of a video, or the one of a picture, and how many are to be shown a second."""
    if not path.lower().endswith(VIDEO_EXTENSIONS):
        return [read_picture(path)], FRAMES_PER_SECOND if rate is None else rate
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no video file {path!r}")
    reader = VideoReader(path)
    return list(reader), reader.frames_per_second if rate is None else rate


def _made(
    generator: Any, frames: Sequence[np.ndarray], sounds: np.ndarray, box: tuple[int, int, int, int]
) -> Iterator[np.ndarray]:
    """Yield a face for each piece of sound, uint8 (96, 96, 3); pictures begin anew at their end."""
    left, top, right, bottom = box
    for start in range(0, len(sounds), BATCH):
        part = sounds[start : start + BATCH]
        chosen = [frames[(start + number) % len(frames)][top:bottom, left:right, ::-1] for number in range(len(part))]
        faces = np.stack([cv2.resize(face, (SIDE, SIDE)) for face in chosen]).transpose(0, 3, 1, 2) / np.float32(255)
        masked = faces.copy()
        masked[:, :, SIDE // 2 :] = 0
        given = np.concatenate([masked, faces], axis=1).astype(np.float32)
        with core.no_grad():
            made = generator(core.to_tensor(part), core.to_tensor(given)).numpy()
        yield from (made.clip(0, 1) * 255).astype(np.uint8)[:, ::-1].transpose(0, 2, 3, 1)
