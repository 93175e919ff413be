"""Products, factorizations, solvers and norms of vectors and matrices."""
