"""A small run on drawn scenes, for the tests of the commands."""

from __future__ import annotations

from pathlib import Path

from PaddleDetection import train

CONFIG = Path(__file__).with_name("small.yaml")


def options(*changes: str) -> list[str]:
    """Return changes of keys as words of a command line."""
    return [word for change in changes for word in ("-o", change)]


def trained(folder: Path) -> Path:
    """Train three epochs on four scenes; return the run's folder."""
    assert train.main(["-c", str(CONFIG), *options(f"output={folder}")]) == 0
    return folder
