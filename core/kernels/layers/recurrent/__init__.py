"""Kernels of whole sequences of recurrent cells, forward and backward."""
