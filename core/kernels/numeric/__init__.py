"""Custom kernels and inner loops that belong to no layer: products, sums, orders, scattering, random numbers."""
