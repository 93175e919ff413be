"""InputSpec, and to_static with one: what it accepts, what a call may not contradict, options that are refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.jit.input_spec import InputSpec


def test_unknown_sizes_are_minus_one() -> None:
    spec = InputSpec([None, 3, -1], "int64", "ids", stop_gradient=True)
    assert spec.shape == (-1, 3, -1) and spec.dtype == "int64" and spec.name == "ids" and spec.stop_gradient
    assert InputSpec([2]).dtype == "float32" and InputSpec([2]).stop_gradient is False
    assert repr(spec) == "InputSpec(shape=(-1, 3, -1), dtype=paddle.int64, name=ids, stop_gradient=True)"
    assert core.static.InputSpec is InputSpec


def test_equal_specs_are_one_key() -> None:
    assert InputSpec([None, 3], name="x") == InputSpec([-1, 3], name="x") != InputSpec([None, 3], name="y")
    assert len({InputSpec([None, 3]), InputSpec([-1, 3]), InputSpec([1, 3])}) == 2
    assert InputSpec([1]) != "x"


def test_specs_of_tensors_and_arrays() -> None:
    x = core.ones([2, 3], dtype="float64")
    x.name = "x"
    assert InputSpec.from_tensor(x) == InputSpec([2, 3], "float64", "x")
    assert InputSpec.from_tensor(x, "y").name == "y"
    assert InputSpec.from_numpy(np.zeros((2, 3), "int32"), "z") == InputSpec([2, 3], "int32", "z")
    with pytest.raises(ValueError, match="expected a Tensor, got list"):
        InputSpec.from_tensor([1])


def test_batch_and_unbatch_change_the_spec_in_place() -> None:
    spec = InputSpec([3, None], examples={1: (4, 6)})
    assert spec.batch(8) is spec and spec.shape == (8, 3, -1)
    assert spec.traced_shapes() == ((8, 3, 4), (8, 3, 6))
    assert spec.unbatch() is spec and spec.shape == (3, -1)
    assert spec.batch(-1).shape == (-1, 3, -1)
    with pytest.raises(TypeError, match="batch: the size must be an int, got 'a'"):
        spec.batch("a")
    with pytest.raises(ValueError, match="positive, or -1 for any, got 0"):
        spec.batch(0)
    with pytest.raises(ValueError, match="no axis to drop"):
        InputSpec([]).unbatch()


def test_two_examples_of_each_unknown_size() -> None:
    assert InputSpec([None, 3, None]).traced_shapes() == ((7, 3, 224), (11, 3, 256))
    assert InputSpec([None, 3], examples={0: [4, 8]}).traced_shapes() == ((4, 3), (8, 3))
    assert InputSpec([2, 3]).traced_shapes() == ((2, 3), (2, 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": 3}, "shape must be a list or tuple, got 3"),
        ({"shape": [2.5]}, r"has the size 2.5: use an int, or None for any"),
        ({"shape": [-2]}, r"has the size -2"),
        ({"shape": [True]}, r"has the size True"),
        ({"shape": [2], "dtype": "float8"}, "unknown dtype 'float8'"),
        ({"shape": [2], "dtype": "complex128"}, "does not take complex tensors"),
        ({"shape": [2], "examples": {0: (1, 2)}}, "examples are given for axis 0, which is no unknown axis"),
        ({"shape": [None], "examples": {1: (1, 2)}}, "axis 1, which is no unknown axis"),
        ({"shape": [None], "examples": {0: (3, 3)}}, "axis 0 needs two different examples of at least 2"),
        ({"shape": [None], "examples": {0: (1, 2)}}, "axis 0 needs two different examples of at least 2"),
    ],
)
def test_wrong_specs(arguments: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        InputSpec(**arguments)


def test_a_call_within_the_spec_compiles_for_its_signature() -> None:
    @to_static(input_spec=[InputSpec([None, 4]), [InputSpec([None], "int64")], {"mask": InputSpec([None], "bool")}])
    def function(x: core.Tensor, rest: list, options: dict, scale: float = 2.0) -> core.Tensor:
        return x.sum(-1) * rest[0].astype("float32") * scale + options["mask"].astype("float32")

    for batch in (1, 3):
        x, ids = core.ones([batch, 4]), core.ones([batch], dtype="int64")
        result = function(x, [ids], {"mask": ids > 0}, scale=1.0)
        np.testing.assert_array_equal(result.numpy(), np.full([batch], 5.0))
    assert len(function.programs) == 2


SPEC = [InputSpec([None, 4], name="x"), [InputSpec([2], "int64")], {"mask": InputSpec([None], "bool")}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda x, i, m: (core.ones([2, 5]), [i], m), r"x contra.*: expected float32\[None, 4\], got float32\[2,"),
        (lambda x, i, m: (core.ones([4]), [i], m), r"argument x .* got float32\[4\]"),
        (lambda x, i, m: (x.astype("float64"), [i], m), r"argument x .* got float64\[2, 4\]"),
        (lambda x, i, m: (3.0, [i], m), r"argument x .* expected float32\[None, 4\], got float"),
        (lambda x, i, m: (x, [core.ones([3], dtype="int64")], m), r"argument rest\[0\] .* expected int64\[2\]"),
        (lambda x, i, m: (x, [i, i], m), r"argument rest .* expected a list of 1 items, got 2 items"),
        (lambda x, i, m: (x, i, m), r"argument rest .* expected a list of 1 items, got Tensor"),
        (lambda x, i, m: (x, [i], {}), r"argument options .* there is no key 'mask'"),
        (lambda x, i, m: (x, [i]), r"input_spec describes 3 arguments, but 2 were given"),
    ],
)  # fmt: skip
def test_a_call_that_contradicts_the_spec_is_one_line(arguments, message: str) -> None:
    def function(x, rest, options=None):
        return x

    x, ids = core.ones([2, 4]), core.ones([2], dtype="int64")
    with pytest.raises(ValueError, match=message) as caught:
        to_static(function, input_spec=SPEC)(*arguments(x, ids, {"mask": ids > 0}))
    assert "\n" not in str(caught.value) and "function" in str(caught.value)


def test_a_layer_with_a_spec() -> None:
    layer = to_static(nn.Linear(4, 3), input_spec=[InputSpec([None, 4])])
    assert layer(core.ones([2, 4])).shape == [2, 3]
    with pytest.raises(ValueError, match=r"forward: argument input contradicts .* got float32\[2, 5\]"):
        layer(core.ones([2, 5]))


@pytest.mark.parametrize(
    "options", [{"build_strategy": object()}, {"backend": "CINN"}, {"full_graph": False}, {"property": True}]
)
def test_options_that_are_not_supported_are_refused_by_name(options: dict) -> None:
    with pytest.raises(NotImplementedError, match=f"to_static: the option {next(iter(options))}="):
        to_static(lambda x: x, **options)
    assert to_static(lambda x: x * 2, full_graph=True, build_strategy=None)(core.ones([1])).item() == 2


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[3] / "docs" / "unknown_sizes.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    exec(example, namespace)  # noqa: S102 - our own page
    loaded = core.jit.load("rows")
    for batch in (1, 3, 8):
        np.testing.assert_allclose(loaded(core.ones([batch, 3, 4])).numpy(), np.full([batch], 12 / batch), rtol=1e-6)
