"""Operators that make tensors. Of random ones shapes and types are compared; their distributions in other tests."""

from __future__ import annotations

import numpy as np

from tests.parity.operators.table import EVERY, INTEGERS, NUMBERS, SINGLE, Family, given, real, whole

FAMILY = Family()
case = FAMILY.case


def once(name: str, call: object) -> None:
    """Add a case without inputs."""
    case(name, call, types=SINGLE)  # type: ignore[arg-type]


for name in ("zeros", "ones"):
    once(name, lambda p, name=name: getattr(p, name)([2, 3]))
    once(f"{name}: 0-D", lambda p, name=name: getattr(p, name)([]))
    once(f"{name}: size 0", lambda p, name=name: getattr(p, name)([0, 2]))
    once(f"{name}: shape as tensor", lambda p, name=name: getattr(p, name)(p.to_tensor([2, 1])))
    once(f"{name}: tensors in the shape", lambda p, name=name: getattr(p, name)((p.to_tensor(2), 3)))
    for to in EVERY:
        once(f"{name}: {to}", lambda p, name=name, to=to: getattr(p, name)([2], dtype=to))
        call = lambda p, x, name=name, to=to: getattr(p, f"{name}_like")(x, dtype=to)  # noqa: E731
        case(f"{name}_like: to {to}", call, real(2, 3), types=EVERY)
    case(f"{name}_like: 0-D", lambda p, x, name=name: getattr(p, f"{name}_like")(x), real(), types=EVERY)
once("full", lambda p: p.full([2, 3], 1.5))
once("full: integer value", lambda p: p.full([2], 3))
once("full: boolean value", lambda p: p.full([2], True))
once("full: 0-D", lambda p: p.full([], 2.5))
once("full: value as tensor", lambda p: p.full([2], p.to_tensor(2.5)))
for to in NUMBERS:
    once(f"full: {to}", lambda p, to=to: p.full((2,), 1, dtype=to))
    case(f"full_like: to {to}", lambda p, x, to=to: p.full_like(x, 2, dtype=to), real(2, 3), types=EVERY)
case("full_like", lambda p, x: p.full_like(x, 1.7), real(2), types=EVERY)
for label, arguments in {
    "": (5,),
    ": bounds": (2, 7),
    ": step": (1, 10, 3),
    ": down": (5, 0, -2),
    ": floats": (0.5, 2.0, 0.5),
    ": nothing": (3, 3),
}.items():
    once(f"arange{label}", lambda p, arguments=arguments: p.arange(*arguments))
for to in NUMBERS:
    once(f"arange: {to}", lambda p, to=to: p.arange(1, 4, dtype=to))
once("arange: tensors", lambda p: p.arange(p.to_tensor(1), p.to_tensor(7), p.to_tensor(2)))
once("linspace", lambda p: p.linspace(0, 10, 5))
once("linspace: one", lambda p: p.linspace(3, 10, 1))
once("linspace: down", lambda p: p.linspace(2.0, -1.0, 4))
for to in NUMBERS:
    once(f"linspace: {to}", lambda p, to=to: p.linspace(0, 10, 4, dtype=to))
    once(f"eye: {to}", lambda p, to=to: p.eye(2, 3, dtype=to))
once("logspace", lambda p: p.logspace(0, 3, 4))
once("logspace: base", lambda p: p.logspace(0, 3, 4, base=2.0, dtype="float64"))
once("eye", lambda p: p.eye(3))
for label, value in {
    "": 2.5,
    ": integer": 3,
    ": boolean": True,
    ": list": [[1, 2], [3, 4]],
    ": mixed list": [1, 2.5],
    ": tuple": (1.0, 2.0),
    ": booleans": [True, False],
    ": empty list": [],
}.items():
    once(f"to_tensor{label}", lambda p, value=value: p.to_tensor(value))
    once(f"to_tensor{label or ':'} to float64", lambda p, value=value: p.to_tensor(value, dtype="float64"))
for kind in ("float64", "float32", "int32", "int64", "bool", "uint8"):
    once(f"to_tensor: array of {kind}", lambda p, kind=kind: p.to_tensor(np.ones((2, 1), kind)))
once("to_tensor: array without axes", lambda p: p.to_tensor(np.array(2.5)))
once("to_tensor: NumPy number", lambda p: p.to_tensor(np.float64(2.5)))
once("to_tensor: list of tensors", lambda p: p.to_tensor([p.to_tensor(1.0), p.to_tensor(2.0)]))
once("empty", lambda p: p.zeros_like(p.empty([2, 3])))
once("empty: int64", lambda p: p.zeros_like(p.empty([2, 3], "int64")))
case("empty_like", lambda p, x: p.zeros_like(p.empty_like(x)), real(2, 3), types=EVERY)
case("empty_like: to float64", lambda p, x: p.zeros_like(p.empty_like(x, "float64")), real(2, 3), types=EVERY)

