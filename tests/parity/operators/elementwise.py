"""Operators of one tensor that work element by element."""

from __future__ import annotations

from tests.parity.operators.table import EVERY, FLOATS, NUMBERS, Family, given, real, truth

FAMILY = Family()
case = FAMILY.case

# operator: where its inputs lie
UNARY = {
    "abs": (-2, 2), "acos": (-0.9, 0.9), "acosh": (1.1, 3), "asin": (-0.9, 0.9), "asinh": (-3, 3), "atan": (-3, 3),
    "atanh": (-0.9, 0.9), "ceil": (-3, 3), "cos": (-3, 3), "cosh": (-2, 2), "deg2rad": (-180, 180),
    "digamma": (0.2, 4), "erf": (-2, 2), "erfinv": (-0.9, 0.9), "exp": (-2, 2), "expm1": (-2, 2), "floor": (-3, 3),
    "frac": (-3, 3), "i0": (-3, 3), "i0e": (-3, 3), "i1": (-3, 3), "i1e": (-3, 3), "lgamma": (0.2, 4),
    "log": (0.1, 3), "log10": (0.1, 3), "log1p": (-0.5, 3), "log2": (0.1, 3), "neg": (-2, 2),
    "rad2deg": (-3, 3), "reciprocal": (0.3, 2), "round": (-3, 3), "rsqrt": (0.2, 3), "sgn": (-2, 2), "sign": (-2, 2),
    "sin": (-3, 3), "sinh": (-2, 2), "sqrt": (0.1, 3), "square": (-2, 2), "stanh": (-2, 2), "tan": (-1.2, 1.2),
    "tanh": (-2, 2), "trunc": (-3, 3), "isfinite": (-2, 2), "isinf": (-2, 2), "isnan": (-2, 2), "nan_to_num": (-2, 2),
}  # fmt: skip

NOT_OF_BOOL = ("deg2rad", "rad2deg", "neg")  # Paddle's answers are booleans
ROUGH = {"stanh": 1e-7}  # Paddle keeps its constants in float32

for name, (low, high) in UNARY.items():
    for label, shape, types in (("", (2, 3), EVERY), (": 0-D", (), FLOATS), (": size 0", (0, 3), FLOATS)):
        call = lambda p, x, name=name: getattr(p, name)(x)  # noqa: E731
        types = NUMBERS if types is EVERY and name in NOT_OF_BOOL else types
        case(name + label, call, real(*shape, low=low, high=high), types=types, tolerance=ROUGH.get(name, 1e-10))

SPECIAL = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 1.5, -1e30]
for name in ("isfinite", "isinf", "isnan", "nan_to_num", "abs", "floor", "round", "sqrt", "log", "log1p", "exp"):
    call = lambda p, x, name=name: getattr(p, name)(x)  # noqa: E731
    case(f"{name}: special values", call, given(SPECIAL), gradients=False)
case("nan_to_num: replacements", lambda p, x: p.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-3.0), given(SPECIAL))
case("round: halves", lambda p, x: p.round(x), given([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]))
case("abs: negative zero and smallest integer", lambda p, x: p.abs(x), given([-7, 0, 7]), types=NUMBERS)

case("logit", lambda p, x: p.logit(x), real(2, 3, low=0.1, high=0.9))
case("logit: 0-D", lambda p, x: p.logit(x), real(low=0.1, high=0.9))
case("logit: eps", lambda p, x: p.logit(x, 0.3), given([0.05, 0.31, 0.5, 0.69, 0.95]), tolerance=1e-7)
case("logit: outside", lambda p, x: p.logit(x), given([-0.5, 0.0, 1.0, 1.5]), gradients=False)
case("stanh: scales", lambda p, x: p.stanh(x, scale_a=0.5, scale_b=1.2), real(2, 3), tolerance=1e-7)
for n in (0, 1, 2, 4):
    case(f"polygamma: n={n}", lambda p, x, n=n: p.polygamma(x, n), real(2, 3, low=0.4, high=4))
case("polygamma: 0-D", lambda p, x: p.polygamma(x, 1), real(low=0.4, high=4))
for p_ in (1, 2, 4):
    case(f"multigammaln: p={p_}", lambda p, x, n=p_: p.multigammaln(x, n), real(2, 3, low=2.2, high=5), tolerance=1e-7)
case("frexp", lambda p, x: p.frexp(x), given([-3.7, 0.3, 1.0, 8.0, 1e-4]))

