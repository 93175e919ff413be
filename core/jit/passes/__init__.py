"""Rewrites of an exported program that keep what it computes."""
