"""Operators that reduce axes to one number, running ones, and statistics."""

from __future__ import annotations

import numpy as np

from tests.parity.operators.table import EVERY, FLOATS, NUMBERS, Family, given, real, whole

FAMILY = Family()
case = FAMILY.case

AXES = {
    "": {},
    ": axis 0": {"axis": 0},
    ": axis -1": {"axis": -1},
    ": axis -1, keepdim": {"axis": -1, "keepdim": True},
    ": two axes": {"axis": [0, -1]},
    ": two axes, keepdim": {"axis": (0, 1), "keepdim": True},
    ": all axes": {"axis": [0, 1, 2]},
    ": no axes": {"axis": []},
    ": keepdim": {"keepdim": True},
}
REDUCTIONS = ("sum", "mean", "max", "min", "amax", "amin", "prod", "logsumexp", "all", "any", "count_nonzero",
              "std", "var", "nanmean", "nansum", "nanmedian")  # fmt: skip
MEANS = ("mean", "nanmean", "nanmedian")  # of integers Paddle's are integers, cut off; ours are floats

for name in REDUCTIONS:
    for label, options in AXES.items():
        if name == "nanmedian" and label == ": no axes":
            continue  # which Paddle refuses
        call = lambda p, x, name=name, options=options: getattr(p, name)(x, **options)  # noqa: E731
        types = EVERY if label in ("", ": axis -1, keepdim") else FLOATS
        types = ("bool",) if name in ("all", "any") and types is FLOATS else types
        types = FLOATS if name in MEANS else types
        case(name + label, call, real(2, 3, 2), types=types)
    call = lambda p, x, name=name: getattr(p, name)(x)  # noqa: E731
    types = ("bool",) if name in ("all", "any") else FLOATS
    case(f"{name}: 0-D", call, real(), types=types)
    case(f"{name}: one element", call, real(1), types=types, gradients=name != "std")
    call = lambda p, x, name=name: getattr(p, name)(x, axis=-1)  # noqa: E731
    case(f"{name}: 0-D, axis -1", call, real(), types=types)

for name in ("sum", "mean", "prod", "all", "any", "max", "count_nonzero", "logsumexp", "nansum"):
    types = ("bool",) if name in ("all", "any") else FLOATS
    for label, options in {"": {}, ", axis 0": {"axis": 0}, ", axis 1": {"axis": 1}}.items():
        if name in ("max", "mean", "logsumexp") and label != ", axis 1":
            continue  # over nothing
        numpy_name = {"nansum": "sum", "logsumexp": "sum", "count_nonzero": "count_nonzero"}.get(name, name)
        case(
            f"{name}: size 0{label}",
            lambda p, x, name=name, options=options: getattr(p, name)(x, **options),
            real(0, 3),
            types=types,
            expected=lambda x, name=numpy_name, options=options: getattr(np, name)(x, **options),
        )

for to in ("float32", "float64", "int32", "int64"):
    case(f"sum: to {to}", lambda p, x, to=to: p.sum(x, dtype=to), real(2, 3), types=EVERY)
    case(f"prod: to {to}", lambda p, x, to=to: p.prod(x, dtype=to), real(2, 3), types=EVERY, tolerance=1e-6)
    case(f"nansum: to {to}", lambda p, x, to=to: p.nansum(x, dtype=to), real(2, 3), types=FLOATS)
case("sum: axis as tensor", lambda p, x: p.sum(x, axis=p.to_tensor([0, 1])), real(2, 3, 2))
case("mean: axis as tuple", lambda p, x: p.mean(x, axis=(1, 2)), real(2, 3, 2))
case("max: equal elements", lambda p, x: p.max(x, axis=1), given([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]]))
case("amax: equal elements", lambda p, x: p.amax(x, axis=1), given([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]]))
case("min: equal elements", lambda p, x: p.min(x), given([1.0, 2.0, 1.0]))
case("amin: equal elements", lambda p, x: p.amin(x), given([1.0, 2.0, 1.0]))
# the gradient of a product with zeros is NaN in Paddle
case("prod: zeros", lambda p, x: p.prod(x, axis=1), given([[0.0, 2.0], [3.0, 4.0]]), gradients=False)
case("prod: two zeros", lambda p, x: p.prod(x), given([0.0, 2.0, 0.0]), gradients=False)
case("logsumexp: large numbers", lambda p, x: p.logsumexp(x), given([1000.0, 1000.5]))
NAN = float("nan")
for name in ("nanmean", "nansum", "nanmedian"):
    for label, options in {"": {}, ", axis 1": {"axis": 1}, ", axis 0, keepdim": {"axis": 0, "keepdim": True}}.items():
        call = lambda p, x, name=name, options=options: getattr(p, name)(x, **options)  # noqa: E731
        case(f"{name}: not a number{label}", call, given([[NAN, 1.0, 2.5], [4.0, NAN, 0.5]]))
    case(f"{name}: nothing but NaN", lambda p, x, name=name: getattr(p, name)(x), given([NAN, NAN]), gradients=False)
case("max: not a number", lambda p, x: p.max(x), given([1.0, NAN, 0.5]), gradients=False, expected=np.max,
     wrong="takes what follows NaN")  # fmt: skip
for name in ("std", "var"):
    case(f"{name}: biased", lambda p, x, name=name: getattr(p, name)(x, unbiased=False), real(2, 3))
    case(f"{name}: biased, axis", lambda p, x, name=name: getattr(p, name)(x, 1, False, True), real(2, 3))

# statistics

