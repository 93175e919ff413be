"""Our kernels for NVIDIA's GPUs: their source, and the launcher that compiles and starts them."""
