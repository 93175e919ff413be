"""Where the configs are."""

from __future__ import annotations

from pathlib import Path

CONFIGS = Path(__file__).parents[2] / "PaddleDetection" / "configs"


def config_file(name: str) -> Path:
    """Return the one config of a name."""
    (path,) = CONFIGS.rglob(f"{name}.yaml")
    return path
