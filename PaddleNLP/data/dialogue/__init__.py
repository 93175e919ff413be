"""Data sets of conversations."""
