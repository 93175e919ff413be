"""Walks every public operator and layer: exported and loaded it gives the eager values, or is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn, operators
from core.jit import Predictor, tree
from core.kernels.dispatch.operator import REGISTRY
from tests.core.samples import Draw, all_samples, cases
from tests.core.test_reflection_layers import CASES as LAYERS
from tests.sampling import sampled

SAMPLES = all_samples()
DATA_DEPENDENT = {"bincount", "lstsq", "masked_select", "nonzero", "unique", "unique_consecutive"}
READS_VALUES = {"get_rng_state", "tolist"}
KEEPS_STATE = {("batch_norm", 1)}  # in training mode
TRAINS_STATISTICS = {"BatchNorm_trainable_statistics"}


def check_same(got: Any, wanted: Any) -> None:
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    scale = max(1.0, float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0))) if wanted.dtype.kind == "f" else 1
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-5 * scale if wanted.dtype.kind == "f" else 0)


@pytest.mark.parametrize(("name", "index"), sampled(cases(), 3, group=lambda case: None))
def test_every_operator(name: str, index: int, tmp_path: Path) -> None:
    args, kwargs = SAMPLES[name][index](Draw())
    tensors, skeleton = tree.flatten((list(args), kwargs))

    def on_tensors(*given: core.Tensor) -> list[core.Tensor]:
        positional, named = tree.unflatten(skeleton, list(given))
        return tree.flatten(getattr(operators, name)(*positional, **named))[0]

    if not tensors:
        tensors, on = [core.ones([1])], on_tensors
        on_tensors = lambda unused: on()  # noqa: E731
    try:
        core.jit.save(on_tensors, tmp_path / "m", tensors)
    except ValueError as error:
        assert (name in READS_VALUES) == ("cannot be read while a program" in str(error)), str(error)
        assert (name in DATA_DEPENDENT) == ("depends on data" in str(error)), str(error)
        assert ((name, index) in KEEPS_STATE) == ("keeps no state" in str(error)), str(error)
        return
    predictor = Predictor(tmp_path / "m")
    got = predictor.run([tensor.as_float_numpy() for tensor in tensors])
    with core.no_grad():
        wanted = on_tensors(*tensors)
    random = any(REGISTRY[node.operator].random for node in predictor._program.nodes)
    for ours, theirs in zip(got, wanted):
        if random:
            assert ours.shape == tuple(theirs.shape)
        else:
            check_same(ours, theirs.as_float_numpy())


@pytest.mark.parametrize("name", sampled(LAYERS, 3, group=lambda name: name in TRAINS_STATISTICS))
def test_every_layer(name: str, tmp_path: Path) -> None:
    case = LAYERS[name]
    layer = case.build(core)
    layer.eval()
    inputs = [core.to_tensor(array) for array in case.inputs]

    def function(*given: Any) -> Any:
        return tree.flatten(case.call(layer, *given) if case.call else layer(*given))[0]

    if name in TRAINS_STATISTICS:
        with pytest.raises(ValueError, match="gives batch_norm.* a new value in evaluation mode"):
            core.jit.save(function, tmp_path / "m", inputs)
        return
    core.jit.save(function, tmp_path / "m", inputs)
    with core.no_grad():
        wanted = function(*inputs)
    got = Predictor(tmp_path / "m").run([tensor.numpy() for tensor in inputs])
    assert isinstance(layer, nn.Layer) and len(got) == len(wanted)
    for ours, theirs in zip(got, wanted):
        check_same(ours, theirs.numpy())
