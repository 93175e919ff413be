"""Example calls of gathering, scattering, masking and search."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "argmax": [lambda d: call(d.f(2, 3), axis=1), lambda d: call(d.f(2, 3))],
    "argmin": [lambda d: call(d.f(2, 3), axis=1)],
    "argsort": [lambda d: call(d.f(2, 3))],
    "bucketize": [lambda d: call(d.f(2, 3), d.f(1))],
    "gather": [lambda d: call(d.f(4, 3), d.i(2), axis=1)],
    "gather_nd": [lambda d: call(d.f(4, 3), d.i(5, 2))],
    "index_add": [lambda d: call(d.f(4, 3), d.i(2), 0, d.f(2, 3))],
    "index_fill": [lambda d: call(d.f(4, 3), d.i(2), 0, 1.5)],
    "index_put": [lambda d: call(d.f(4, 3), (d.i(2), d.i(2)), d.f(2), True)],
    "index_sample": [lambda d: call(d.f(4, 3), d.i(4, 2))],
    "index_select": [lambda d: call(d.f(4, 3), d.i(2), 1)],
    "kthvalue": [lambda d: call(d.f(2, 3), 2)],
    "masked_fill": [lambda d: call(d.f(2, 3), d.b(2, 3), 0.5)],
    "masked_select": [lambda d: call(d.f(2, 3), d.b(2, 3))],
    "mode": [lambda d: call(d.f(2, 3))],
    "msort": [lambda d: call(d.f(3, 2))],
    "nonzero": [lambda d: call(d.f(2, 3))],
    "one_hot": [lambda d: call(d.i(4), 3)],
    "put_along_axis": [lambda d: call(d.f(2, 3), d.i(2, 1), d.f(2, 1), 1)],
    "scatter": [lambda d: call(d.f(4, 3), d.i(2), d.f(2, 3), False)],
    "scatter_nd": [lambda d: call(d.i(4, 1), d.f(4, 2), [3, 2])],
    "scatter_nd_add": [lambda d: call(d.f(3, 2), d.i(4, 1), d.f(4, 2))],
    "searchsorted": [lambda d: call(d.f(1), d.f(2, 3))],
    "sequence_mask": [lambda d: call(d.i(3, low=1, high=4), 4)],
    "sort": [lambda d: call(d.f(2, 3), descending=True)],
    "take": [lambda d: call(d.f(2, 3), d.i(4))],
    "take_along_axis": [lambda d: call(d.f(2, 3), d.i(2, 2), 1)],
    "topk": [lambda d: call(d.f(2, 5), 2)],
    "unique": [lambda d: call(d.i(6))],
    "unique_consecutive": [lambda d: call(d.i(6))],
    "where": [lambda d: call(d.b(2, 3), d.f(2, 3), d.f(3))],
}