for label, options in {"": {}, ": axis": {"axis": 0}, ": keepdim": {"axis": -1, "keepdim": True}}.items():
    for length in (3, 4):
        call = lambda p, x, options=options: p.median(x, **options)  # noqa: E731
        case(f"median: {length} elements{label.replace(':', ',')}", call, real(2, length), types=NUMBERS)
case("median", lambda p, x: p.median(x), real())
for name in ("quantile", "nanquantile"):
    for label, q in {"": 0.3, ": list": [0.1, 0.5, 1.0], ": edge": 0.0}.items():
        call = lambda p, x, name=name, q=q: getattr(p, name)(x, q)  # noqa: E731
        case(name + label, call, real(2, 5))
        call = lambda p, x, name=name, q=q: getattr(p, name)(x, q, axis=1, keepdim=True)  # noqa: E731
        case(f"{name}{label}{',' if label else ':'} axis", call, real(2, 5))
    case(f"{name}: two axes", lambda p, x, name=name: getattr(p, name)(x, 0.4, axis=[0, -1]), real(2, 3, 2))
    case(f"{name}: NaN", lambda p, x, name=name: getattr(p, name)(x, 0.4, axis=1), given([[NAN, 1, 2], [3, 5, 4]]),
         gradients=False)  # fmt: skip
case("mode", lambda p, x: p.mode(x), given([[1, 2, 2, 3], [3, 1, 3, 1]]), types=NUMBERS)
case("mode: axis", lambda p, x: p.mode(x, 0, True), given([[1, 2, 2], [1, 3, 2], [0, 3, 2]]), types=NUMBERS)
case("histogram", lambda p, x: p.histogram(x, bins=4, min=-2, max=2), real(10), types=NUMBERS)
case("histogram: own bounds", lambda p, x: p.histogram(x, bins=5), real(2, 6), types=NUMBERS)
case("bincount", lambda p, x: p.bincount(x), whole(7, high=4), types=("int64",))
case("bincount: weights", lambda p, x, w: p.bincount(x, w, minlength=7), whole(7, high=4), real(7), types=NUMBERS,
     gradients=False)  # fmt: skip
for label, options in {"": {}, ": columns": {"rowvar": False}, ": biased": {"ddof": False}}.items():
    case(f"cov{label}", lambda p, x, options=options: p.linalg.cov(x, **options), real(3, 5))
case("cov: weights", lambda p, x, f, a: p.linalg.cov(x, fweights=f, aweights=a.detach()), real(2, 4),
     whole(4, low=1, high=3), real(4, low=0.5))  # fmt: skip
case("cov: one variable", lambda p, x: p.linalg.cov(x), real(5))
case("corrcoef", lambda p, x: p.linalg.corrcoef(x), real(3, 5))
case("corrcoef: columns", lambda p, x: p.linalg.corrcoef(x, rowvar=False), real(4, 3))

# running operators

for name in ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"):
    axis = "dim" if name == "cumprod" else "axis"
    for label, options in {"": {}, ": axis 0": {axis: 0}, ": axis -1": {axis: -1}}.items():
        if name == "cumprod" and not label:
            continue
        call = lambda p, x, name=name, options=options: getattr(p, name)(x, **options)  # noqa: E731
        case(name + label, call, real(2, 3), types=NUMBERS)
    call = lambda p, x, name=name, axis=axis: getattr(p, name)(x, **{axis: 0})  # noqa: E731
    case(f"{name}: 0-D", call, real(), gradients=name not in ("cummax", "cummin"))  # whose gradient is 0 in Paddle
    if name in ("cumsum", "cumprod", "logcumsumexp"):
        call = lambda p, x, name=name, axis=axis: getattr(p, name)(x, **{axis: 0, "dtype": "float64"})  # noqa: E731
        case(f"{name}: to float64", call, real(2, 3), types=NUMBERS)
    else:
        call = lambda p, x, name=name: getattr(p, name)(x, 0, "int32")  # noqa: E731
        case(f"{name}: int32 positions", call, real(3, 2), types=NUMBERS)
        case(f"{name}: equal elements", lambda p, x, name=name: getattr(p, name)(x, 0), given([1, 1, 0, 1, 2, 2]))
case("cumprod: zero", lambda p, x: p.cumprod(x, 0), given([2.0, 0.0, 3.0, 0.0]))
case("cumsum: size 0", lambda p, x: p.cumsum(x, 0), real(0, 2), expected=lambda x: np.cumsum(x, 0))
for label, options in {
    "": {}, ": twice": {"n": 2}, ": axis 0": {"axis": 0}, ": all gone": {"n": 1, "axis": 0}
}.items():  # fmt: skip
    case(f"diff{label}", lambda p, x, options=options: p.diff(x, **options), real(2, 4), types=EVERY)
case("diff: ends", lambda p, x, a, b: p.diff(x, prepend=a, append=b), real(2, 3), real(2, 1), real(2, 2), types=NUMBERS)
for name in ("trapezoid", "cumulative_trapezoid"):
    # along the last of several axes Paddle's gradient repeats the first row's
    case(name, lambda p, y, name=name: getattr(p, name)(y), real(2, 4), gradients=False)
    case(f"{name}: one axis", lambda p, y, name=name: getattr(p, name)(y), real(5))
    case(f"{name}: dx", lambda p, y, name=name: getattr(p, name)(y, dx=0.5, axis=0), real(3, 2))
    case(f"{name}: x", lambda p, y, x, name=name: getattr(p, name)(y, x), real(2, 4), real(4), gradients=False)
    case(f"{name}: x of y's shape", lambda p, y, x, name=name: getattr(p, name)(y, x, axis=0), real(3, 2), real(3, 2))
