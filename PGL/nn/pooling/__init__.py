"""Layers of a batch of graphs: a row for each graph, its best nodes, normalisation by its size."""
