"""Reductions along axes: sums, extremes, cumulative forms, statistics."""
