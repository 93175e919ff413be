"""What a training step and an evaluation step are, one file for each kind of task."""
