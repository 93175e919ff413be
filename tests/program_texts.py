"""Texts of ``program.json``, written by hand: programs without weights, with one input ``x`` of shape [any, 3]."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

BIG = 2**28
X = {"name": "x", "dtype": "float32", "shape": [None, 3]}


class Bomb(NamedTuple):
    """A hostile program.

    Attributes:
        text: Gives its ``program.json``.
        message: A regular expression for the reason why it is refused.
    """

    text: Callable[[], str]
    message: str


def write(folder: Path, text: str) -> None:
    """Write an exported folder without weights."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.json").write_text(text)
    save_file({}, folder / "weights.safetensors")


def operation(operator: str, inputs: Sequence[str], name: str, shape: Sequence[Any], /, **attributes: Any) -> Any:
    """Return an operation with one result; ``dtype`` is an attribute, ``of`` the result's element type if another."""
    dtype = attributes.pop("of", attributes.get("dtype", "float32"))
    if "dtype" in attributes:
        attributes["dtype"] = {"dtype": attributes["dtype"]}
    result = {"name": name, "dtype": dtype, "shape": list(shape)}
    return {
        "operator": operator, "attributes": attributes, "inputs": list(inputs), "outputs": [result], "gradients": True
    }  # fmt: skip


def full(name: str, shape: Sequence[int]) -> Any:
    """Return the operation that fills a tensor with ones."""
    return operation("full", [], name, shape, shape=list(shape), value=1.0, dtype="float32")


def content(operations: Sequence[Any], **changes: Any) -> dict[str, Any]:
    """Return a program as a dictionary: its result is the last operation's."""
    last = next(o["outputs"][0]["name"] for o in [*reversed(operations), {"outputs": [X]}] if o["outputs"])
    return {
        "format": "core.program", "version": 1, "core": "0.1.0", "name": "bomb", "inputs": [X],
        "arguments": [["x", {"tensor": 0}]], "weights": [], "operations": list(operations), "outputs": [last],
        "result": {"tensor": 0}, "guards": [], "examples": [[[1, 3]]], "preprocessing": None, "class_names": None,
        "fuse": True, **changes,
    }  # fmt: skip


def chain(count: int, step: Callable[[str, str, int], Any], start: Sequence[Any]) -> list[Any]:
    """Return operations each of which reads the one before: ``step(read, name, number)`` gives one."""
    operations = list(start)
    for number in range(count):
        operations.append(step(operations[-1]["outputs"][0]["name"], f"c{number}", number))
    return operations


def with_guard(first: Any, second: Any = 1) -> str:
    """Return a program with a comparison of sizes."""
    guard = {"sign": "==", "first": first, "second": second, "outcome": False, "line": "", "text": "", "position": 0}
    return json.dumps(content([], guards=[guard]))


def sized(expression: Any) -> dict[str, Any]:
    """Return an expression of sizes as it is in a file."""
    return {"size": expression}


def deep(levels: int, sign: str = "+", leaf: Any = 1, to_the_left: bool = True) -> Any:
    """Return an expression of sizes that is nested to one side."""
    expression: Any = ["size", "x", 0]
    for _ in range(levels):
        expression = [sign, expression, leaf] if to_the_left else [sign, leaf, expression]
    return expression


def bushy(levels: int, sign: str, leaf: Any) -> Any:
    """Return an expression of sizes that doubles with each level."""
    expression: Any = leaf
    for _ in range(levels):
        expression = [sign, expression, expression]
    return expression


def made_by(*operations: Any, **changes: Any) -> Callable[[], str]:
    """Return a bomb's text for operations."""
    return lambda: json.dumps(content(operations, **changes))


def replaced(value: str, key: str = "value", wanted: str = "1.0") -> Callable[[], str]:
    """Return a bomb's text where some JSON is the value of a key."""
    return lambda: json.dumps(content([full("v", [2])])).replace(f'"{key}": {wanted}', f'"{key}": {value}')


def region(depth: int, inner: Any) -> Any:
    """Return an operation inside so many branches of branches."""
    node = inner
    for _ in range(depth):
        result = node["outputs"][0]
        body = {"inputs": [{**X, "name": "x"}], "operations": [node], "outputs": [result["name"]], "guards": []}
        condition = {"name": "x", "dtype": "float32", "shape": [None, 3]}
        node = {
            "operator": "conditional", "attributes": {}, "inputs": ["x", "x"], "outputs": [result], "gradients": True,
            "region": {"bodies": {"true": body, "false": {**body, "inputs": [condition]}}, "settings": {}},
        }  # fmt: skip
        if depth > 20:  # the text of both bodies would double with each level
            node["region"]["bodies"]["false"] = {
                "inputs": [X], "operations": [full("f", result["shape"])], "outputs": ["f"], "guards": []
            }  # fmt: skip
    return node


def loop(body_operations: Sequence[Any], result: str, shape: Sequence[Any]) -> Any:
    """Return a loop whose variable is ``x``, and whose body makes another value of it."""
    condition = [operation("sum", ["x"], "s", [], axis=[0, 1], keepdims=False)]
    bodies = {
        "condition": {"inputs": [X], "operations": condition, "outputs": ["s"], "guards": []},
        "body": {"inputs": [X], "operations": list(body_operations), "outputs": [result], "guards": []},
    }
    outputs = [{"name": "looped", "dtype": "float32", "shape": list(shape)}]
    return {
        "operator": "loop", "attributes": {}, "inputs": ["x"], "outputs": outputs, "gradients": True,
        "region": {"bodies": bodies, "settings": {"variables": 1}},
    }  # fmt: skip
