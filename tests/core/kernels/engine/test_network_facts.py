"""What was measured about the engine's network operators, each fact fenced by a test named after it."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.engine import engine, graph
from core.kernels.engine.engine import MXNetError
from core.nn import functional as F


def direct_transpose(x: np.ndarray, weight: np.ndarray, stride: int, dilation: int, groups: int) -> np.ndarray:
    """Transposed convolution in numpy: each element of x adds its multiple of the kernel."""
    batch, channels, *size = x.shape
    outputs, *kernel = weight.shape[1:]
    spatial = [(n - 1) * stride + dilation * (k - 1) + 1 for n, k in zip(size, kernel)]
    result = np.zeros((batch, outputs * groups, *spatial))
    for place in np.ndindex(*size):
        for offset in np.ndindex(*kernel):
            target = tuple([p * stride + o * dilation for p, o in zip(place, offset)])
            for c in range(channels):
                first = c // (channels // groups) * outputs
                part = x[(slice(None), c, *place)][:, None] * weight[(c, slice(None), *offset)][None]
                result[(slice(None), slice(first, first + outputs), *target)] += part
    return result


_CRASHES = """
import numpy as np, core
from core.nn import functional as F
def step(x, w, rank):
    w = w.astype("float32")
    transpose = getattr(F, f"conv{rank}d_transpose")
    return (transpose(transpose(x, w, stride=2), w) ** 2.0).sum() + (w * w).sum()
for rank in (2, 3):
    for dtype in ("float32", "float64"):
        r = np.random.default_rng(0)
        x = core.to_tensor(r.standard_normal((2, 4) + (3,) * rank).astype("float32"), stop_gradient=False)
        for compiled in (False, True):
            w = np.random.default_rng(1).standard_normal((4, 4) + (3,) * rank)
            w = core.to_tensor(w, dtype, stop_gradient=False)
            f = (lambda x, w, rank=rank: step(x, w, rank))
            f = core.jit.to_static(f) if compiled else f
            for _ in range(3):
                f(x, w).backward()
            print(float(abs(w.grad.numpy()).sum()))
