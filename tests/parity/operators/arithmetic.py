"""Operators of two tensors that work element by element and broadcast; comparisons and logic; Python's operators."""

from __future__ import annotations

import numpy as np

from tests.parity.operators.table import EVERY, FLOATS, INTEGERS, NUMBERS, Family, given, real, truth, whole

FAMILY = Family()
case = FAMILY.case

SHAPES = {
    "": ((2, 3), (2, 3)),
    ": broadcast": ((2, 3), (3,)),
    ": both broadcast": ((2, 1, 3), (4, 1)),
    ": 0-D with matrix": ((), (2, 3)),
    ": matrix with 0-D": ((2, 3), ()),
    ": 0-D": ((), ()),
    ": size 0": ((0, 3), (0, 3)),
}

# operator: where the inputs lie
BINARY = {
    "add": (-2, 2), "subtract": (-2, 2), "multiply": (-2, 2), "divide": (1, 4), "pow": (1, 3), "maximum": (-2, 2),
    "minimum": (-2, 2), "fmax": (-2, 2), "fmin": (-2, 2), "atan2": (-2, 2), "floor_divide": (1, 9),
    "remainder": (1, 9), "mod": (1, 9), "floor_mod": (1, 9), "heaviside": (-2, 2), "logaddexp": (-2, 2),
    "hypot": (-2, 2), "ldexp": (-2, 2), "nextafter": (-2, 2), "gcd": (-9, 9), "lcm": (-9, 9),
    "equal": (0, 2), "not_equal": (0, 2), "less_than": (0, 2), "less_equal": (0, 2), "greater_than": (0, 2),
    "greater_equal": (0, 2), "logical_and": (0, 2), "logical_or": (0, 2), "logical_xor": (0, 2),
    "bitwise_and": (0, 9), "bitwise_or": (0, 9), "bitwise_xor": (0, 9),
}  # fmt: skip
RESTS = ("remainder", "mod", "floor_mod")  # Paddle gives no gradient, we give the derivative
KNOWN = {"heaviside: 0-D with matrix": np.heaviside}
SAME_RANK = ("atan2", "nextafter")  # Paddle's do not broadcast tensors of different ranks
WHOLE = ("gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor")

for name, (low, high) in BINARY.items():
    for label, (first, second) in SHAPES.items():
        if name in ("ldexp", "gcd", "lcm") and label == ": size 0":
            continue  # which Paddle refuses
        if name in SAME_RANK and len(first) != len(second):
            continue
        types = ((*INTEGERS, "bool") if name in WHOLE else EVERY) if label in ("", ": broadcast") else FLOATS
        case(
            name + label,
            lambda p, x, y, name=name: getattr(p, name)(x, y),
            real(*first, low=low, high=high),
            real(*second, low=low, high=high),
            types=INTEGERS if name in WHOLE and types is FLOATS else types,
            gradients=name not in RESTS,
            tolerance=1e-7 if name == "atan2" else 1e-10,  # of integers in float32, with a float64 result
            expected=KNOWN.get(name + label),
            wrong="a 0-D x is taken for y" if name + label in KNOWN else "",
        )

# signs of quotients and rests
NUMERATORS, DENOMINATORS = [7, -7, 7, -7, 6, 0], [2, 2, -2, -2, 3, 5]
for name in ("floor_divide", "remainder", "divide"):
    call = lambda p, x, y, name=name: getattr(p, name)(x, y)  # noqa: E731
    case(f"{name}: signs", call, given(NUMERATORS), given(DENOMINATORS), types=NUMBERS, gradients=name != "remainder")
case("pow: negative base", lambda p, x: p.pow(x, 3), real(2, 3), types=NUMBERS)
case("pow: number", lambda p, x: p.pow(x, 2.5), real(2, 3, low=0.1))
case("pow: zero", lambda p, x: p.pow(x, 0), real(2, 3), types=NUMBERS)
case("pow: 0-D tensor", lambda p, x, y: p.pow(x, y), real(2, 3, low=1, high=3), real(low=1, high=2), types=NUMBERS)
case("maximum: equal elements", lambda p, x, y: p.maximum(x, y), given([1.0, 2.0]), given([1.0, 3.0]))
case("minimum: equal elements", lambda p, x, y: p.minimum(x, y), given([1.0, 2.0]), given([1.0, 3.0]))
NAN = float("nan")
for name in ("maximum", "minimum", "fmax", "fmin"):
    call = lambda p, x, y, name=name: getattr(p, name)(x, y)  # noqa: E731
    case(
        f"{name}: not a number",
        call,
        given([NAN, 1.0, NAN, 2.0]),
        given([1.0, NAN, NAN, 3.0]),
        gradients=False,
        expected=getattr(np, name),
        wrong="NaN is lost where it is x" if name in ("maximum", "minimum") else "",
    )
for name in ("equal", "not_equal", "less_than", "greater_equal"):
    call = lambda p, x, y, name=name: getattr(p, name)(x, y)  # noqa: E731
    case(f"{name}: not a number", call, given([NAN, 1.0, NAN]), given([1.0, NAN, NAN]))
    case(f"{name}: 0-D tensor", lambda p, x, name=name: getattr(p, name)(x, p.to_tensor(1.0)), real(2, 3))

