"""Operators on the edges and neighbors of graphs (paddle.geometric)."""
