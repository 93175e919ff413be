"""Small translations: pictures in folders, and tasks that read them, with networks of few channels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import core
from core.train import load_config
from core.vision.image import write_image
from PaddleGAN.config import TASKS, GANConfig

NUMBERS = "{name: ToTensor}, {name: Normalize, mean: 0.5, std: 0.5}"
TRANSFORMS = f"[{NUMBERS}]"
TRAINED = f"[{{name: RandomCrop, size: 32}}, {{name: RandomHorizontalFlip}}, {NUMBERS}]"


def write_pictures(folder: Path, count: int, width: int, height: int = 32, first: int = 0) -> Path:
    """Write pictures of noise, the same ones each time, as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        pixels = np.random.RandomState(number).randint(0, 256, (height, width, 3)).astype(np.uint8)
        write_image(folder / f"{number:02d}.png", pixels)
    return folder


def write_film(folder: Path, smooth: bool = False) -> Path:
    """Write four photographs and three pictures of a film, of 32 pixels."""
    write_pictures(folder / "train_photo", 4, 32)
    write_pictures(folder / "Hayao" / "style", 3, 32, first=20)
    if smooth:
        write_pictures(folder / "Hayao" / "smooth", 2, 32, first=40)
    return folder


def paired_config(folder: Path, task: str, generator: str, discriminator: str, count: int = 6) -> Path:
    """Write pairs of 32 pixels, and a config that trains on them for three epochs of three steps."""
    write_pictures(folder / "train", count, 2 * 36, 36)
    write_pictures(folder / "test", 3, 2 * 32, first=50)
    split = "{{dataset: {{name: PairedDataset, root: {0}}}, transforms: {1}, batch_size: {2}{3}}}"
    return _write(
        folder,
        task,
        generator,
        discriminator,
        split.format("train", TRAINED, 2, ", shuffle: true"),
        split.format("test", TRANSFORMS, 1, ""),
    )


def unpaired_config(folder: Path, task: str, generator: str, discriminator: str, a: int = 6, b: int = 4) -> Path:
    """Write unpaired pictures of 32 pixels, and a config that trains on them for three epochs."""
    for part in ("train", "test"):
        write_pictures(folder / f"{part}A", a, 32)
        write_pictures(folder / f"{part}B", b, 32, first=20)
    split = "{{dataset: {{name: UnpairedDataset, root_a: {0}A, root_b: {0}B{4}}}, transforms: {1}, batch_size: {2}{3}}}"
    return _write(
        folder,
        task,
        generator,
        discriminator,
        split.format("train", TRANSFORMS, 2, ", shuffle: true", ""),
        split.format("test", TRANSFORMS, 2, "", ", random_b: false"),
    )


def _write(folder: Path, task: str, generator: str, discriminator: str, train: str, test: str) -> Path:
    player = "{{network: {0}, optimizer: {{name: Adam, beta1: 0.5}}, schedule: {{name: Linear, learning_rate: 0.01}}}}"
    lines = [
        f"output: {folder / 'run'}",
        f"task: {task}",
        f"generator: {player.format(generator)}",
        f"discriminator: {player.format(discriminator)}",
        f"data: {{root: {folder}, train: {train}, test: {test}}}",
        "train: {epochs: 3, tensorboard: false}",
        "samples: {count: 2}",
    ]
    path = folder / "config.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def task_of(config: Path, *changes: str) -> Any:
    """Return the task of a config."""
    loaded = load_config(GANConfig, config, list(changes))
    core.seed(3)
    return TASKS.build(loaded.task, config=loaded)


def batch_of(task: Any, split: str = "test", count: int = 2) -> list[Any]:
    """Return the fields of a split's first samples, as Tensors."""
    return [core.to_tensor(np.stack(field)) for field in zip(*task.first(split, count))]
