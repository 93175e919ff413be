"""Layers between a backbone's feature maps and the heads."""
