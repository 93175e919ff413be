"""What the engine's operators on truth values cannot do, and that ours can."""

from __future__ import annotations

import numpy as np
import pytest

import core


@pytest.mark.parametrize(
    "name", ["logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"]
)
def test_the_engines_bit_operators_do_not_broadcast_bools(name: str) -> None:
    rows, columns = np.array([[True], [False]]), np.array([[True, False, True]])
    result = getattr(core, name)(core.to_tensor(rows), core.to_tensor(columns))
    reference = getattr(np, name)(rows, columns)
    np.testing.assert_array_equal(result.numpy(), reference)
    assert result.dtype == core.bool
    with pytest.raises(ValueError, match=name):
        getattr(core, name)(core.to_tensor(rows), core.ones([3, 2], dtype="bool"))
