"""Operators that read, write or search by position: gathering, scattering, masks, sorting, subscripts."""

from __future__ import annotations

import numpy as np

from tests.parity.operators.table import EVERY, INTEGERS, NUMBERS, Family, given, real, truth, whole

FAMILY = Family()
case = FAMILY.case

ROWS = np.array([2, 0, 2])
MASK = np.array([[True, False, True], [False, True, True]])
NAN = float("nan")

for kind in ("int32", "int64"):
    rows = ROWS.astype(kind)
    case(f"gather: {kind}", lambda p, x, i: p.gather(x, i), real(3, 2), rows, types=EVERY)
    case(f"index_select: {kind}", lambda p, x, i: p.index_select(x, i), real(3, 2), rows, types=EVERY)
    case(
        f"take_along_axis: {kind}",
        lambda p, x, i: p.take_along_axis(x, i, 1),
        real(2, 3),
        np.array([[2, 0], [1, 1]], kind),
        types=NUMBERS,
    )
# along other axes than the first Paddle's gradient repeats the first row's
case("gather: axis", lambda p, x, i: p.gather(x, i, axis=1), real(2, 3), ROWS, types=NUMBERS, gradients=False)
case("gather: axis as tensor", lambda p, x, i: p.gather(x, i, p.to_tensor(1)), real(2, 3), ROWS, gradients=False)
case("gather: 0-D index", lambda p, x, i: p.gather(x, i), real(3, 2), np.array(1))
case("gather: 0-D index, axis", lambda p, x, i: p.gather(x, i, 1), real(3, 2), np.array(1), gradients=False)
case("gather: nothing", lambda p, x, i: p.gather(x, i), real(3, 2), np.zeros(0, "int64"), expected=lambda x, i: x[i])
case("gather_nd", lambda p, x, i: p.gather_nd(x, i), real(3, 2), np.array([[2, 1], [0, 0], [2, 1]]), types=EVERY)
case("gather_nd: rows", lambda p, x, i: p.gather_nd(x, i), real(3, 2), np.array([[[2]], [[0]]]), types=NUMBERS)
case("index_sample", lambda p, x, i: p.index_sample(x, i), real(2, 3), np.array([[2, 0], [1, 1]]), types=NUMBERS)
case("index_select: axis", lambda p, x, i: p.index_select(x, i, axis=-1), real(2, 3), ROWS, types=NUMBERS)
case("take", lambda p, x, i: p.take(x, i), real(2, 3), np.array([[0, 5], [-1, 2]]), types=NUMBERS)
for mode in ("wrap", "clip"):
    case(f"take: {mode}", lambda p, x, i, m=mode: p.take(x, i, mode=m), real(2, 3), np.array([0, 7, -8, 5]))
case("take: 0-D", lambda p, x, i: p.take(x, i), real(2, 3), np.array(4))
case("take_along_axis: broadcast", lambda p, x, i: p.take_along_axis(x, i, 0), real(3, 2), np.array([[1, 2]]))
case("take_along_axis: negative axis", lambda p, x, i: p.take_along_axis(x, i, -1), real(2, 3), np.array([[0], [2]]))
case(
    "put_along_axis",
    lambda p, x, i, v: p.put_along_axis(x, i, v, 1),
    real(2, 3),
    np.array([[2, 0], [1, 0]]),
    real(2, 2),
    types=NUMBERS,
)
case("put_along_axis: number", lambda p, x, i: p.put_along_axis(x, i, 9.0, 1), real(2, 3), np.array([[2], [1]]))
for how in ("add", "multiply", "mul"):
    case(
        f"put_along_axis: {how}",
        lambda p, x, i, v, how=how: p.put_along_axis(x, i, v, 0, how),
        real(3, 2),
        np.array([[2, 0], [1, 0]]),
        real(2, 2),
        types=NUMBERS,
        gradients=how == "add",
    )
for how in ("add", "mul", "mean", "amax", "amin"):
    for start in (True, False):
        case(
            f"put_along_axis: {how}, include_self {start}",
            lambda p, x, i, v, how=how, start=start: p.put_along_axis(
                x, i, v, 0, how, include_self=start, broadcast=False
            ),
            real(3, 2),
            np.array([[2, 0], [1, 0]]),
            real(2, 2),
            gradients=False,
        )
