"""Optimizers and learning-rate schedules: ``paddle.optimizer``."""
