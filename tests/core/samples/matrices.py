"""Example calls of linear algebra: contractions, systems, factorisations."""

from __future__ import annotations

from typing import Any

import core
from tests.core.samples import Draw, Sample, call


def definite(d: Draw, size: int = 3) -> core.Tensor:
    """A symmetric positive-definite matrix with distinct eigenvalues."""
    root = d.generator.uniform(-0.4, 0.4, (size, size))
    values = root @ root.T + 0.3 * core.to_tensor(range(1, size + 1)).numpy() * core.eye(size).numpy()
    return core.to_tensor(values, dtype="float32", stop_gradient=False)


def well(d: Draw, *shape: int) -> core.Tensor:
    """Matrices that are far from singular."""
    values = d.generator.uniform(-0.5, 0.5, shape) + 2.0 * core.eye(shape[-2], shape[-1]).numpy()
    return core.to_tensor(values, dtype="float32", stop_gradient=False)


def _square(**options: Any) -> list[Sample]:
    return [lambda d: call(well(d, 3, 3), **options), lambda d: call(well(d, 2, 3, 3), **options)]


SAMPLES: dict[str, list[Sample]] = {
    "cdist": [lambda d: call(d.f(2, 3), d.f(4, 3)), lambda d: call(d.f(2, 3), d.f(4, 3), 1.0)],
    "cholesky": [lambda d: call(definite(d)), lambda d: call(definite(d), upper=True)],
    "cholesky_solve": [lambda d: call(d.f(3, 2), definite(d))],
    "cond": _square(),
    "cross": [lambda d: call(d.f(2, 3), d.f(2, 3)), lambda d: call(d.f(3, 2), d.f(3, 2), 0)],
    "det": _square(),
    "eig": [lambda d: call(definite(d))],
    "eigh": [lambda d: call(definite(d))],
    "eigvals": [lambda d: call(definite(d))],
    "eigvalsh": [lambda d: call(definite(d))],
    "einsum": [
        lambda d: call("ij,jk->ik", d.f(2, 3), d.f(3, 4)),
        lambda d: call("bhid,bhjd->bhij", d.f(2, 2, 3, 4), d.f(2, 2, 5, 4)),
        lambda d: call("...i,i", d.f(2, 3, 4), d.f(4)),
        lambda d: call("ii->i", d.f(3, 3)),
        lambda d: call("i,j,k->kji", d.f(2), d.f(3), d.f(2)),
    ],
    "householder_product": [lambda d: call(d.f(3, 2), d.f(2))],
    "inverse": _square(),
    "kron": [lambda d: call(d.f(2, 3), d.f(3, 2)), lambda d: call(d.f(2), d.f(3, 2))],
    "lstsq": [lambda d: call(d.f(4, 2), d.f(4, 3))],
    "lu": _square(),
    "lu_unpack": [lambda d: call(well(d, 3, 3), core.to_tensor([2, 3, 3])), lambda d: call(d.f(3, 2), d.i(2, low=1))],
    "matrix_power": [
        lambda d: call(well(d, 3, 3), 3),
        lambda d: call(well(d, 3, 3), -2),
        lambda d: call(well(d, 3, 3), 1),
    ],
    "matrix_rank": [lambda d: call(d.f(3, 2))],
    "multi_dot": [lambda d: call([d.f(2, 3), d.f(3, 4), d.f(4)])],
    "pca_lowrank": [lambda d: call(well(d, 4, 3), 2)],
    "pinv": [lambda d: call(well(d, 4, 2))],
    "qr": [lambda d: call(well(d, 4, 2)), lambda d: call(well(d, 2, 4)), lambda d: call(well(d, 3, 3), mode="r")],
    "slogdet": _square(),
    "solve": [lambda d: call(well(d, 3, 3), d.f(3, 2)), lambda d: call(well(d, 2, 3, 3), d.f(2, 3))],
    "svd": [lambda d: call(well(d, 4, 2)), lambda d: call(well(d, 2, 3))],
    "tensordot": [lambda d: call(d.f(2, 3, 4), d.f(3, 4, 2)), lambda d: call(d.f(2, 3), d.f(3, 2), [[0], [1]])],
    "trace": [lambda d: call(d.f(3, 4)), lambda d: call(d.f(2, 3, 3), 1, 1, 2)],
    "triangular_solve": [
        lambda d: call(well(d, 3, 3), d.f(3, 2)),
        lambda d: call(well(d, 3, 3), d.f(3, 2), False, True),
    ],
}
