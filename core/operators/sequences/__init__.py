"""Sequences on padded batches with lengths: chains of tags, recurrent cells of Fluid."""
