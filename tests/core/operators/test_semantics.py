"""Operators say what is computed; which implementation computes it is chosen below them (core/kernels/lowerings)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import core.operators

FOLDER = Path(core.operators.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))

CHOOSING = {
    "core.kernels.dispatch.dispatcher.state": "the thread's state",
    "core.kernels.dispatch.dispatcher._State": "the thread's state",
    "core.kernels.engine.engine.on_cpu": "the device",
    "core.kernels.engine.engine.device_text": "the device",
    "core.kernels.engine.engine._device_state": "the device",
    "core.kernels.dispatch.trace": "a trace",
    "core.kernels.dispatch.lowering": "the context of a call",
}
"""What decides between implementations; operators import and read none of it, nor the operation that made a value."""

QUESTIONS = {
    "is_direct": {
        "layers/attention.py",  # on a GPU, what is dropped is drawn there, by an operator that no seed repeats
        "layers/recurrent.py",  # on a GPU, sequences are computed step by step
        "sequences/recurrent.py",  # likewise
    },
    "is_mixed": {
        "layers/convolution_transposed.py",  # its inputs are cast together, because its parts are
        "creation/creation.py",  # what was given in 16 bits and computed in float32 stays float32
    },
    "is_recording": {"_methods.py"},  # a leaf that needs a gradient is not changed in place
    "is_tracing": {
        "creation/creation.py",  # symbols in data
        "shape/_sizes.py",  # sizes as tensors remain sizes
        "indexing/subscript.py",  # a buffer's next value is an output of the program
        "sequences/viterbi.py",  # paths are cut where the lengths are known
    },
    "traced": {
        "creation/creation.py",  # a parameter that is assigned to remains one
        "indexing/slicing.py",  # a program puts the result of an assignment together from parts
        "indexing/subscript.py",
    },
}
"""Questions about the mode whose answer changes what a public function gives, and the files that may ask them."""

THRESHOLD = re.compile(r"_?(FEWEST|LEAST|SMALLEST|LARGEST|MOST|WORTH)(_|$)|.*_PER_SECOND$|.*_THRESHOLD$")


def findings(source: str, name: str = "family.py") -> list[tuple[int, str]]:
    """Return line and reason of everything in a file that chooses an implementation."""
    tree = ast.parse(source)
    names = dict(_imports(tree))
    constants = set(_numeric_constants(tree))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found += [(node.lineno, _reason(whole)) for _, whole in _imports(node)]
        elif isinstance(node, ast.Attribute):
            whole = _dotted(node, names)
            found.append((node.lineno, _reason(whole) if whole in CHOOSING else ""))
            if node.attr == "node":
                found.append((node.lineno, "reads the operation that made a value"))
            if name not in QUESTIONS.get(node.attr, {name}):
                found.append((node.lineno, f"asks {node.attr}"))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and THRESHOLD.match(node.id):
            if node.id in constants or names.get(node.id, "").startswith("core."):
                found.append((node.lineno, f"compares with the threshold {node.id}"))
    return sorted({(line, reason) for line, reason in found if reason})


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that imports bind, with what they stand for; type checking's too, whose names are as telling."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name, f"{node.module}.{alias.name}")


def _numeric_constants(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if value is not None and all(
            isinstance(part, (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop))
            for part in ast.walk(value)
        ):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, names)}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else "?"


def _place(file: Path) -> str:
    return file.relative_to(FOLDER).as_posix()


def _reason(whole: str) -> str:
    for choosing, what in CHOOSING.items():
        if whole == choosing or whole.startswith(f"{choosing}."):
            return f"reads {what} ({whole})"
    return ""


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("from core.kernels.dispatch.dispatcher import Meta, state", r"state \(core.+dispatcher.state\)"),
        ("from core.kernels.dispatch import dispatcher as d\nd.state.trace", r"reads the thread's state"),
        ("import core.kernels.dispatch.dispatcher\ncore.kernels.dispatch.dispatcher.state", r"the thread's state"),
        ("from core.kernels.engine import engine\nengine.on_cpu()", r"device \(core.kernels.engine.engine.on_cpu\)"),
        ("from core.kernels.engine.engine import device_text", r"reads the device"),
        ("def f(x):\n    return x._value.node", "reads the operation that made a value"),
        ("from core.kernels.dispatch.trace import Trace", r"reads a trace \(core.kernels.dispatch.trace.Trace\)"),
        ("from core.kernels.dispatch import trace", "reads a trace"),
        ("from core.kernels.dispatch.lowering import GRADIENTS", "reads the context of a call"),
        ("FEWEST_EDGES = 2**12\nx.size < FEWEST_EDGES", "compares with the threshold FEWEST_EDGES"),
        ("_MOST = 9\nx.size < _MOST", "compares with the threshold _MOST"),
        ("from core.kernels.numeric.tiles import FLOPS_PER_SECOND\nx / FLOPS_PER_SECOND", "threshold FLOPS_PER_SECOND"),
        ("from core.kernels.dispatch import dispatcher\ndispatcher.is_tracing()", "asks is_tracing"),
        ("x._value.traced", "asks traced"),
    ],
)
def test_the_scan_finds(source: str, reason: str) -> None:
    found = findings(source)
    assert len(found) == 1 and re.search(reason, found[0][1]), found
    assert found[0][0] == source.count("\n") + 1


@pytest.mark.parametrize(
    "source",
    [
        '"""dispatcher.state, engine.on_cpu() and FEWEST_EDGES"""  # x.node',
        "_LARGEST = {'float16': 65504.0}\n_LARGEST.get(name)",
        "state = 3\nstate + 1",
        "MAXIMUM_AXES = 5\nx.ndim > MAXIMUM_AXES",
        "from core.kernels import lowerings",
    ],
)
def test_the_scan_leaves_alone(source: str) -> None:
    assert findings(source) == []


def test_no_operator_chooses_its_implementation() -> None:
    wrong = [
        f"core/operators/{_place(file)}:{line}: {reason}"
        for file in FILES
        for line, reason in findings(file.read_text(), _place(file))
    ]
    assert not wrong, "\n".join(wrong)


def test_each_question_is_asked_where_it_may_be() -> None:
    for question, names in QUESTIONS.items():
        asking = {_place(file) for file in FILES if re.search(rf"\.{question}\b", file.read_text())}
        assert asking == names, question
