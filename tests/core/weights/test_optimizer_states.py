"""Optimizer states exchanged with Paddle 2.6.2, in both directions, and through the native format."""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import core
from core.tensor import Tensor
from core.weights.formats import pdparams
from tests.core.weights.optimizer_cases import CASES, GRADIENTS, STEPS_BEFORE, VALUES, make, train

ROOT = Path(__file__).parents[3]
STATES = Path(__file__).parent / "data" / "paddle_states"
PADDLE = "PYTHON_WITH_PADDLE"


def parameters(values=VALUES, dtype="float32") -> list:
    return [Tensor(np.array(value), dtype, stop_gradient=False, name=name) for name, value in values.items()]


def trained(name: str) -> tuple:
    owned = parameters()
    schedule, optimizer = make(name, core.optimizer, owned)
    train(schedule, optimizer, owned, GRADIENTS[:STEPS_BEFORE], core.to_tensor)
    return owned, optimizer, schedule


def write_states(folder: Path, ending: str = "") -> None:
    for name in CASES:
        owned, optimizer, _ = trained(name)
        core.save({parameter.name: parameter for parameter in owned}, folder / f"{name}.pdparams{ending}")
        core.save(optimizer.state_dict(), folder / f"{name}.pdopt{ending}")


def continued(folder: Path, name: str, ending: str = "") -> dict:
    """Where a state leads that lies in a folder."""
    owned = parameters({key: value.numpy() for key, value in core.load(folder / f"{name}.pdparams{ending}").items()})
    schedule, optimizer = make(name, core.optimizer, owned)
    optimizer.set_state_dict(core.load(folder / f"{name}.pdopt{ending}"))
    assert optimizer.get_lr() == pytest.approx(0.1)  # the warm-up is over
    train(schedule, optimizer, owned, GRADIENTS[STEPS_BEFORE:], core.to_tensor)
    return {parameter.name: parameter.numpy() for parameter in owned}


@pytest.mark.parametrize("name", CASES)
def test_paddles_state_leads_where_paddle_goes(name):
    with np.load(STATES / "continued.npz") as expected:
        for key, array in continued(STATES, name).items():
            np.testing.assert_allclose(array, expected[f"{name}/{key}"], rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_our_files_have_the_form_of_paddles(name, tmp_path):
    write_states(tmp_path)
    for kind in ("pdparams", "pdopt"):
        ours = pickle.loads((tmp_path / f"{name}.{kind}").read_bytes())
        theirs = pickle.loads((STATES / f"{name}.{kind}").read_bytes())
        if name == "lamb":  # theirs was the second optimizer of its parameters
            theirs = pickle.loads(pickle.dumps(theirs, 0).replace(b"_1\n", b"_0\n"))
        assert set(ours) == set(theirs)
        assert ours["StructuredToParameterName@@"] == theirs["StructuredToParameterName@@"]
        for key, value in theirs.items():
            assert type(ours[key]) is type(value)
            if isinstance(value, np.ndarray):
                assert ours[key].dtype == value.dtype and ours[key].shape == value.shape
                np.testing.assert_allclose(ours[key], value, rtol=1e-5, atol=1e-7)
            elif key == "LR_Scheduler":
                assert ours[key] == value


@pytest.mark.parametrize("name", CASES)
def test_native_states_lead_to_the_same_bits(name, tmp_path):
    write_states(tmp_path, ".safetensors")
    owned, optimizer, schedule = trained(name)
    train(schedule, optimizer, owned, GRADIENTS[STEPS_BEFORE:], core.to_tensor)
    arrived = continued(tmp_path, name, ".safetensors")
    for parameter in owned:
        np.testing.assert_array_equal(arrived[parameter.name], parameter.numpy())


def half_precision() -> tuple:
    owned = parameters({"half.w_0": VALUES["fc.w_0"]}, "float16")
    schedule = core.optimizer.lr.StepDecay(0.1, 2)
    return owned[0], core.optimizer.AdamW(schedule, parameters=owned, multi_precision=True)


def test_paddles_master_weights_are_taken_over():
    weight, optimizer = half_precision()
    state = core.load(STATES / "master.pdopt")
    assert state["master_weights"]["half.w_0"].name == "half.w_0_fp32_master_0"
    expected = pickle.loads((STATES / "master.pdopt").read_bytes())["master_weights"]["half.w_0"][1]
    np.testing.assert_allclose(expected, VALUES["fc.w_0"], rtol=1e-3)
    np.testing.assert_array_equal(state["master_weights"]["half.w_0"].numpy(), expected)
    optimizer.set_state_dict(state)
    weight.grad = Tensor(np.zeros((3, 2), np.float16))
    optimizer.step()  # decay alone
    master = optimizer.state_dict()["master_weights"]["half.w_0"]
    np.testing.assert_allclose(master.numpy(), expected * 0.999, rtol=1e-6)


def write_master(folder: Path) -> Tensor:
    weight, optimizer = half_precision()
    weight.grad = Tensor(np.ones((3, 2), np.float16))
    optimizer.step()
    core.save(optimizer.state_dict(), folder / "master.pdopt")
    return optimizer.state_dict()["master_weights"]["half.w_0"]


def test_our_master_weights_have_the_form_of_paddles(tmp_path):
    write_master(tmp_path)
    ours = pickle.loads((tmp_path / "master.pdopt").read_bytes())
    theirs = pickle.loads((STATES / "master.pdopt").read_bytes())
    for state in (ours, theirs):
        name, array = state["master_weights"]["half.w_0"]
        assert name == "half.w_0_fp32_master_0" and array.dtype == np.float32 and array.shape == (3, 2)
    assert set(ours["LR_Scheduler"]) == set(theirs["LR_Scheduler"])
    assert {key for key in ours if "moment" in key} == {f"half.w_0_fp32_master_0_moment{n}_0" for n in (1, 2)}


def test_paddle_itself_continues_from_our_states(tmp_path, monkeypatch):
    python = os.environ.get(PADDLE)
    if not python:
        pytest.skip(f"{PADDLE} does not name a Python that has paddlepaddle 2.6.2")
    write_states(tmp_path)
    master = write_master(tmp_path)
    value = {"net": {"w": core.to_tensor([1.0, 2.0])}, "half": core.to_tensor([1.5, -2.0]).astype("bfloat16")}
    core.save({**value, "list": [core.to_tensor(2.5)]}, tmp_path / "nested.pd")
    monkeypatch.setattr(pdparams, "SLICE_BYTES", 10)
    core.save({"w": core.to_tensor(VALUES["fc.w_0"])}, tmp_path / "sliced.pdparams", protocol=2)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [python, "tests/core/weights/paddle_side.py", "read", str(tmp_path)]
    answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr[-2000:]
    results = np.load(tmp_path / "continued.npz")
    for name in CASES:
        assert results[f"{name}/rate"] == pytest.approx(0.1)
        for key, array in continued(tmp_path, name).items():
            np.testing.assert_allclose(results[f"{name}/{key}"], array, rtol=2e-6, atol=1e-7)
    np.testing.assert_array_equal(results["master"], master.numpy())
    np.testing.assert_allclose(results["master moment"], 0.1 * np.ones((3, 2)), rtol=1e-6)
    np.testing.assert_array_equal(results["sliced"], VALUES["fc.w_0"])
    assert results["nested"].tolist() == [1, 2] and results["half"].tolist() == [1.5, -2] and results["scalar"] == 2.5
