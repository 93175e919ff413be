"""Custom kernels on graphs: message passing, sampling of neighbours, walks, skip-gram."""
