"""Transforms of samples, under PaddleDetection's names."""
