"""What a training step and an evaluation are, for each family of adversarial networks."""
