"""Reading an exported folder, strictly.

Nothing from the files is run: operators are looked up by name among the declared ones, everything else is numbers, text
and lists, and whatever does not fit together is refused before the first operation runs.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import core
from core.jit.exported import version_1
from core.jit.exported.check import check_program, check_runs
from core.jit.exported.file import FORMAT, PROGRAM_FILE, VERSION, WEIGHTS_FILE, folder_path
from core.jit.exported.paths import PathLike
from core.jit.exported.program import (
    ExportedProgram,
    ProgramBody,
    ProgramControlFlow,
    ProgramGuard,
    ProgramInput,
    ProgramNode,
    ProgramWeight,
)
from core.jit.exported.values import (
    KINDS,
    DamagedProgram,
    check_keys,
    read_attribute,
    read_form,
    read_size,
    require,
)
from core.kernels.dtypes import BY_NAME, DType
from core.kernels.sizes.dimension import COMPARISONS

MAXIMUM_BYTES = 2**26
MAXIMUM_DIGITS = 20  # of int64, with a sign
MAXIMUM_NESTING = 400  # of lists and objects: some 60 branches inside each other


def read_program(folder: PathLike) -> ExportedProgram:
    """Read an exported folder.

    Args:
        folder: What :func:`core.jit.save` wrote.

    Returns:
        The program; every name in it is defined before it is used, every operator and type is known.

    Raises:
        FileNotFoundError: there is no such folder, or a file of it is missing.
        TypeError: it is no path.
        ValueError: a file is damaged, of another format or of a newer version; the message names file and place.
    """
    folder = folder_path(folder)
    file = folder / PROGRAM_FILE
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no exported folder {os.fspath(folder)!r}")
    for name in (PROGRAM_FILE, WEIGHTS_FILE):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{os.fspath(folder)!r} is not an exported program: it has no {name}")
    try:
        content = _parsed(file)
        program = _program(content)
        if content["version"] == 1:
            program.nodes = version_1.with_names_of_today(program.nodes)
        _read_weights(program, content["weights"], folder / WEIGHTS_FILE)
        check_program(program)
        if content["version"] == 1:
            program = version_1.with_operators_of_today(program)
        check_runs(program)
    except DamagedProgram as error:
        raise ValueError(f"{os.fspath(file)}: {error}") from None
    except RecursionError:
        raise ValueError(f"{os.fspath(file)}: nested too deeply: the file is damaged") from None
    return program


def _parsed(file: Path) -> dict[str, Any]:
    if file.stat().st_size > MAXIMUM_BYTES:
        raise DamagedProgram(f"larger than {MAXIMUM_BYTES} bytes: no program is")

    try:
        content = json.loads(
            file.read_bytes(),
            parse_constant=_constant,
            parse_int=_whole,
            parse_float=_fraction,
            object_pairs_hook=_unique,
        )
    except DamagedProgram:
        raise
    except ValueError as error:  # bytes that are no text included
        raise DamagedProgram(f"not JSON, or cut off: {error}") from None
    if isinstance(content, (dict, list)):
        _check_nesting(content)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DamagedProgram(f"not an exported program: its format is not {FORMAT!r}")
    version = content.get("version")
    if type(version) is int and version > VERSION:
        raise DamagedProgram(
            f"written in format version {version} by core {content.get('core')!s:.20}; this core {core.__version__}"
            f" reads versions up to {VERSION}: update core, or export again with this one"
        )
    require(type(version) is int and 1 <= version <= VERSION, "version", "an int from 1", version)
    return content


def _constant(word: str) -> Any:
    raise DamagedProgram(f"holds {word}, which is not JSON: the file is damaged")


def _whole(digits: str) -> int:
    if len(digits) > MAXIMUM_DIGITS:
        raise DamagedProgram(f"holds a whole number of {len(digits)} digits: the file is damaged")
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise DamagedProgram(f"holds the number {digits[:60]}, which is infinite: the file is damaged")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter([key for key, _ in pairs]).most_common(1)[0][0]
        raise DamagedProgram(f"the key {twice[:60]!r} occurs twice in one place")
    return found


def _check_nesting(content: Any) -> None:
    level = [content]
    for _ in range(MAXIMUM_NESTING):
        inner = [part for item in level for part in (item.values() if isinstance(item, dict) else item)]
        level = [part for part in inner if isinstance(part, (dict, list))]
        if not level:
            return
    raise DamagedProgram(f"nested more than {MAXIMUM_NESTING} levels deep: the file is damaged")


def _program(content: dict[str, Any]) -> ExportedProgram:
    check_keys(
        content,
        {
            "format": str, "version": int, "core": str, "name": str, "inputs": list, "arguments": list, "weights": list,
            "operations": list, "outputs": list, "result": dict, "guards": list, "examples": list,
            "preprocessing": object, "class_names": object, "fuse": bool,
        },
        "the program",
    )  # fmt: skip
    names = content["class_names"]
    require(
        names is None or (isinstance(names, list) and all(isinstance(name, str) for name in names)),
        "class_names", "a list of text", names,
    )  # fmt: skip
    return ExportedProgram(
        name=content["name"],
        inputs=[_input(entry, f"inputs[{i}]") for i, entry in enumerate(content["inputs"])],
        arguments=[_argument(entry, f"arguments[{i}]") for i, entry in enumerate(content["arguments"])],
        weights={},
        nodes=[_node(entry, f"operations[{i}]") for i, entry in enumerate(content["operations"])],
        outputs=_names(content["outputs"], "outputs"),
        result=read_form(content["result"], "result"),
        guards=[_guard(entry, f"guards[{i}]") for i, entry in enumerate(content["guards"])],
        examples=[_example(entry, f"examples[{i}]") for i, entry in enumerate(content["examples"])],
        preprocessing=content["preprocessing"],
        class_names=names,
        fuse=content["fuse"],
    )


def _names(value: Any, place: str) -> list[str]:
    require(isinstance(value, list) and all(isinstance(name, str) for name in value), place, "a list of names", value)
    return list(value)


def _shape(value: Any, place: str, unknown: bool) -> tuple[Any, ...]:
    good = isinstance(value, list) and all(
        (type(size) is int and size >= 0) or (unknown and size is None) for size in value
    )
    require(good, place, "a list of sizes", value)
    return tuple(value)


def _dtype(name: Any, place: str) -> DType:
    require(isinstance(name, str) and name in BY_NAME, place, f"one of {', '.join(BY_NAME)}", name)
    return BY_NAME[name]


def _input(entry: Any, place: str) -> ProgramInput:
    check_keys(entry, {"name": str, "dtype": str, "shape": list}, place)
    shape = _shape(entry["shape"], f"{place}.shape", unknown=True)
    return ProgramInput(entry["name"], _dtype(entry["dtype"], f"{place}.dtype"), shape)


def _argument(entry: Any, place: str) -> tuple[str, Any]:
    good = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
    require(good, place, "a name and a form", entry)
    return entry[0], read_form(entry[1], place)


def _node(entry: Any, place: str) -> ProgramNode:
    kinds: dict[str, type] = {
        "operator": str, "attributes": dict, "inputs": list, "outputs": list, "gradients": bool
    }  # fmt: skip
    has_region = isinstance(entry, dict) and "region" in entry
    check_keys(entry, {**kinds, "region": dict} if has_region else kinds, place)
    where = f"{place} ({entry['operator']:.60})"
    attributes = {key: read_attribute(value, f"{where}.{key}") for key, value in entry["attributes"].items()}
    inputs = _names(entry["inputs"], f"{where}.inputs")
    results = [_input(result, f"{where}.outputs") for result in entry["outputs"]]
    outputs, metas = [result.name for result in results], [(result.shape, result.dtype) for result in results]
    control_flow = _control_flow(entry["region"], f"{where}.region") if has_region else None
    return ProgramNode(entry["operator"], attributes, inputs, outputs, metas, entry["gradients"], control_flow)


def _control_flow(entry: Any, place: str) -> ProgramControlFlow:
    check_keys(entry, {"bodies": dict, "settings": dict}, place)
    bodies = {name: _body(body, f"{place}.{name:.60}") for name, body in entry["bodies"].items()}
    return ProgramControlFlow(bodies, entry["settings"])


def _body(entry: Any, place: str) -> ProgramBody:
    check_keys(entry, {"inputs": list, "operations": list, "outputs": list, "guards": list}, place)
    return ProgramBody(
        inputs=[_input(item, f"{place}.inputs[{i}]") for i, item in enumerate(entry["inputs"])],
        nodes=[_node(item, f"{place}.operations[{i}]") for i, item in enumerate(entry["operations"])],
        outputs=_names(entry["outputs"], f"{place}.outputs"),
        guards=[_guard(item, f"{place}.guards[{i}]") for i, item in enumerate(entry["guards"])],
    )


def _guard(entry: Any, place: str) -> ProgramGuard:
    kinds = {"sign": str, "first": object, "second": object, "outcome": bool, "line": str, "text": str, "position": int}
    check_keys(entry, kinds, place)
    sign = entry["sign"]
    require(isinstance(sign, str) and sign in COMPARISONS, f"{place}.sign", "a comparison", sign)
    first, second = (read_size(entry[key], f"{place}.{key}") for key in ("first", "second"))
    return ProgramGuard(entry["sign"], first, second, entry["outcome"], entry["line"], entry["text"], entry["position"])


def _example(entry: Any, place: str) -> list[tuple[int, ...]]:
    require(isinstance(entry, list), place, "a list of shapes", entry)
    return [_shape(shape, f"{place}[{i}]", unknown=False) for i, shape in enumerate(entry)]


def _read_weights(program: ExportedProgram, entries: Any, file: Path) -> None:
    """Fill in the weights that the program names, each of the type and shape that it says."""
    import safetensors  # loaded with the first use

    declared: dict[str, tuple[DType, tuple[int, ...], str, bool]] = {}
    for i, entry in enumerate(entries):
        place = f"weights[{i}]"
        check_keys(entry, {"name": str, "dtype": str, "shape": list, "kind": str, "trainable": bool}, place)
        require(entry["kind"] in KINDS, f"{place}.kind", f"one of {', '.join(KINDS)}", entry["kind"])
        require(entry["name"] not in declared, f"{place}.name", "a name of its own", entry["name"])
        shape = _shape(entry["shape"], f"{place}.shape", unknown=False)
        declared[entry["name"]] = (_dtype(entry["dtype"], f"{place}.dtype"), shape, entry["kind"], entry["trainable"])
    try:
        with safetensors.safe_open(os.fspath(file), framework="numpy") as stream:
            arrays = {name: stream.get_tensor(name) for name in stream.keys()}
    except (safetensors.SafetensorError, TypeError, ValueError) as error:
        reason = ascii(" ".join(str(error).split()))[1:200]  # which may repeat what the file says
        raise DamagedProgram(f"its {WEIGHTS_FILE} cannot be read ({reason}): export it again") from None
    missing = [name for name in declared if name not in arrays]
    extra = [name for name in arrays if name not in declared]
    if missing or extra:
        problem = f"lacks {missing[0]!r}" if missing else f"holds {extra[0]!r}, which the program does not name"
        raise DamagedProgram(f"its {WEIGHTS_FILE} {problem}: the two files do not belong together")
    for name, (dtype, shape, kind, trainable) in declared.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != dtype.numpy:
            raise DamagedProgram(
                f"weight {name!r} is {dtype.name}{list(shape)} in the program, but {array.dtype}{list(array.shape)} in"
                f" {WEIGHTS_FILE}: the two files do not belong together"
            )
        program.weights[name] = ProgramWeight(array, dtype, kind, trainable)
