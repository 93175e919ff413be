"""Damaged weight files: the right content or one clear line; no crash, no hang, no memory without end."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from core.tensor import Tensor
from core.weights import file_format, read_weights, write_safetensors
from core.weights.__main__ import inspect
from core.weights.save_load import load, save
from tests.core.weights.test_mxnet_params import WITH_NUMPY_SHAPES, WITHOUT_NUMPY_SHAPES
from tests.fuzz import cases, mutated, outcome

DATA = Path(__file__).parent / "data"
ARRAYS = {
    "conv.weight": np.arange(960, dtype=np.float32).reshape(8, 3, 40),
    "conv.bias": np.zeros(0, np.float16),
    "step": np.array(7),
    "mask": np.array([True, False]),
}
SAVED = {**ARRAYS, "StructuredToParameterName@@": {name: f"p_{name}" for name in ARRAYS}}
STATE = {"w_moment1_0": ARRAYS["step"], "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.1}, "list": [1.5, None, {2}]}


def seeds(kind: str, folder: Path) -> list[bytes]:
    if kind == "pdparams":
        return [pickle.dumps(SAVED, protocol) for protocol in (2, 3, 4)] + [
            path.read_bytes() for path in sorted(DATA.glob("*.pdparams"))
        ]
    if kind == "pdopt":
        return [pickle.dumps(STATE, protocol) for protocol in (0, 2, 4)] + [
            path.read_bytes() for path in (*sorted(DATA.glob("*.pdopt")), *sorted(DATA.glob("*.pd")))
        ]
    if kind == "mxnet":
        return [WITHOUT_NUMPY_SHAPES, WITH_NUMPY_SHAPES]
    write_safetensors(ARRAYS, folder / "arrays", {"format": "1"})
    half = Tensor(np.array([1.5, -2], np.float32), "bfloat16", name="half")
    save({**STATE, "list": [1.5, None, (half, "x")]}, folder / "nested.safetensors")
    return [(folder / name).read_bytes() for name in ("arrays", "nested.safetensors")]


@pytest.mark.parametrize("kind, count", [("pdparams", 250), ("pdopt", 150), ("safetensors", 150), ("mxnet", 150)])
def test_damaged_weight_files(kind, count, tmp_path, recwarn):
    good = seeds(kind, tmp_path)
    path = tmp_path / "damaged"
    read = refused = 0
    for number in cases(count):
        path.write_bytes(mutated(number, good))
        value, message = outcome(lambda: load(path, return_numpy=True), ValueError, name=str(path))
        read += message is None
        refused += message is not None
        arrays, complaint = outcome(lambda: read_weights(path), ValueError, name=str(path))
        if arrays is not None:
            assert all(type(array) is np.ndarray and array.nbytes < 1 << 20 for array in arrays.values())
        if message is not None and "description of nested values" not in message:
            assert complaint is not None, f"number {number} is read as {file_format(path)} only here"
        outcome(lambda: inspect(str(path)), ValueError, name=str(path))
    assert read > count // 50 and refused > count // 4, (read, refused)
    assert [str(warning.message) for warning in recwarn] == []
