"""Walks every public layer: weights go round, modes and names hold; nn/test_compiled_layers.py trains them."""

from __future__ import annotations

import importlib
import importlib.util

import numpy as np
import pytest

import core
from core import nn
from tests.core.nn.reference_cases import Case, all_cases, draw, flat
from tests.sampling import sampled

CASES: dict[str, Case] = {
    **all_cases(),
    "dropout": Case(lambda p: p.nn.Dropout(0.5), draw("x", 3, 4), training=False),
    "dropout2d": Case(lambda p: p.nn.Dropout2D(0.5), draw("x", 2, 3, 4, 4), training=False),
    "dropout3d": Case(lambda p: p.nn.Dropout3D(0.5), draw("x", 2, 3, 2, 2, 2), training=False),
    "alpha dropout": Case(lambda p: p.nn.AlphaDropout(0.5), draw("x", 3, 4), training=False),
    "synchronised batch norm": Case(lambda p: p.nn.SyncBatchNorm(3), draw("x", 4, 3, 2, 2)),
    "identity": Case(lambda p: p.nn.Identity(), draw("x", 3, 4)),
    "sequential": Case(lambda p: p.nn.Sequential(p.nn.Linear(4, 3), p.nn.Tanh()), draw("x", 2, 4)),
    "layer list": Case(lambda p: p.nn.LayerList([p.nn.Linear(4, 3)]), draw("x", 2, 4), call=lambda m, x: m[0](x)),
    "layer dict": Case(
        lambda p: p.nn.LayerDict({"one": p.nn.Linear(4, 3)}), draw("x", 2, 4), call=lambda m, x: m["one"](x)
    ),
    "parameter list": Case(
        lambda p: p.nn.ParameterList([p.create_parameter([4, 3], "float32")]),
        draw("x", 2, 4),
        call=lambda m, x: x.matmul(m[0]),
    ),
}
for axes, shape in ((1, (1, 2, 3)), (2, (1, 2, 2, 3)), (3, (1, 1, 2, 1, 2))):
    places = 2 * np.arange(np.prod(shape[2:]), dtype="int32").reshape((1, 1, *shape[2:]))
    CASES[f"unpooling {axes}"] = Case(
        lambda p, axes=axes: getattr(p.nn, f"MaxUnPool{axes}D")(2),  # type: ignore[misc]
        draw("x", *shape),
        np.ascontiguousarray(np.broadcast_to(places, shape)),
    )


def kind_of_layer(name: str) -> str:
    """Return the part of a case's name that names the layer: what follows gives its arguments."""
    return name.split("_")[0]


def kind_of_program(name: str) -> str:
    """Return the same, one kind for all recurrent networks: their programs differ in the cell alone."""
    kind = kind_of_layer(name)
    return "recurrent" if kind in ("SimpleRNN", "LSTM", "GRU") else kind


BASES = {"Layer", "RNNCellBase"}


def public_layers() -> list[str]:
    values = {name: getattr(nn, name) for name in nn.__all__}
    return [name for name, value in values.items() if isinstance(value, type) and issubclass(value, nn.Layer)]


def test_every_public_layer_has_a_case() -> None:
    built = {type(layer).__name__ for case in CASES.values() for layer in case.build(core).sublayers(True)}
    assert set(public_layers()) - built == BASES


@pytest.mark.parametrize("name", sampled(CASES, 6, group=kind_of_layer))
def test_the_weights_go_round_into_a_fresh_layer_which_describes_itself_and_switches_mode(name: str) -> None:
    layer, fresh = CASES[name].build(core), CASES[name].build(core)
    if layer.state_dict():
        call(name, layer)  # moves running statistics
    assert fresh.set_state_dict(layer.state_dict()) == ([], [])
    for module in (layer, fresh):
        module.eval()
    for expected, got in zip(call(name, layer), call(name, fresh)):
        np.testing.assert_array_equal(got.numpy(), expected.numpy())
    assert repr(layer).startswith(type(layer).__name__ + "(")
    assert not any(module.training for module in layer.sublayers(True))
    layer.train()
    assert all(module.training for module in layer.sublayers(True))


def call(name: str, layer: nn.Layer) -> list[core.Tensor]:
    case = CASES[name]
    return flat(case.call(layer, *(core.to_tensor(values) for values in case.inputs)))


def test_every_name_of_the_package_resolves() -> None:
    for name in (*core.NAMES, *core.RENAMED):
        assert getattr(core, name) is not None, name
    for name in core.SUBMODULES:
        if importlib.util.find_spec(f"core.{name}") is not None:
            assert getattr(core, name) is importlib.import_module(f"core.{name}")
    for module in (nn, nn.functional, nn.initializer, core.optimizer, core.optimizer.lr, core.metric, core.io):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
