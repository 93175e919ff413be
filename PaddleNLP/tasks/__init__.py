"""What a training step and an evaluation are, for each kind of language task."""
