"""Features of which only the numbers that are not 0 are stored: the layers answer as to the dense ones."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
import PGL
from core.jit import to_static
from core.operators.linear_algebra.sparse_rows import SparseRows
from tests.parity.PGL.layer_cases import NODES, features, plain_graph

WORDS = features("words", NODES, 30) * (features("which words", NODES, 30) > 0.7)
BUILD: dict[str, Callable[[], Any]] = {
    "GCNConv": lambda: PGL.nn.GCNConv(30, 4),
    "GCNConv, wider": lambda: PGL.nn.GCNConv(30, 40),
    "GATConv": lambda: PGL.nn.GATConv(30, 4, num_heads=3),
    "GATv2Conv": lambda: PGL.nn.GATv2Conv(30, 4, num_heads=3),
    "TransformerConv": lambda: PGL.nn.TransformerConv(30, 4, num_heads=3),
    "SGCConv": lambda: PGL.nn.SGCConv(30, 4, bias=True),
    "SSGCConv": lambda: PGL.nn.SSGCConv(30, 4),
    "GCN": lambda: PGL.models.GCN(30, 4),
    "APPNP": lambda: PGL.models.APPNP(30, 4),
    "GCNII": lambda: PGL.models.GCNII(30, 4, k_hop=3),
}


def gradients(layer: Any, output: Any) -> list[np.ndarray]:
    (output * core.to_tensor(features("direction", *output.shape))).sum().backward()
    found = [parameter.grad.numpy() for parameter in layer.parameters()]
    layer.clear_gradients()
    return [output.numpy(), *found]


@pytest.mark.parametrize("name", BUILD)
def test_the_same_outputs_and_gradients_as_with_zeros(name: str) -> None:
    core.seed(4)
    layer, graph = BUILD[name](), plain_graph(PGL)
    layer.eval()
    rows = SparseRows.from_dense(WORDS)
    expected = gradients(layer, layer(graph, core.to_tensor(WORDS)))
    for run in (layer, to_static(lambda graph, rows: layer(graph, rows))):
        for actual, wanted in zip(gradients(layer, run(graph, rows)), expected):
            assert np.abs(actual - wanted).max() <= 1e-5 * max(1.0, np.abs(wanted).max())


def test_dropout_drops_numbers_that_are_not_0() -> None:
    core.seed(5)
    rows = PGL.nn.functional.dropped(core.nn.Dropout(0.5), SparseRows.from_dense(np.ones((40, 50), np.float32)))
    values = rows.values.numpy()
    assert set(values.tolist()) == {0.0, 2.0} and 0.45 < (values > 0).mean() < 0.55
    assert rows.shape == [40, 50]
