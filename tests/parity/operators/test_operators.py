"""Values, types, shapes and gradients of every public operator against stored answers of Paddle 2.6.2."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import core
from core import operators
from core.jit import to_static
from core.tensor import Tensor
from tests.parity.operators import store
from tests.parity.operators.table import FAMILIES, Case, evaluate, family, flatten
from tests.sampling import sampled

CASES = {name: family(name) for name in FAMILIES}
NAMES = [(name, case) for name in FAMILIES for case in CASES[name]]
LAYERS = [
    (name, case)
    for name in ("activation", "convolution", "loss", "normalization", "vision")
    for case in CASES[name]
    if "size 0" not in case
]
REFUSED = store.load_refused()

NOT_HERE = {
    "dsplit": "of a later version",
    "hsplit": "of a later version",
    "tensor_split": "of a later version",
    "msort": "of a later version",
    "swapaxes": "of a later version",
    "group_norm": "a layer only, compared in tests/core/nn/reference_cases.py",
    "get_rng_state": "our own random state",
    "set_rng_state": "our own random state",
    "seed": "our own random state",
    "class_center_sample": "drawn by chance; tests/core/operators/losses/test_margins.py",
    "margin_cross_entropy": "Paddle has no CPU kernel; tests/core/operators/losses/test_margins.py",
    "sparse_attention": "Paddle has no CPU kernel; tests/core/operators/layers/test_attention_sparse.py",
    **dict.fromkeys(
        ["add_ends", "dot_ends", "edge_expand", "edge_reduce", "edge_softmax"]
        + ["gather_multiply_reduce", "gather_reduce"],
        "our own, of graphs; tests/core/operators/graphs/test_message_passing.py",
    ),
    "masked_batch_norm": "our own; tests/core/kernels/layers/test_batch_normalization.py",
    "sparse_product": "our own; tests/core/operators/linear_algebra/test_sparse_rows.py",
}


class Recorder:
    """A package that notes which of its functions are looked up."""

    def __init__(self, package: Any, names: set[str]) -> None:
        self.package = package
        self.names = names

    def __getattr__(self, name: str) -> Any:
        self.names.add(name)
        value = getattr(self.package, name)
        return Recorder(value, self.names) if inspect.ismodule(value) else value


class InPlace(Recorder):
    """A package whose functions change a copy of their first argument in place."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.package, name)
        if inspect.ismodule(value):
            return InPlace(value, self.names)
        if name not in self.names:
            return value

        def change(x: Tensor, *arguments: Any, **options: Any) -> Tensor:
            copy = x.clone()
            assert getattr(copy, f"{name}_")(*arguments, **options) is copy
            return copy

        return change


@pytest.fixture(scope="module")
def references() -> dict[str, dict[str, dict[str, np.ndarray]]]:
    """Stored answers: by family, by "case/type", by "result 0"."""
    found: dict[str, dict[str, dict[str, np.ndarray]]] = {}
    for name in FAMILIES:
        answers = found.setdefault(name, {})
        for key, array in store.load(name).items():
            run, _, what = key.rpartition("/")
            answers.setdefault(run, {})[what] = array
    return found


def answered(name: str, case: Case) -> list[str]:
    """Return the types for which Paddle, or the case itself, has answers."""
    return [dtype for dtype in case.types if case.expected or (name, case.name, dtype) not in REFUSED]


