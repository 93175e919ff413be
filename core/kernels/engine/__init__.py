"""What speaks to the engine: its start, arrays and calls, graphs, custom operators, and compiled kernels on disk."""
