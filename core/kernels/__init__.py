"""The kernel layer: the only place that imports mxnet or numba."""
