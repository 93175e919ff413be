"""Restoring pictures and video of any size with a trained network."""

from __future__ import annotations

from PaddleGAN.restoration.restorer import Restorer, open_restorer

__all__ = ["Restorer", "open_restorer"]
