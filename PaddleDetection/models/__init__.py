"""Detectors: one file for each, made of backbones, necks, heads and losses."""
