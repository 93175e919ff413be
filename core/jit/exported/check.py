"""What an exported program must satisfy before anything of it runs: kinds, names in order, known operators."""

from __future__ import annotations

import difflib
import importlib
from typing import Any, Union

import core.operators  # noqa: F401 - declares every operator
from core.jit.exported.memory import measured
from core.jit.exported.program import ExportedProgram, ProgramBody, ProgramNode, SizeExpression, size_names
from core.jit.exported.values import MAXIMUM_RANK, DamagedProgram, check_keys, require
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.engine.engine import MXNetError

LEAST = {"stride": 1, "dilate": 1, "kernel": 1, "groups": 1, "pad": 0}
"""Of attributes of windows: below these the engine waits for ever, or divides by zero."""


def check_program(program: ExportedProgram) -> None:
    """Make sure that a program's parts fit together.

    Raises:
        DamagedProgram: an operator is unknown; a name is used before it is defined, or defined twice; a count differs.
    """
    names = _Names("")
    for entry in program.inputs:
        names.define(entry.name, "inputs")
    for name in program.weights:
        names.define(name, "weights")
    _check_nodes(program, names)
    _check_forms(program)


class _Names:
    """The names that are defined so far in a program, or in a body of a control-flow operator."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.defined: set[str] = set()

    def define(self, name: str, place: str) -> None:
        if name in self.defined:
            raise DamagedProgram(f"{self.place}{place} defines {name[:60]!r} a second time: the file is damaged")
        self.defined.add(name)

    def use(self, name: str, place: str) -> None:
        if name not in self.defined:
            raise DamagedProgram(
                f"{self.place}{place} reads {name[:60]!r}, which no input, weight or earlier operation gives: the file"
                " is damaged"
            )


def _check_nodes(program: Union[ExportedProgram, ProgramBody], names: _Names) -> None:
    guards = sorted(program.guards, key=lambda guard: guard.position)
    for i, node in enumerate([*program.nodes, None]):
        while guards and guards[0].position <= i:
            guard = guards.pop(0)
            for name in sorted(size_names((guard.first, guard.second))):
                names.use(name, "a guard")
        if node is None:
            break
        place = f"operations[{i}] ({node.operator[:60]})"
        if node.control_flow is not None:
            _check_control_flow(node, f"{names.place}{place}")
        elif not _is_declared(node.operator) or "#" in node.operator:
            near = difflib.get_close_matches(node.operator[:60], list(REGISTRY), 1)
            hint = f" (the nearest is {near[0]!r})" if near else ""
            raise DamagedProgram(
                f"{names.place}operations[{i}]: this core has no operator {node.operator[:60]!r}{hint}: update core, or"
                " export again"
            )
        for key, value in node.attributes.items():
            require(not _is_mixed(value), f"{names.place}{place}.{key}", "numbers, or text, or lists", value)
        for key, least in LEAST.items():
            good = all(not isinstance(n, int) or n >= least for n in _numbers(node.attributes.get(key)))
            require(good, f"{names.place}{place}.{key}", f"at least {least}", node.attributes.get(key))
        rank = node.attributes.get("rank", 0)
        good = type(rank) is int and 0 <= rank <= MAXIMUM_RANK
        require(good, f"{names.place}{place}.rank", f"an int up to {MAXIMUM_RANK}", rank)
        for name in [*node.inputs, *sorted(size_names(node.attributes))]:
            names.use(name, place)
        for name in node.outputs:
            names.define(name, place)
    require(not guards, f"{names.place}guards", "at positions inside the program", [g.position for g in guards])
    for name in program.outputs:
        names.use(name, "outputs")


LATE = (
    "core.operators.layers.attention_sparse",
    "core.operators.creation._gamma_draws",
    "core.operators.losses.margins",
    "core.operators.graphs.neighbors",
    "core.operators.layers._quantized_primitives",
    "core.operators.sequences.decoding",
    "core.operators.sequences.viterbi",
    "core.operators.vision.yolo",
    "core.vision.ops",
)
"""Modules that declare operators, and that nothing imports before they are used."""


def _is_declared(operator: str) -> bool:
    """Return whether there is such an operator, in a module that is loaded by then if need be."""
    for module in LATE:
        if operator in REGISTRY:
            break
        importlib.import_module(module)
    return operator in REGISTRY


def _is_mixed(value: Any) -> bool:
    """Return whether numbers are beside text or lists: multiplied as sizes they would repeat these."""
    if not isinstance(value, tuple):
        return False
    repeatable = [isinstance(item, (tuple, str)) for item in value]
    numbers = [isinstance(item, (int, float, SizeExpression)) for item in value]
    return (any(repeatable) and any(numbers)) or any(_is_mixed(item) for item in value)


def _numbers(value: Any) -> list[Any]:
    return [n for item in value for n in _numbers(item)] if isinstance(value, tuple) else [value]


def _check_control_flow(node: ProgramNode, place: str) -> None:
    """Make sure that bodies of control flow take what they are given, and that settings are of the right kinds."""
    assert node.control_flow is not None
    bodies, settings = node.control_flow.bodies, node.control_flow.settings
    count = len(node.inputs)
    kinds: dict[str, tuple[list[str], dict[str, type], int]] = {
        "conditional": (["false", "true"], {}, count - 1),
        "loop": (["body", "condition"], {"variables": int}, count),
        "print": ([], {"pieces": list}, 0),
        "assert": ([], {"line": str, "pieces": list}, 0),
    }
    require(node.operator in kinds, place, f"one of {', '.join(kinds)}", node.operator)
    wanted, literals, given = kinds[node.operator]
    require(sorted(bodies) == wanted, f"{place}.bodies", f"{wanted}", sorted(bodies))
    check_keys(settings, literals, f"{place}.settings")
    results = len(node.outputs)
    for name, body in bodies.items():
        inner = f"{place}.{name}: "
        require(len(body.inputs) == given, f"{inner}inputs", f"{given} inputs", len(body.inputs))
        outputs = 1 if name == "condition" else results
        require(len(body.outputs) == outputs, f"{inner}outputs", f"{outputs} results", len(body.outputs))
        names = _Names(inner)
        for entry in body.inputs:
            names.define(entry.name, "inputs")
        _check_nodes(body, names)
    if node.operator == "loop":
        require(
            settings["variables"] == results <= count, f"{place}.settings", "as many variables as results", settings
        )
    if "pieces" in settings:
        pieces = settings["pieces"]
        good = all(piece is None or isinstance(piece, str) for piece in pieces)
        holes = count - (node.operator == "assert")
        require(good and pieces.count(None) == holes, f"{place}.settings.pieces", f"text and {holes} nulls", pieces)
        require(results == 0, f"{place}.outputs", "empty", list(node.outputs))


def _check_forms(program: ExportedProgram) -> None:
    for forms, count, place in (
        ([form for _, form in program.arguments], len(program.inputs), "arguments"),
        ([program.result], len(program.outputs), "result"),
    ):
        numbers = [number for form in forms for number in tensor_numbers(form)]
        wanted = list(range(count))
        if place == "arguments":  # each argument counts its own tensors from 0
            wanted = [number for form in forms for number in range(len(tensor_numbers(form)))]
            require(len(numbers) == count, place, f"forms of {count} tensors", len(numbers))
        require(numbers == wanted, place, f"a form of {count} tensors in order", numbers)
    for i, example in enumerate(program.examples):
        good = len(example) == len(program.inputs) and all(
            len(shape) == len(entry.shape)
            and all(size == want or (want is None and size > 0) for want, size in zip(entry.shape, shape))
            for shape, entry in zip(example, program.inputs)
        )
        require(good, f"examples[{i}]", "shapes that fit the inputs", example)


def check_runs(program: ExportedProgram) -> None:
    """Make sure that every operation takes its inputs and attributes, and note what it costs: nothing is computed.

    Raises:
        DamagedProgram: one does not, or the program takes too much memory.
    """
    require(bool(program.examples), "examples", "a list of at least one", program.examples)
    try:
        program.cost = measured(program)
    except (ArithmeticError, LookupError, MXNetError, TypeError, ValueError) as error:
        text = f"{type(error).__name__} {error}" if isinstance(error, LookupError) else str(error)
        raise DamagedProgram(f"the program does not run: {' '.join(text.split())}: the file is damaged") from None


def tensor_numbers(form: Any) -> list[int]:
    """Return the numbers of the tensors in a form, in order."""
    kind, content = form
    if kind == "tensor":
        return [content]
    if kind in ("list", "tuple"):
        return [number for part in content for number in tensor_numbers(part)]
    if kind == "dict":
        return [number for _, part in content for number in tensor_numbers(part)]
    return []
