"""The exported folder, written: ``program.json`` and ``weights.safetensors``; core.jit.exported.reader reads it."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

import core
from core.jit.exported.paths import PathLike, path_text
from core.jit.exported.program import ExportedProgram, ProgramBody, ProgramGuard, ProgramNode, SizeExpression
from core.kernels.dtypes import DType

FORMAT = "core.program"
VERSION = 3
"""The newest version, of programs with numbers of 8 bits; all others are written as version 2."""
QUANTIZED = frozenset({"dequantize", "quantize_dequantize"})
"""Operators of 8 bits; core.kernels.layers.quantized says what they mean."""
PROGRAM_FILE = "program.json"
WEIGHTS_FILE = "weights.safetensors"


def write_program(program: ExportedProgram, folder: PathLike) -> None:
    """Write a program's two files into a folder that exists.

    Args:
        program: What to write.
        folder: Where.

    Raises:
        ValueError: an attribute, the preprocessing or a class name cannot be written down.
    """
    from safetensors.numpy import save_file  # loaded with the first use

    content = {
        "format": FORMAT,
        "version": VERSION if is_quantized(program) else 2,
        "core": core.__version__,
        "name": program.name,
        "inputs": [_value(entry.name, entry.shape, entry.dtype) for entry in program.inputs],
        "arguments": [[name, _form(form)] for name, form in program.arguments],
        "weights": [
            {
                "name": name,
                "dtype": weight.dtype.name,
                "shape": list(weight.array.shape),
                "kind": weight.kind,
                "trainable": weight.trainable,
            }
            for name, weight in program.weights.items()
        ],
        "operations": [_node(node) for node in program.nodes],
        "outputs": program.outputs,
        "result": _form(program.result),
        "guards": [_guard(guard) for guard in program.guards],
        "examples": [[list(shape) for shape in example] for example in program.examples],
        "preprocessing": program.preprocessing,
        "class_names": program.class_names,
        "fuse": program.fuse,
    }
    try:
        text = _text(content)
    except (TypeError, ValueError) as error:
        raise ValueError(f"preprocessing and class names must be what JSON can hold: {error}") from None
    folder = Path(folder)
    arrays = {name: np.require(weight.array, requirements="C") for name, weight in program.weights.items()}
    save_file(arrays, folder / WEIGHTS_FILE)
    (folder / PROGRAM_FILE).write_text(text, encoding="utf-8")


def is_quantized(program: Union[ExportedProgram, ProgramBody]) -> bool:
    """Return whether a program computes with numbers of 8 bits."""
    return any(
        node.operator in QUANTIZED or (node.control_flow and any(map(is_quantized, node.control_flow.bodies.values())))
        for node in program.nodes
    )


def _value(name: str, shape: Sequence[Optional[int]], dtype: DType) -> dict[str, Any]:
    return {"name": name, "dtype": dtype.name, "shape": list(shape)}


def _node(node: ProgramNode) -> dict[str, Any]:
    entry = {
        "operator": node.operator,
        "attributes": {key: literal(value, node.operator) for key, value in node.attributes.items()},
        "inputs": list(node.inputs),
        "outputs": [_value(name, *meta) for name, meta in zip(node.outputs, node.metas)],
        "gradients": node.gradients,
    }
    if node.control_flow is not None:
        bodies = {name: _body(body) for name, body in node.control_flow.bodies.items()}
        entry["region"] = {"bodies": bodies, "settings": node.control_flow.settings}
    return entry


def _body(body: ProgramBody) -> dict[str, Any]:
    return {
        "inputs": [_value(entry.name, entry.shape, entry.dtype) for entry in body.inputs],
        "operations": [_node(node) for node in body.nodes],
        "outputs": body.outputs,
        "guards": [_guard(guard) for guard in body.guards],
    }


def _guard(guard: ProgramGuard) -> dict[str, Any]:
    first, second = literal(guard.first, "a guard"), literal(guard.second, "a guard")
    return {**dataclasses.asdict(guard), "first": first, "second": second}


def _text(content: dict[str, Any]) -> str:
    """Return JSON with one line for each weight and operation, so that a program can be read and compared."""
    lines = []
    for key, value in content.items():
        if key in ("inputs", "weights", "operations", "guards") and value:
            rows = ",\n  ".join([json.dumps(row, allow_nan=False, ensure_ascii=False) for row in value])
            lines.append(f" {json.dumps(key)}: [\n  {rows}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, allow_nan=False, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def literal(value: Any, owner: str) -> Any:
    """Return an attribute as JSON can hold it; :func:`core.jit.exported.values.read_attribute` reads it.

    Raises:
        ValueError: it is of a kind that cannot be written down.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return literal(value.item(), owner)
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, SizeExpression):
        return {"size": value.literal}
    if isinstance(value, tuple):
        return [literal(item, owner) for item in value]
    raise ValueError(f"{owner}: an attribute of type {type(value).__name__} cannot be exported")


def _form(form: Any) -> Any:
    kind, content = form
    if kind in ("list", "tuple"):
        return {kind: [_form(part) for part in content]}
    if kind == "dict":
        return {kind: [[key, _form(part)] for key, part in content]}
    if kind == "constant":
        return {kind: literal(content, "the result")}
    return {kind: content}


def folder_path(folder: PathLike) -> Path:
    """Return the path of a folder.

    Raises:
        TypeError: it is none.
    """
    return Path(path_text(folder, "the folder of a run or an export"))


def is_exported(folder: PathLike) -> bool:
    """Return whether a folder looks like an exported program: by its file's first bytes.

    Raises:
        TypeError: it is no path.
    """
    file = folder_path(folder) / PROGRAM_FILE
    if not file.is_file():
        return False
    with open(file, "rb") as stream:
        return f'"{FORMAT}"'.encode() in stream.read(256)
