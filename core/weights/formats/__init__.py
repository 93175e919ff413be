"""Formats of weight files, read without running anything of them."""