case("clip", lambda p, x: p.clip(x, -1, 1), real(2, 3), types=NUMBERS)
case("clip: floats", lambda p, x: p.clip(x, min=-0.5, max=0.7), real(2, 3))
case("clip: integers by floats", lambda p, x: p.clip(x, -1.5, 1.5), real(5, low=-3, high=3), types=("int32", "int64"))
case("clip: only min", lambda p, x: p.clip(x, min=0.5), real(2, 3), types=NUMBERS)
case("clip: only max", lambda p, x: p.clip(x, max=0.5), real(2, 3), types=NUMBERS)
case("clip: neither", lambda p, x: p.clip(x), real(2, 3))
case("clip: tensors", lambda p, x, y: p.clip(x, min=y.detach(), max=p.to_tensor(0.9)), real(4), real(low=-1, high=0))
case("clip: 0-D", lambda p, x: p.clip(x, -0.1, 0.1), real())
case("clip: size 0", lambda p, x: p.clip(x, -0.1, 0.1), real(2, 0))
case("clip: on the edge", lambda p, x: p.clip(x, -1.0, 1.0), given([-1.0, 1.0, 0.0]), gradients=False)  # Paddle's are 0

for to in ("float32", "float64", "int32", "int64", "bool", "uint8", "int8"):
    case(f"cast: to {to}", lambda p, x, to=to: p.cast(x, to), real(2, 3, low=0, high=4), types=EVERY)
case("cast: to float16", lambda p, x: p.cast(x, "float16"), real(2, 3, high=4), types=EVERY, gradients=False,
     expected=lambda x: x.astype("float16"), wrong="not rounded to the nearest")  # fmt: skip
case("cast: 0-D", lambda p, x: p.cast(x, "float64"), real(), types=EVERY)
case("cast: size 0", lambda p, x: p.cast(x, "int32"), real(0, 2), types=EVERY)
case("cast: negative numbers", lambda p, x: p.cast(x, "int32"), given([-1.7, -0.5, 0.5, 1.7]))
case("cast: type of the package", lambda p, x: p.cast(x, p.int64), real(3), types=EVERY)
case("scale", lambda p, x: p.scale(x, 2.0, 1.0), real(2, 3), types=NUMBERS)
case("scale: bias first", lambda p, x: p.scale(x, 2.0, 1.0, bias_after_scale=False), real(2, 3), types=NUMBERS)
case("scale: default", lambda p, x: p.scale(x), real(2, 3), types=NUMBERS)
case("scale: tensor", lambda p, x: p.scale(x, p.to_tensor(1.5), 0.5), real(2, 3))
case("scale: activation", lambda p, x: p.scale(x, 2.0, 0.5, act="tanh"), real(2, 3))
case("scale: 0-D", lambda p, x: p.scale(x, 2.0), real())
case("increment", lambda p, x: p.increment(x * 1, 2.0), real(1), types=NUMBERS, gradients=False)
case("increment: default", lambda p, x: p.increment(x * 1), real(1), types=NUMBERS, gradients=False)
case("assign", lambda p, x: p.assign(x), real(2, 3), types=EVERY)
case("assign: list", lambda p: p.assign([[1.0, 2.0], [3.0, 4.0]]), types=("float32",))
case("assign: integers", lambda p: p.assign([1, 2, 3]), types=("int64",))
case("assign: number", lambda p: p.assign(2.5), types=("float32",))
case("assign: output", lambda p, x: p.assign(x, p.zeros_like(x)), real(2, 3), gradients=False)
case("clone", lambda p, x: p.clone(x), real(2, 3), types=EVERY)
case("is_tensor", lambda p, x: [p.is_tensor(x), p.is_tensor(1)], truth(2), types=("bool",))
case("is_floating_point", lambda p, x: p.is_floating_point(x), real(2), types=EVERY, gradients=False)
case("is_integer", lambda p, x: p.is_integer(x), real(2), types=EVERY, gradients=False)
case("is_complex", lambda p, x: p.is_complex(x), real(2), types=EVERY, gradients=False)
case("conj", lambda p, x: p.conj(x), real(2, 3), types=NUMBERS)
case("angle", lambda p, x: p.angle(x), real(2, 3))
case("is_empty", lambda p, x: p.is_empty(x), real(2), types=EVERY, gradients=False)
case("is_empty: size 0", lambda p, x: p.is_empty(x), real(2, 0), types=EVERY, gradients=False)
