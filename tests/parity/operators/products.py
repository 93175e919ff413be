"""Products of matrices, and linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.parity.operators.table import FLOATS, NUMBERS, Draw, Family, given, real

FAMILY = Family()
case = FAMILY.case

for label, (first, second) in {
    "": ((2, 3), (3, 2)),
    ": batches": ((2, 2, 3), (2, 3, 1)),
    ": broadcast batches": ((2, 1, 2, 3), (3, 3, 2)),
    ": vectors": ((3,), (3,)),
    ": matrix and vector": ((2, 3), (3,)),
    ": vector and matrix": ((3,), (3, 2)),
    ": vector and batch": ((3,), (2, 3, 2)),
    ": batch and vector": ((2, 2, 3), (3,)),
}.items():
    broadcast = label == ": broadcast batches"  # of integers it destroys Paddle's memory, and it has no gradient there
    types = FLOATS if broadcast else NUMBERS
    case(f"matmul{label}", lambda p, x, y: p.matmul(x, y), real(*first), real(*second), types=types,
         gradients=not broadcast)  # fmt: skip
    case(f"__matmul__{label}", lambda p, x, y: x @ y, real(*first), real(*second), gradients=not broadcast)
case("matmul: transposed x", lambda p, x, y: p.matmul(x, y, transpose_x=True), real(3, 2), real(3, 2))
case("matmul: transposed y", lambda p, x, y: p.matmul(x, y, False, True), real(2, 2, 3), real(4, 3))
case("matmul: both", lambda p, x, y: p.matmul(x, y, True, True), real(2, 3, 2), real(2, 4, 3))
case("matmul: inner size 0", lambda p, x, y: p.matmul(x, y), real(2, 0), real(0, 3), expected=np.matmul)
case("matmul: outer size 0", lambda p, x, y: p.matmul(x, y), real(0, 2), real(2, 3), expected=np.matmul)
case("mm", lambda p, x, y: p.mm(x, y), real(2, 3), real(3, 2), types=NUMBERS)
case("bmm", lambda p, x, y: p.bmm(x, y), real(2, 1, 3), real(2, 3, 2), types=NUMBERS)
case("mv", lambda p, x, y: p.mv(x, y), real(2, 3), real(3), types=NUMBERS)
case("dot", lambda p, x, y: p.dot(x, y), real(3), real(3), types=NUMBERS)
case("dot: batch", lambda p, x, y: p.dot(x, y), real(2, 3), real(2, 3), types=NUMBERS)
case("addmm", lambda p, a, x, y: p.addmm(a, x, y), real(2, 2), real(2, 3), real(3, 2), types=NUMBERS)
case("addmm: factors", lambda p, a, x, y: p.addmm(a, x, y, 0.5, 2.0), real(2, 2), real(2, 3), real(3, 2))
case("addmm: broadcast", lambda p, a, x, y: p.addmm(a, x, y), real(2), real(2, 3), real(3, 2))
case("inner", lambda p, x, y: p.inner(x, y), real(2, 3), real(2, 3), types=NUMBERS)
case("inner: vectors", lambda p, x, y: p.inner(x, y), real(3), real(3))
case("inner: 0-D", lambda p, x, y: p.inner(x, y), real(), real(3))
case("outer", lambda p, x, y: p.outer(x, y), real(2), real(3), types=NUMBERS)
case("outer: matrices", lambda p, x, y: p.outer(x, y), real(2, 2), real(3), types=NUMBERS)
case("kron", lambda p, x, y: p.kron(x, y), real(2, 2), real(1, 3), types=NUMBERS)
case("kron: ranks", lambda p, x, y: p.kron(x, y), real(2), real(2, 2))
case("cross", lambda p, x, y: p.cross(x, y), real(2, 3), real(2, 3), types=NUMBERS)
case("cross: axis", lambda p, x, y: p.cross(x, y, axis=0), real(3, 3), real(3, 3))
for label, axes in {"": 1, ": two": 2, ": none": 0, ": list": [1], ": lists": [[0, 1], [1, 0]]}.items():
    call = lambda p, x, y, axes=axes: p.tensordot(x, y, axes)  # noqa: E731
    case(f"tensordot{label}", call, real(2, 2, 2), real(2, 2, 2), types=NUMBERS)
for equation, shapes in {
    "ij,jk->ik": ((2, 3), (3, 2)),
    "ij->ji": ((2, 3),),
    "ij->": ((2, 3),),
    "bij,bjk->bik": ((2, 2, 3), (2, 3, 1)),
    "i,j->ij": ((2,), (3,)),
    "...ij,...jk->...ik": ((2, 2, 3), (3, 1)),
    "ij,ij": ((2, 3), (2, 3)),
    "ijk,k->ij": ((2, 2, 3), (3,)),
    "ii->i": ((3, 3),),
    "ij,jk,kl->il": ((2, 2), (2, 3), (3, 2)),
}.items():
    call = lambda p, *inputs, equation=equation: p.einsum(equation, *inputs)  # noqa: E731
    case(f"einsum: {equation}", call, *[real(*shape) for shape in shapes])
for name_p in (0, 1, 2, 3.5, float("inf")):
    call = lambda p, x, y, q=name_p: p.cdist(x, y, q)  # noqa: E731
    case(f"cdist: {name_p}", call, real(3, 2), real(2, 2), tolerance=1e-6)
    case(f"dist: {name_p}", lambda p, x, y, q=name_p: p.dist(x, y, q), real(2, 3), real(3), tolerance=1e-6)
case("cdist: batch", lambda p, x, y: p.cdist(x, y), real(2, 3, 2), real(2, 1, 2))
case("renorm", lambda p, x: p.renorm(x, 2.0, 0, 1.0), real(3, 4), tolerance=1e-6)
case("renorm: axis", lambda p, x: p.renorm(x, 1.0, -1, 0.5), real(3, 2, 2), tolerance=1e-6)

# norms

for label, options in {
    "": {},
    ": 1": {"p": 1},
    ": 2": {"p": 2},
    ": 3": {"p": 3.0},
    ": 0": {"p": 0},
    ": inf": {"p": float("inf")},
    ": -inf": {"p": float("-inf")},
    ": axis": {"p": 2, "axis": 1},
    ": axis, keepdim": {"p": 1, "axis": -1, "keepdim": True},
    ": axis, inf": {"p": float("inf"), "axis": 0},
    ": matrix, fro": {"p": "fro", "axis": [0, 1]},
    ": matrix, 2": {"p": 2, "axis": [0, 1]},
    ": matrix, 1": {"p": 1, "axis": [0, 1]},
    ": matrix, inf": {"p": float("inf"), "axis": [0, 1]},
}.items():
    call = lambda p, x, options=options: p.norm(x, **options)  # noqa: E731
    case(f"norm{label}", call, real(3, 4), tolerance=1e-6)
case("norm: batch of matrices", lambda p, x: p.norm(x, p="fro", axis=[-2, -1], keepdim=True), real(2, 2, 3))
case("norm: vector", lambda p, x: p.norm(x), real(4))


# decompositions and solvers

ALGEBRA = Family("linalg", tolerance=1e-8)
algebra = ALGEBRA.case


def square(size: int = 3, batch: tuple[int, ...] = ()) -> Draw:
    """Draw matrices that are far from singular."""
    return lambda generator, dtype: np.asarray(generator.uniform(-1, 1, (*batch, size, size)) + 2 * np.eye(size), dtype)


def positive(size: int = 3, batch: tuple[int, ...] = ()) -> Draw:
    """Draw symmetric positive definite matrices."""

    def draw(generator: np.random.RandomState, dtype: str) -> np.ndarray:
        matrix = generator.uniform(-1, 1, (*batch, size, size))
        return np.asarray(matrix @ matrix.swapaxes(-1, -2) + np.diag(np.arange(1.0, size + 1)), dtype)

    return draw


for label, batch in (("", ()), (": batch", (2,))):
    algebra(f"inv{label}", lambda L, x: L.inv(x), square(3, batch))
    algebra(f"det{label}", lambda L, x: L.det(x), square(3, batch))
    algebra(f"slogdet{label}", lambda L, x: L.slogdet(x), square(3, batch))
    algebra(f"cholesky{label}", lambda L, x: L.cholesky(x), positive(3, batch))
    algebra(f"cholesky: upper{label}", lambda L, x: L.cholesky(x, upper=True), positive(3, batch))
    algebra(f"solve{label}", lambda L, x, y: L.solve(x, y), square(3, batch), real(*batch, 3, 2))
    algebra(f"pinv{label}", lambda L, x: L.pinv(x), real(*batch, 3, 2))
    algebra(f"matrix_rank{label}", lambda L, x: L.matrix_rank(x), square(3, batch))
    # of the second matrix and later ones Paddle's gradients are wrong
    algebra(f"eigvalsh{label}", lambda L, x: L.eigvalsh(x), positive(3, batch), gradients=not batch)
    # signs of vectors are free: squares of them are not
    squares = lambda L, x: (lambda w, v: [w, v * v])(*L.eigh(x))  # noqa: E731
    algebra(f"eigh{label}", squares, positive(3, batch), gradients=not batch)
    algebra(f"svd{label}", lambda L, x: (lambda u, s, v: [u * u, s, v * v])(*L.svd(x)), real(*batch, 3, 2))
    algebra(f"qr{label}", lambda L, x: (lambda q, r: [q * q, r * r])(*L.qr(x)), real(*batch, 3, 2))
for power in (-2, 0, 1, 3):
    algebra(f"matrix_power: {power}", lambda L, x, power=power: L.matrix_power(x, power), square())
algebra("solve: vector", lambda L, x, y: L.solve(x, y), square(), real(3))
algebra("cholesky_solve", lambda L, x, y: L.cholesky_solve(x, L.cholesky(y)), real(3, 2), positive())
algebra("cholesky_solve: upper", lambda L, x, y: L.cholesky_solve(x, L.cholesky(y, True), True), real(3, 2), positive())
for label, options in {
    "": {},
    ": lower": {"upper": False},
    ": transposed": {"transpose": True},
    ": unit": {"unitriangular": True},
}.items():
    call = lambda L, x, y, options=options: L.triangular_solve(x, y, **options)  # noqa: E731
    algebra(f"triangular_solve{label}", call, square(), real(3, 2))
algebra("multi_dot", lambda L, x, y, z: L.multi_dot([x, y, z]), real(2, 3), real(3, 4), real(4, 2))
algebra("multi_dot: vectors", lambda L, x, y, z: L.multi_dot([x, y, z]), real(3), real(3, 4), real(4))
algebra("qr: complete", lambda L, x: (lambda q, r: [q * q, r * r])(*L.qr(x, "complete")), real(3, 2), gradients=False)
algebra("qr: only r", lambda L, x: (lambda r: r * r)(L.qr(x, mode="r")), real(3, 2), gradients=False)
algebra(
    "svd: full", lambda L, x: (lambda u, s, v: [u * u, s])(*L.svd(x, full_matrices=True)), real(3, 2), gradients=False
)
algebra("pinv: hermitian", lambda L, x: L.pinv((x + x.t()) * 0.5, hermitian=True), positive())
algebra("pinv: rcond", lambda L, x: L.pinv(x, rcond=0.9), real(3, 2), gradients=False)
algebra("matrix_rank: tolerance", lambda L, x: L.matrix_rank(x, tol=2.5), positive())
algebra("matrix_rank: hermitian", lambda L, x: L.matrix_rank(x, hermitian=True), positive())
algebra("matrix_rank: singular", lambda L, x: L.matrix_rank(x), given([[1, 2], [2, 4]]))
algebra("eigvalsh: upper", lambda L, x: L.eigvalsh(x, UPLO="U"), positive())
for order in (None, "fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")):
    algebra(f"cond: {order}", lambda L, x, order=order: L.cond(x, order), square(), gradients=False)
algebra("lu", lambda L, x: L.lu(x), square())
algebra("lu: infos", lambda L, x: L.lu(x, get_infos=True), square(), gradients=False)
algebra("lu_unpack", lambda L, x: L.lu_unpack(*L.lu(x)), square(), gradients=False)
algebra("lstsq", lambda L, x, y: L.lstsq(x, y)[0], real(4, 2), real(4, 1), gradients=False)
algebra("lstsq: everything", lambda L, x, y: L.lstsq(x, y, driver="gelsd"), real(4, 2), real(4, 2), gradients=False)
algebra("householder_product", lambda L, x, t: L.householder_product(x, t), real(3, 2), real(2), gradients=False)
algebra("pca_lowrank", lambda L, x: L.pca_lowrank(x, 2)[1], real(4, 3), gradients=False, tolerance=1e-5)
FAMILY.cases.update(ALGEBRA.cases)
case("inverse", lambda p, x: p.inverse(x), square())


def _real(p: Any, x: Any) -> Any:
    """Paddle's eigenvalues are complex, ours real where they can be."""
    return p.real(x) if p.is_complex(x) else x


case("eigvals", lambda p, x: _real(p, p.linalg.eigvals(x)), given([[2, 1], [1, 3]]), gradients=False)
case("eig", lambda p, x: _real(p, p.linalg.eig(x)[0]), given([[2, 1], [1, 3]]), gradients=False)
