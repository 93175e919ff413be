"""Files that are cut off, damaged, hostile or from the future: one line that says where, and nothing is run."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import core
from core import nn
from core.jit import Predictor
from core.jit.exported import reader as program_reader
from core.jit.input_spec import InputSpec


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "m"
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Flatten(), nn.Linear(4, 2))
    core.jit.save(model, path, [InputSpec([None, 3], name="x")])
    return path


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "m"))


def change(folder: Path, edit: Callable[[Any], Any]) -> None:
    file = folder / "program.json"
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


def refuse(folder: Path, message: str, kind: type[Exception] = ValueError) -> None:
    for read in (Predictor, core.jit.load):
        with pytest.raises(kind, match=message) as caught:
            read(folder)
        assert "\n" not in str(caught.value) and str(folder) in str(caught.value)


def set_at(*path: Any) -> Callable[[Any], None]:
    *place, value = path

    def edit(content: Any) -> None:
        for key in place[:-1]:
            content = content[key]
        content[place[-1]] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (set_at("format", "core.checkpoint"), "not an exported program: its format is not 'core.program'"),
        (set_at("version", 4), "written in format version 4 by core 0.1.0; this core 0.1.0 reads versions up to 3"),
        (set_at("version", "1"), "version must be an int from 1, not '1'"),
        (set_at("version", True), "version must be an int from 1, not True"),
        (set_at("weights_file", "../../etc/passwd"), "the program has the unknown key 'weights_file'"),
        (lambda c: c.pop("guards"), "the program lacks the key 'guards'"),
        (set_at("operations", {}), "the program.operations must be a list"),
        (set_at("operations", 0, "operator", "relu6000"), r"this core has no operator 'relu6000' \(the near"),
        (set_at("operations", 0, "operator", "os.system"), r"operations\[0\]: this core has no operator 'os.system'"),
        (set_at("operations", 0, "inputs", 0, "v3"), r"operations\[0\] .*reads 'v3', which no input, weight or"),
        (set_at("operations", 1, "outputs", 0, "name", "x"), r"operations\[1\] .*defines 'x' a second time"),
        (set_at("operations", 0, "attributes", "axis", {"python": "exit()"}), "must be a number, text, a list, or"),
        (set_at("operations", 0, "attributes", "axis", {"dtype": "object"}), "must be a known dtype, not 'object'"),
        (set_at("operations", 0, "attributes", "axis", {"float": "1e400"}), "must be inf, -inf or nan"),
        (set_at("operations", 0, "attributes", "axis", {"size": ["size", "v9", 0]}), "reads 'v9', which no input"),
        (set_at("operations", 0, "attributes", "axis", {"size": ["exec", 1, 2]}), "must be an arithmetic operation"),
        (set_at("operations", 0, "attributes", "axis", {"size": ["size", "x", -1]}), "must be the name of a value"),
        (set_at("operations", 0, "attributes", {"nonsense": 3}), "the program does not run: "),
        (set_at("operations", 0, "inputs", []), "the program does not run: "),
        (set_at("operations", 0, "outputs", 0, "shape", [None, 5]), r"not run: operation 0 .* gives float32\["),
        (set_at("operations", 0, "outputs", 0, "dtype", "int8"), r"not run: operation 0 .* gives float32\["),
        (set_at("operations", 0, "attributes", {"pad": [0, -1]}), r".pad must be at least 0, not \(0, -1"),
        (set_at("operations", 0, "attributes", {"stride": 0}), r"operations\[0\] .*.stride must be at least 1, not 0"),
        (set_at("operations", 0, "attributes", {"rank": 2**63}), r".rank must be an int up to 64, not 922337203685"),
        (set_at("outputs", ["v99"]), "outputs reads 'v99', which no input"),
        (set_at("result", {"tensor": 1}), "result must be a form of 1 tensors in order"),
        (set_at("result", {"object": "Model"}), "result must be a tensor, list, tuple, dict or constant"),
        (set_at("inputs", 0, "shape", [None, -3]), r"inputs\[0\].shape must be a list of sizes"),
        (set_at("inputs", 0, "dtype", "complex64"), r"inputs\[0\].dtype must be one of float32"),
        (set_at("examples", [[[2]]]), r"examples\[0\] must be shapes that fit the inputs"),
        (set_at("examples", [[[0, 3]]]), r"examples\[0\] must be shapes that fit the inputs, not \[\(0, 3\)\]"),
        (set_at("arguments", []), "arguments must be forms of 1 tensors"),
        (set_at("class_names", [1]), "class_names must be a list of text"),
        (set_at("weights", 0, "shape", [3, 5]), r"is float32\[3, 5\] in the program, but float32\[3, 4\] in weights"),
        (set_at("weights", 0, "dtype", "float16"), r"is float16\[3, 4\] in the program, but float32\[3, 4\] in"),
        (set_at("weights", 0, "kind", "code"), r"weights\[0\].kind must be one of parameter, buffer, constant"),
        (lambda c: c["weights"].pop(), "holds .*, which the program does not name: the two files do not"),
        (lambda c: c["weights"].append({**c["weights"][0], "name": "more"}), "its weights.safetensors lacks 'more'"),
        (lambda c: c["weights"].append(c["weights"][0]), r"weights\[4\].name must be a name of its own"),
        (
            set_at("guards", [{"sign": "==", "first": {"size": ["size", "v1", 0]}, "second": 1, "outcome": True,
                               "line": "", "text": "", "position": 0}]),
            "a guard reads 'v1', which no input, weight or earlier operation gives",
        ),
        (
            set_at("guards", [{"sign": "is", "first": 1, "second": 1, "outcome": True, "line": "", "text": "",
                               "position": 0}]),
            r"guards\[0\].sign must be a comparison",
        ),
    ],
)  # fmt: skip
def test_damaged_programs(folder: Path, edit: Callable[[Any], Any], message: str) -> None:
    change(folder, edit)
    refuse(folder, message)


def test_files_that_are_cut_off_at_any_place(folder: Path) -> None:
    for name in ("program.json", "weights.safetensors"):
        whole = (folder / name).read_bytes()
        for share in (0.0, 0.01, 0.5, 0.9, 0.999):
            (folder / name).write_bytes(whole[: int(len(whole) * share)])
            refuse(folder, "not JSON, or cut off|not an exported|cannot be read")
        (folder / name).write_bytes(whole)
    Predictor(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\x00", "not JSON, or cut off"),
        (b"[]", "not an exported program"),
        (b'{"format": "core.program", "version": NaN}', "holds NaN, which is not JSON"),
        (b'{"format": "core.program", "format": "core.program"}', "the key 'format' occurs twice"),
        (b'{"format": ' + b"[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_what_is_no_json(folder: Path, content: bytes, message: str) -> None:
    (folder / "program.json").write_bytes(content)
    refuse(folder, message)


def test_a_program_of_gigabytes_is_not_even_parsed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_reader, "MAXIMUM_BYTES", 100)
    refuse(folder, "larger than 100 bytes: no program is")


def test_missing_folders_and_files(folder: Path, tmp_path: Path) -> None:
    refuse(tmp_path / "nowhere", "there is no exported folder", FileNotFoundError)
    (folder / "weights.safetensors").unlink()
    refuse(folder, "is not an exported program: it has no weights.safetensors", FileNotFoundError)


def test_weights_named_like_paths_are_only_names(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    name = f"../{outside.name}"
    arrays = load_file(folder / "weights.safetensors")
    first = next(iter(arrays))
    arrays[name] = arrays.pop(first)
    save_file(arrays, folder / "weights.safetensors")
    text = (folder / "program.json").read_text().replace(json.dumps(first), json.dumps(name))
    (folder / "program.json").write_text(text)
    assert Predictor(folder).run(np.ones((2, 3), np.float32)).shape == (2, 2)
    core.jit.load(folder)
    assert not outside.exists() and sorted(os.listdir(tmp_path)) == ["m"]
