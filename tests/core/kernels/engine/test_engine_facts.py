"""What was measured about the engine, each fact fenced: a test named after what must never reach it."""

from __future__ import annotations

import subprocess
import sys
from typing import Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.engine import engine


def test_numpy_without_its_bool_alias_does_not_stop_the_import() -> None:
    code = "import numpy; assert 'bool' not in vars(numpy) or numpy.bool; import core.kernels.engine.engine"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_shapes_of_no_axes_and_of_size_zero_are_real_shapes_in_every_thread() -> None:
    import threading

    found = []

    def work() -> None:
        found.append((core.ones([]).shape, core.zeros([0, 3]).shape, (core.zeros([0, 3]) + 1).shape))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [([], [0, 3], [0, 3])]


def test_sum_to_a_scalar_has_no_axes() -> None:
    assert core.ones([2, 3]).sum().shape == []


def test_sum_over_no_elements_is_zero() -> None:
    total = core.zeros([0, 3]).sum(axis=0)
    np.testing.assert_array_equal(total.numpy(), np.zeros(3, "float32"))


@pytest.mark.parametrize("number", [2**53 + 1, -(2**60) + 1])
def test_int64_does_not_pass_through_float64(number: int) -> None:
    x = core.to_tensor([number])
    assert (x + 1).item() == number + 1
    assert (x * 1).item() == number
    assert (1 - x).item() == 1 - number
    assert bool(x == number) and not bool(x == number + 1)
    assert core.full([1], number, "int64").item() == number


def test_integers_divide_as_floats() -> None:
    quotient = core.to_tensor([-7, 7]) / 2
    assert quotient.dtype == "float32"
    np.testing.assert_array_equal(quotient.numpy(), [-3.5, 3.5])


@pytest.mark.parametrize(
    "make",
    [
        lambda: core.zeros([2**16, 2**15]),
        lambda: core.arange(2**31),
        lambda: core.eye(50000),
        lambda: core.ones([1]).broadcast_to([2**16, 2**15]),
        lambda: core.ones([46341, 1]) + core.ones([1, 46341]),
        lambda: core.matmul(core.ones([46341, 1]), core.ones([1, 46341])),
        lambda: core.to_tensor(np.broadcast_to(np.float32(0), (2**16, 2**15))),
        lambda: core.tile(core.ones([2**15]), [2**16]),
    ],
)
def test_arrays_stay_below_two_to_the_31_elements(make: Callable[[], core.Tensor]) -> None:
    with pytest.raises(OperatorError, match=r"elements; the engine's limit is 2\*\*31 - 1"):
        make()


def test_reseeding_is_exact() -> None:
    engine.seed(7)
    first = engine.invoke(engine.operator_handle("_npi_uniform"), [], _uniform())[0].asnumpy()
    engine.seed(7)
    second = engine.invoke(engine.operator_handle("_npi_uniform"), [], _uniform())[0].asnumpy()
    np.testing.assert_array_equal(first, second)


def test_a_seed_waits_for_the_next_draw_eager_or_compiled() -> None:
    draw = core.jit.to_static(lambda: core.rand([3]))
    for first, second in ((core.rand, lambda shape: draw()), (lambda shape: draw(), core.rand)):
        core.seed(7)
        expected = core.rand([3]).numpy()
        core.seed(7)
        core.ones([2]) + 1
        np.testing.assert_array_equal(first([3]).numpy(), expected)
        assert not np.array_equal(second([3]).numpy(), expected)


def test_the_last_of_several_seeds_counts() -> None:
    core.seed(7)
    expected = core.rand([3]).numpy()
    core.seed(3)
    core.seed(7)
    np.testing.assert_array_equal(core.rand([3]).numpy(), expected)


def test_every_declared_operator_that_draws_is_known_to_the_engine() -> None:
    drawing = [operator for operator in REGISTRY.values() if operator.random and operator.handle is not None]
    assert {"uniform", "normal", "randint", "shuffle", "dropout_mask"} <= {operator.name for operator in drawing}
    assert [operator.name for operator in drawing if type(operator.handle) is not engine.DrawingHandle] == []


def _uniform() -> engine.Attributes:
    return engine.Attributes({"low": 0.0, "high": 1.0, "size": (5,)})


def test_a_view_shows_the_engine_memory_and_keeps_it_alive() -> None:
    x = core.to_tensor(np.arange(6, dtype="float32").reshape(2, 3))
    view = engine.view(x._value.array, (2, 3), x.dtype)
    del x
    np.testing.assert_array_equal(view, np.arange(6).reshape(2, 3))


