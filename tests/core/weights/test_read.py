"""The format is recognised by the content; ``inspect`` shows it."""
from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.weights import file_format, read_weights, write_pdparams, write_safetensors
from core.weights.__main__ import main

ARRAYS = {"b": np.ones(3, np.float32), "a": np.zeros((2, 2), np.int64)}


def write(kind: str, path) -> None:
    if kind == "paddle":
        write_pdparams(ARRAYS, path)
    elif kind == "safetensors":
        write_safetensors(ARRAYS, path)
    else:
        content = struct.pack("<QQQ", 0x112, 0, 2)
        for array, flag in ((ARRAYS["b"], 0), (ARRAYS["a"], 6)):
            content += struct.pack("<Iii", 0xF993FACA, 0, array.ndim) + struct.pack(f"<{array.ndim}q", *array.shape)
            content += struct.pack("<iii", 1, 0, flag) + array.tobytes()
        path.write_bytes(content + struct.pack("<QQ1sQ1s", 2, 1, b"b", 1, b"a"))


@pytest.mark.parametrize("kind", ["paddle", "safetensors", "mxnet"])
def test_every_format_under_any_name(kind, tmp_path, capsys):
    path = tmp_path / "weights.bin"
    write(kind, path)
    assert file_format(path) == kind
    loaded = read_weights(path)
    assert set(loaded) == {"a", "b"}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(loaded[name], array)
    assert main(["inspect", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}: {kind} format"
    assert sorted(lines[1:3]) == ["  a  int64 [2, 2]", "  b  float32 [3]"]
    assert lines[3] == "2 entries, 7 numbers" + (", with name table" if kind == "paddle" else "")


def test_bfloat16_is_float32_in_every_format(tmp_path):
    bits = np.array([0x3FC0, 0xC000], np.uint16)
    write_pdparams({"w": bits}, tmp_path / "x.pdparams")
    write_safetensors({"w": bits}, tmp_path / "x.safetensors", bfloat16={"w"})
    for path in tmp_path.iterdir():
        loaded = read_weights(path)["w"]
        assert loaded.dtype == np.float32 and loaded.tolist() == [1.5, -2.0]


def test_inspect_shows_bfloat16(tmp_path, capsys):
    write_safetensors({"w": np.zeros(2, np.uint16)}, tmp_path / "x", bfloat16={"w"})
    assert main(["inspect", str(tmp_path / "x")]) == 0
    assert "  w  bfloat16 [2]" in capsys.readouterr().out.splitlines()


def test_inspect_reports_an_error_in_one_line(tmp_path, capsys):
    assert main(["inspect", str(tmp_path / "none")]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and "there is no such file" in captured.err


def test_reading_weights_does_not_load_the_engine(tmp_path):
    write_pdparams(ARRAYS, tmp_path / "x.pdparams")
    code = (
        "import sys; from core.weights import read_weights, fetch, WeightRecord; read_weights(sys.argv[1]);"
        "sys.exit('mxnet' in sys.modules or 'numba' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "x.pdparams")], cwd=root).returncode == 0
