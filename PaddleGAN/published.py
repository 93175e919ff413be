"""What the inference command does with official weights, whose name may be given in place of a run's folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Optional

import cv2
import numpy as np

import core
from core.vision.image import write_image
from core.vision.inputs import read_picture
from core.vision.video import VideoReader, write_video
from PaddleGAN.data.anime import ResizeToScale
from PaddleGAN.models.registry import create_generator
from PaddleGAN.models.weights import CHECKPOINTS
from PaddleGAN.named import write_named
from PaddleGAN.pictures import as_bytes
from PaddleGAN.speaking import spoken
from PaddleGAN.tasks.animegan import as_bright

NETWORKS = {"translate": ("AnimeGenerator", "ResnetUGATITP2CGenerator"), "speak": ("Wav2Lip",)}
"""Mode to the networks whose weights it takes."""

_SIDE, _MULTIPLE = 256, 32


def use(options: argparse.Namespace) -> Optional[tuple[list[str], int, Path]]:
    """Do what the command line says with official weights, if it is their name that it gives.

    Args:
        options: of the command line.

    Returns:
        The names of the files, how many inputs could not be used, and the folder; None where a run is meant.

    Raises:
        ValueError: the weights are another mode's, or there is nothing to use.
    """
    checkpoint = CHECKPOINTS.get(options.run)
    if checkpoint is None or Path(options.run).exists():
        return None
    if checkpoint.network not in NETWORKS[options.mode]:
        known = (name for name, other in CHECKPOINTS.items() if other.network in NETWORKS[options.mode])
        raise ValueError(f"{options.mode} takes the official weights {', '.join(known)}, not {options.run}")
    if options.mode == "translate" and not (options.images or options.videos):
        raise ValueError(f"say what {options.run} shall translate: --images FILES or --videos FILES")
    generator = create_generator(checkpoint.network, pretrained=options.run)
    generator.eval()
    target = Path(options.output or f"{options.mode}_{options.run}")
    target.mkdir(parents=True, exist_ok=True)
    if options.mode == "speak":
        return spoken(generator, options, target), 0, target
    return (*translated(generator, options, target), target)


def translated(generator: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Write what a generator makes of pictures and videos; what cannot be used is named and passed over.

    Args:
        generator: AnimeGenerator, which takes any size, or Photo2cartoon's, in evaluation mode.
        options: images, videos and count.
        target: the folder to write into.

    Returns:
        The names of the files, and how many inputs could not be used.

    Raises:
        ValueError: none could be used.
    """

    def picture(path: str, file: Path) -> None:
        write_image(file, _made(generator, read_picture(path)))

    def video(path: str, file: Path) -> None:
        reader = VideoReader(path)
        write_video(file, (_made(generator, frame) for frame in reader), reader.frames_per_second)

    return write_named(options, target, picture, video)


def _made(generator: Any, picture: np.ndarray) -> np.ndarray:
    """Return what a generator makes of a picture, uint8 (H, W, 3): in multiples of 32, or of its middle square."""
    square = hasattr(generator, "img_size")
    if square:
        height, width = picture.shape[:2]
        side = min(height, width)
        top, left = (height - side) // 2, (width - side) // 2
        middle = picture[top : top + side, left : left + side]
        resized = cv2.resize(middle, (generator.img_size, generator.img_size), interpolation=cv2.INTER_AREA)
    else:
        resized = ResizeToScale([_SIDE, _SIDE], _MULTIPLE)(picture)
    given = (resized.astype(np.float32) / np.float32(127.5) - 1).transpose(2, 0, 1)[None]
    with core.no_grad():
        made = generator(core.to_tensor(np.ascontiguousarray(given)))
    return as_bytes(made[0].numpy() if square else as_bright(made.numpy(), given))[0]
