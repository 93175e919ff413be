"""save and load: round trips, files that Paddle 2.6.2 wrote, the form in which Paddle finds ours, and errors."""

from __future__ import annotations

import io
import os
import pickle
import resource
from pathlib import Path

import numpy as np
import pytest

import core
from core.tensor import Tensor
from core.weights import write_safetensors

DATA = Path(__file__).parent / "data"


def tensor(values, dtype="float32", name=None):
    return Tensor(np.array(values, np.float32), dtype, name=name)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_state_dict_round_trip(protocol, tmp_path):
    state = {
        "fc.weight": tensor([[1, 2], [3, 4]], name="linear_0.w_0"),
        "scalar": tensor(2.5),
        "half": tensor([1.5, -2], "float16"),
        "brain": tensor([1.5, -2], "bfloat16"),
        "step": tensor([7], "int64"),
        "mask": tensor([True, False], "bool"),
        "empty": tensor(np.zeros((0, 3))),
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.5},
    }
    path = tmp_path / "a" / "model.pdparams"
    core.save(state, path, protocol=protocol)
    loaded = core.load(path)
    assert list(loaded) == list(state)
    assert loaded.pop("LR_Scheduler") == state.pop("LR_Scheduler")
    for key, value in state.items():
        assert isinstance(loaded[key], Tensor) and loaded[key].dtype == value.dtype
        assert loaded[key].shape == value.shape and loaded[key].stop_gradient
        np.testing.assert_array_equal(loaded[key].numpy(), value.numpy())


def test_paddle_finds_its_own_form(tmp_path):
    # an ordinary unpickler stands for Paddle's, which read such files of core's with these results
    core.save({"fc.weight": tensor([1, 2], name="linear_0.w_0"), "b": tensor([1])}, tmp_path / "x.pdparams")
    core.save({"epoch": 1, "w": tensor([1, 2], name="linear_0.w_0")}, tmp_path / "nested.pd")
    seen = pickle.loads((tmp_path / "x.pdparams").read_bytes())
    assert seen.pop("StructuredToParameterName@@") == {"fc.weight": "linear_0.w_0", "b": "b"}
    assert {key: (type(value), value.tolist()) for key, value in seen.items()} == {
        "fc.weight": (np.ndarray, [1, 2]),
        "b": (np.ndarray, [1]),
    }
    seen = pickle.loads((tmp_path / "nested.pd").read_bytes())
    assert seen["epoch"] == 1 and type(seen["w"]) is tuple
    assert seen["w"][0] == "linear_0.w_0" and seen["w"][1].tolist() == [1, 2]


def test_nested_round_trip(tmp_path):
    value = {
        "epoch": 3,
        "list": [tensor([1]), 2.5, "text", None, (True, tensor([[2]], name="t"))],
        "array": np.arange(3),
        "scalar": np.float32(1.5),
    }
    core.save(value, tmp_path / "x")
    loaded = core.load(tmp_path / "x")
    assert loaded["epoch"] == 3 and loaded["list"][1:4] == [2.5, "text", None] and loaded["scalar"] == 1.5
    assert loaded["list"][4][0] is True and loaded["list"][4][1].name == "t"
    assert isinstance(loaded["list"][0], Tensor) and isinstance(loaded["array"], np.ndarray)
    loaded = core.load(tmp_path / "x", return_numpy=True)
    np.testing.assert_array_equal(loaded["list"][4][1], np.array([[2]], np.float32))


def test_single_tensor_and_stream():
    stream = io.BytesIO()
    core.save(tensor([1, 2], name="t"), stream)
    stream.seek(0)
    loaded = core.load(stream)
    assert loaded.name == "t" and loaded.tolist() == [1, 2]


def test_other_formats_load_too(tmp_path):
    write_safetensors({"w": np.ones(2, np.float32)}, tmp_path / "x.safetensors")
    assert core.load(tmp_path / "x.safetensors")["w"].tolist() == [1, 1]
    assert type(core.load(tmp_path / "x.safetensors", return_numpy=True)["w"]) is np.ndarray


