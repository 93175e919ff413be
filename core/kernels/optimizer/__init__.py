"""Optimizer updates of many tensors at once."""
