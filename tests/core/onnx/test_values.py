"""Numbers that the operators' samples do not reach: signs, halves, ties, NaN, infinities, types, repeated indices."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core import geometric
from core.jit import tree
from core.jit.tracing.symbolic import trace_symbolic
from core.kernels.dispatch.operator import REGISTRY
from core.nn import functional
from core.onnx.check import RuntimeSession, check_model, relative_difference
from core.onnx.convert import convert
from core.tensor import apply

CORNERS = np.array([-2.5, -1.5, -0.5, -0.0, 0.0, 0.49999997, 0.5, 1.5, 2.5, 1e-6, -1e-6, 30.0, -30.0], np.float32)
SPECIAL = np.array([np.inf, -np.inf, np.nan, 1.0, -2.0, 0.0], np.float32)
TIES = np.array([[3, 1, 3, 1, 2], [2, 2, 5, 5, 1], [0, 0, 0, 0, 0]])
POINTS = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0], np.float32)


def check(function: Callable[..., Any], *arrays: Any, tolerance: float = 1e-6) -> None:
    """Assert that onnxruntime and the eager operator give the same shapes, types and numbers."""
    tensors = [core.to_tensor(array) for array in arrays]
    names = [f"input_{i}" for i in range(len(tensors))]
    with core.no_grad():
        program = trace_symbolic(function, tensors)
        model = convert(program, names, [f"output_{i}" for i in range(len(program.outputs))], {}, 18)
        check_model(model)
        results = RuntimeSession(model).run({name: tensor.numpy() for name, tensor in zip(names, tensors)})
        expected, _ = tree.flatten(function(*tensors))
    assert len(results) == len(expected)
    for got, tensor in zip(results, expected):
        wanted = tensor.numpy()
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        assert relative_difference(got, wanted) <= tolerance, f"{got}, eagerly {wanted}"


UNARY = ["abs", "ceil", "expm1", "floor", "neg", "round", "sign", "square", "tanh", "trunc", "erf", "sigmoid", "exp"]


@pytest.mark.parametrize("name", UNARY)
def test_functions_at_signs_and_halves(name: str) -> None:
    x = CORNERS if name != "exp" else CORNERS / 10
    check(getattr(core, name, None) or getattr(functional, name), x if name != "expm1" else x / 10)


@pytest.mark.parametrize("name", ["abs", "floor", "round", "trunc", "isnan", "isinf", "isfinite", "nan_to_num", "tanh"])
def test_functions_of_infinities_and_nan(name: str) -> None:
    check(getattr(core, name), SPECIAL)


@pytest.mark.parametrize("name", ["gelu", "leaky_relu", "elu", "selu", "softplus", "log_sigmoid", "mish", "hardswish"])
def test_activations_at_signs(name: str) -> None:
    check(getattr(functional, name), CORNERS)


def test_small_differences_keep_their_digits() -> None:
    tiny = np.array([1e-7, -1e-7, 3e-5, 0.4, -0.4], np.float32)
    check(lambda x: core.expm1(x) * 1e7, tiny)
    check(lambda x: core.log1p(x) * 1e7, tiny)
    check(core.log1p, np.array([-1.0, np.inf, np.nan, 1e30, 0.0], np.float32))
    check(core.expm1, np.array([-np.inf, np.inf, np.nan, 80.0, -200.0], np.float32))


@pytest.mark.parametrize("name", ["remainder", "floor_divide", "pow"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "uint8", "int8"])
def test_division_and_powers_with_every_sign(name: str, dtype: str) -> None:
    if name == "floor_divide" and dtype == "float32":
        x, y = np.meshgrid(np.array([-7.0, -1.0, 0.0, 2.0, 7.5]), np.array([-2.0, 0.5, 3.0]))
    elif name == "pow":
        x, y = np.meshgrid(np.array([1, 2, 3, 5]), np.array([0, 1, 2, 3]))
    else:
        x, y = np.meshgrid(np.array([-7, -1, 0, 2, 7]), np.array([-2, 1, 3]))
    if dtype == "uint8":
        x, y = np.abs(x), np.abs(y)
    check(getattr(core, name), x.astype(dtype), y.astype(dtype))


def test_integer_powers_are_exact() -> None:
    check(core.pow, np.array([3, -3, 7, -1, 1, 2, -1, 0]), np.array([39, 39, 22, -3, -5, -1, 2**40 + 1, 2**40]))


def test_arithmetic_of_small_integers_wraps_as_eager_code_does() -> None:
    a, b = np.array([250, 3, 7], np.uint8), np.array([10, 5, 9], np.uint8)
    check(lambda x, y: [x + y, x - y, x * y, core.maximum(x, y), x + 3, x == y, x < y, x > 5, x.sum()], a, b)
    check(lambda x: [x.argmax(), x.sort(), core.where(x > 5, x, x + 1), core.concat([x, x])], a)
    check(lambda x: [-x, x.abs(), core.sign(x)], np.array([-3, 0, 5], np.int8))


def test_integers_beyond_the_floats_stay_exact() -> None:
    big = np.array([2**53 + 1, -(2**53) - 1, 2**62])
    check(lambda x: [x + 1, x * 1, x - 3, x.max(), x // 2, x % 10, x == 2**53 + 1], big, tolerance=0)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64"])
def test_bits(name: str, dtype: str) -> None:
    x, y = np.meshgrid(np.array([0, 1, 5, 6]), np.array([0, 3, 1]))
    check(getattr(core, name), x.astype(dtype), y.astype(dtype))
    check(core.bitwise_not, x.astype(dtype))


def test_comparisons_of_every_type() -> None:
    for dtype in ("bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64"):
        x, y = np.meshgrid(np.array([0, 1, 2]), np.array([0, 1]))
        x, y = x.astype(dtype), y.astype(dtype)
        check(lambda x, y: [x == y, x != y], x, y)
        if dtype != "bool":
            check(lambda x, y: [x < y, x <= y, x > y, x >= y, x == 1, x != 1, x < 1, x >= 1], x, y)


def test_numbers_on_the_left() -> None:
    check(lambda x: [2 - x, 2 / (x + 9), 2**x, 2 > x, 2 >= x, 2 < x, 2 <= x, 1 == x, 1 != x], POINTS)
    check(lambda x: [core.maximum(core.to_tensor(0.5), x), core.minimum(x, core.to_tensor(0.5))], POINTS)


def test_angles_and_lengths_in_all_quadrants() -> None:
    x, y = np.meshgrid(POINTS, POINTS)
    check(core.atan2, y, x)
    check(core.hypot, np.array([3e30, 0.0, -3.0, 1e-30], np.float32) / 1e30, np.array([4.0, 0.0, -4.0, 0], np.float32))


def test_casts() -> None:
    for source in ("float32", "float64", "int32", "int64", "uint8", "int8", "bool"):
        x = np.array([0, 1, 2.7 if source.startswith("float") else 3]).astype(source)
        names = ["float16", "float32", "float64", "int32", "int64", "uint8", "int8", "bool"]
        check(lambda x, names=names: [x.cast(name) for name in names], x)  # type: ignore[misc]


def test_choices_and_masks() -> None:
    mask = np.array([True, False, True])
    for dtype in ("bool", "uint8", "int32", "int64", "float16", "float32", "float64"):
        x, y = np.array([0, 1, 2]).astype(dtype), np.array([5, 0, 7]).astype(dtype)
        check(core.where, mask, x, y)
    truths = np.array([[True, False], [True, True]])
    check(lambda x: [x.all(), x.any(), core.all(x, 0, keepdim=True), core.any(x, -1)], truths)


def test_reductions_of_every_type() -> None:
    for dtype in ("float16", "float32", "float64", "int32", "int64"):
        x = (TIES - 2).astype(dtype)
        check(lambda x: [x.sum(), x.sum(0), x.max(1), x.min(1, keepdim=True)], x)
        if dtype != "float64":  # older releases of onnxruntime have no kernel for this product
            check(lambda x: [core.prod(x), core.prod(x, 1)], x)
        check(lambda x: [core.amax(x, [0, 1]), core.amin(x, 1), x.mean(), core.cumsum(x, 1)], x)
    check(lambda x: [core.logsumexp(x, 1), core.std(x, 0), core.var(x), core.median(x, 1)], TIES.astype("float32"))


@pytest.mark.parametrize(
    "dtype", ["int64", "float32", *(pytest.param(dtype, marks=pytest.mark.exhaustive) for dtype in ("int32", "uint8"))]
)
def test_order_with_ties(dtype: str) -> None:
    x = TIES.astype(dtype)
    check(lambda x: [x.argmax(1), x.argmin(1), x.argmax(0), core.argsort(x, 1), core.argsort(x, 0, descending=True)], x)
    # of equal elements ONNX's TopK takes the first, and Paddle another one
    check(lambda x: [core.topk(x, 3)[0], core.topk(x, 2, largest=False)[0], core.sort(x, 1)], x)
    check(lambda x: [*core.topk(x, 3), *core.kthvalue(x, 2)], np.random.RandomState(0).permutation(24).reshape(4, 6))
    check(lambda x: list(core.mode(x)), x)


def test_running_results() -> None:
    x = np.array([[1, -2, 3, 3, 0.5, -2, -7], [4, 4, -1, 4, 2, 1, -9]], np.float32)
    for axis in (0, 1):
        check(lambda x, axis=axis: [core.cumprod(x, axis), core.logcumsumexp(x, axis), *core.cummax(x, axis)], x)
        check(lambda x, axis=axis: list(core.cummin(x, axis)), x)
    check(lambda x: list(core.cummax(x, 0)), np.array([1.0, np.nan, 3.0, np.inf], np.float32))
    check(lambda x: [*core.cummax(x, 0), core.cumprod(x, 0)], np.array([1, 3, 3, -2]))


def test_quantiles_with_nan_and_infinity() -> None:
    x = np.array([[1, np.nan, 3, np.inf], [4, 2, 8, -np.inf], [np.nan] * 4, [2, 2, 2, 2]], np.float32)
    check(lambda x: [core.quantile(x, [0.25, 0.5], 1), core.median(x, 1)], x[1:2])
    check(lambda x: [core.nanquantile(x, 0.5, 1), core.nanmedian(x, 1), core.median(x, 1)], x[[1, 2, 3]])
    check(lambda x: core.nanmedian(x, 1), x[:1])


def test_searching_and_counting() -> None:
    edges, values = np.array([1.0, 3.0, 3.0, 5.0], np.float32), np.array([[0.0, 1.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    check(lambda e, v: [core.searchsorted(e, v), core.searchsorted(e, v, right=True)], edges, values)
    check(core.bucketize, values, edges)
    check(core.searchsorted, np.sort(TIES, 1).astype("float32"), np.array([[1.0, 2.5], [2, 5], [0, 1]], np.float32))
    x = np.array([0.0, 1.0, 1.0, 2.5, 4.0, 4.0, -1.0], np.float32)
    check(lambda x: [core.histogram(x, 4, 0, 4), core.histogram(x, 5), core.histogram(x, 3, 1, 2)], x)
    check(lambda x: core.histogram(x, 3), np.array([2, 2, 2]))


def test_indices_that_are_negative_or_repeated() -> None:
    x, index = np.arange(12.0, dtype="float32").reshape(4, 3), np.array([2, 0, 2, 2])
    updates = np.arange(100.0, 112.0, dtype="float32").reshape(4, 3)
    check(lambda x, i: [x[i], core.gather(x, i), core.index_select(x, i, 0), x[-1], x[::-1], x[3:0:-2]], x, index)
    check(core.scatter, x, index, updates)
    check(lambda x, i, u: core.scatter(x, i, u, overwrite=False), x, index, updates)
    check(lambda x, i, u: core.index_add(x, i, 0, u), x, index, updates)
    check(lambda x, i: core.put_along_axis(x, i[:, None], 9.0, 0), x, index)
    check(lambda x, i: core.take(x, i), x, np.array([-1, 5, -12]))
    check(lambda x, i: x.gather_nd(i), x, np.array([[0, 1], [3, 2]]))
    check(lambda i: [functional.one_hot(i, 4), functional.one_hot(i, 3)], index)


def test_messages_along_edges() -> None:
    x = np.array([[1.0, -5.0], [2.0, 7.0], [2.0, 3.0], [-4.0, 0.0]], np.float32)
    source, target = np.array([0, 1, 2, 0, 3]), np.array([1, 1, 1, 0, 0])
    for operation in ("sum", "mean", "max", "min"):
        check(lambda x, s, t, o=operation: geometric.send_u_recv(x, s, t, o), x, source, target)  # type: ignore[misc]


@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.parametrize("ceil_mode", [True, False])
def test_pooling_with_partial_windows(exclusive: bool, ceil_mode: bool) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 7, 8)).astype("float32")
    check(lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode, exclusive), x)
    check(lambda x: functional.max_pool2d(x, [3, 2], 2, [1, 0], ceil_mode=ceil_mode), x)
    check(lambda x: functional.max_pool2d(x, 2, 2, [0, 1, 1, 0], ceil_mode=ceil_mode, return_mask=True), x)
    check(lambda x: [functional.adaptive_avg_pool2d(x, [3, 5]), functional.adaptive_max_pool2d(x, [3, 5], True)], x)
    check(lambda x: functional.adaptive_avg_pool2d(x, [1, 1]), x)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_convolutions(groups: int, dilation: int, stride: int) -> None:
    generator = np.random.default_rng(0)
    x, weight = generator.normal(size=(2, 4, 9, 8)).astype("float32"), generator.normal(size=(4, 4 // groups, 3, 2))
    weight, bias = weight.astype("float32"), generator.normal(size=4).astype("float32")
    options = {"stride": stride, "padding": 1, "dilation": dilation, "groups": groups}
    check(lambda x, w, b: functional.conv2d(x, w, b, **options), x, weight, bias, tolerance=1e-5)
    extra = [0] if stride == 1 else [0, stride - 1]
    for beyond in extra:
        check(
            lambda x, w, b, o=beyond: functional.conv2d_transpose(x, w, b, output_padding=o, **options),  # type: ignore[misc]
            x,
            weight,
            bias,
            tolerance=1e-5,
        )
    x, weight = x[:, :, :, 0], weight[..., 0]
    check(lambda x, w: functional.conv1d(x, w, data_format="NCL", **options), x, weight, tolerance=1e-5)


def test_windows_of_images_there_and_back() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 6, 7)).astype("float32")
    for options in ({"strides": 2, "paddings": 1}, {"dilations": 2}, {"strides": [1, 2], "paddings": [2, 0]}):
        check(lambda x, o=options: functional.unfold(x, [3, 2], **o), x)  # type: ignore[misc]
        check(lambda x, o=options: functional.fold(functional.unfold(x, [3, 2], **o), [6, 7], [3, 2], **o), x)  # type: ignore[misc]


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_borders(mode: str) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype("float32")
    check(lambda x: functional.pad(x, [1, 2, 3, 0], mode, 7.0), x)
    check(lambda x: functional.pad(x, [1, 2, 3, 0], mode, 7.0), (x * 9).astype("int32"))


def test_normalisation_with_channels_last_and_along_other_axes() -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(2, 3, size=(4, 5, 6)).astype("float32")
    mean, variance = generator.normal(size=6).astype("float32"), generator.uniform(0.5, 2, 6).astype("float32")
    check(lambda x, m, v: functional.batch_norm(x, m, v, data_format="NLC"), x, mean, variance, tolerance=1e-5)
    check(lambda x: functional.batch_norm(x, core.zeros([5]), core.ones([5]), training=True), x, tolerance=1e-5)
    check(lambda x: [functional.layer_norm(x, [5, 6]), functional.instance_norm(x)], x, tolerance=1e-5)
    check(lambda x: [functional.softmax(x, 0), functional.log_softmax(x, 1)], x, tolerance=1e-5)


def test_products_of_large_matrices_and_of_integers() -> None:
    generator = np.random.default_rng(0)
    x, weight = generator.normal(size=(700, 256)), generator.normal(size=(256, 300)) / 16
    x, weight = x.astype("float32"), weight.astype("float32")
    check(lambda x, w: [functional.linear(x, w, core.ones([300])), core.matmul(x, w)], x, weight, tolerance=1e-5)
    check(lambda x, w: functional.linear(x.reshape([7, 100, 256]), w, core.ones([300])), x, weight, tolerance=1e-5)
    rows = weight.T.copy()  # as programs of the first format, and those that passes made, hold them
    check(lambda x, w: apply(REGISTRY["inner_products"], x, w), x, rows, tolerance=1e-5)
    check(lambda x, w: apply(REGISTRY["affine"], x, w, core.ones([300])), x, rows, tolerance=1e-5)
    given = x.reshape(7, 100, 256)
    check(lambda x, w: apply(REGISTRY["affine"], x, w, core.ones([300])), given, rows, tolerance=1e-5)
    a, b = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    check(core.matmul, a, b)
    check(lambda a, b: core.matmul(a, b, transpose_x=True, transpose_y=True), a.T.copy(), b.T.copy())


def test_determinants() -> None:
    check(core.linalg.det, np.random.default_rng(0).normal(size=(2, 3, 3)).astype("float32"))


def test_tensors_without_axes_and_without_elements() -> None:
    check(
        lambda x: [x + 1, x.exp(), x.sum(), x.reshape([1, 1]), core.stack([x, x]), x.max(), x.round()], np.float32(1.5)
    )
    check(lambda x: [x.reshape([2, 0, 1]), x.sum(), core.concat([x, x]), x * 2], np.zeros((2, 0), np.float32))


def test_numbers_on_the_left_of_a_function() -> None:
    for name in ("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"):
        check(lambda x, name=name: getattr(core, name)(1.0, x), POINTS)  # type: ignore[misc]
    check(lambda x: [core.maximum(0.5, x), core.minimum(0.5, x)], POINTS)
