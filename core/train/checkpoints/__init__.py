"""Checkpoints of a run: written whole, found again, restored."""
