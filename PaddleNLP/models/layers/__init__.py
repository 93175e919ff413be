"""Layers that encoders and heads of single families are made of."""