"""


def test_weight_gradient_of_deconvolution_as_an_intermediate_does_not_crash() -> None:
    # cast, shared by two layers and used a third time; a crash must not take the other tests with it
    run = subprocess.run([sys.executable, "-c", _CRASHES], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    numbers = [float(line) for line in run.stdout.split()]
    assert numbers[::2] == pytest.approx(numbers[1::2], rel=1e-5)
    assert numbers[0] == pytest.approx(numbers[2], rel=1e-5) and numbers[4] == pytest.approx(numbers[6], rel=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("rank", "groups"), [(1, 1), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("dilation", [1, 2])
def test_deconvolution_is_right_where_the_engine_has_it_wrong_or_not_at_all(
    dtype: str, rank: int, groups: int, dilation: int
) -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal((2, 4, *(3, 2, 3)[:rank]))
    weight = generator.standard_normal((4, 3, *(2, 3, 2)[:rank]))
    function = getattr(F, f"conv{rank}d_transpose")
    result = function(
        core.to_tensor(x, dtype=dtype), core.to_tensor(weight, dtype=dtype), stride=2, dilation=dilation, groups=groups
    )
    expected = direct_transpose(x, weight, 2, dilation, groups)
    np.testing.assert_allclose(result.numpy(), expected, atol=1e-5 if dtype == "float32" else 1e-12)


def test_a_view_of_weights_shows_the_weights_after_a_convolution() -> None:
    # in inference form the engine rewrites them in a layout of its own
    weight = core.to_tensor(np.random.default_rng(0).standard_normal((32, 32, 3, 3)).astype("float32"))
    before = weight.numpy()
    view = engine.view(weight._value.array, *weight._value.meta)
    F.conv2d(core.ones([4, 32, 14, 14]), weight, padding=1).numpy()
    engine.wait_all()
    np.testing.assert_array_equal(view, before)


def test_a_weight_serves_convolution_and_transposed_convolution() -> None:
    # the engine's Deconvolution refuses a weight that its Convolution has put into a layout of its own
    generator = np.random.default_rng(0)
    x = generator.standard_normal((2, 3, 6, 6)).astype("float32")
    weight = core.to_tensor(generator.standard_normal((4, 3, 3, 3)).astype("float32"))
    with core.no_grad():
        y = F.conv2d(core.to_tensor(x), weight)
        z = F.conv2d_transpose(y, weight)
    expected = direct_transpose(y.numpy(), weight.numpy(), 1, 1, 1)
    np.testing.assert_allclose(z.numpy(), expected, rtol=1e-4, atol=1e-4)


ACTIVATIONS = ("relu", "sigmoid", "tanh", "leaky_relu", "gelu", "elu", "softplus", "softmax", "log_softmax")


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (3, 0)])
def test_activations_take_0d_and_empty_tensors(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    # the engine's Activation fails late without elements, its LeakyReLU without axes
    x = core.to_tensor(np.full(shape, 0.5, dtype), stop_gradient=False)
    result = getattr(F, name)(x)
    assert result.shape == list(shape) and result.dtype == dtype
    result.sum().backward()
    assert x.grad.shape == list(shape)
    engine.wait_all()


def test_softplus_is_positive_for_negative_numbers() -> None:
    # the engine's softrelu gives -1.9e-6 at -20
    x = np.array([-80.0, -30.0, -20.0, -5.0], "float32")
    expected = np.log1p(np.exp(x.astype("float64")))
    np.testing.assert_allclose(F.softplus(core.to_tensor(x)).numpy(), expected, rtol=1e-5)


def test_slopes_and_gelu_are_exact_in_float64() -> None:
    # the engine keeps a slope in float32 and computes float64 GELU with float32 constants
    x = core.to_tensor(np.array([-3.0, -0.1, 0.7]))
    np.testing.assert_allclose(F.leaky_relu(x, 0.1).numpy(), [-0.3, -0.01, 0.7], rtol=1e-15)
    expected = [0.5 * v * (1.0 + math.erf(v / math.sqrt(2.0))) for v in x.tolist()]
    np.testing.assert_allclose(F.gelu(x).numpy(), expected, rtol=1e-12)


def _statistics() -> tuple[Any, Any, Any]:
    x = core.to_tensor(np.random.default_rng(0).standard_normal((4, 2, 3)).astype("float32"), stop_gradient=False)
    return x, core.zeros([2]), core.ones([2])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("backwards", [0, 1, 2])
def test_running_statistics_move_once_per_forward_whatever_backward_does(compiled: bool, backwards: int) -> None:
    # the engine writes them during backward: twice for two of them, never without one
    x, mean, variance = _statistics()

    def step(x: Any) -> Any:
        return F.batch_norm(x, mean, variance, training=True, momentum=0.8)

    loss = (core.jit.to_static(step) if compiled else step)(x).sum()
    for i in range(backwards):
        loss.backward(retain_graph=i + 1 < backwards)
    data = x.numpy()
    np.testing.assert_allclose(mean.numpy(), 0.2 * data.mean((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(variance.numpy(), 0.8 + 0.2 * data.var((0, 2)), rtol=1e-5)


def test_batch_norm_adds_up_in_float32_so_that_a_deviation_of_many_numbers_is_right_to_1e_5() -> None:
    x = np.random.default_rng(0).standard_normal((20, 8, 56, 56)).astype("float32")
    shape = [1, 8, 1, 1]
    errors = {}
    for dtype in ("float32", "float64"):
        values = x.astype(dtype)
        exact = values.astype("float64")
        variance = exact.var((0, 2, 3)).reshape(shape) + 1e-5
        expected = (exact - exact.mean((0, 2, 3)).reshape(shape)) / np.sqrt(variance)
        mean, running = (core.to_tensor(np.full(8, value, dtype)) for value in (0, 1))
        result = F.batch_norm(core.to_tensor(values), mean, running, training=True).numpy()
        errors[dtype] = float(np.abs(result - expected).max() / np.abs(expected).max())
    assert errors["float32"] < 5e-5
    assert errors["float64"] < 1e-12


def test_batch_norm_updates_under_no_grad_and_leaves_statistics_alone_in_evaluation() -> None:
    x, mean, variance = _statistics()
    with core.no_grad():
        F.batch_norm(x, mean, variance, training=True)
    moved = mean.numpy()
    assert np.abs(moved).min() > 0
    F.batch_norm(x, mean, variance, training=False).sum().backward()
    F.batch_norm(x, mean, variance, training=True, use_global_stats=True)
    np.testing.assert_array_equal(mean.numpy(), moved)


def test_a_sum_of_equal_shapes_cannot_be_differentiated_by_one_operand_in_a_compiled_graph() -> None:
    left, right = graph.variable(), graph.variable()
    blocked = graph.block_gradient(left)
    handle = engine.operator_handle("elemwise_add")
    total = graph.apply_operator("add", handle, [blocked, right], engine.Attributes({}))
    program = graph.Program(total, [left, right], static=True, training=False)
    arrays = [engine.from_numpy(np.ones((2, 3, 4), "float32")) for _ in range(2)]
    _, record = program.forward_recorded(arrays, [True, True])
    with pytest.raises(MXNetError, match="storage_type_num_unknown_nodes"):
        record.backward(arrays[:1], retain=False)
        engine.wait_all()
    x, y = (core.to_tensor(np.ones((2, 3, 4), "float32"), stop_gradient=False) for _ in range(2))
    core.jit.to_static(lambda x, y: x.detach() + y)(x, y).sum().backward()
    assert (y.grad.numpy() == 1).all()


@pytest.mark.parametrize("kept_whole", [False, True])
def test_a_graph_of_two_operators_is_taken_apart_unless_told_otherwise(kept_whole: bool) -> None:
    doubled = graph.apply_operator(
        "doubled", engine.operator_handle("_mul_scalar"), [graph.variable()], engine.Attributes({"scalar": 2.0})
    )
    opposite = graph.apply_operator(
        "opposite", engine.operator_handle("logical_not"), [graph.variable()], engine.Attributes({})
    )
    outputs = engine.mx.symbol.Group([*doubled, *opposite])
    call = engine.mx.ndarray.CachedOp(outputs, [("inline_limit", 0)] if kept_whole else [])
    data, other = engine.from_numpy(np.ones(2, "float32")), engine.from_numpy(np.zeros(2, "float32"))
    graph.mark([data])
    with engine.engine_mode(recording=True, training=True):
        results = call(data, other)
    starts = [engine.from_numpy(np.ones(2, "float32")) for _ in results]
    if kept_whole:
        (gradient,) = graph.differentiate(results, starts, [data], retain=False)
        np.testing.assert_array_equal(gradient.asnumpy(), [2, 2])
    else:
        with pytest.raises(MXNetError, match="not in a computational graph"):
            graph.differentiate(results, starts, [data], retain=False)


def test_a_small_program_with_an_output_that_has_no_gradient() -> None:
    function = core.jit.to_static(lambda x, flag: (x * 2, core.logical_not(flag)), dynamic=True)
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    function(x, core.to_tensor([True, False]))[0].sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 2])


def test_a_size_that_no_convolution_gives_is_refused_before_the_engine_waits_for_ever() -> None:
    from core.operators.layers._convolution_primitives import convolution_input_gradient

    gradient, weight = core.ones([1, 4, 6, 6]), core.ones([4, 2, 3, 3])
    window = {"stride": (1, 1), "pad": (0, 0), "dilate": (1, 1), "groups": 1}
    assert convolution_input_gradient(gradient, weight, (8, 8), **window).shape == [1, 2, 8, 8]
    for wrong in ({"pad": (0, -1)}, {"stride": (100, 1)}):
        with pytest.raises(ValueError, match=r"an input of size \[8, 8\] does not give 6 positions with kernel 3"):
            convolution_input_gradient(gradient, weight, (8, 8), **{**window, **wrong})
