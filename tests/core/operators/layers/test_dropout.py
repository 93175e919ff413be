"""Dropout of many numbers in a custom kernel: its random numbers are Philox's, and gradients know what was dropped."""

from __future__ import annotations

from typing import Any, Callable

import numba
import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.dispatch.errors import OperatorError
from core.kernels.layers.dropout import drop
from core.kernels.lowerings.dropout import FEWEST_ELEMENTS
from core.operators.layers.dropout import drop_elements
from core.tensor import apply

SIZE = 3 * 1024 + 77


def philox(counter: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Return the four words of each counter (N, 4), as in the paper: ten rounds of Philox 4x32."""
    words, key = counter.astype(np.uint64), key.astype(np.uint64)
    for _ in range(10):
        low, high = words[:, 0] * np.uint64(0xD2511F53), words[:, 2] * np.uint64(0xCD9E8D57)
        words = np.stack([high >> 32 ^ words[:, 1] ^ key[0], high, low >> 32 ^ words[:, 3] ^ key[1], low], 1)
        words = words & np.uint64(0xFFFFFFFF)
        key = key + np.array([0x9E3779B9, 0xBB67AE85], np.uint64) & np.uint64(0xFFFFFFFF)
    return words


def test_the_reference_gives_the_known_answers() -> None:
    full = np.uint64(0xFFFFFFFF)
    counters, keys = np.array([[0] * 4, [full] * 4], np.uint64), np.array([[0, 0], [full, full]], np.uint64)
    found = [philox(counters[i : i + 1], keys[i])[0].tolist() for i in range(2)]
    assert found[0] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert found[1] == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def kept(size: int, key: np.ndarray, p: float) -> np.ndarray:
    """Return which elements are kept: 256 counters decide on 1024, the first words on the first quarter."""
    blocks = np.arange(-(-size // 1024) * 256)
    counters = np.stack([blocks, 0 * blocks, 0 * blocks, 0 * blocks], 1)
    words = philox(counters, key.view(np.uint32)).reshape(-1, 256, 4).transpose(0, 2, 1).reshape(-1)
    return np.asarray(words[:size] >= round(p * 2**32))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_what_is_dropped_follows_from_the_key(p: float, threads: int) -> None:
    x, key = np.random.default_rng(0).standard_normal(SIZE).astype(np.float32), np.array([5, -7], np.int32)
    out = np.empty_like(x)
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, before))
    try:
        drop(x, key, p=p, scale=3.0, out=out)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(out, np.where(kept(SIZE, key, p), x * np.float32(3), 0))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
def test_values_and_gradients_drop_the_same(mode: str, compiled: bool) -> None:
    size, p = 8 * FEWEST_ELEMENTS, 0.3
    x = core.to_tensor(np.random.default_rng(0).uniform(1, 2, size).astype(np.float32), stop_gradient=False)
    direction = core.to_tensor(np.random.default_rng(1).uniform(1, 2, size).astype(np.float32))

    def dropped(x: Any) -> Any:
        return F.dropout(x, p, mode=mode)

    run: Callable[..., Any] = core.jit.to_static(dropped) if compiled else dropped
    core.seed(4)
    y = run(x)
    (y * direction).sum().backward()
    factor = 1 / (1 - p) if mode == "upscale_in_train" else 1.0
    mask = (y.numpy() != 0) * np.float32(factor)
    assert (mask != 0).mean() == pytest.approx(1 - p, abs=4 * (p * (1 - p) / size) ** 0.5)
    np.testing.assert_allclose(y.numpy(), x.numpy() * mask, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), direction.numpy() * mask, rtol=1e-6)
    core.seed(4)
    np.testing.assert_array_equal(run(x).numpy(), y.numpy())
    assert (run(x).numpy() != y.numpy()).any()
    core.seed(4)
    np.testing.assert_array_equal(dropped(x).numpy(), y.numpy())


def test_second_derivatives_drop_the_same() -> None:
    array = np.random.default_rng(0).uniform(1, 2, FEWEST_ELEMENTS).astype(np.float32)
    x = core.to_tensor(array, stop_gradient=False)
    y = F.dropout(x * x * x, 0.5)
    (slope,) = core.grad([y.sum()], [x], create_graph=True)
    (second,) = core.grad([slope.sum()], [x])
    np.testing.assert_allclose(second.numpy(), 6 * array * 2 * (y.numpy() != 0), rtol=1e-5)


def test_neighbours_and_further_draws_are_independent() -> None:
    x = core.ones([2**16])
    core.seed(0)
    first, second = F.dropout(x, 0.5).numpy() != 0, F.dropout(x, 0.5).numpy() != 0
    for ours, others in ((first, second), (first[1:], first[:-1]), (first[256:], first[:-256])):
        assert (ours == others).mean() == pytest.approx(0.5, abs=4 * 0.5 / len(ours) ** 0.5)


def test_a_key_of_another_kind_is_refused() -> None:
    with pytest.raises(OperatorError, match=r"drop_elements: a key has two int32, not int64\[3\]"):
        apply(drop_elements, core.ones([4]), core.zeros([3], "int64"), p=0.5, scale=2.0)
