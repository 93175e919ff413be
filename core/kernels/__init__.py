"""The engine room: the only place that imports mxnet or numba."""
