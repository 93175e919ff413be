"""Complex tensors, pairs of real ones: against numpy; gradients; what they refuse."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import core
from tests.core.gradient_check import check_gradients


def numbers(*shape: int, dtype: str = "complex128", seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)


def close(found: core.Tensor, expected: np.ndarray) -> None:
    assert found.shape == list(expected.shape) and found.numpy().dtype == expected.dtype
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_arithmetic_is_numpys(dtype: str) -> None:
    a, b = numbers(2, 3, dtype=dtype), numbers(3, dtype=dtype, seed=1)
    x, y = core.to_tensor(a), core.to_tensor(b)
    real = core.to_tensor(b.real)
    close(x + y, a + b)
    close(x - y, a - b)
    close(x * y, a * b)
    close(x / y, a / b)
    close(x * real, a * b.real)
    close(real * x, b.real * a)
    close(1 - x, (1 - a).astype(dtype))
    close(2j / x, (2j / a).astype(dtype))
    close(x**3, a**3)
    close(-x, -a)
    close(x @ y, a @ b)
    close(x.matmul(x.T), a @ a.T)
    close(x.conj(), a.conj())
    close(x.abs(), np.abs(a))
    close(x.angle(), np.angle(a))
    close(x.real(), a.real)
    close(x.imag(), a.imag)
    assert (x == x).all() and not (x != x).any() and x.is_complex() and core.is_complex(x)
    assert x.dtype == getattr(core, dtype) and isinstance(x, core.Tensor)


def test_shapes_and_sums_are_numpys() -> None:
    a = numbers(2, 3, 1)
    x = core.to_tensor(a)
    close(x.reshape([3, 2]), a.reshape(3, 2))
    close(x.transpose([1, 0, 2]), a.transpose(1, 0, 2))
    close(x.squeeze(-1).unsqueeze(0).flatten(), a.reshape(6))
    close(x.flip([0]).roll(1, 1), np.roll(a[::-1], 1, 1))
    close(x.expand([2, 3, 4]), np.broadcast_to(a, (2, 3, 4)))
    close(x.tile([1, 1, 2]), np.tile(a, (1, 1, 2)))
    close(x.moveaxis(0, 2), np.moveaxis(a, 0, 2))
    close(x.sum(1), a.sum(1))
    close(x.mean(), np.asarray(a.mean()))
    close(x[1, :2], a[1, :2])
    close(next(iter(x)), a[0])
    assert len(x) == 2 and x.ndim == 3 and x.size == 6 and x[0, 0, 0].item() == a[0, 0, 0]


def test_making_and_copying() -> None:
    assert core.to_tensor(1 + 2j).dtype == "complex64" and core.to_tensor(1 + 2j).item() == 1 + 2j
    x = core.to_tensor(numbers(2), dtype="complex64", stop_gradient=False)
    assert x.dtype == "complex64" and not x.stop_gradient and x.detach().stop_gradient and x.is_leaf
    for other in (pickle.loads(pickle.dumps(x.detach())), copy.deepcopy(x), x.clone(), core.to_tensor(x)):
        np.testing.assert_array_equal(other.numpy(), x.numpy())
    x = core.to_tensor(np.array([1 + 0j, 2j]))
    x[0] = 5j
    assert x.tolist() == [5j, 2j]
    assert "complex128" in repr(x) and "5.j" in repr(x) and x.astype("complex64").dtype == core.complex64


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: (core.complex(x, y) ** 2 / (core.complex(y, x) + 3)).as_real(),
        lambda x, y: core.complex(x, y).abs() * core.complex(x, y).angle(),
        lambda x, y: core.as_real(core.complex(x, y).T @ core.complex(y, x).conj()),
    ],
)
def test_gradients_of_both_orders(call) -> None:
    generator = np.random.default_rng(2)
    check_gradients(call, generator.uniform(0.5, 1.5, (1, 2)), generator.uniform(0.5, 1.5, (1, 2)))


def test_the_magnitude_of_zero_has_no_gradient() -> None:
    x = core.zeros([2])
    x.stop_gradient = False
    core.complex(x, x).abs().sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


REFUSED = "this operation does not take complex tensors: use their methods, or their parts"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda z: core.exp(z), TypeError, REFUSED),
        (lambda z: core.concat([z, z]), TypeError, REFUSED),
        (lambda z: core.ones([2]) + 3j, TypeError, "the number 3j is complex, but the tensor is"),
        (lambda z: core.zeros([2], core.complex64), TypeError, REFUSED),
        (lambda z: core.cast(core.ones([2]), "complex64"), TypeError, REFUSED),
        (lambda z: z.backward(), TypeError, "backward of a complex tensor: take something real first"),
        (lambda z: z.astype("float32"), TypeError, "complex numbers become complex64 or complex128, not float32"),
        (lambda z: z**0.5, TypeError, "a complex tensor is raised to ints from 1 on, not 0.5"),
        (lambda z: z + "a", TypeError, "a complex tensor does not go with str"),
        (lambda z: core.real(core.ones([1])), TypeError, "real: x must be complex64 or complex128, got float32"),
        (lambda z: core.as_complex(core.ones([3])), ValueError, "as_complex: the last axis must have size 2"),
        (lambda z: core.complex(core.ones([1]), core.ones([1], "float64")), TypeError, "real is float32 but imag is"),
        (lambda z: core.complex(z, z), TypeError, "complex: real must be float32 or float64, got complex128"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call(core.to_tensor(numbers(2)))
