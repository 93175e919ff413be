"""Readers: texts in, classes, spans or answers out."""
