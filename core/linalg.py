"""Linear algebra under the names of ``paddle.linalg``."""

from __future__ import annotations

import core.autograd  # noqa: F401 - the rules belong to the operators
from core.operators.counting import corrcoef, cov
from core.operators.decompositions import cholesky, cond, eig, eigh, eigvals, eigvalsh, matrix_rank, pinv, qr, svd
from core.operators.factors import householder_product, lu, lu_unpack, pca_lowrank
from core.operators.matrix_products import matrix_power, multi_dot
from core.operators.norms import norm
from core.operators.solvers import cholesky_solve, det, lstsq, slogdet, solve, triangular_solve
from core.operators.solvers import inverse as inv

__all__ = [
    "cholesky", "cholesky_solve", "cond", "corrcoef", "cov", "det", "eig", "eigh", "eigvals", "eigvalsh",
    "householder_product", "inv", "lstsq", "lu", "lu_unpack", "matrix_power", "matrix_rank", "multi_dot", "norm",
    "pca_lowrank", "pinv", "qr", "slogdet", "solve", "svd", "triangular_solve",
]  # fmt: skip