case("logical_not", lambda p, x: p.logical_not(x), real(2, 3, low=0, high=1), types=EVERY)
case("logical_not: 0-D", lambda p, x: p.logical_not(x), truth(), types=("bool",))
case("bitwise_not", lambda p, x: p.bitwise_not(x), real(2, 3, low=-9, high=9), types=(*INTEGERS, "bool"))
case("bitwise_not: 0-D", lambda p, x: p.bitwise_not(x), truth(), types=("bool",))
for out in ("logical_and", "bitwise_or"):
    call = lambda p, x, y, name=out: getattr(p, name)(x, y, out=p.zeros_like(x))  # noqa: E731
    case(f"{out}: out", call, truth(4), truth(4), types=("bool",))

case("lerp", lambda p, x, y: p.lerp(x, y, 0.3), real(2, 3), real(2, 3))
case("lerp: tensor", lambda p, x, y, w: p.lerp(x, y, w.detach()), real(2, 3), real(3), real(2, 1))
case("lerp: 0-D", lambda p, x, y: p.lerp(x, y, 0.3), real(), real())
case("add_n", lambda p, x, y: p.add_n([x, y]), real(2, 3), real(2, 3), types=NUMBERS)
case("add_n: one tensor", lambda p, x: p.add_n(x), real(2, 3))
case("add_n: 0-D", lambda p, x, y: p.add_n([x, y, x]), real(), real())
case(
    "multiplex", lambda p, x, y, i: p.multiplex([x, y], i), real(3, 2), real(3, 2), whole(3, 1, high=1, dtype="int32"),
    types=NUMBERS,
)  # fmt: skip
case("ldexp: integer exponents", lambda p, x, y: p.ldexp(x, y), real(2, 3), whole(3, low=-2, high=3, dtype="int32"))

# mixed types: Paddle's own rules
case(
    "__add__: float32 and float64", lambda p, x: x + p.cast(x, "float64"), real(3), types=("float32",), gradients=False
)
case("__add__: int64 and float32", lambda p, x, i: x + i, real(3), whole(3), types=("float32",))

# Python's operators, with tensors and numbers of either type
for label, call in {
    "__add__": lambda p, x, y: [x + y, x + 2, 2 + x, x + 0.5, 0.5 + x, x + True],
    "__sub__": lambda p, x, y: [x - y, x - 2, 2 - x, x - 0.5, 0.5 - x],
    "__mul__": lambda p, x, y: [x * y, x * 2, 2 * x, x * 0.5, 0.5 * x],
    "__truediv__": lambda p, x, y: [x / y, x / 2, 2 / x, x / 0.5, 0.5 / x],
    "__floordiv__": lambda p, x, y: [x // y, x // 2, x // 2.0],
    "__mod__": lambda p, x, y: [x % y, x % 2],
    "__pow__": lambda p, x, y: [x**y, x**2, 2**x],
    "__neg__": lambda p, x, y: [-x],
    "__lt__": lambda p, x, y: [x < y, x < 2, x < 1.5],
    "__ge__": lambda p, x, y: [x >= y, x >= 2, x >= 1.5, 2 >= x],
    "__eq__": lambda p, x, y: [x == y, x == 2, x == 1.5, x != y],
}.items():
    case(
        label, call, real(2, 3, low=1, high=4), real(3, low=1, high=4), types=NUMBERS,
        gradients=label != "__mod__",
    )  # fmt: skip
case("__pow__: square root", lambda p, x: x**0.5, real(3, low=1, high=4))
for name in ("add", "maximum", "equal", "atan2"):
    call = lambda p, x, y, name=name: getattr(p, name)(x, y)  # noqa: E731
    numpy_call = {"atan2": np.arctan2}.get(name) or getattr(np, name)
    case(f"{name}: size 0, broadcast", call, real(0, 3), real(3), expected=numpy_call, wrong="Paddle refuses it")
case("__and__: and others", lambda p, x, y: [x & y, x | y, x ^ y, ~x], real(4, high=9), real(4, high=9),
     types=(*INTEGERS, "bool"))  # fmt: skip

for name in ("allclose", "isclose"):
    for label, options in {
        "": {}, ": wide": {"atol": 0.5}, ": relative": {"rtol": 0.5, "atol": 0.0}, ": equal_nan": {"equal_nan": True}
    }.items():  # fmt: skip
        call = lambda p, x, y, name=name, options=options: getattr(p, name)(x, y, **options)  # noqa: E731
        case(name + label, call, given([1.0, 2.0, NAN]), given([1.2, 2.0 + 1e-7, NAN]))
        case(f"{name}{label}{',' if label else ':'} 0-D", call, given(1.0), given(1.3))
case("equal_all", lambda p, x, y: [p.equal_all(x, y), p.equal_all(x, x)], real(3), real(3), types=EVERY)
case("equal_all: 0-D", lambda p, x, y: p.equal_all(x, y), real(), real())
