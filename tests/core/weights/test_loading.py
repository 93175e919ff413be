"""Strict loading: all or nothing, exceptions by name, and a report of what changed."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import core
from core.weights import WeightRecord, cache_path, load_weights, write_pdparams, write_safetensors


class Net(core.nn.Layer):
    head_names = ("fc",)

    def __init__(self, classes: int = 3) -> None:
        super().__init__()
        self.conv = core.nn.Conv2D(1, 2, 3)
        self.bn = core.nn.BatchNorm2D(2)
        self.fc = core.nn.Linear(2, classes)


def arrays(model: core.nn.Layer) -> dict[str, np.ndarray]:
    return dict(_items(model))


def _items(model: core.nn.Layer) -> list:
    return [(name, tensor.numpy()) for name, tensor in model.state_dict().items()]


def other(model: core.nn.Layer) -> dict[str, np.ndarray]:
    """Values that no model has by itself."""
    return {name: 7 + np.arange(array.size, dtype=array.dtype).reshape(array.shape) for name, array in _items(model)}


NAMES = ("conv.weight", "conv.bias", "bn.weight", "bn.bias", "bn._mean", "bn._variance", "fc.weight", "fc.bias")


@pytest.mark.parametrize("form", ["file", "safetensors", "dictionary", "tensors", "record", "address"])
def test_every_source_gives_its_values(form, tmp_path, monkeypatch):
    model = Net()
    values = other(model)
    source = tmp_path / "net.pdparams"
    if form == "file":
        write_pdparams(values, source)
    elif form == "safetensors":
        write_safetensors(values, source)
    elif form == "dictionary":
        source = values
    elif form == "tensors":
        source = {**{name: core.to_tensor(value) for name, value in values.items()}, "StructuredToParameterName@@": {}}
    else:
        monkeypatch.setenv("CORE_HOME", str(tmp_path))
        url = "https://example.org/net.pdparams"
        write_pdparams(values, cache_path(url))
        source = url if form == "address" else WeightRecord(url, None, None, 3, "MIT", "here", "none")
    report = load_weights(model, source)
    assert report.loaded == NAMES and not report.fresh and not report.unused
    for name, array in arrays(model).items():
        np.testing.assert_array_equal(array, values[name])


def without(values: dict, *names: str) -> dict:
    return {name: value for name, value in values.items() if name not in names}


FIVE = {"fc.weight": np.ones((2, 5), "float32"), "fc.bias": np.ones(5, "float32")}
MISFITS = {
    "other head": (
        lambda v: {**v, **FIVE},
        r"does not fit the model: 2 entries differ: fc.weight \(\[2, 5\] -> \[2, 3\]\), fc.bias \(\[5\] -> \[3\]\); "
        "pass adapt_head=True to keep a fresh head",
    ),
    "missing": (lambda v: without(v, "bn._mean"), "does not fit the model: it lacks 1 entry: bn._mean$"),
    "unknown": (lambda v: {**v, "x" * 300: v["fc.bias"]}, r"does not fit the model: the model has no x{90,}\.\.$"),
    "misspelt": (
        lambda v: {**without(v, "bn._mean"), "bn.mean": v["bn._mean"]},
        r"it lacks 1 entry: bn._mean; the model has no bn.mean \(the nearest that it lacks is bn._mean\)",
    ),
    "kind": (lambda v: {**v, "fc.bias": np.zeros(3, "int64")}, r"1 entry differs: fc.bias \(int64 -> float32\)"),
    "prefix": (
        lambda v: {f"module.{name}": value for name, value in v.items()},
        "it lacks 8 entries: conv.weight, conv.bias, bn.weight, bn.bias and 4 more; the model has no module.conv.weight"
        ", .* and 4 more .*; the names fit without their prefix 'module.': load a dictionary without it",
    ),
    "empty": (lambda v: {}, "the dictionary does not fit the model: it lacks 8 entries"),
    "no array": (lambda v: {**v, "epoch": 3}, "the dictionary has a int under 'epoch', not an array"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_what_does_not_fit_is_one_line_and_nothing_is_loaded(name):
    change, message = MISFITS[name]
    model = Net()
    before = arrays(model)
    with pytest.raises(ValueError, match=message) as caught:
        load_weights(model, change(other(model)))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 800
    for key, array in arrays(model).items():
        np.testing.assert_array_equal(array, before[key])


@pytest.mark.parametrize("adapt_head", [True, ["fc"], "fc"])
def test_a_head_is_adapted_when_asked_and_the_log_lists_it(adapt_head, caplog):
    model = Net()
    before, values = arrays(model), other(model)
    with caplog.at_level(logging.WARNING):
        report = load_weights(model, {**values, **FIVE, "fc.scale": values["fc.bias"]}, adapt_head=adapt_head)
    assert report.loaded == NAMES[:6]
    assert report.fresh == {"fc.weight": "[2, 5] -> [2, 3]", "fc.bias": "[5] -> [3]"}
    assert report.unused == {"fc.scale": "not in the model"}
    assert str(report).splitlines() == [
        "the dictionary: 6 of 8 entries of the model loaded",
        "  fresh: fc.weight ([2, 5] -> [2, 3])",
        "  fresh: fc.bias ([5] -> [3])",
        "  unused: fc.scale (not in the model)",
    ]
    assert str(report) in caplog.text
    for key, array in arrays(model).items():
        np.testing.assert_array_equal(array, (before if key.startswith("fc.") else values)[key])


def test_adapting_the_head_adapts_nothing_else():
    model = Net()
    values = {**other(model), **FIVE, "conv.bias": np.zeros(9, "float32")}
    with pytest.raises(ValueError, match=r"1 entry differs: conv.bias \(\[9\] -> \[2\]\)$"):
        load_weights(model, values, adapt_head=True)


def test_a_head_must_be_known():
    with pytest.raises(ValueError, match="adapt_head names 'bm', but the model has no such layer; the nearest is 'bn'"):
        load_weights(Net(), other(Net()), adapt_head=["bm"])
    plain = core.nn.Linear(2, 2)
    message = r"Linear does not say which .* \(it has no head_names\); name them: adapt_head=\['fc'\]"
    with pytest.raises(ValueError, match=message):
        load_weights(plain, other(plain), adapt_head=True)


def test_not_strict_loads_what_fits_and_says_what_not(caplog):
    model = Net()
    before, values = arrays(model), other(model)
    with caplog.at_level(logging.WARNING):
        report = load_weights(model, {**without(values, "bn.bias"), **FIVE, "x": values["fc.bias"]}, strict=False)
    assert report.fresh["bn.bias"] == "not in the source" and report.unused == {"x": "not in the model"}
    assert "fresh: bn.bias (not in the source)" in caplog.text
    np.testing.assert_array_equal(model.conv.weight.numpy(), values["conv.weight"])
    np.testing.assert_array_equal(model.bn.bias.numpy(), before["bn.bias"])
    with pytest.raises(ValueError, match="the dictionary has nothing that fits the model: it lacks 8 entries"):
        load_weights(model, {"y": values["fc.bias"]}, strict=False)


def test_older_names_are_renamed_before_anything_is_compared(tmp_path):
    model = Net()
    values = other(model)
    write_pdparams({f"old/{name}": value for name, value in values.items()}, tmp_path / "old.pdparams")
    with pytest.raises(ValueError, match="old.pdparams' does not fit the model: it lacks 8 entries"):
        load_weights(model, tmp_path / "old.pdparams")
    report = load_weights(
        model, tmp_path / "old.pdparams", rename=lambda entries: {name[4:]: entries[name] for name in entries}
    )
    assert set(report.loaded) == set(NAMES)
    np.testing.assert_array_equal(model.fc.weight.numpy(), values["fc.weight"])


def test_bfloat16_bits_and_other_floating_types_are_converted():
    model = core.nn.Linear(2, 2)
    bits = np.array([0x3FC0, 0xC000], np.uint16)  # 1.5 and -2 in bfloat16
    load_weights(model, {"weight": np.eye(2), "bias": bits})
    assert model.bias.tolist() == [1.5, -2.0] and model.weight.dtype == "float32"
    model.bfloat16()
    load_weights(model, {"weight": np.eye(2, dtype="float16"), "bias": bits})
    assert model.bias.dtype == "bfloat16" and model.bias.tolist() == [1.5, -2.0]


def test_a_tensor_of_two_names_needs_one_of_them():
    class Tied(core.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.first = core.nn.Linear(2, 2, bias_attr=False)
            self.second = core.nn.Linear(2, 2, bias_attr=False)
            self.second.weight = self.first.weight

    model = Tied()
    assert load_weights(model, {"second.weight": np.eye(2, dtype="float32")}).fresh == {}
    np.testing.assert_array_equal(model.first.weight.numpy(), np.eye(2))


def test_abstract_parameters_take_memory_only_for_what_is_loaded():
    with core.LazyGuard():
        model = Net()
    values = other(Net())
    load_weights(model, {**values, **FIVE}, adapt_head=True)
    assert model.fc.weight.is_abstract and not model.conv.weight.is_abstract
    model.materialize()
    np.testing.assert_array_equal(model.conv.weight.numpy(), values["conv.weight"])
    assert model.fc.weight.numpy().std() > 0


def test_importing_it_does_not_load_the_engine():
    code = "import sys; from core.weights import load_weights; sys.exit(bool({'mxnet', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3]).returncode == 0
