"""Which predictions answer for which objects in training."""