case("index_add", lambda p, x, i, v: p.index_add(x, i, 0, v), real(3, 2), ROWS, real(3, 2), types=NUMBERS)
case("index_add: axis -1", lambda p, x, i, v: p.index_add(x, i, -1, v), real(2, 3), ROWS, real(2, 3))
case("index_fill", lambda p, x, i: p.index_fill(x, i, 0, 4), real(3, 2), ROWS, types=NUMBERS)
case("index_fill: axis -1", lambda p, x, i: p.index_fill(x, i, -1, 0.5), real(2, 3), ROWS)
case("index_fill: 0-D tensor", lambda p, x, i, v: p.index_fill(x, i, 1, v), real(2, 3), ROWS, real())
case(
    "index_put",
    lambda p, x, i, j, v: p.index_put(x, (i, j), v),
    real(3, 2),
    np.array([2, 0]),
    np.array([1, 1]),
    real(2),
    types=NUMBERS,
)
case("index_put: add", lambda p, x, i, v: p.index_put(x, (i,), v, True), real(3, 2), ROWS, real(3, 2), types=NUMBERS)
case("index_put: mask", lambda p, x, m, v: p.index_put(x, (m,), v), real(2, 3), MASK, real(1))
case("scatter", lambda p, x, i, v: p.scatter(x, i, v), real(3, 2), np.array([2, 0]), real(2, 2), types=NUMBERS)
case(
    "scatter: add", lambda p, x, i, v: p.scatter(x, i, v, overwrite=False), real(3, 2), ROWS, real(3, 2), types=NUMBERS
)
case("scatter: 0-D index", lambda p, x, i, v: p.scatter(x, i, v), real(3, 2), np.array(1), real(2))
case("scatter_nd", lambda p, i, v: p.scatter_nd(i, v, [3, 2]), np.array([[2], [0], [2]]), real(3, 2), types=NUMBERS)
case(
    "scatter_nd_add",
    lambda p, x, i, v: p.scatter_nd_add(x, i, v),
    real(3, 2),
    np.array([[2, 0], [0, 1], [2, 0]]),
    real(3),
    types=NUMBERS,
)
case("masked_select", lambda p, x, m: p.masked_select(x, m), real(2, 3), MASK, types=NUMBERS)
case(
    "masked_select: nothing",
    lambda p, x, m: p.masked_select(x, m),
    real(2),
    np.array([False, False]),
    expected=lambda x, m: x[m],
)
case("masked_fill", lambda p, x, m: p.masked_fill(x, m, 3), real(2, 3), MASK, types=NUMBERS)
case("masked_fill: broadcast", lambda p, x, m: p.masked_fill(x, m, 0.5), real(2, 3), np.array([True, False, True]))
case("masked_fill: tensor", lambda p, x, m, v: p.masked_fill(x, m, v), real(2, 3), MASK, real())
case("where", lambda p, m, x, y: p.where(m, x, y), MASK, real(2, 3), real(2, 3), types=NUMBERS)
case("where: broadcast", lambda p, m, x, y: p.where(m, x, y), MASK, real(3), real(2, 1), types=NUMBERS)
case("where: 0-D", lambda p, m, x, y: p.where(m, x, y), truth(), real(), real(), types=NUMBERS)
case("where: positions", lambda p, x: p.where(x > 0), real(2, 3), types=NUMBERS)
case("nonzero", lambda p, x: p.nonzero(x), real(2, 3), types=EVERY)
case("nonzero: tuple", lambda p, x: p.nonzero(x, as_tuple=True), real(2, 3), types=EVERY)
case("nonzero: none", lambda p, x: p.nonzero(x), given([0, 0]), types=EVERY)

# sorting and searching

