"""Quantized weights and products with them; numbers marked so are those of Paddle 2.6.2."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.nn import quant
from core.nn.quant import format


def drawn(*shape: int, dtype: str = "float32") -> core.Tensor:
    return core.to_tensor(np.random.default_rng(3).standard_normal(shape), dtype=dtype)


def test_eight_bits_are_paddles() -> None:
    weight = ((np.arange(64 * 16).reshape(64, 16) * 37 % 101 - 50) / 16).astype("float16")
    numbers, scale = quant.weight_quantize(core.to_tensor(weight), algo="llm.int8", arch=80)
    assert numbers.dtype == "int8" and numbers.shape == [16, 64] and scale.dtype == "float16" and scale.shape == [16]
    assert numbers[:3, :8].tolist() == [
        [-127, 94, 58, 23, -13, -48, -84, -119],
        [-33, -69, -104, 117, 81, 46, 10, -25],
        [61, 25, -10, -46, -81, -117, 104, 69],
    ]  # Paddle's
    assert scale[:3].tolist() == [0.02459716796875] * 3  # Paddle's


@pytest.mark.parametrize(("algo", "steps", "outputs"), [("weight_only_int8", 127, 6), ("weight_only_int4", 7, 3)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_a_weight_comes_back_within_half_a_step(algo: str, steps: int, outputs: int, dtype: str) -> None:
    weight = drawn(10, 6, dtype=dtype)
    numbers, scale = quant.weight_quantize(weight, algo)
    assert numbers.shape == [outputs, 10] and scale.dtype == dtype
    back = quant.weight_dequantize(numbers, scale, algo, out_dtype="float32").numpy()
    values = weight.astype("float32").numpy()
    step = np.abs(values).max(0) / steps
    assert (np.abs(back - values) <= 0.5 * step * (1.02 if dtype == "float32" else 1.2) + 1e-6).all()
    assert quant.weight_dequantize(numbers, scale, algo).dtype == "float16"


def test_an_output_of_zeros_stays_zero() -> None:
    numbers, scale = quant.weight_quantize(core.zeros([3, 2]))
    assert not numbers.numpy().any() and not quant.weight_dequantize(numbers, scale).numpy().any()


@pytest.mark.parametrize("bits", ["int8", "int4"])
@pytest.mark.parametrize("compiled", [False, True])
def test_the_product_is_that_of_the_dequantized_weight(bits: str, compiled: bool) -> None:
    weight, x, bias = drawn(8, 4), drawn(2, 3, 8), drawn(4)
    numbers, scale = quant.weight_quantize(weight, f"weight_only_{bits}")
    x.stop_gradient = False
    whole = quant.weight_dequantize(numbers, scale, f"weight_only_{bits}", "float32").numpy()

    def product(x: core.Tensor) -> core.Tensor:
        return quant.weight_only_linear(x, numbers, bias, scale, bits)

    out = (core.jit.to_static(product) if compiled else product)(x)
    np.testing.assert_allclose(out.numpy(), x.numpy() @ whole + bias.numpy(), rtol=1e-5, atol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.broadcast_to(whole.sum(1), (2, 3, 8)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("threshold", [6.0, 0.0])
def test_the_product_in_eight_bits_spares_large_inputs(threshold: float) -> None:
    weight, x = drawn(16, 4), drawn(2, 3, 16)
    x[0, 1, 5] = 20.0
    numbers, scale = quant.weight_quantize(weight, "llm.int8")
    out = quant.llm_int8_linear(x, numbers, core.ones([4]), scale, threshold).numpy()
    rows, whole = x.numpy().reshape(6, 16), quant.weight_dequantize(numbers, scale, "llm.int8", "float32").numpy()
    large = (np.abs(rows) > threshold).any(0) & (threshold > 0)
    small = np.where(large, 0, rows)
    reach = np.where(np.abs(rows) > (threshold or np.inf), 0, np.abs(rows)).max(1, keepdims=True)
    rounded = np.rint(small / reach * 127) * reach / 127
    expected = rounded @ whole + np.where(large, rows, 0) @ whole + 1
    np.testing.assert_allclose(out.reshape(6, 4), expected, rtol=1e-4, atol=1e-5)
    exact = rows @ weight.numpy() + 1
    assert np.abs(expected - exact).max() < (0.2 if threshold else 0.6)


X = [[0.5, -1.5, 2.25, 10.0], [1.0, 0.3, -0.5, -9.0]]


@pytest.mark.parametrize(
    ("scales", "axis", "bits", "numbers", "back"),
    [
        (
            [2.0], None, 8, [[32, -95, 127, 127], [64, 19, -32, -128]],
            [[0.503937, -1.496063, 2, 2], [1.0078740, 0.2992126, -0.503937, -2.0157480]],
        ),
        (
            [2.0, 1.0], 0, 8, [[32, -95, 127, 127], [127, 38, -64, -128]],
            [[0.503937, -1.496063, 2, 2], [1, 0.2992126, -0.503937, -1.007874]],
        ),
        (
            [1.0, 2.0, 3.0, 4.0], 1, 4, [[4, -5, 5, 7], [7, 1, -1, -8]],
            [[0.5714286, -1.4285715, 2.1428571, 4], [1, 0.2857143, -0.4285714, -4.5714288]],
        ),
    ],
)  # fmt: skip
def test_scales_of_the_whole_and_along_an_axis_are_paddles(scales, axis, bits, numbers, back) -> None:
    quanter = format.LinearQuanter(scales, quant_axis=axis, bit_length=bits)
    dequanter = format.LinearDequanter(scales, quant_axis=axis, bit_length=bits)
    found = quanter(core.to_tensor(X))
    assert found.tolist() == numbers and list(quanter.state_dict()) == ["_scales"]
    np.testing.assert_allclose(dequanter(found).numpy(), back, rtol=1e-5)


def test_halves_are_rounded_as_in_paddle() -> None:
    halves = core.to_tensor([[0.5, 1.5, 2.5, -0.5]])
    assert format.LinearQuanter([127.0])(halves).tolist() == [[0, 2, 2, 0]]
    groups = format.LinearQuanter(np.full((1, 4), 127.0), group_size=1)
    assert groups(halves).tolist() == [[1, 2, 3, -1]]


class Quanter(core.nn.Layer):
    def scales(self) -> core.Tensor:
        return core.to_tensor([2.0])

    def zero_points(self) -> None:
        return None

    quant_axis = zero_points

    def bit_length(self) -> int:
        return 8

    def forward(self, x: core.Tensor) -> core.Tensor:
        return x


class Scaled(format.ConvertibleQuantedLayer):
    def __init__(self) -> None:
        super().__init__()
        self.weight = self.create_parameter([2], core.nn.initializer.Constant(0.5))
        self.weight_quanter, self.input_quanter = Quanter(), Quanter()

    def forward(self, x: core.Tensor) -> core.Tensor:
        return self.input_quanter(x) * self.weight_quanter(self.weight)

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        return ["input_quanter"]


def test_a_layer_with_quanters_is_converted_once() -> None:
    layer = Scaled()
    layer._convert()
    assert layer.weight.tolist() == [32.0, 32.0] and layer.converted
    out = layer(core.to_tensor([1.0, 5.0]))
    np.testing.assert_allclose(out.numpy(), np.array([64, 127]) * 2 / 127 * (32 * 2 / 127), rtol=1e-6)
    with pytest.raises(RuntimeError, match="Scaled: the layer is converted already"):
        layer._convert()


def test_functions_as_layers() -> None:
    x, y = drawn(2, 3), drawn(3, 2)
    np.testing.assert_array_equal(quant.add()(x, x).numpy(), (x + x).numpy())
    np.testing.assert_array_equal(quant.subtract()(x, 2 * x).numpy(), -x.numpy())
    np.testing.assert_array_equal(quant.multiply()(x, x).numpy(), x.numpy() ** 2)
    np.testing.assert_array_equal(quant.divide()(x, x).numpy(), np.ones((2, 3)))
    np.testing.assert_array_equal(quant.reshape()(x, [6]).numpy(), x.numpy().ravel())
    np.testing.assert_array_equal(quant.transpose()(x, [1, 0]).numpy(), x.numpy().T)
    assert quant.concat()([x, x], 1).shape == [2, 6] and quant.flatten()(x).shape == [6]
    np.testing.assert_allclose(quant.matmul()(x, y).numpy(), x.numpy() @ y.numpy(), rtol=1e-5)
    assert isinstance(quant.add(), quant.FloatFunctionalLayer) and quant.Stub()(x) is x


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w, q, s: quant.weight_quantize(w, "int2"), "weight_quantize: algo must be one of weight_only_int8"),
        (lambda w, q, s: quant.weight_quantize(q), "weight_quantize: x must be float16, bfloat16, float32, not int8"),
        (lambda w, q, s: quant.weight_quantize(s), r"weight_quantize: x must have 2 axes, but its shape is \[4\]"),
        (lambda w, q, s: quant.weight_quantize(w[:, :3], "weight_only_int4"), "an even number of outputs, not 3"),
        (lambda w, q, s: quant.weight_dequantize(q, s, out_dtype="int8"), "out_dtype must be float16, bfloat16"),
        (lambda w, q, s: quant.weight_dequantize(q, s[:2]), "2 scales do not fit 4 outputs of the weight"),
        (lambda w, q, s: quant.weight_only_linear(w, q), "weight_only_linear: weight_scale is missing"),
        (lambda w, q, s: quant.weight_only_linear(w, q, None, s, "fp4"), "weight_dtype must be int8 or int4, not"),
        (lambda w, q, s: quant.llm_int8_linear(w, w, None, s), "weight must be int8, not float32"),
    ],
)
def test_errors_name_the_mend(call, message) -> None:
    weight = drawn(8, 4)
    with pytest.raises((core.kernels.dispatch.errors.OperatorError, TypeError), match=message):
        call(weight, *quant.weight_quantize(weight))
