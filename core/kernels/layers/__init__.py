"""Custom kernels of layers: attention, recurrence, convolution, normalization, activations, losses."""