def test_native_round_trip(tmp_path):
    value = {
        "net": {"fc.weight": tensor([[1, 2], [3, 4]], name="linear_0.w_0"), "brain": tensor([1.5, -2], "bfloat16")},
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.1, "verbose": False, "none": None},
        "list": [tensor(2.5), (1, "text"), np.arange(3), np.float32(1.5), []],
        7: float("inf"),
        "step": tensor([7], "int64"),
        "empty": tensor(np.zeros((0, 3))),
        "a/b": tensor([1]),
        "a": {"b": tensor([2])},
    }
    path = tmp_path / "new" / "x.safetensors"
    core.save(value, path)
    loaded = core.load(path)
    assert list(loaded) == list(value) and loaded["LR_Scheduler"] == value["LR_Scheduler"] and loaded[7] == float("inf")
    weight, brain = loaded["net"].values()
    assert weight.name == "linear_0.w_0" and weight.tolist() == [[1, 2], [3, 4]] and weight.stop_gradient
    assert brain.dtype == "bfloat16" and brain.tolist() == [1.5, -2.0]
    first, second, third, fourth, fifth = loaded["list"]
    assert first.shape == [] and first.item() == 2.5 and second == (1, "text") and fifth == []
    assert type(third) is np.ndarray and third.tolist() == [0, 1, 2]
    assert type(fourth) is np.float32 and fourth == 1.5
    assert loaded["step"].dtype == "int64" and loaded["empty"].shape == [0, 3]
    assert loaded["a/b"].tolist() == [1] and loaded["a"]["b"].tolist() == [2]
    assert core.load(path, return_numpy=True)["net"]["brain"].dtype == np.uint16


def test_native_file_is_open_to_other_tools(tmp_path):
    from safetensors.numpy import load_file

    core.save({"w": tensor([1, 2]), "b": tensor(3)}, tmp_path / "x.safetensors")
    seen = load_file(tmp_path / "x.safetensors")
    assert {name: array.tolist() for name, array in seen.items()} == {"w": [1, 2], "b": 3}


@pytest.mark.parametrize(
    "description, message",
    [
        ('{"version": 2, "value": 1}', r"damaged \(its layout has version 2, this core reads version 1\)"),
        ('{"version": 1, "value": {"tensor": "x", "name": null}}', "its description of nested values is damaged"),
        ('{"version": 1, "value": {"call": "x"}}', "damaged"),
        ('{"version": 1, "value": {"dict": [[[], 1]]}}', "damaged"),
        ('{"version": 1, "value": {"array": ["w"]}}', "damaged"),
        ("[" * 100000, "damaged"),
        ("3", "damaged"),
    ],
)
def test_damaged_native_description(description, message, tmp_path):
    write_safetensors({"w": np.ones(2, np.float32)}, tmp_path / "x.safetensors", {"core": description})
    with pytest.raises(ValueError, match=message) as caught:
        core.load(tmp_path / "x.safetensors")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("protocol", [2, 4])
def test_pdparams_of_paddle(protocol):
    path = DATA / f"linear_protocol{protocol}.pdparams"
    loaded = core.load(path)
    assert list(loaded) == ["weight", "bias"] and isinstance(loaded["weight"], Tensor)
    # one step of Adam with learning rate 0.1 on weights 0 to 5 with positive gradients
    np.testing.assert_allclose(loaded["weight"].numpy(), np.arange(6.0).reshape(3, 2) - 0.1, rtol=1e-6)
    np.testing.assert_allclose(loaded["bias"].numpy(), [-0.1, -0.1], rtol=1e-6)
    table = core.load(path, keep_name_table=True)["StructuredToParameterName@@"]
    assert table == {"weight": "linear_0.w_0", "bias": "linear_0.b_0"}
    assert type(core.load(path, return_numpy=True)["bias"]) is np.ndarray