for name in ("argmax", "argmin"):
    for label, options in {
        "": {},
        ": axis 0": {"axis": 0},
        ": axis -1, keepdim": {"axis": -1, "keepdim": True},
        ": int32": {"dtype": "int32"},
        ": keepdim": {"keepdim": True},
    }.items():
        call = lambda p, x, name=name, options=options: getattr(p, name)(x, **options)  # noqa: E731
        case(name + label, call, real(2, 4), types=NUMBERS)
    case(f"{name}: equal elements", lambda p, x, name=name: getattr(p, name)(x), given([1, 3, 3, 0, 0]), types=NUMBERS)
    case(f"{name}: 0-D", lambda p, x, name=name: getattr(p, name)(x), real())
for name in ("sort", "argsort"):
    for label, options in {"": {}, ": axis 0": {"axis": 0}, ": descending": {"descending": True}}.items():
        call = lambda p, x, name=name, options=options: getattr(p, name)(x, **options)  # noqa: E731
        case(name + label, call, given([[3, 1, 2, 0], [1, 0, 3, 2]]), types=NUMBERS)
    case(f"{name}: 0-D", lambda p, x, name=name: getattr(p, name)(x), real())
    case(f"{name}: size 0", lambda p, x, name=name: getattr(p, name)(x), real(0, 2), expected=getattr(np, name))
for label, options in {
    "": {"k": 2},
    ": smallest": {"k": 2, "largest": False},
    ": axis 0": {"k": 1, "axis": 0},
    ": all": {"k": 4, "axis": -1},
}.items():
    case(
        f"topk{label}",
        lambda p, x, options=options: p.topk(x, **options),
        given([[3, 1, 2, 0], [1, 0, 3, 2]]),
        types=NUMBERS,
    )
TIED = np.random.RandomState(5).randint(0, 4, (2, 300))  # which equal elements are taken, and in which order
for width, count in ((7, 2), (20, 20), (150, 3), (300, 4)):
    tied = TIED[:, :width].tolist()
    for options in ({}, {"largest": False}, {"sorted": False}):
        label = "".join(f", {key}" for key in options)
        case(
            f"topk: {count} of {width} with equal ones{label}",
            lambda p, x, count=count, options=options: p.topk(x, count, **options),
            given(tied),
            types=NUMBERS,
        )
    for name in ("sort", "argsort", "mode", "median", "nanmedian"):
        case(
            f"{name}: {width} with equal ones",
            lambda p, x, name=name: getattr(p, name)(x, 1),
            given(tied),
            gradients=name != "argsort",
        )
    case(f"argsort: {width}, falling", lambda p, x: p.argsort(x, 1, True), given(tied), gradients=False)
    case(f"kthvalue: {count} of {width}", lambda p, x, count=count: p.kthvalue(x, count), given(tied))
    case(f"quantile: {width} with equal ones", lambda p, x: p.quantile(x, 0.4, 1), given(tied))
case("topk: tensor", lambda p, x: p.topk(x, p.to_tensor([2])), real(2, 4))
case("topk: 0-D", lambda p, x: p.topk(x, 1), real())
for label, options in {
    "": {"k": 2},
    ": axis 0": {"k": 1, "axis": 0},
    ": keepdim": {"k": 3, "axis": 1, "keepdim": True},
}.items():
    case(
        f"kthvalue{label}",
        lambda p, x, options=options: p.kthvalue(x, **options),
        given([[3, 1, 2, 0], [1, 0, 3, 2]]),
        types=NUMBERS,
    )
case("searchsorted", lambda p, s, x: p.searchsorted(s, x), given([1, 2, 4, 7]), given([0, 2, 3, 7, 9]), types=NUMBERS)
case(
    "searchsorted: right, int32",
    lambda p, s, x: p.searchsorted(s, x, out_int32=True, right=True),
    given([1, 2, 4, 7]),
    given([0, 2, 3, 7, 9]),
    types=NUMBERS,
)
case(
    "searchsorted: rows",
    lambda p, s, x: p.searchsorted(s, x),
    given([[1, 2, 4], [3, 5, 6]]),
    given([[2, 9], [4, 0]]),
    types=NUMBERS,
)
case("bucketize", lambda p, x, s: p.bucketize(x, s), real(2, 3), given([-1, 0, 1]), types=NUMBERS)
case(
    "bucketize: right",
    lambda p, x, s: p.bucketize(x, s, right=True),
    given([-1, 0, 5]),
    given([-1, 0, 1]),
    types=NUMBERS,
)
for label, options in {
    "": {},
    ": index": {"return_index": True},
    ": inverse": {"return_inverse": True},
    ": counts": {"return_counts": True},
    ": everything": {"return_index": True, "return_inverse": True, "return_counts": True},
    ": int32": {"return_inverse": True, "dtype": "int32"},
}.items():
    case(f"unique{label}", lambda p, x, options=options: p.unique(x, **options), given([3, 1, 3, 2, 1]), types=NUMBERS)
