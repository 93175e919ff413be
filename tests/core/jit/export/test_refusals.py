"""What cannot be exported is refused by name, and calls that do not fit get one line."""

from __future__ import annotations

import collections
import dataclasses
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import core
from core import nn
from core.jit import Predictor
from core.jit.export import check as export_check
from core.jit.input_spec import InputSpec
from core.jit.passes import fusion
from core.jit.running import predictor as predictor_module
from core.kernels.dispatch.operator import REGISTRY, HostOperator
from core.tensor import apply

Pair = collections.namedtuple("Pair", ["a", "b"])


class Doubled(core.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


class Hooked(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        y.register_hook(lambda gradient: gradient * 2)
        return y


class Counting(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", core.zeros([1]))

    def forward(self, x: Any) -> Any:
        self.calls.set_value(self.calls + 1)
        return x + self.calls


def refuse(
    layer: Any, path: Path, message: str, kind: type[Exception] = ValueError, specs: Any = None, **options: Any
) -> None:
    with pytest.raises(kind, match=message) as caught:
        core.jit.save(layer, path, [InputSpec([None, 3])] if specs is None else specs, **options)
    assert "\n" not in str(caught.value)
    assert not path.exists() and not list(path.parent.glob(".*.tmp"))


@pytest.mark.parametrize(
    ("layer", "message", "kind"),
    [
        (
            lambda x: Doubled.apply(x),
            "<lambda> cannot be exported because of .*Doubled: gradients of one's own",
            ValueError,
        ),
        (Hooked(), "Hooked cannot be exported because of core.autograd.pylayer._Hooked", ValueError),
        (
            Counting(),
            "Counting gives calls a new value in evaluation mode; an exported program keeps no state",
            ValueError,
        ),
        (lambda x: core.nonzero(x), "the output shape depends on data", ValueError),
        (lambda x: x if float(x.sum()) > 0 else -x, "the value of a tensor cannot be read", ValueError),
        (lambda x: Pair(x, x), "the result of <lambda> holds an object of type Pair", TypeError),
        (lambda x: {(1, 2): x}, "the result of <lambda> holds an object of type dict", TypeError),
        (
            lambda x: x * np.random.default_rng().random(),
            "result 0 differs from the live model's by .*numpy's random",
            ValueError,
        ),
        (nn.Dropout(0.5).train().__call__, None, ValueError),
    ],
)
def test_what_cannot_be_expressed(layer: Any, message: str, kind: type[Exception], tmp_path: Path) -> None:
    if message is None:  # a bound method of a Layer is put into evaluation mode, too
        core.jit.save(layer, tmp_path / "m", [InputSpec([None, 3])])
        return
    refuse(layer, tmp_path / "m", message, kind)


def test_layers_inside_a_function_are_evaluated_too(tmp_path: Path) -> None:
    norm = nn.BatchNorm1D(3)
    core.jit.save(lambda x: norm(x), tmp_path / "m", [InputSpec([None, 3])])
    assert norm.training
    norm.eval()
    np.testing.assert_allclose(Predictor(tmp_path / "m").run(X), norm(core.to_tensor(X)).numpy(), rtol=1e-6)


def test_an_operator_of_ones_own(tmp_path: Path) -> None:
    operator = HostOperator("halved_by_test", lambda x: x / 2, infer=lambda metas, options: metas, differentiable=False)
    try:
        refuse(lambda x: apply(operator, x), tmp_path / "m", "cannot be exported because of halved_by_test")
    finally:
        del REGISTRY["halved_by_test"]


def test_abstract_parameters(tmp_path: Path) -> None:
    with core.LazyGuard():
        model = nn.Linear(3, 2)
    refuse(model, tmp_path / "m", r"weight is abstract \(built under LazyGuard\): initialize\(\) it first")


@pytest.mark.parametrize(
    ("specs", "options", "message", "kind"),
    [
        (InputSpec([3]), {}, "input_spec must be a list, one item per argument, not InputSpec", TypeError),
        ([3], {}, "the input_spec has no InputSpec or Tensor", ValueError),
        ([np.ones(3)], {}, r"input_spec\[0\] of .*holds an object of type ndarray", TypeError),
        ([[InputSpec([3], name="x"), InputSpec([3], name="x")]], {}, "two inputs are named 'x'", ValueError),
        (None, {"output_spec": []}, "the option 'output_spec' is not built: leave it out", NotImplementedError),
        (None, {"colour": 1}, "the option 'colour' is unknown", TypeError),
        (None, {"preprocessing": object()}, "preprocessing and class names must be what JSON can hold", ValueError),
        (None, {"preprocessing": float("nan")}, "preprocessing and class names must be what JSON can hold", ValueError),
    ],
)
def test_arguments_of_save(specs: Any, options: Any, message: str, kind: type[Exception], tmp_path: Path) -> None:
    refuse(lambda x: core.add_n(x) if isinstance(x, list) else x * 2, tmp_path / "m", message, kind, specs, **options)


def test_inputs_must_be_known_and_the_layer_be_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the inputs are unknown: give input_spec"):
        core.jit.save(nn.Linear(2, 2), tmp_path / "m")
    refuse(3, tmp_path / "m", "expected a Layer or a function, got int", TypeError)


def test_a_folder_with_other_things_stays(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "program.json").write_text("my own")
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    for name, message in (
        ("notes", "with other things in it"),
        ("file", "is a file or link"),
        ("link", "is a file or link"),
    ):
        with pytest.raises(FileExistsError, match=message):
            core.jit.save(nn.Linear(3, 2), tmp_path / name, [InputSpec([1, 3])])
    assert (tmp_path / "notes" / "program.json").read_text() == "my own"
    (tmp_path / "empty").mkdir()
    core.jit.save(nn.Linear(3, 2), tmp_path / "empty", [InputSpec([1, 3])])


def test_where_a_pass_goes_wrong_the_program_stays_unfused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(program: Any) -> Any:
        program = fusion.optimized(program)
        wrong = {
            name: dataclasses.replace(weight, array=weight.array * 1.01) for name, weight in program.weights.items()
        }
        return dataclasses.replace(program, weights=wrong)

    monkeypatch.setattr(export_check, "optimized", broken)
    model = nn.Sequential(nn.Flatten(1), nn.Unflatten(1, [1, 4, 4]), nn.Conv2D(1, 2, 3), nn.ReLU())
    core.jit.save(model, tmp_path / "m", [InputSpec([None, 16])])
    assert "Sequential stays unfused, because compiled and fused result 0 differs from the uncompiled" in caplog.text
    assert "the first operation that differs is convolution" in caplog.text
    model.eval()
    x = np.random.default_rng(0).standard_normal((3, 16)).astype(np.float32)
    monkeypatch.setattr(predictor_module, "optimized", broken)  # which is not asked
    np.testing.assert_allclose(Predictor(tmp_path / "m").run(x), model(core.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    path = tmp_path_factory.mktemp("exported") / "m"
    specs = [InputSpec([None, 3], name="x"), InputSpec([2], "int64", name="places")]
    core.jit.save(lambda x, places: core.gather(x, places, axis=1), path, specs)
    return Predictor(path)


X, PLACES = np.ones((4, 3), np.float32), np.array([0, 2])


@pytest.mark.parametrize(
    ("inputs", "message", "kind"),
    [
        ([X], "1 inputs given, but the program has 2: x, places", TypeError),
        (X, "1 inputs given, but the program has 2: x, places", TypeError),
        ({"x": X}, "the input 'places' is missing; the inputs are x, places", TypeError),
        ({"x": X, "place": PLACES}, "there is no input 'place'; the inputs are x, places", TypeError),
        (
            [X.astype(np.float64), PLACES],
            r"input 'x' must be float32\[any, 3\], not float64\[4, 3\]: convert it with .ast",
            TypeError,
        ),
        ([X, PLACES.astype(np.int32)], r"input 'places' must be int64\[2\], not int32\[2\]", TypeError),
        ([X, [0.5, 1.5]], r"input 'places' must be int64\[2\], not float64\[2\]", TypeError),
        ([X[:, :2], PLACES], r"input 'x' must have shape \[any, 3\], not \[4, 2\]", ValueError),
        ([X[0], PLACES], r"input 'x' must have shape \[any, 3\], not \[3\]", ValueError),
        ([X[:0], PLACES], r"input 'x' of shape \[0, 3\] is empty: sizes start at 1", ValueError),
        ([core.to_tensor(X), PLACES], "input 'x' is a Tensor: a Predictor takes numpy arrays", TypeError),
        ([[["a"]], PLACES], r"input 'x' must be float32\[any, 3\], not <U1\[1, 1\]", TypeError),
    ],
)
def test_inputs_that_do_not_fit(predictor: Predictor, inputs: Any, message: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=message) as caught:
        predictor.run(inputs)
    assert "\n" not in str(caught.value)


def test_sizes_for_which_the_program_does_not_hold(tmp_path: Path) -> None:
    def function(x: Any) -> Any:
        return x * 2 if x.shape[0] > 2 else x * 3

    core.jit.save(function, tmp_path / "m", [InputSpec([None, 3], examples={0: (3, 5)})])
    predictor = Predictor(tmp_path / "m")
    np.testing.assert_array_equal(predictor.run(X), X * 2)
    with pytest.raises(
        ValueError, match=r"does not run for x \[2, 3\]: .*test_refusals.py:\d+: .*x.shape\[0\] > 2 is True"
    ):
        predictor.run(X[:2])
    with pytest.raises(ValueError, match="programs must be an int from 1, not 0"):
        Predictor(tmp_path / "m", programs=0)
    with pytest.raises(NotImplementedError, match="jit.load: the option 'params_filename' is not built"):
        core.jit.load(tmp_path / "m", params_filename="w")


def test_where_even_the_unfused_program_differs_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(export_check.EngineProgram):
        def __call__(self, arrays: Any) -> Any:
            return [result + 1 for result in super().__call__(arrays)]

    monkeypatch.setattr(export_check, "EngineProgram", Wrong)
    refuse(
        lambda x: x * 2, tmp_path / "m", "compiled, result 0 differs from the uncompiled program's by .*: nothing was"
    )


def test_results_that_are_nested_in_another_way_each_time(tmp_path: Path) -> None:
    calls: list[int] = []

    def function(x: Any) -> Any:
        calls.append(1)
        return [x * 2] if len(calls) % 2 else (x * 2,)

    refuse(function, tmp_path / "m", "its results are nested in another way than the live model's")


def test_a_last_call_with_keywords_and_a_weight_that_cannot_be_folded(tmp_path: Path) -> None:
    static = core.jit.to_static(lambda x, y: x + y)
    static(core.ones([2]), y=core.ones([2]))
    with pytest.raises(ValueError, match="the last compiled call had keyword arguments: give input_spec"):
        core.jit.save(static, tmp_path / "m")
    table = core.to_tensor(np.eye(3, dtype=np.float32))
    core.jit.save(lambda x: x * core.linalg.cholesky(table).sum(), tmp_path / "m", [InputSpec([3])])
    arrays = load_file(tmp_path / "m" / "weights.safetensors")
    save_file({name: array * 0 for name, array in arrays.items()}, tmp_path / "m" / "weights.safetensors")
    with pytest.raises(ValueError, match="/m: an operation on weights alone fails: cholesky: matrix is not positive"):
        Predictor(tmp_path / "m")


def test_arguments_that_are_nested_in_another_way(tmp_path: Path) -> None:
    specs = [[InputSpec([3]), InputSpec([3])], "note"]
    core.jit.save(lambda pair, note: pair[0] + pair[1], tmp_path / "m", specs)
    layer = core.jit.load(tmp_path / "m")
    one = core.ones([3])
    np.testing.assert_array_equal(layer((one, one), "note").numpy(), [2, 2, 2])
    for given in (one, [one], [one, one, one]):
        with pytest.raises(TypeError, match="pair must be a list of 2 items"):
            layer(given)


def test_numbers_that_an_operation_refuses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    core.jit.save(core.linalg.cholesky, tmp_path / "m", [core.to_tensor(np.eye(3, dtype=np.float32))])
    predictor = Predictor(tmp_path / "m")  # which is not warmed up with zeros
    assert capfd.readouterr().err == ""
    with pytest.raises(ValueError, match="/m: cholesky: matrix is not positive definite$"):
        predictor.run(np.zeros((3, 3), np.float32))
    np.testing.assert_array_equal(predictor.run(np.eye(3, dtype=np.float32) * 4), np.eye(3) * 2)


def test_calls_of_a_loaded_layer_that_do_not_fit(tmp_path: Path) -> None:
    core.jit.save(nn.Linear(3, 2), tmp_path / "m", [InputSpec([None, 3])])
    layer = core.jit.load(tmp_path / "m")
    x = core.to_tensor(X)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: layer(), TypeError, "Linear: the argument 'input' is missing"),
        (lambda: layer(x, x), TypeError, "Linear takes input; 2 arguments cannot be given"),
        (lambda: layer(x, colour=1), TypeError, "Linear takes input; the argument 'colour' cannot be given"),
        (lambda: layer(X), TypeError, "input 'input': expected float32"),
        (lambda: layer(x[:, :2]), ValueError, "input 'input': expected float32"),
        (lambda: layer.train(), NotImplementedError, "the program of Linear was exported in evaluation mode"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()


@pytest.mark.parametrize("opened", [core.jit.load, Predictor])
def test_a_folder_that_is_no_path(opened: Any) -> None:
    for given in (None, 3, b"x"):
        kind = type(given).__name__
        with pytest.raises(TypeError, match=f"the folder of a run or an export is a path, not {kind}"):
            opened(given)
