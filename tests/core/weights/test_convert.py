"""Weight files from one format to another, and back; MXNet's loader is the judge of what is written for it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.weights import convert, read_weights, write_mxnet_params, write_pdparams, write_safetensors
from core.weights.__main__ import main
from core.weights.read import read_bits

ARRAYS = {
    "fc.weight": np.arange(6, dtype="f4").reshape(2, 3),
    "steps": np.array([2**40, -1], "i8"),
    "half": np.array([1.5, -0.25], "f2"),
    "scalar": np.array(3.5, "f8"),
    "empty": np.zeros((0, 4), "f4"),
}


@pytest.mark.parametrize("first", [".pdparams", ".safetensors", ".params"])
@pytest.mark.parametrize("second", [".pdparams", ".safetensors", ".params"])
def test_there_and_back(first: str, second: str, tmp_path: Path) -> None:
    write_pdparams(ARRAYS, tmp_path / "start.pdparams")
    assert convert(tmp_path / "start.pdparams", tmp_path / f"a{first}") == len(ARRAYS)
    convert(tmp_path / f"a{first}", tmp_path / f"b{second}")
    found = read_weights(tmp_path / f"b{second}")
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)


def test_bits_of_bfloat16_stay(tmp_path: Path) -> None:
    bits = {"w": np.array([0x3FC0, 0xC001], "u2")}
    write_safetensors(bits, tmp_path / "w.safetensors", bfloat16={"w"})
    convert(tmp_path / "w.safetensors", tmp_path / "w.pdparams")
    arrays, halves = read_bits(tmp_path / "w.pdparams")
    assert halves == {"w"}
    np.testing.assert_array_equal(arrays["w"], bits["w"])
    convert(tmp_path / "w.pdparams", tmp_path / "w.params")
    np.testing.assert_array_equal(read_weights(tmp_path / "w.params")["w"], read_weights(tmp_path / "w.pdparams")["w"])


def test_the_engine_reads_what_is_written_for_it(tmp_path: Path) -> None:
    code, expected = "import numpy as np; np.bool = bool; import mxnet as mx", []
    for names, load in ((["fc.weight", "half"], "mx.nd.load"), (list(ARRAYS), "mx.util.set_np(); mx.npx.load")):
        arrays, path = {name: ARRAYS[name] for name in names}, tmp_path / f"{len(names)}.params"
        write_mxnet_params(arrays, path)
        first, _, load = load.rpartition("; ")
        code += (
            f"; {first or 'pass'}; print({{name: (np.dtype(array.dtype).name, array.shape, "
            f"array.asnumpy().ravel().tolist()) for name, array in {load}({str(path)!r}).items()}})"
        )
        expected.append({name: (x.dtype.name, x.shape, x.ravel().tolist()) for name, x in arrays.items()})
    printed = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert [ast.literal_eval(line) for line in printed.stdout.splitlines()] == expected


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_pdparams(ARRAYS, tmp_path / "a.pdparams")
    assert main(["convert", str(tmp_path / "a.pdparams"), str(tmp_path / "a.safetensors")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'a.safetensors'}: 5 arrays\n"
    assert main(["inspect", str(tmp_path / "a.safetensors")]) == 0
    out = capsys.readouterr().out
    assert "safetensors format" in out and "fc.weight" in out and "float32 [2, 3]" in out and "5 entries" in out
    assert main(["convert", str(tmp_path / "a.pdparams"), str(tmp_path / "a.bin")]) == 1
    assert "must say the format: .pdparams, .safetensors, .params" in capsys.readouterr().err
    assert not (tmp_path / "a.bin").exists()
    assert main(["convert", str(tmp_path / "absent"), str(tmp_path / "b.params")]) == 1
    assert "there is no such file" in capsys.readouterr().err


def test_numbers_that_mxnet_lacks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="array 'z' must be a numpy array of numbers that MXNet has"):
        write_mxnet_params({"z": np.zeros(2, complex)}, tmp_path / "z.params")
