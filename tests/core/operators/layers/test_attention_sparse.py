"""Attention to chosen keys, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.nn import functional as F
from tests.core.gradient_check import check_gradients

RANDOM = np.random.default_rng(6)
QUERY, KEY, VALUE = (RANDOM.normal(size=(1, 2, 4, 3)) for _ in range(3))
SEEN = np.array(
    [[[1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], [[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0]]]
)
OFFSETS = np.concatenate([np.zeros((2, 1), int), np.cumsum(SEEN.sum(-1), -1)], 1)[None].astype(np.int32)
COLUMNS = np.stack([np.nonzero(head)[1] for head in SEEN])[None].astype(np.int32)
PADDING, MASK = np.array([[1.0, 1.0, 0.0, 1.0]]), np.tril(np.ones((4, 4)))


def expected(seen: np.ndarray) -> np.ndarray:
    scores = QUERY @ KEY.swapaxes(-1, -2) / np.sqrt(3)
    weights = np.exp(scores) * seen
    return weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300) @ VALUE


def tensors() -> list[core.Tensor]:
    return [core.to_tensor(array) for array in (QUERY, KEY, VALUE, OFFSETS, COLUMNS)]


def test_values_eager_and_compiled() -> None:
    for function in (F.sparse_attention, to_static(F.sparse_attention)):
        np.testing.assert_allclose(function(*tensors()).numpy(), expected(SEEN), atol=1e-12)
        both = function(*tensors(), core.to_tensor(PADDING), core.to_tensor(MASK))
        np.testing.assert_allclose(both.numpy(), expected(SEEN * PADDING[:, None, None] * MASK), atol=1e-12)


def test_gradients() -> None:
    offsets, columns = core.to_tensor(OFFSETS), core.to_tensor(COLUMNS)
    check_gradients(lambda q, k, v: F.sparse_attention(q, k, v, offsets, columns), QUERY, KEY, VALUE, tolerance=1e-5)


def test_messages() -> None:
    query, key, value, offsets, columns = tensors()
    with pytest.raises(OperatorError, match=r"query, key and value are \(batch, heads, steps, head size\)"):
        F.sparse_attention(query, key[:, :1], value, offsets, columns)
    with pytest.raises(OperatorError, match=r"sparse_csr_offset has the shape \[1, 2, 5\]"):
        F.sparse_attention(query, key, value, offsets[:, :, :3], columns)
    with pytest.raises(OperatorError, match=r"key_padding_mask has the shape \[1, 4\], but got \[4\]"):
        F.sparse_attention(query, key, value, offsets, columns, core.ones([4]))
    with pytest.raises(OperatorIndexError, match="sparse_csr_columns must lie within 0 and 3"):
        F.sparse_attention(query, key, value, offsets, columns + 1)
    with pytest.raises(OperatorError, match="sparse_csr_offset must rise from 0 to at most 7, the number of columns"):
        F.sparse_attention(query, key, value, offsets + 1, columns)
