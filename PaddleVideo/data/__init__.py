"""Data sets of clips and the reading pipeline; nothing here loads the engine."""