def test_bfloat16_rounds_to_nearest_even() -> None:
    x = core.to_tensor([1.0, 1.00390625, 1.01171875, 3.14159], dtype="bfloat16")
    assert x.dtype == "bfloat16"
    np.testing.assert_array_equal(x.numpy(), [0x3F80, 0x3F80, 0x3F82, 0x4049])
    np.testing.assert_allclose(x.astype("float32").numpy(), [1.0, 1.0, 1.015625, 3.140625])


def test_casting_to_bfloat16_rounds_and_lets_the_gradient_through() -> None:
    scales = 10.0 ** np.arange(-20, 20).repeat(50)
    numbers = (np.random.default_rng(0).standard_normal(2000) * scales).astype("float32")
    numbers[:4] = [np.inf, -np.inf, np.nan, 1.00390625]
    expected = engine.float32_to_bfloat16_bits(numbers)
    for function in (lambda x: x.astype("bfloat16"), core.jit.to_static(lambda x: x.astype("bfloat16"))):
        got = function(core.to_tensor(numbers)).numpy()
        np.testing.assert_array_equal(got[~np.isnan(numbers)], expected[~np.isnan(numbers)])
    x = core.to_tensor([1.2345, -3.3], stop_gradient=False)
    x.astype("bfloat16").astype("float32").sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 1])


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,), (2, 3), (2,) * 6, (2,) * 7, (2,) * 9])
def test_casting_to_bfloat16_and_back_knows_every_shape(shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(0).standard_normal(shape).astype("float32")
    bits = engine.float32_to_bfloat16_bits(numbers)
    for function in (lambda x: x.astype("bfloat16"), core.jit.to_static(lambda x: x.astype("bfloat16"))):
        half = function(core.to_tensor(numbers))
        assert half.shape == list(shape)
        np.testing.assert_array_equal(half.numpy(), bits)
        back = half.astype("float32").numpy()
        np.testing.assert_array_equal(back, (bits.astype(np.uint32) << np.uint32(16)).view(np.float32))


@pytest.mark.parametrize(
    "types", [("float32", "bfloat16"), pytest.param(("bfloat16", "float32"), marks=pytest.mark.bfloat16)]
)
@pytest.mark.parametrize("shape", [[2, -1], [2, 4, 8, 16], [2, 8, 64], [16, 4, 2, 2, 4], [1024]])
def test_a_reshaped_image_is_cast_inside_a_program(shape: list[int], types: tuple[str, str]) -> None:
    first, second = types
    generator = np.random.default_rng(0)
    weight = core.to_tensor(generator.standard_normal((16, 16, 3, 3)) / 12, "float32").astype(first).detach()

    def function(x: core.Tensor) -> core.Tensor:
        y = F.relu(F.conv2d(x.astype(first), weight, padding=1)).reshape(shape).astype(second)
        y = y.reshape([2, 16, 4, 8]).astype(first)
        return F.relu(F.conv2d(y, weight, padding=1)).astype("float32") * 2.0

    results = []
    for run in (function, core.jit.to_static(function)):
        x = core.to_tensor(np.random.default_rng(1).standard_normal((2, 16, 4, 8)), "float32", stop_gradient=False)
        with core.no_grad():
            inferred = run(x).numpy()
        y = run(x)
        y.sum().backward()
        results.append((inferred, y.numpy(), x.grad.numpy()))
    for eager, compiled in zip(*results):
        np.testing.assert_allclose(compiled, eager, rtol=1e-2, atol=1e-2 * np.abs(eager).max())


def test_casting_to_bfloat16_keeps_what_is_no_number_and_the_smallest_become_zero() -> None:
    half = core.to_tensor([np.nan, np.inf, -np.inf, 3.4e38, 1e-40, 1.2e-38]).astype("bfloat16").astype("float32")
    np.testing.assert_array_equal(half.numpy()[:5], np.float32([np.nan, np.inf, -np.inf, np.inf, 0.0]))
    assert half.numpy()[5] > 0


def test_a_custom_operator_in_a_compiled_program_uses_our_rule() -> None:
    class Tripled(core.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 3.0

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 7.0

    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    function = core.jit.to_static(lambda x: Tripled.apply(x).sum())
    for _ in range(3):
        x.clear_grad()
        loss = function(x)
        loss.backward()
        assert loss.item() == 9.0
        np.testing.assert_array_equal(x.grad.numpy(), [7.0, 7.0])


def test_a_gpu_without_a_cuda_build_is_one_clear_line() -> None:
    if core.device.is_compiled_with_cuda():
        pytest.skip("this engine has CUDA")
    with pytest.raises(RuntimeError, match="gpu:0 cannot be used: the installed mxnet has no CUDA"):
        core.set_device("gpu:0")
    with pytest.raises(ValueError, match="'tpu' is no device: use 'cpu', 'gpu' or 'gpu:N'"):
        core.set_device("tpu")
    assert core.set_device("cpu") == core.get_device() == "cpu"
