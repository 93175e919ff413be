"""The inference command: what each mode draws with a trained generator."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from core.vision.image import write_image
from PaddleGAN.pictures import grid
from PaddleGAN.runs import open_run

MODES = {
    "samples": "PaddleGAN.inference:samples",
    "interpolate": "PaddleGAN.inference:interpolate",
    "edit": "PaddleGAN.editing:edit",
    "sweep": "PaddleGAN.editing:sweep",
    "translate": "PaddleGAN.translating:translate",
}
"""Mode to a function of the task, the options and the folder to write into, which returns the names of its files."""


def infer(options: argparse.Namespace) -> int:
    """Draw what a mode says.

    Args:
        options: of the command line: mode, run, checkpoint, overrides, output, and what the mode needs.

    Returns:
        The exit code.

    Raises:
        ValueError: the run's task knows no such mode.
    """
    task, folder = open_run(options.run, options.checkpoint, options.overrides)
    if options.mode not in task.modes:
        raise ValueError(
            f"{task.config.task.name} cannot do {options.mode!r}; it can do {', '.join(map(repr, task.modes))}"
        )
    module, _, name = MODES[options.mode].partition(":")
    target = Path(options.output) if options.output else folder.path / options.mode
    target.mkdir(parents=True, exist_ok=True)
    files = getattr(importlib.import_module(module), name)(task, options, target)
    print(f"wrote to {target}: {', '.join(files[:5])}{f' and {len(files) - 5} more' if len(files) > 5 else ''}")
    return 0


def samples(task: Any, options: argparse.Namespace, target: Path) -> list[str]:
    """Draw images from noise."""
    pictures = task.samples(options.count, options.seed, options.classes)
    write_image(target / "samples.png", grid(pictures))
    files = ["samples.png"]
    for number, picture in enumerate(pictures if options.each else []):
        files.append(f"{number:05d}.png")
        write_image(target / files[-1], picture)
    return files


def interpolate(task: Any, options: argparse.Namespace, target: Path) -> list[str]:
    """Draw images on the way from one noise to another."""
    write_image(target / "interpolate.png", task.interpolate(options.rows, options.steps, options.seed))
    return ["interpolate.png"]
