"""Tasks of dialogue systems."""
