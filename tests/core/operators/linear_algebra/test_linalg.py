"""Products of matrices, contractions, systems and factorisations against numpy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from tests.core.gradient_check import check_gradients


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def square(*shape: int, seed: int = 0) -> np.ndarray:
    """Matrices far from singular."""
    return normal(*shape, seed=seed) * 0.3 + 2 * np.eye(shape[-1])


def definite(size: int, seed: int = 0) -> np.ndarray:
    root = normal(size, size, seed=seed) * 0.3
    return root @ root.T + np.diag(np.arange(1.0, size + 1))


SHAPES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 4)), ((2, 3), (2, 3, 4)),
    ((2, 1, 2, 3), (3, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((4, 2, 0), (0, 3)), ((0, 2, 3), (3, 2)),
    ((1, 1), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_matmul(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    a, b = normal(*first), normal(*second, seed=1)
    for tx, ty in product((False, True), repeat=2):
        x = a.swapaxes(-1, -2) if tx and a.ndim > 1 else a
        y = b.swapaxes(-1, -2) if ty and b.ndim > 1 else b
        for dtype in ("float64", "float32", "float16", "int64", "int32", "uint8"):
            scale = 3 if "int" in dtype else 1
            left, right = np.abs(x * scale).astype(dtype), np.abs(y * scale).astype(dtype)
            got = core.matmul(core.to_tensor(left), core.to_tensor(right), tx, ty)
            expected = np.abs(a * scale).astype(dtype) @ np.abs(b * scale).astype(dtype)
            assert got.dtype == dtype and got.shape == list(np.shape(expected))
            np.testing.assert_allclose(got.numpy(), expected, rtol=4e-3 if dtype == "float16" else 1e-5)
        check_gradients(lambda p, q, tx=tx, ty=ty: core.matmul(p, q, tx, ty), x, y)


@pytest.mark.parametrize(("tx", "ty"), list(product((False, True), repeat=2)))
def test_large_products_take_the_fast_kernel_and_give_the_same(tx: bool, ty: bool) -> None:
    a, b, g = (normal(*shape, seed=i).astype("float32") for i, shape in enumerate(((300, 200), (200, 260), (300, 260))))
    for run in (core.matmul, core.jit.to_static(lambda *arguments: core.matmul(*arguments))):
        x = core.to_tensor(a.T.copy() if tx else a, stop_gradient=False)
        y = core.to_tensor(b.T.copy() if ty else b, stop_gradient=False)
        got = run(x, y, tx, ty)
        np.testing.assert_allclose(got.numpy(), a @ b, rtol=0, atol=2e-4)
        core.autograd.backward([got], [core.to_tensor(g)])
        for tensor, expected, flipped in ((x, g @ b.T, tx), (y, a.T @ g, ty)):
            found = tensor.grad.numpy()
            np.testing.assert_allclose(found.T if flipped else found, expected, rtol=0, atol=3e-4)


def test_fast_kernel_used_in_a_second_derivative() -> None:
    a, w = normal(300, 8).astype("float32"), normal(300, 8, seed=1).astype("float32")
    x, y = core.to_tensor(a, stop_gradient=False), core.to_tensor(w, stop_gradient=False)
    out = core.matmul(x, y, transpose_y=True)
    (gradient,) = core.grad((out * out).sum(), [x], create_graph=True)
    np.testing.assert_allclose(gradient.numpy(), 2 * a @ w.T @ w, rtol=0, atol=2e-2)
    gradient.sum().backward()
    ones = np.ones_like(a)
    expected = 2 * (w @ ones.T @ a + (a @ w.T).T @ ones).astype("float64")
    np.testing.assert_allclose(y.grad.numpy(), expected, rtol=0, atol=5e-2)


def test_int64_products_are_exact() -> None:
    x = core.to_tensor([[2**53 + 1, 1]])
    assert core.matmul(x, core.to_tensor([[1], [0]])).item() == 2**53 + 1


def test_refused_products() -> None:
    with pytest.raises(OperatorError, match=r"x \[2, 3\] and y \[2, 3\] do not fit: inner sizes 3 and 2 differ"):
        core.matmul(core.ones([2, 3]), core.ones([2, 3]))
    with pytest.raises(OperatorError, match="an operand is 0-D: multiply by a single number with"):
        core.matmul(core.ones([]), core.ones([2]))
    with pytest.raises(OperatorError, match=r"matmul: shapes \[2\] and \[3\] do not broadcast"):
        core.matmul(core.ones([2, 2, 2]), core.ones([3, 2, 2]))
    with pytest.raises(OperatorError, match=r"bmm: expects shapes \[b, m, k\] and \[b, k, n\]"):
        core.bmm(core.ones([2, 2]), core.ones([2, 2]))
    with pytest.raises(OperatorError, match="mv: expects a matrix and a vector"):
        core.mv(core.ones([2, 2]), core.ones([2, 2]))
    with pytest.raises(OperatorError, match="dot: expects two vectors or two matrices of one shape"):
        core.dot(core.ones([2]), core.ones([3]))
    with pytest.raises(OperatorError, match="addmm: input .* does not broadcast|addmm: shapes"):
        core.addmm(core.ones([3, 3]), core.ones([2, 2]), core.ones([2, 2]))
    with pytest.raises(OperatorError, match="t: expects at most 2 axes"):
        core.t(core.ones([1, 1, 1]))


def test_relatives_of_matmul() -> None:
    a, b, v, m = normal(2, 3, 4), normal(2, 4, 2, seed=1), normal(4, seed=2), normal(3, 2, seed=3)
    t = core.to_tensor
    np.testing.assert_allclose(core.bmm(t(a), t(b)).numpy(), a @ b)
    np.testing.assert_allclose(core.mm(t(a[0]), t(b[0])).numpy(), a[0] @ b[0])
    np.testing.assert_allclose(core.mv(t(a[0]), t(v)).numpy(), a[0] @ v)
    np.testing.assert_allclose(core.dot(t(v), t(v)).numpy(), v @ v)
    np.testing.assert_allclose(core.dot(t(a[0]), t(a[1])).numpy(), (a[0] * a[1]).sum(-1))
    np.testing.assert_allclose(core.addmm(t(m), t(a[0]), t(b[0]), 0.5, 2.0).numpy(), 0.5 * m + 2 * a[0] @ b[0])
    np.testing.assert_allclose(core.t(t(m)).numpy(), m.T)
    assert core.dot(t([1, 2]), t([3, 4])).dtype == "int64"
    np.testing.assert_allclose((t(m) @ core.t(t(m))).numpy(), m @ m.T)
    check_gradients(lambda x, y, z: core.addmm(x, y, z, 0.5, 2.0), m, a[0], b[0])


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,kj", (2, 3), (4, 3)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("i,i", (3,), (3,)),
    ("i,j->ji", (2,), (3,)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ijk->kj", (2, 3, 4)), ("ij->", (2, 3)),
    ("...ij->...ji", (2, 3, 4)),
    ("bhid,bhjd->bhij", (2, 2, 3, 4), (2, 2, 2, 4)), ("...i,i", (2, 3, 4), (4,)), ("ij,jk,kl->il", (2, 3),
    (3, 2), (2, 4)),
    ("b...d,...dk->b...k", (2, 3, 4), (3, 4, 2)), ("ij,ij->ij", (2, 3), (2, 3)), ("iij,j->i", (2, 2, 3),
    (3,)), ("i, j", (2,), (2,)),
    ("ab,cd->", (2, 3), (2, 2)), ("...,...->...", (2, 3), (3,)), ("ijij->ij", (2, 3, 2, 3)),
    ("ij,jk->ik", (0, 3), (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "shapes"), [(case[0], case[1:]) for case in EQUATIONS])
def test_einsum(equation: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    arrays = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    got = core.einsum(equation, *[core.to_tensor(array) for array in arrays])
    np.testing.assert_allclose(got.numpy(), np.einsum(equation, *arrays), rtol=1e-10, atol=1e-12)
    check_gradients(lambda *tensors: core.einsum(equation, *tensors), *arrays)


def test_refused_equations() -> None:
    x = core.ones([2, 3])
    for equation, operands, message in (
        ("ij,jk->ik", [x], "names 2 operands, 1 are given"),
        ("ijk->i", [x], r"'ijk' in 'ijk->i' does not fit a tensor of shape \[2, 3\]"),
        ("ij,ik->jk", [x, core.ones([3, 3])], "'i' is 2 and 3"),
        ("ij->ik", [x], "must name letters of the operands once each"),
    ):
        with pytest.raises(OperatorError, match=message):
            core.einsum(equation, *operands)


def test_tensordot_kron_cross_trace_cdist() -> None:
    a, b, t = normal(2, 3, 4), normal(3, 4, 2, seed=1), core.to_tensor
    for axes in (0, [[1, 2], [0, 1]], [[0], [2]]):
        np.testing.assert_allclose(core.tensordot(t(a), t(b), axes).numpy(), np.tensordot(a, b, axes), rtol=1e-10)
    np.testing.assert_allclose(core.tensordot(t(a), t(b[:, :, 0].T), 1).numpy(), np.tensordot(a, b[:, :, 0].T, 1))
    with pytest.raises(OperatorError, match="differ in size"):
        core.tensordot(t(a), t(b), 1)
    np.testing.assert_allclose(core.kron(t(a[0]), t(b[0])).numpy(), np.kron(a[0], b[0]))
    np.testing.assert_allclose(core.kron(t(a[0, 0]), t(b[0])).numpy(), np.kron(a[0, 0], b[0]))
    got = core.cross(t(b[:, :, 0]), t(b[:, :, 1]))
    np.testing.assert_allclose(got.numpy(), np.cross(b[:, :, 0], b[:, :, 1], axis=0))
    check_gradients(lambda x, y: core.cross(x, y, axis=1), normal(2, 3), normal(2, 3, seed=1))
    with pytest.raises(OperatorError, match=r"cross: no axis of \[2, 4\] has size 3"):
        core.cross(core.ones([2, 4]), core.ones([2, 4]))
    for offset in (-1, 0, 2):
        np.testing.assert_allclose(core.trace(t(a), offset, 1, 2).numpy(), np.trace(a, offset, 1, 2))
    expected = np.linalg.norm(a[0][:, None] - a[1][None], axis=-1)
    np.testing.assert_allclose(core.cdist(t(a[0]), t(a[1])).numpy(), expected)
    assert not core.cdist(t(a[0]), t(a[0])).numpy().diagonal().any()


def test_chains_and_powers() -> None:
    parts = [normal(2, 30), normal(30, 3, seed=1), normal(3, 20, seed=2), normal(20, seed=3)]
    got = core.linalg.multi_dot([core.to_tensor(part) for part in parts])
    np.testing.assert_allclose(got.numpy(), np.linalg.multi_dot(parts), rtol=1e-10)
    x = square(2, 3, 3)
    for n in (-3, -1, 0, 1, 2, 5):
        got = core.linalg.matrix_power(core.to_tensor(x), n)
        np.testing.assert_allclose(got.numpy(), np.linalg.matrix_power(x, n), rtol=1e-9, atol=1e-10)
    check_gradients(lambda t: core.linalg.matrix_power(t, -2), x[0], tolerance=1e-5)
    with pytest.raises(OperatorError, match="of neighbours do not fit"):
        core.linalg.multi_dot([core.ones([2, 3]), core.ones([2, 3])])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "pinv", "matrix_rank", "eigvalsh", "cholesky", "cond"])
def test_functions_of_one_matrix(name: str, dtype: str) -> None:
    x = np.stack([definite(3), definite(3, seed=1)]).astype(dtype)
    expected = getattr(np.linalg, name)(x)
    got = getattr(core.linalg, name)(core.to_tensor(x))
    assert got.dtype == ("int32" if name == "matrix_rank" else dtype)
    wanted = np.stack(expected) if name == "slogdet" else expected
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-4 if dtype == "float32" else 1e-10, atol=1e-6)


DIFFERENTIABLE: dict[str, tuple[Any, ...]] = {
    "inv": (core.linalg.inv, square(2, 3, 3)),
    "det": (core.linalg.det, square(2, 3, 3)),
    "slogdet": (core.linalg.slogdet, square(3, 3)),
    "solve": (core.linalg.solve, square(2, 3, 3), normal(3, 2)),
    "solve vector": (core.linalg.solve, square(3, 3), normal(3)),
    "cholesky": (lambda t: core.linalg.cholesky(t + core.t(t)), definite(3)),
    "cholesky upper": (lambda t: core.linalg.cholesky(t + core.t(t), upper=True), definite(3)),
    "cholesky_solve": (core.linalg.cholesky_solve, normal(3, 2), square(3, 3)),
    "pinv tall": (core.linalg.pinv, normal(4, 2)),
    "pinv wide": (core.linalg.pinv, normal(2, 3)),
    "qr tall": (core.linalg.qr, square(3, 3)[:, :2]),
    "qr square": (core.linalg.qr, square(3, 3)),
    "qr wide": (core.linalg.qr, square(3, 3)[:2]),
    "qr r": (lambda t: core.linalg.qr(t, "r"), square(3, 3)),
    "eigvalsh": (lambda t: core.linalg.eigvalsh(t + core.t(t)), definite(3)),
    "eigh": (lambda t: core.linalg.eigh(t + core.t(t)), definite(3)),
    "svd": (core.linalg.svd, np.diag([3.0, 2.0, 1.0]) + 0.2 * normal(3, 3)),
    "svd tall": (core.linalg.svd, np.eye(3, 2) * [3.0, 1.0] + 0.2 * normal(3, 2)),
    "svd wide": (core.linalg.svd, np.eye(2, 3) * [[3.0], [1.0]] + 0.2 * normal(2, 3)),
    "cond": (core.linalg.cond, square(3, 3)),
    "cond fro": (lambda t: core.linalg.cond(t, "fro"), square(3, 3)),
}
DIFFERENTIABLE["lu"] = (lambda t: core.linalg.lu(t)[0], square(2, 3, 3)[:, [1, 0, 2]])
DIFFERENTIABLE["lu tall"] = (lambda t: core.linalg.lu(t)[0], square(2, 4, 4)[:, [1, 0, 3, 2], :2])
DIFFERENTIABLE["lu wide"] = (lambda t: core.linalg.lu(t)[0], square(3, 3)[[1, 0]])
DIFFERENTIABLE["lu unpacked"] = (lambda t: core.linalg.lu_unpack(*core.linalg.lu(t))[1:], square(3, 3))
DIFFERENTIABLE["householder_product"] = (core.linalg.householder_product, normal(3, 2), normal(2))
for _upper, _transpose, _unit in product((False, True), repeat=3):
    DIFFERENTIABLE[f"triangular_solve {_upper} {_transpose} {_unit}"] = (
        lambda a, b, options=(_upper, _transpose, _unit): core.linalg.triangular_solve(a, b, *options),
        square(3, 3),
        normal(3, 2),
    )  # fmt: skip


@pytest.mark.parametrize("case", DIFFERENTIABLE)
def test_derivatives_of_matrix_functions(case: str) -> None:
    function, *arrays = DIFFERENTIABLE[case]
    check_gradients(function, *arrays, tolerance=1e-5)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 4, 3)])
def test_factors_multiply_to_the_matrix(shape: tuple[int, ...]) -> None:
    x = normal(*shape)
    for mode in ("reduced", "complete"):
        q, r = (part.numpy() for part in core.linalg.qr(core.to_tensor(x), mode))
        np.testing.assert_allclose(q @ r, x, atol=1e-12)
        unit = q.swapaxes(-1, -2) @ q
        np.testing.assert_allclose(unit, np.broadcast_to(np.eye(q.shape[-1]), unit.shape), atol=1e-12)
    for full in (False, True):
        u, s, vh = (part.numpy() for part in core.linalg.svd(core.to_tensor(x), full))
        np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), rtol=1e-10)
        size = s.shape[-1]
        np.testing.assert_allclose(u[..., :size] * s[..., None, :] @ vh[..., :size, :], x, atol=1e-12)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 2), (2, 4)])
def test_triangular_factors_with_pivots(shape: tuple[int, ...]) -> None:
    x = normal(*shape)
    packed, pivots, infos = core.linalg.lu(core.to_tensor(x), get_infos=True)
    assert pivots.dtype == "int32" and infos.shape == (list(shape[:-2]) or [1]) and not infos.numpy().any()
    p, lower, upper = (part.numpy() for part in core.linalg.lu_unpack(packed, pivots))
    np.testing.assert_allclose(p @ lower @ upper, x, atol=1e-12)
    assert np.abs(lower).max() <= 1
    rows = core.linalg.lu(core.to_tensor([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_allclose(rows[0].numpy(), [[3, 4], [1 / 3, 2 / 3]], rtol=1e-6)
    assert rows[1].tolist() == [2, 2]
    assert core.linalg.lu_unpack(packed, pivots, unpack_pivots=False)[0] is None
    again = core.linalg.lu(core.to_tensor(x, stop_gradient=False))
    np.testing.assert_allclose(again[0].numpy(), packed.numpy(), atol=1e-12)
    np.testing.assert_array_equal(again[1].numpy(), pivots.numpy())


def test_products_of_reflections() -> None:
    raw, tau = np.linalg.qr(normal(4, 3), mode="raw")
    got = core.linalg.householder_product(core.to_tensor(raw.T.copy()), core.to_tensor(tau))
    np.testing.assert_allclose(got.numpy(), np.linalg.qr(normal(4, 3))[0], atol=1e-12)
    with pytest.raises(OperatorError, match="householder_product: 3 factors for 2 vectors"):
        core.linalg.householder_product(core.ones([3, 2]), core.ones([3]))


def test_principal_components() -> None:
    x = normal(6, 4)
    u, s, v = (part.numpy() for part in core.linalg.pca_lowrank(core.to_tensor(x), 4))
    np.testing.assert_allclose(u * s @ v.T, x - x.mean(0), atol=1e-12)
    assert core.linalg.pca_lowrank(core.to_tensor(x), 2)[2].shape == [4, 2]
    with pytest.raises(OperatorError, match="pca_lowrank: q must lie within 0 and 4, got 5"):
        core.linalg.pca_lowrank(core.to_tensor(x), 5)


def test_eigenvectors() -> None:
    x = definite(4)
    for name in ("eigh", "eig"):
        values, vectors = (part.numpy() for part in getattr(core.linalg, name)(core.to_tensor(x)))
        np.testing.assert_allclose(x @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(np.sort(core.linalg.eigvals(core.to_tensor(x)).numpy()), np.linalg.eigvalsh(x))
    only_upper = core.linalg.eigvalsh(core.to_tensor(np.triu(x)), UPLO="U")
    np.testing.assert_allclose(only_upper.numpy(), np.linalg.eigvalsh(x))
    with pytest.raises(OperatorError, match="eig: some eigenvalues are complex"):
        core.linalg.eig(core.to_tensor([[0.0, -1.0], [1.0, 0.0]]))


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, float("inf"), float("-inf"), "fro", "nuc"])
def test_condition_numbers(p: Any) -> None:
    x = square(2, 3, 3)
    np.testing.assert_allclose(core.linalg.cond(core.to_tensor(x), p).numpy(), np.linalg.cond(x, p), rtol=1e-10)


def test_least_squares() -> None:
    a, b = normal(5, 2), normal(5, 3, seed=1)
    got = core.linalg.lstsq(core.to_tensor(a), core.to_tensor(b))
    for found, expected in zip(got, np.linalg.lstsq(a, b, rcond=None)):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10)
    assert got[2].dtype == "int32"
    batch = [core.to_tensor(np.stack(pair)) for pair in ((a, a), (b, 2 * b))]
    solution, residuals, ranks, _ = core.linalg.lstsq(*batch)
    np.testing.assert_allclose(solution.numpy()[1], 2 * got[0].numpy(), rtol=1e-10)
    assert residuals.shape == [2, 3] and ranks.numpy().tolist() == [2, 2]
    assert core.linalg.lstsq(core.to_tensor(a[:1]), core.to_tensor(b[:1]))[1].shape == [0]


def test_ranks() -> None:
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert core.linalg.matrix_rank(core.to_tensor(x)).item() == 1
    assert core.linalg.matrix_rank(core.to_tensor(definite(3)), hermitian=True).item() == 3
    assert core.linalg.matrix_rank(core.to_tensor(np.diag([1.0, 0.1])), tol=0.5).item() == 1


def test_refused_matrices() -> None:
    singular = core.to_tensor([[1.0, 2.0], [2.0, 4.0]])
    for call, message in (
        (lambda: core.linalg.inv(singular), "inverse: singular matrix"),
        (lambda: core.linalg.solve(singular, core.ones([2])), "solve: singular matrix"),
        (lambda: core.linalg.cholesky(-singular), "cholesky: matrix is not positive definite"),
        (lambda: core.linalg.inv(core.ones([2, 3])), r"inverse: x must be square, got shape \[2, 3\]"),
        (lambda: core.linalg.det(core.ones([2])), "det: x must be a matrix or a batch of them"),
        (lambda: core.linalg.solve(core.eye(2), core.ones([3, 1])), r"\[2, 2\] do not fit right-hand sides \[3, 1\]"),
        (lambda: core.linalg.qr(singular, "full"), "qr: mode must be 'reduced', 'complete' or 'r', got 'full'"),
        (lambda: core.linalg.eigh(singular, "X"), "eigh: UPLO must be 'L' or 'U', got 'X'"),
        (lambda: core.linalg.cond(singular, 3), "cond: p must be None"),
    ):
        with pytest.raises(OperatorError, match=message):
            call()
    with pytest.raises(OperatorTypeError, match="inverse: x must be float32 or float64, got int64: cast it to float32"):
        core.linalg.inv(core.to_tensor([[1]]))


def test_compiled_programs_factor_too() -> None:
    x = definite(3).astype("float32")
    program = core.jit.to_static(lambda t: core.linalg.solve(t, core.linalg.cholesky(t)).sum())
    for _ in range(2):
        t = core.to_tensor(x, stop_gradient=False)
        got = program(t)
        got.backward()
        eager = core.to_tensor(x, stop_gradient=False)
        core.linalg.solve(eager, core.linalg.cholesky(eager)).sum().backward()
        np.testing.assert_allclose(t.grad.numpy(), eager.grad.numpy(), rtol=1e-4, atol=1e-5)