# results that depend on chance: 0 times them

for name in ("rand", "randn", "standard_normal", "uniform"):
    once(name, lambda p, name=name: p.zeros_like(getattr(p, name)([2, 3])))
    once(f"{name}: float64", lambda p, name=name: p.zeros_like(getattr(p, name)([2, 3], "float64")))
    once(f"{name}: shape as tensor", lambda p, name=name: p.zeros_like(getattr(p, name)(p.to_tensor([2, 3]))))
    once(f"{name}: 0-D", lambda p, name=name: p.zeros_like(getattr(p, name)([])))
once("normal", lambda p: p.zeros_like(p.normal(shape=[2, 3])))
case("normal: tensors", lambda p, x: p.zeros_like(p.normal(x, p.ones_like(x))), real(2, 3))
once("randint", lambda p: p.zeros_like(p.randint(0, 5, [2, 3])))
once("randint: one bound", lambda p: p.zeros_like(p.randint(5)))
once("randint: int32", lambda p: p.zeros_like(p.randint(0, 5, [2], dtype="int32")))
case("randint_like", lambda p, x: p.zeros_like(p.randint_like(x, 5)), real(2, 3), types=EVERY)
case("randint_like: int32", lambda p, x: p.zeros_like(p.randint_like(x, 0, 5, "int32")), real(2, 3), types=NUMBERS)
once("randperm", lambda p: p.sort(p.randperm(5)))
once("randperm: int32", lambda p: p.sort(p.randperm(5, "int32")))
case("bernoulli", lambda p, x: p.bernoulli(x), given([0, 1, 1, 0]))
case("poisson", lambda p, x: p.poisson(x), given([0, 0]))
case("multinomial", lambda p, x: p.multinomial(x, 3, True), given([[0, 1, 0], [0, 0, 2]]))
case("multinomial: one", lambda p, x: p.multinomial(x), given([0, 0, 2]))

# in place

for label, call in {
    "fill_": lambda p, x: (x * 1).fill_(3),
    "zero_": lambda p, x: (x * 1).zero_(),
    "fill_diagonal_": lambda p, x: (x * 1).fill_diagonal_(2),
    "fill_diagonal_: offset": lambda p, x: (x * 1).fill_diagonal_(2, 1),
    "fill_diagonal_: wrap": lambda p, x: p.concat([x, x, x]).fill_diagonal_(2, 0, True),
}.items():
    case(f"__{label}", call, real(3, 3), types=NUMBERS)
case("__fill_diagonal_tensor", lambda p, x, y: x.fill_diagonal_tensor(y.detach()), real(2, 3), real(2), types=NUMBERS)
case(
    "__fill_diagonal_tensor_",
    lambda p, x, y: (x * 1).fill_diagonal_tensor_(y.detach(), 1),
    real(2, 3),
    real(2),
    types=NUMBERS,
)
for label in ("uniform_", "normal_", "exponential_"):
    call = lambda p, x, label=label: p.zeros_like(getattr(x.detach(), label)())  # noqa: E731
    case(f"__{label}", call, real(2, 3))

# layers' functions on positions, and those whose chance is switched off

case("one_hot", lambda p, x: p.nn.functional.one_hot(x, 4), whole(2, 3, high=3), types=("int64",))
case("one_hot: int32", lambda p, x: p.nn.functional.one_hot(x, 4), given([1, 3]), types=INTEGERS)
for label, options in {"": {}, ": length": {"maxlen": 5}, ": bool": {"maxlen": 4, "dtype": "bool"}}.items():
    call = lambda p, x, options=options: p.nn.functional.sequence_mask(x, **options)  # noqa: E731
    case(f"sequence_mask{label}", call, given([[1, 3], [0, 2]]), types=INTEGERS)
case(
    "sequence_mask: float32", lambda p, x: p.nn.functional.sequence_mask(x, 4, "float32"), given([1, 3]), types=INTEGERS
)
for name, shape in (
    ("dropout", (2, 3)),
    ("dropout2d", (1, 2, 2, 2)),
    ("dropout3d", (1, 2, 1, 2, 2)),
    ("alpha_dropout", (3,)),
):
    call = lambda p, x, name=name: getattr(p.nn.functional, name)(x, 0.5, training=False)  # noqa: E731
    case(f"{name}: not training", call, real(*shape))
    call = lambda p, x, name=name: getattr(p.nn.functional, name)(x, 0.0)  # noqa: E731
    case(f"{name}: of nothing", call, real(*shape))
case("dropout: of everything", lambda p, x: p.nn.functional.dropout(x, 1.0), real(2, 3))
case("gumbel_softmax", lambda p, x: p.nn.functional.gumbel_softmax(x).sum(-1), real(2, 3), gradients=False)