case("unique: matrix", lambda p, x: p.unique(x), given([[3, 1], [1, 2]]), types=NUMBERS)
case(
    "unique: rows", lambda p, x: p.unique(x, axis=0, return_counts=True), given([[3, 1], [1, 2], [3, 1]]), types=NUMBERS
)
for label, options in {"": {}, ": inverse and counts": {"return_inverse": True, "return_counts": True}}.items():
    case(
        f"unique_consecutive{label}",
        lambda p, x, options=options: p.unique_consecutive(x, **options),
        given([1, 1, 2, 2, 3, 1, 1]),
        types=NUMBERS,
    )
case("unique_consecutive: rows", lambda p, x: p.unique_consecutive(x, axis=0), given([[1, 2], [1, 2], [2, 1]]))
case(
    "gather_tree",
    lambda p, i, j: p.nn.functional.gather_tree(i, j),
    whole(3, 2, 2, high=9),
    whole(3, 2, 2, high=1),
    types=("int64",),
)

# subscripts

SUBSCRIPTS = {
    "number": lambda p, x: x[1],
    "negative number": lambda p, x: x[-1, 2],
    "to 0-D": lambda p, x: x[0, 1, 0],
    "slices": lambda p, x: x[:, 1:3],
    "steps": lambda p, x: x[:, ::2, ::-1],
    "new axis": lambda p, x: x[None, :, None],
    "ellipsis": lambda p, x: x[..., 0],
    "list": lambda p, x: x[[1, 0, 1]],
    "tensor": lambda p, x: x[p.to_tensor([1, 0])],
    "tensors": lambda p, x: x[p.to_tensor([1, 0]), p.to_tensor([2, 0])],
    "tensor and slice": lambda p, x: x[:, p.to_tensor([2, 0])],
    "0-D tensor": lambda p, x: x[p.to_tensor(1)],
    "mask": lambda p, x: x[x > 0],
    "mask of rows": lambda p, x: x[p.to_tensor([True, False])],
    "matrix of positions": lambda p, x: x[p.to_tensor([[1, 0], [0, 0]])],
    "past the end": lambda p, x: x[:, 2:100],
    "nothing": lambda p, x: x[:, 1:1],
}
for label, subscript in SUBSCRIPTS.items():
    case(f"__getitem__: {label}", subscript, real(2, 3, 2), types=NUMBERS)


def written(subscript: object) -> object:
    """Return a function that writes to a position of a copy."""

    def write(p: object, x: object, value: object) -> object:
        copy = x * 1  # type: ignore[operator]
        copy[subscript(p) if callable(subscript) else subscript] = value
        return copy

    return write


WRITES = {
    "number": 1,
    "slices": (slice(None), slice(0, 2)),
    "steps": (slice(None), slice(None, None, 2)),
    "ellipsis": (..., 1),
    "list": [1, 0],
    "element": (0, 1),
    "tensor": lambda p: p.to_tensor([1]),
    "mask": lambda p: p.to_tensor(MASK),
}
for label, subscript in WRITES.items():
    case(f"__setitem__: {label}", written(subscript), real(2, 3), real(), types=NUMBERS)  # type: ignore[arg-type]
case("__setitem__: values", written((slice(None), [0, 2])), real(2, 3), real(2, 2), types=INTEGERS)  # type: ignore[arg-type]
case("__setitem__: broadcast", written(slice(0, 2)), real(2, 3), real(3), types=NUMBERS)  # type: ignore[arg-type]