def expected_of(case: Case, dtype: str, stored: dict[str, dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return Paddle's answers, or NumPy's where Paddle is known to be wrong."""
    found = dict(stored.get(f"{case.name}/{dtype}", {}))
    if case.expected:
        for i, value in enumerate(flatten(case.expected(*case.arrays(dtype)))):
            answer = found.get(f"result {i}")
            found[f"result {i}"] = np.asarray(value, None if answer is None else answer.dtype)
    return found


def tolerance_of(case: Case, expected: np.ndarray) -> float:
    if expected.dtype.kind != "f":
        return 0.0
    return max(case.tolerance, {"float64": 0.0, "float16": 1e-3}.get(expected.dtype.name, 1e-5))


def assert_close(got: np.ndarray, expected: np.ndarray, what: str, tolerance: float) -> None:
    assert got.shape == expected.shape, f"{what}: shape"
    assert got.dtype == expected.dtype, f"{what}: type"
    finite = np.abs(expected[np.isfinite(expected)]) if expected.dtype.kind == "f" else np.zeros(0)
    scale = max(1.0, float(finite.max(initial=0)))
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def operator_of(case: tuple[str, str]) -> str:
    return CASES[case[0]][case[1]].operator


@pytest.mark.parametrize(("name", "case_name"), sampled(NAMES, 5, group=operator_of))
def test_agrees_with_paddle(name: str, case_name: str, references: Any) -> None:
    case = CASES[name][case_name]
    called: set[str] = set()
    package = Recorder(core, called)
    for dtype in answered(name, case):
        expected = expected_of(case, dtype, references[name])
        got = evaluate(core, case, dtype, lambda *tensors: case.call(package, *tensors))
        for key in sorted(set(got) | set(expected)):
            if key not in expected or key not in got:  # nothing reaches that input
                assert key.startswith("gradient"), f"{dtype} {key} is missing"
                assert not (got if key in got else expected)[key].any(), f"{dtype} {key}"
                continue
            assert_close(got[key], expected[key], f"{dtype} {key}", tolerance_of(case, expected[key]))
    assert case.operator in called or case.operator.startswith("__"), "the case calls its operator"


@pytest.mark.parametrize(("name", "case_name"), sampled(LAYERS, 4, group=lambda case: None))
def test_layers_functions_compile_to_the_same_values_and_gradients(name: str, case_name: str) -> None:
    case = CASES[name][case_name]
    core.seed(0)
    eager = evaluate(core, case, case.types[0])
    core.seed(0)
    compiled = evaluate(core, case, case.types[0], to_static(lambda *tensors: case.call(core, *tensors)))
    for key in sorted(set(compiled) | set(eager)):
        if key not in eager or key not in compiled:  # the engine gives zeros where the record ends
            assert not (eager if key in eager else compiled)[key].any(), key
        else:
            assert_close(compiled[key], eager[key], key, 3e-5 if eager[key].dtype.kind == "f" else 0.0)


RESHAPING = ("flatten", "reshape", "squeeze", "transpose", "t", "unsqueeze")
IN_PLACE = sorted({name for module in operators.FAMILIES for name in getattr(module, "IN_PLACE_METHODS", ())})
BY_OPERATOR: dict[str, list[tuple[str, Case]]] = {}
for _family, _cases in CASES.items():
    for _case in _cases.values():
        BY_OPERATOR.setdefault(_case.operator, []).append((_family, _case))


NOT_ALONE = [name for name in IN_PLACE if f"__{name}_" not in BY_OPERATOR]
"""Those that are not only there in place, where they are compared as they are."""


@pytest.mark.parametrize("operator", sampled(NOT_ALONE, 2, group=lambda operator: None))
def test_in_place_methods_give_the_same_values(operator: str, references: Any) -> None:
    runs = 0
    for name, case in BY_OPERATOR[operator]:
        for dtype in answered(name, case):
            expected = expected_of(case, dtype, references[name])
            first = case.arrays(dtype)[:1]
            result = expected["result 0"]
            if "result 1" in expected or not first or first[0].dtype != result.dtype:
                continue
            if first[0].shape != result.shape and operator not in RESHAPING:
                continue
            package = InPlace(core, {operator})
            tensors = [core.to_tensor(array) for array in case.arrays(dtype)]
            got = flatten(case.call(package, *tensors))[0].numpy()
            assert_close(got, result, f"{case.name} {dtype}", tolerance_of(case, result))
            runs += 1
    assert runs


def test_methods_are_the_functions() -> None:
    for module in operators.FAMILIES:
        for name in getattr(module, "TENSOR_METHODS", ()):
            assert inspect.getattr_static(Tensor, name) is getattr(module, name), name


def test_every_public_operator_is_in_the_table() -> None:
    public = {name for module in operators.FAMILIES for name in module.__all__}
    public |= {*core.nn.functional.__all__, *core.linalg.__all__}
    found = set(BY_OPERATOR)
    missing = {name for name in public if name not in found and name.rstrip("_") not in found} - set(NOT_HERE)
    assert not missing, f"add cases to tests/parity/operators: {sorted(missing)}"
    assert not set(NOT_HERE) & found
    assert set(NOT_HERE) <= public


def test_what_stands_in_the_files_belongs_to_the_table(references: Any) -> None:
    for name, answers in references.items():
        runs = {f"{case.name}/{dtype}" for case in CASES[name].values() for dtype in case.types}
        assert set(answers) <= runs
        refused = {(family_name, case, dtype) for family_name, case, dtype in REFUSED if family_name == name}
        assert {f"{case}/{dtype}" for _, case, dtype in refused} <= runs
        assert set(answers) | {f"{case}/{dtype}" for _, case, dtype in refused} == runs
    assert {name for name, _, _ in REFUSED} <= set(FAMILIES)
