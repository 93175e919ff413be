"""Convolutions that are filters of the graph: polynomials and recursions of its adjacency matrix."""
