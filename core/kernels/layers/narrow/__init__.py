"""Kernels of layers whose numbers are narrow: products, attention and normalization in bfloat16 or bytes."""
