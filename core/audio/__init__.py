"""Features of sound, and files of it (paddle.audio)."""

from __future__ import annotations

from core.audio import backends, features, functional
from core.audio.backends import info, load, save

__all__ = ["backends", "features", "functional", "info", "load", "save"]
