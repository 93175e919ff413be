"""Skip-gram's descent: values against the reference, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.kernels.graphs.skip_gram import descend_reference
from core.optimizer.skip_gram import skip_gram_descent

CENTERS, STARTS, CONTEXTS = np.array([0, 2]), np.array([0, 2, 3]), np.array([1, 3, 0])
NEGATIVES = np.array([[3, 2], [1, 1]])


def test_rows_move_in_place_and_others_stay() -> None:
    arrays = [np.random.default_rng(seed).normal(size=(6, 3)).astype(np.float32) for seed in (0, 1)]
    tables = [core.create_parameter([6, 3], "float32") for _ in arrays]
    for table, array in zip(tables, arrays):
        table.set_value(array)
    loss = skip_gram_descent(*tables, CENTERS, STARTS, CONTEXTS, NEGATIVES, 0.5)
    plain = [array.astype(np.float64) for array in arrays]
    expected = descend_reference(*plain, CENTERS, STARTS, CONTEXTS, NEGATIVES, 0.5, block=1)
    assert loss == pytest.approx(expected / 3, rel=1e-5)
    for table, array in zip(tables, plain):
        np.testing.assert_allclose(table.numpy(), array, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(tables[0].numpy()[[1, 3, 4, 5]], arrays[0][[1, 3, 4, 5]])


def test_no_windows_move_nothing() -> None:
    table = core.ones([3, 2])
    none = np.zeros(0, np.int64)
    assert skip_gram_descent(table, table, none, np.zeros(1, np.int64), none, np.zeros((0, 5), np.int64), 1.0) == 0
    np.testing.assert_array_equal(table.numpy(), 1)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"centers": np.array([0, 6])}, ValueError, "the node 6 is outside the tables of 6 rows"),
        ({"contexts": np.array([1, -1, 0])}, ValueError, "the context -1 is outside the tables of 6 rows"),
        ({"negatives": np.array([[3, 2], [9, 1]])}, ValueError, "the negative 9 is outside the tables of 6 rows"),
        ({"negatives": np.array([[3, 2]])}, ValueError, r"2 rows of negatives, not .* negatives \[1, 2\]"),
        ({"starts": np.array([0, 3])}, ValueError, r"2 windows need 3 starts .* not starts \[2\]"),
        ({"starts": np.array([0, 4, 3])}, ValueError, "starts that rise from 0 to the 3 contexts"),
        ({"starts": np.array([0, 2, 4])}, ValueError, "starts that rise from 0 to the 3 contexts"),
        ({"targets": core.ones([6, 4])}, ValueError, r"of one shape .* not float32\[6, 3\] and float32\[6, 4\]"),
        ({"sources": core.ones([6, 3], "float64")}, TypeError, "the tables must be float32"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments = {
        "sources": core.ones([6, 3]), "targets": core.ones([6, 3]), "centers": CENTERS, "starts": STARTS,
        "contexts": CONTEXTS, "negatives": NEGATIVES, "learning_rate": 0.1, **changes,
    }  # fmt: skip
    with pytest.raises(error, match=message):
        skip_gram_descent(**arguments)
