"""Example calls of diagonals, triangles, windows and sizes."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "as_strided": [lambda d: call(d.f(2, 3), [2, 2], [2, 1], 1)],
    "diag": [lambda d: call(d.f(3), 1), lambda d: call(d.f(3, 4), -1)],
    "diag_embed": [lambda d: call(d.f(2, 3), -1)],
    "diagflat": [lambda d: call(d.f(2, 2))],
    "diagonal": [lambda d: call(d.f(2, 3, 4), 1, 1, 2)],
    "diagonal_scatter": [lambda d: call(d.f(2, 3, 4), d.f(2, 3), 1, 1, 2)],
    "gather_tree": [lambda d: call(d.i(3, 2, 3), d.i(3, 2, 3))],
    "is_floating_point": [lambda d: call(d.f(2, 3))],
    "is_integer": [lambda d: call(d.f(2, 3))],
    "numel": [lambda d: call(d.f(2, 3))],
    "rank": [lambda d: call(d.f(2, 3))],
    "select_scatter": [lambda d: call(d.f(2, 3), d.f(2), 1, -1)],
    "shape": [lambda d: call(d.f(2, 3))],
    "shard_index": [lambda d: call(d.i(4, 1, high=20), 20, 2, 0)],
    "temporal_shift": [lambda d: call(d.f(4, 4, 2, 1), 2)],
    "tolist": [lambda d: call(d.f(2, 3).detach())],
    "tril": [lambda d: call(d.f(3, 4), 1)],
    "tril_indices": [lambda d: call(3, 4, 1)],
    "triu": [lambda d: call(d.f(3, 4))],
    "triu_indices": [lambda d: call(3, 4, -1)],
    "broadcast_shape": [lambda d: call([2, 1], [3])],
    "unflatten": [lambda d: call(d.f(2, 6), 1, [2, -1])],
}
