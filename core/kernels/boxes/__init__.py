"""Custom kernels on boxes of images: suppression, pooling inside boxes, areas."""