def test_pdopt_of_paddle_continues_here():
    state = core.load(DATA / "adam.pdopt")
    assert state["LR_Scheduler"]["last_epoch"] == 1
    parameters = [
        Tensor(np.zeros(shape, np.float32), stop_gradient=False, name=name)
        for name, shape in (("linear_0.w_0", (3, 2)), ("linear_0.b_0", (2,)))
    ]
    schedule = core.optimizer.lr.LinearWarmup(core.optimizer.lr.StepDecay(0.1, 2), 2, 0.1, 0.2)
    optimizer = core.optimizer.Adam(schedule, parameters=parameters)
    optimizer.set_state_dict(state)
    assert optimizer.get_lr() == pytest.approx(0.15)
    for parameter in parameters:
        parameter.grad = Tensor(np.zeros(parameter.shape, np.float32))
    optimizer.step()
    # gradients were all 2: m = 0.2, v = 0.004; a second step with gradient 0 leaves 0.9 m and 0.999 v
    direction = 0.9 * 0.2 / (1 - 0.9**2) / np.sqrt(0.999 * 0.004 / (1 - 0.999**2))
    np.testing.assert_allclose(parameters[1].numpy(), -0.15 * direction * np.ones(2), rtol=1e-5)


def test_nested_and_static_files_of_paddle():
    loaded = core.load(DATA / "nested.pd")
    assert loaded["epoch"] == 1 and loaded["net"]["weight"].name == "linear_0.w_0"
    assert loaded["list"][0].item() == 1.5 and loaded["list"][0].shape == [] and loaded["list"][1] == 2
    np.testing.assert_array_equal(loaded["array"], [0, 1, 2])
    assert loaded["half"].dtype == "bfloat16" and loaded["half"].tolist() == [1.5, -2.0]
    loaded = core.load(DATA / "static.pd")
    np.testing.assert_array_equal(loaded["inner"]["state"]["fc_0.w_0"].numpy(), np.arange(6.0).reshape(3, 2))
    assert loaded["list"] == [1]


class Unknown:
    def state_dict(self):
        return {}


ERRORS = [
    (lambda path: core.save(Unknown(), path), TypeError, "save takes .*, not a Unknown; save its state_dict()"),
    (lambda path: core.save({"a": [1, print]}, path), TypeError, r"not a builtin_function_or_method at \['a'\]\[1\]"),
    (lambda path: core.save(np.array([None]), path), TypeError, "not an array of object"),
    (lambda path: core.save({}, path, protocol=5), ValueError, "protocol must be 2, 3 or 4, as in Paddle; got 5"),
    (lambda path: core.save({}, f"{path}/"), ValueError, "save needs the name of a file, such as 'model.pdparams'"),
    (lambda path: core.save({}, path, compress=True), ValueError, r"unknown config 'compress'; known are"),
    (lambda path: core.save({}, path, use_binary_format=True), ValueError, "use_binary_format=True is not supported"),
    (lambda path: core.save({"a": [{1}]}, f"{path}.safetensors"), TypeError, r"file holds .*, not a set at 'a/0'"),
    (lambda path: core.save(Unknown(), f"{path}.safetensors"), TypeError, r"not a Unknown; save its state_dict\(\)"),
    (lambda path: core.save({(1,): 2}, f"{path}.safetensors"), TypeError, "text or numbers for keys, not a tuple"),
    (lambda path: core.load(path), FileNotFoundError, "there is no such file"),
    (lambda path: core.load(path, numpy=True), ValueError, "unknown config 'numpy'; known are .*'return_numpy'"),
]


@pytest.mark.parametrize("call, kind, message", ERRORS)
def test_errors(call, kind, message, tmp_path):
    with pytest.raises(kind, match=message) as caught:
        call(tmp_path / "file")
    assert "\n" not in str(caught.value) and os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", ["pdparams", "safetensors"])
def test_a_full_disk_leaves_the_old_file(ending, tmp_path):
    path = tmp_path / f"x.{ending}"
    core.save({"w": tensor([1, 2])}, path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(OSError, match=rf"cannot write '.*x.{ending}': File too large; nothing there was changed"):
            core.save({"w": tensor(np.zeros(9000))}, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert core.load(path)["w"].tolist() == [1, 2] and os.listdir(tmp_path) == [path.name]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="cannot write '.*file/x.pdparams': .*; nothing there was changed"):
        core.save({}, tmp_path / "file" / "x.pdparams")


def test_hostile_file_runs_nothing(tmp_path):
    class Call:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "executed"),)

    (tmp_path / "x.pdparams").write_bytes(pickle.dumps({"w": Call()}))
    with pytest.raises(ValueError, match="it asks for posix.mkdir"):
        core.load(tmp_path / "x.pdparams")
    assert not (tmp_path / "executed").exists()
