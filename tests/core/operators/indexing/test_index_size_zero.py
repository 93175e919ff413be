"""Shape and index operators on a tensor without elements: the right shape, and a gradient that flows."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core import geometric
from core.nn import functional as F


def rows(count: int, width: int = 3) -> core.Tensor:
    return core.zeros([count, width])


def none(*shape: int) -> core.Tensor:
    return core.zeros(list(shape), "int64")


CASES: dict[str, tuple[Callable[[core.Tensor], Any], list[int]]] = {
    "gather": (lambda x: core.gather(x, none(0)), [0, 3]),
    "gather along 1": (lambda x: core.gather(x, core.to_tensor([0, 1]), 1), [0, 2]),
    "gather_nd": (lambda x: core.gather_nd(x, none(0, 2)), [0]),
    "take": (lambda x: core.take(x, none(0)), [0]),
    "take_along_axis": (lambda x: core.take_along_axis(x, none(0, 2), 1), [0, 2]),
    "index_sample": (lambda x: core.index_sample(x, none(0, 2)), [0, 2]),
    "scatter": (lambda x: core.scatter(x, none(0), rows(0)), [0, 3]),
    "scatter adding": (lambda x: core.scatter(x, none(0), rows(0), False), [0, 3]),
    "scatter_nd_add": (lambda x: core.scatter_nd_add(x, none(0, 1), rows(0)), [0, 3]),
    "index_add": (lambda x: core.index_add(x, core.to_tensor([0]), 1, rows(0, 1)), [0, 3]),
    "index_fill": (lambda x: core.index_fill(x, core.to_tensor([0]), 1, 1.0), [0, 3]),
    "index_put": (lambda x: core.index_put(x, (none(0),), core.to_tensor(1.0)), [0, 3]),
    "put_along_axis": (lambda x: core.put_along_axis(x, none(0, 3), 1.0, 0, "mul"), [0, 3]),
    "masked_select": (lambda x: core.masked_select(x, x > 0), [0]),
    "masked_fill": (lambda x: core.masked_fill(x, x > 0, 1.0), [0, 3]),
    "where": (lambda x: core.where(x > 0, x, 1.0), [0, 3]),
    "sort": (lambda x: core.sort(x, 0), [0, 3]),
    "topk": (lambda x: core.topk(x, 2)[0], [0, 2]),
    "kthvalue": (lambda x: core.kthvalue(x, 1)[0], [0]),
    "mode": (lambda x: core.mode(x)[0], [0]),
    "concat": (lambda x: core.concat([x, x], 1), [0, 6]),
    "concat along the empty axis": (lambda x: core.concat([x, x]), [0, 3]),
    "stack": (lambda x: core.stack([x, x]), [2, 0, 3]),
    "split": (lambda x: core.split(x, [1, 2], 1)[1], [0, 2]),
    "split of the empty axis": (lambda x: core.split(x, 2)[0], [0, 3]),
    "unbind": (lambda x: core.unbind(x, 1)[0], [0]),
    "flip": (lambda x: core.flip(x, [0, 1]), [0, 3]),
    "roll": (lambda x: core.roll(x, 1, 1), [0, 3]),
    "roll flat": (lambda x: core.roll(x, 1), [0, 3]),
    "tile": (lambda x: core.tile(x, [2, 2]), [0, 6]),
    "repeat_interleave": (lambda x: core.repeat_interleave(x, 2, 1), [0, 6]),
    "rot90": (lambda x: core.rot90(x), [3, 0]),
    "tril": (lambda x: core.tril(x), [0, 3]),
    "diagonal": (lambda x: core.diagonal(x), [0]),
    "diag_embed": (lambda x: core.diag_embed(x), [0, 3, 3]),
    "diagflat": (lambda x: core.diagflat(x, 1), [1, 1]),
    "unfold": (lambda x: core.unfold(x, 1, 2, 1), [0, 2, 2]),
    "as_strided": (lambda x: core.as_strided(x, [0], [1]), [0]),
    "flatten": (lambda x: core.flatten(x), [0]),
    "expand": (lambda x: core.expand(x, [2, 0, 3]), [2, 0, 3]),
    "pad": (lambda x: F.pad(x, [1, 0, 0, 1]), [1, 4]),
    "a column": (lambda x: x[:, 1], [0]),
    "index lists": (lambda x: x[[], []], [0]),
    "a slice": (lambda x: x[:0, ::-1], [0, 3]),
    "crop": (lambda x: core.crop(x, [0, 2]), [0, 2]),
    "segment_max": (lambda x: geometric.segment_max(x, none(0)), [0, 3]),
    "send_u_recv": (lambda x: geometric.send_u_recv(x, none(0), none(0)), [0, 3]),
}


@pytest.mark.parametrize("name", CASES)
def test_shape_and_gradient(name: str) -> None:
    function, shape = CASES[name]
    x = rows(0)
    x.stop_gradient = False
    result = function(x)
    assert result.shape == shape
    assert result.numpy().shape == tuple(shape)
    result.sum().backward()
    assert x.grad is not None
    assert x.grad.shape == [0, 3]


def test_results_without_a_gradient() -> None:
    x = rows(0)
    assert core.nonzero(x).shape == [0, 2]
    assert core.argsort(x).shape == [0, 3]
    assert core.argmax(x, 1).shape == [0]
    assert core.unique(x).shape == [0]
    assert core.unique_consecutive(x, axis=1).shape == [0, 1]
    assert core.searchsorted(core.zeros([0]), x).shape == [0, 3]
    assert core.one_hot(none(0), 3).shape == [0, 3]
    assert core.sequence_mask(none(0)).shape == [0, 0]
    assert core.diag(core.zeros([0])).shape == [0, 0]
    assert core.shard_index(none(0, 1), 20, 2, 0).shape == [0, 1]
    assert F.gather_tree(none(0, 2, 2), none(0, 2, 2)).shape == [0, 2, 2]
    assert F.temporal_shift(core.zeros([0, 4, 2, 2]), 2).shape == [0, 4, 2, 2]
    np.testing.assert_array_equal(geometric.send_ue_recv(rows(2), rows(0), none(0), none(0)).numpy(), np.zeros((2, 3)))
