"""Facts about the engine's index, shape and search operators, each fenced by what the public operators give."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorIndexError
from core.nn import functional as F
from tests.core.compiled_check import check_compiled


def test_take_wraps_and_clips_in_silence_so_indices_are_checked_first() -> None:
    with pytest.raises(OperatorIndexError, match="gather: index 5 is outside an axis of size 3"):
        core.gather(core.ones([3]), core.to_tensor([5]))


def test_one_hot_of_a_class_out_of_range_would_be_a_row_of_zeros() -> None:
    with pytest.raises(OperatorIndexError, match="one_hot: class 3 is outside an axis of size 3"):
        core.one_hot(core.to_tensor([3]), 3)


def test_argmax_would_count_in_float32() -> None:
    long = core.to_tensor(np.eye(1, 2**24 + 3, 2**24 + 1, dtype="float32")[0])
    assert core.argmax(long).item() == 2**24 + 1


def test_an_empty_slice_would_fail_to_allocate() -> None:
    x = core.ones([2, 3], "float32")
    x.stop_gradient = False
    part = x[:, 1:1]
    assert part.shape == [2, 0]
    part.sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros((2, 3)))


@pytest.mark.parametrize("name", ["split", "transpose", "flip", "tril", "roll", "argmax", "argsort", "sort", "topk"])
def test_bool_is_an_unknown_type_to_many_engine_operators(name: str) -> None:
    x = core.to_tensor([[True, False], [False, False]])
    arguments = {"split": (2,), "transpose": ([1, 0],), "flip": (0,), "roll": (1, 0), "topk": (1,)}.get(name, ())
    results = getattr(core, name)(x, *arguments)
    for result in results if isinstance(results, (list, tuple)) else [results]:
        assert result.numpy().size


def test_choosing_between_nothing_and_a_number_would_end_the_process() -> None:
    nothing = core.ones([5, 0])
    nothing.stop_gradient = False
    chosen = core.where(nothing > 1, core.to_tensor(0.0), nothing)
    assert chosen.shape == [5, 0]
    chosen.sum().backward()
    assert nothing.grad is not None and nothing.grad.shape == [5, 0]


def test_float16_cannot_be_sorted_by_the_engine() -> None:
    assert core.sort(core.to_tensor([2.0, 1.0], dtype="float16")).numpy().tolist() == [1.0, 2.0]


def test_the_engines_integer_padding_reads_a_second_axis() -> None:
    assert F.pad(core.to_tensor([1, 2]), [1, 0]).numpy().tolist() == [0, 1, 2]


def test_the_engines_numpy_padding_has_no_gradient_of_mirrored_borders() -> None:
    x = core.ones([1, 1, 2, 2])
    x.stop_gradient = False
    F.pad(x, [1, 1, 0, 0], "reflect").sum().backward()
    assert x.grad is not None
    assert x.grad.numpy().sum() == 8


@pytest.mark.parametrize("order", [(6, 5, 4, 3, 2, 1, 0), (0, 2, 4, 6, 1, 3, 5), (3, 4, 5, 6, 0, 1, 2)])
def test_the_engine_reorders_six_axes_at_most(order: tuple[int, ...]) -> None:
    array = np.arange(2 * 3 * 2 * 2 * 3 * 1 * 2, dtype="float32").reshape(2, 3, 2, 2, 3, 1, 2)
    np.testing.assert_array_equal(core.transpose(core.to_tensor(array), order).numpy(), array.transpose(order))


def test_the_operator_for_large_choices_gives_the_same_as_the_small_one() -> None:
    x = np.random.default_rng(0).standard_normal((64, 300)).astype("float32")
    tensor = core.to_tensor(x, stop_gradient=False)
    chosen = core.where(tensor > 0, tensor, 1.0)
    np.testing.assert_array_equal(chosen.numpy(), np.where(x > 0, x, 1.0))
    chosen.sum().backward()
    assert tensor.grad is not None
    np.testing.assert_array_equal(tensor.grad.numpy(), (x > 0).astype("float32"))


def test_the_engines_fast_transpose_of_bfloat16_would_corrupt_memory() -> None:
    array = np.arange(24, dtype="float32").reshape(2, 3, 4)
    half = core.to_tensor(array).cast("bfloat16")
    for _ in range(50):
        turned = core.transpose(half, [2, 0, 1])
    np.testing.assert_array_equal(turned.cast("float32").numpy(), array.transpose(2, 0, 1))


def test_the_engine_sums_over_five_axes_at_most_in_the_gradient_of_broadcasting() -> None:
    x = np.random.default_rng(0).uniform(0.5, 1.5, (1, 2, 1, 2, 1, 2))
    np.testing.assert_array_equal(core.expand(core.to_tensor(x), [2] * 6).numpy(), np.broadcast_to(x, (2,) * 6))
    check_compiled(lambda t: core.expand(t, [2] * 6) ** 2, x)
    check_compiled(lambda t: core.tile(t[0, :, 0, :, 0], [2, 2, 2]) ** 2, x)
