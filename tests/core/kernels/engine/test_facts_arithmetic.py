"""What the engine does with sums, integers, bounds and matrices; each test shows a fact and the fence before it."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.dtypes import to_dtype
from core.kernels.engine import engine, graph
from core.kernels.engine.engine import Attributes, MXNetError


def raw(name: str, arrays: list[np.ndarray], **attributes: object) -> np.ndarray:
    """Run an engine operator with nothing between."""
    outputs = engine.invoke(
        engine.operator_handle(name), [engine.from_numpy(array) for array in arrays], Attributes(attributes)
    )
    return np.array(engine.view(outputs[0], engine.shape_of(outputs[0]), engine.dtype_of(outputs[0])))


def raw_gradient(name: str, array: np.ndarray, **attributes: object) -> np.ndarray:
    data = engine.from_numpy(array)
    graph.mark([data])
    with engine.engine_mode(recording=True, training=True):
        outputs = engine.invoke(engine.operator_handle(name), [data], Attributes(attributes))
    ones = engine.from_numpy(np.ones(engine.shape_of(outputs[0]), array.dtype))
    (gradient,) = graph.differentiate(outputs[:1], [ones], [data], retain=False)
    return np.array(engine.view(gradient, array.shape, to_dtype(array.dtype)))


def test_the_engines_sum_turns_infinity_into_nan() -> None:
    inf = float("inf")
    assert np.isnan(raw("_np_sum", [np.array([inf, 1.0])]))
    assert core.sum(core.to_tensor([inf, 1.0])).item() == inf


def test_views_of_the_same_memory_have_any_shape() -> None:
    array = engine.from_numpy(np.arange(6.0))
    assert engine.shape_of(engine.reshaped(array, (2, 3))) == (2, 3)
    assert engine.shape_of(engine.reshaped(engine.from_numpy(np.ones((1, 1))), ())) == ()


def test_integers_pass_through_floating_point_in_some_operators() -> None:
    large = np.array([2**53 + 1])
    assert raw("_npi_absolute", [large])[0] == 2**53
    assert raw("_npi_floor", [large])[0] == 2**53
    assert raw("_npi_mod", [large, np.array([3])])[0] != (2**53 + 1) % 3
    assert raw("_npi_power", [np.array([3]), np.array([39])])[0] != 3**39
    t = core.to_tensor(large)
    assert abs(t).item() == core.floor(t).item() == 2**53 + 1
    assert (t % 3).item() == (2**53 + 1) % 3 and (core.to_tensor([3]) ** 39).item() == 3**39


def test_a_remainder_of_division_by_zero_is_zero_in_the_engine() -> None:
    assert raw("_npi_mod", [np.array([5.0]), np.array([0.0])])[0] == 0
    assert np.isnan(core.mod(core.to_tensor([5.0]), core.to_tensor([0.0])).item())


def test_clips_bounds_are_float32_numbers() -> None:
    assert raw("_npi_clip", [np.array([1.0])], a_min=0.0, a_max=0.1)[0] != 0.1
    with pytest.raises(MXNetError, match="Out of range value for a_max"):
        raw("_npi_clip", [np.array([1.0])], a_min=0.0, a_max=1e308)
    assert core.clip(core.to_tensor([1.0], dtype="float64"), 0.0, 0.1).item() == 0.1


def test_rounding_is_to_even_in_one_operator_and_away_from_zero_in_another() -> None:
    assert raw("_npi_around", [np.array([0.5, 2.5])]).tolist() == [0, 2]
    assert core.round(core.to_tensor([0.5, 2.5])).tolist() == [1, 3]


def test_the_engine_divides_a_product_by_its_zeros() -> None:
    assert np.isnan(raw_gradient("_np_prod", np.array([0.0, 2.0], "float32"))[0])
    t = core.to_tensor([0.0, 2.0], stop_gradient=False)
    core.jit.to_static(lambda t: core.prod(t))(t).backward()
    assert t.grad.tolist() == [2, 0]


def test_an_integer_cast_lets_gradients_pass_in_the_engine() -> None:
    assert raw_gradient("Cast", np.array([1.5], "float32"), dtype="int32")[0] == 1
    t = core.to_tensor([1.5], stop_gradient=False)
    program = core.jit.to_static(lambda t: core.cast(core.cast(t, "int64"), "float32") + t)
    program(t).backward()
    assert t.grad.tolist() == [1]


def test_an_operator_without_gradient_spoils_a_compiled_program_unless_blocked() -> None:
    t = core.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    program = core.jit.to_static(lambda t: (t * core.cast(core.randperm(3), "float32")).sum())
    program(t).backward()
    assert sorted(t.grad.tolist()) == [0, 1, 2]


def test_products_of_half_precision_or_integers_are_refused() -> None:
    for dtype in ("float16", "int64"):
        with pytest.raises(MXNetError, match="only supports 32-bit and 64-bit|kFloat32"):
            raw("_linalg_gemm2", [np.ones((2, 2), dtype)] * 2)
            engine.wait_all()
        assert core.matmul(core.ones([2, 2], dtype), core.ones([2, 2], dtype)).numpy().tolist() == [[2, 2], [2, 2]]


def test_running_sums_know_no_negative_axis() -> None:
    with pytest.raises(MXNetError, match="index = -1"):
        raw("_np_cumsum", [np.ones((2, 2))], axis=-1)
    assert core.cumsum(core.ones([2, 2]), axis=-1).numpy().tolist() == [[1, 2], [1, 2]]
