"""Linear algebra under the names of ``paddle.linalg``."""

from __future__ import annotations

import core.autograd  # noqa: F401 - the rules belong to the operators
from core.operators.linear_algebra.decompositions import (
    cholesky,
    cond,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    matrix_rank,
    pinv,
    qr,
    svd,
)
from core.operators.linear_algebra.factors import householder_product, lu, lu_unpack, pca_lowrank
from core.operators.linear_algebra.matrix_products import matrix_power, multi_dot
from core.operators.linear_algebra.norms import norm
from core.operators.linear_algebra.solvers import cholesky_solve, det, lstsq, slogdet, solve, triangular_solve
from core.operators.linear_algebra.solvers import inverse as inv
from core.operators.reductions.counting import corrcoef, cov

__all__ = [
    "cholesky", "cholesky_solve", "cond", "corrcoef", "cov", "det", "eig", "eigh", "eigvals", "eigvalsh",
    "householder_product", "inv", "lstsq", "lu", "lu_unpack", "matrix_power", "matrix_rank", "multi_dot", "norm",
    "pca_lowrank", "pinv", "qr", "slogdet", "solve", "svd", "triangular_solve",
]  # fmt: skip
