"""Data drawn here, with known answers."""
