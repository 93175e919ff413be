"""Activations."""

from __future__ import annotations

from tests.parity.operators.table import FLOATS, Family, given, normal

FAMILY = Family("nn.functional", tolerance=3e-7)
case = FAMILY.case

for name, options in (
    ("celu", {"alpha": 0.7}),
    ("elu", {"alpha": 1.3}),
    ("gelu", {}),
    ("gelu", {"approximate": True}),
    ("glu", {}),
    ("glu", {"axis": 0}),
    ("hardshrink", {}),
    ("hardsigmoid", {}),
    ("hardsigmoid", {"slope": 0.3, "offset": 0.2}),
    ("hardswish", {}),
    ("hardtanh", {"min": -0.5, "max": 0.8}),
    ("leaky_relu", {"negative_slope": 0.2}),
    ("log_sigmoid", {}),
    ("log_softmax", {"axis": 0}),
    ("maxout", {"groups": 2}),
    ("maxout", {"groups": 3, "axis": -1}),
    ("mish", {}),
    ("relu", {}),
    ("relu6", {}),
    ("rrelu", {"training": False}),
    ("selu", {}),
    ("sigmoid", {}),
    ("silu", {}),
    ("softmax", {}),
    ("softmax", {"axis": 1}),
    ("softplus", {}),
    ("softplus", {"beta": 2, "threshold": 1}),
    ("softshrink", {"threshold": 0.3}),
    ("softsign", {}),
    ("swish", {}),
    ("tanh", {}),
    ("tanhshrink", {}),
    ("thresholded_relu", {"threshold": 0.4}),
):
    label = f"{name}: {options}" if options else name
    shape = (2, 4, 6, 3) if name == "maxout" else (2, 4, 6)
    case(label, lambda F, x, name=name, options=options: getattr(F, name)(x * 3, **options), shape)
case("prelu: one", lambda F, x, w: F.prelu(x, w), (2, 3, 4), (1,))
case("prelu: channels", lambda F, x, w: F.prelu(x, w), (2, 3, 4), (3,))
case("prelu: last", lambda F, x, w: F.prelu(x, w, data_format="NHWC"), (2, 2, 4, 3), (3,))


# every one with its defaults, on tensors without axes and of size 0

DEFAULTS = (
    "celu", "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid", "mish",
    "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "softshrink", "softsign", "swish", "tanh", "tanhshrink",
    "thresholded_relu", "log_softmax", "softmax",
)  # fmt: skip
for name in DEFAULTS:
    for label, shape in (("defaults", (7,)), ("0-D", ()), ("size 0", (0, 3))):
        case(f"{name}: {label}", lambda F, x, name=name: getattr(F, name)(x), normal(*shape))
BENT = ("relu6", "hardtanh", "hardswish", "softshrink", "leaky_relu")  # where it is bent ours is the other slope
EDGES = {
    "relu": [0.0, -0.0, 1.0],
    "relu6": [0.0, 6.0, 7.0],
    "hardtanh": [-1.0, 1.0, 0.0],
    "hardsigmoid": [-3.0, 3.0, 0.0],
    "hardswish": [-3.0, 3.0, 0.0],
    "hardshrink": [-0.5, 0.5, 0.0],
    "softshrink": [-0.5, 0.5, 0.0],
    "leaky_relu": [0.0, -1.0, 1.0],
    "elu": [0.0, -1.0, 1.0],
    "celu": [0.0, -1.0, 1.0],
    "selu": [0.0, -1.0, 1.0],
    "thresholded_relu": [1.0, 0.0, 2.0],
    "softplus": [20.0, 25.0, -50.0],
    "log_sigmoid": [-100.0, 100.0, 0.0],
    "mish": [-100.0, 100.0, 25.0],
    "silu": [-80.0, 100.0, 0.0],
    "softmax": [1000.0, -1000.0, 1000.0],
    "log_softmax": [10.0, -10.0, 0.0],
    "sigmoid": [-100.0, 100.0, 0.0],
    "gelu": [-100.0, 100.0, 0.0],
}
for name, values in EDGES.items():
    case(f"{name}: on the edge", lambda F, x, name=name: getattr(F, name)(x), given(values), gradients=name not in BENT)
case("prelu: on the edge", lambda F, x, w: F.prelu(x, w), given([0.0, -1.0, 1.0]), normal(1))
for name in ("softmax", "log_softmax"):
    case(f"{name}: to float64", lambda F, x, name=name: getattr(F, name)(x, 0, "float64"), normal(2, 3), types=FLOATS)
    case(f"{name}: negative axis", lambda F, x, name=name: getattr(F, name)(x, axis=-2), normal(2, 3, 2))
case("rrelu: bounds", lambda F, x: F.rrelu(x, 0.2, 0.4, training=False), normal(2, 3))
case("glu: last axis", lambda F, x: F.glu(x, -1), normal(2, 3, 4))
case("prelu: 1-D", lambda F, x, w: F.prelu(x, w), normal(2, 3), normal(3))
