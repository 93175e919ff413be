"""Fourier transforms against scipy's; gradients of both orders, programs, messages."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import core
from core import fft
from tests.core.gradient_check import check_gradients

TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
ONE = ({}, {"n": 4}, {"n": 7}, {"axis": 0}, {"axis": 1, "n": 3})
TWO = ({}, {"s": [2, 6]}, {"axes": (0, 2)})
MANY = (
    {}, {"s": [3, 6]}, {"axes": [0, 2]}, {"axes": [2, 0]}, {"s": [4, 3], "axes": [2, 1]}, {"axes": [-1]},
)  # fmt: skip


def drawn(dtype: str, shape: tuple[int, ...] = (2, 3, 5)) -> np.ndarray:
    generator = np.random.default_rng(1)
    values = generator.standard_normal(shape)
    if dtype.startswith("complex"):
        return (values + 1j * generator.standard_normal(shape)).astype(dtype)
    return (values * 5).astype(dtype)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(
    "dtype",
    ["float32", "complex128", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("float64", "complex64"))],
)
def test_values_are_scipys(transform: str, dtype: str) -> None:
    x = drawn(dtype)
    if transform in ("rfft", "ihfft"):
        x = np.ascontiguousarray(x.real)
    for suffix, calls in (("", ONE), ("2", TWO), ("n", MANY)):
        for keywords in calls:
            for norm in ("ortho",) if keywords else ("backward", "ortho", "forward"):
                found = getattr(fft, transform + suffix)(core.to_tensor(x), norm=norm, **keywords)
                expected = getattr(scipy.fft, transform + suffix)(x, norm=norm, **keywords)
                assert found.shape == list(expected.shape) and found.numpy().dtype == expected.dtype
                precision = 1e-6 if expected.dtype in (np.float32, np.complex64) else 1e-14
                np.testing.assert_allclose(found.numpy(), expected, atol=precision * max(1, np.abs(expected).max()))


def test_integers_become_the_default_type() -> None:
    assert fft.rfft(core.arange(4)).tolist() == [6, -2 + 2j, -2] and fft.fft(core.arange(4)).dtype == "complex64"


def test_sixteen_bits_are_computed_in_thirty_two() -> None:
    for dtype in ("float16", "bfloat16"):
        assert fft.fft(core.ones([4], dtype)).tolist() == [4, 0, 0, 0]
        assert fft.rfft(core.ones([4], dtype)).dtype == "complex64"


def test_no_batch_at_all() -> None:
    assert fft.fft(core.zeros([0, 4])).shape == [0, 4] and fft.rfft(core.zeros([0, 4])).shape == [0, 3]
    assert fft.irfft(core.zeros([0, 3])).shape == [0, 4]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: fft.fft(x, 4).abs(),
        lambda x: fft.ifftn(fft.fftn(x) ** 2, norm="ortho").as_real(),
        lambda x: fft.rfft(x, axis=0).imag(),
        lambda x: fft.irfft(fft.rfft(x, 5) * (1 + 2j), 4),
        lambda x: fft.hfft2(fft.ihfft2(x) / (core.complex(x[0, 0], x[0, 1] * 0) + 3j)),
    ],
)
def test_gradients_of_both_orders(call) -> None:
    check_gradients(call, np.random.default_rng(0).standard_normal((2, 3)))


def test_a_program_has_the_same_values_and_gradients() -> None:
    def mixed(x: core.Tensor) -> core.Tensor:
        return fft.fftn(x, axes=[1, 2]).real() + fft.irfft(fft.rfft(x) * 0.5j, 5)

    results = []
    for function in (mixed, core.jit.to_static(mixed)):
        x = core.to_tensor(drawn("float64"), stop_gradient=False)
        out = function(x)
        (out**3).sum().backward()
        results.append((out.numpy(), x.grad.numpy()))
    for eager, compiled in zip(*results):
        np.testing.assert_allclose(compiled, eager, rtol=1e-12, atol=1e-12)


def test_programs_take_and_return_complex_tensors() -> None:
    transform = core.jit.to_static(lambda z, x: {"out": fft.ifft(z * x), "x": x})
    z, x = drawn("complex128"), drawn("float64")
    for _ in range(2):
        found = transform(core.to_tensor(z), core.to_tensor(x))
        np.testing.assert_allclose(found["out"].numpy(), scipy.fft.ifft(z * x), atol=1e-13)


def test_frequencies_and_shifts() -> None:
    for n in (1, 4, 7):
        np.testing.assert_allclose(fft.fftfreq(n, 0.5, "float64").numpy(), scipy.fft.fftfreq(n, 0.5))
        np.testing.assert_allclose(fft.rfftfreq(n, 0.5, "float64").numpy(), scipy.fft.rfftfreq(n, 0.5))
    x = drawn("complex64")
    for axes in (None, 1, [0, -1]):
        shifted = fft.fftshift(core.to_tensor(x), axes)
        np.testing.assert_array_equal(shifted.numpy(), scipy.fft.fftshift(x, axes))
        np.testing.assert_array_equal(fft.ifftshift(shifted, axes).numpy(), x)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: fft.fft([1.0]), TypeError, "fft: x must be a Tensor, got list"),
        (lambda x: fft.fft(x, 0), ValueError, r"fft: sizes must be positive ints, not \[0\]"),
        (lambda x: fft.fft(x, norm="x"), ValueError, "fft: norm must be one of forward, backward, ortho, not 'x'"),
        (lambda x: fft.ifft(x, axis=2), IndexError, r"ifft: there is no axis 2 in a tensor of shape \[2, 3\]"),
        (lambda x: fft.fftn(x, axes=[0, -2]), IndexError, r"fftn: axes \[0, -2\] name one twice"),
        (lambda x: fft.fftn(x, [3], [0, 1]), ValueError, "fftn: there are 1 sizes for 2 axes"),
        (lambda x: fft.fftn(x, [3, 3, 3]), ValueError, "fftn: 3 sizes are more than the axes of x"),
        (lambda x: fft.fftn(x, axes=1), ValueError, "fftn: axes must be ints, not 1"),
        (lambda x: fft.fft2(x[0]), ValueError, "fft2: x must have at least two axes"),
        (lambda x: fft.rfft2(x, axes=[0]), ValueError, r"rfft2: axes must have two numbers, not \[0\]"),
        (lambda x: fft.rfft(fft.fft(x)), ValueError, "rfft: x must be real, got complex64"),
        (lambda x: fft.irfft(x[:, :1]), ValueError, "irfft: one number along axis 1 has no other half"),
        (lambda x: fft.fft(core.zeros([2, 0])), ValueError, "fft: axis 1 of x is empty"),
        (lambda x: fft.rfftn(x, axes=[]), ValueError, "rfftn: there is no axis to transform"),
        (lambda x: fft.fftfreq(0), ValueError, "fftfreq: n must be a positive int and d not 0"),
        (lambda x: fft.fftshift(x, 2), IndexError, "fftshift: there is no axis 2"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call(core.ones([2, 3]))
