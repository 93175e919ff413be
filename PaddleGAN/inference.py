"""The inference command: what each mode draws with a trained generator."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from core.train.runner.experiment import open_run
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image

MODES = {
    "samples": "PaddleGAN.inference:samples",
    "interpolate": "PaddleGAN.inference:interpolate",
    "mix": "PaddleGAN.inference:mix",
    "restyle": "PaddleGAN.restyling:restyle",
    "speak": "PaddleGAN.speaking:speak",
    "edit": "PaddleGAN.editing:edit",
    "sweep": "PaddleGAN.editing:sweep",
    "translate": "PaddleGAN.translating:translate",
    "restore": "PaddleGAN.restoration.command:restore",
}
"""Mode to a function of the task, the options and the folder to write into.

It returns the names of the files that it wrote, and how many inputs it passed over.
"""


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Draw what a mode says.

    Args:
        toolkit: of the run.
        options: of the command line: mode, run, checkpoint, overrides, output, and what the mode needs.

    Returns:
        The exit code: 1 when an image could not be used.

    Raises:
        ValueError: the run's task knows no such mode, or no image could be used.
        FileNotFoundError: there is no such image file.
    """
    if options.mode == "restore":  # official weights need no run
        done = importlib.import_module("PaddleGAN.restoration.command").restore_published(options)
        if done is not None:
            return _report(*done)
    if options.mode in ("translate", "speak"):
        done = importlib.import_module("PaddleGAN.published").use(options)
        if done is not None:
            return _report(*done)
    task, folder = open_run(toolkit, options.run, options.checkpoint, options.overrides)
    if options.mode not in task.modes:
        raise ValueError(
            f"{task.config.task.name} cannot do {options.mode!r}; it can do {', '.join(map(repr, task.modes))}"
        )
    module, _, name = MODES[options.mode].partition(":")
    target = Path(options.output) if options.output else folder.path / options.mode
    target.mkdir(parents=True, exist_ok=True)
    files, failed = getattr(importlib.import_module(module), name)(task, options, target)
    return _report(files, failed, target)


def _report(files: list[str], failed: int, target: Path) -> int:
    """Say what was written; return the exit code."""
    text = f"; {failed} of the images could not be used" if failed else ""
    print(f"wrote to {target}: {', '.join(files[:5])}{f' and {len(files) - 5} more' if len(files) > 5 else ''}{text}")
    return 1 if failed else 0


def samples(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Draw images from noise."""
    _truncate(task, options)
    pictures = task.samples(options.count, options.seed, options.classes)
    write_image(target / "samples.png", task.samples_sheet(pictures, options.seed, options.classes))
    files = ["samples.png"]
    for number, picture in enumerate(pictures if options.each else []):
        files.append(f"{number:05d}.png")
        write_image(target / files[-1], picture)
    return files, 0


def interpolate(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Draw images on the way from one noise to another."""
    _truncate(task, options)
    write_image(target / "interpolate.png", task.interpolate(options.rows, options.steps, options.seed))
    return ["interpolate.png"], 0


def mix(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Draw images with coarse levels of one image and fine levels of another."""
    _truncate(task, options)
    write_image(target / "mix.png", task.mixed(options.rows, options.columns, options.seed, options.level))
    return ["mix.png"], 0


def _truncate(task: Any, options: argparse.Namespace) -> None:
    """Set how typical images shall be, where the command line says so."""
    if options.truncation is None:
        return
    if not hasattr(task, "truncate"):
        raise ValueError(f"{task.config.task.name} has no styles to truncate; leave out --truncation")
    task.truncate(options.truncation)
