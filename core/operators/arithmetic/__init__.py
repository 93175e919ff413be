"""Element-wise arithmetic, comparisons, rounding, special functions and complex numbers."""
