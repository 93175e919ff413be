"""Every layer whose shapes follow from the graph's sizes: compiled over a graph as argument, the same as eager."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
import PGL
from core.jit import to_static
from tests.parity.PGL.layer_cases import CASES, batched_graph, direction, typed_graphs, weight
from tests.sampling import sampled

READS_THE_GRAPH = ("SAGPool", "SAGPool_min_score", "GraphMultisetTransformer")
COMPILED = [name for name, case in CASES.items() if name not in READS_THE_GRAPH and case.graph is not typed_graphs]


def run(name: str, compiled: bool) -> list[np.ndarray]:
    """Return the output of a layer and its gradients towards inputs and parameters."""
    case = CASES[name]
    layer = case.build(PGL, core)
    for key, tensor in layer.state_dict().items():
        tensor.set_value(weight(key, tuple(tensor.shape)))
    layer.train() if case.training else layer.eval()
    flat = case.graph(PGL).flat()
    inputs = {key: core.to_tensor(array, stop_gradient=False) for key, array in case.inputs.items()}

    def forward(*tensors: Any) -> Any:
        graph = PGL.Graph.from_flat(tensors[: len(flat)])
        return case.call(layer, graph, **dict(zip(inputs, tensors[len(flat) :])))

    output = (to_static(forward) if compiled else forward)(*flat, *inputs.values())
    (output * core.to_tensor(direction(tuple(output.shape)))).sum().backward()
    gradients = [tensor.grad for tensor in (*inputs.values(), *layer.parameters())]
    return [output.numpy()] + [np.zeros(1) if gradient is None else gradient.numpy() for gradient in gradients]


@pytest.mark.parametrize("name", sampled(COMPILED, 2, group=lambda name: None))
def test_a_compiled_layer_is_the_eager_one(name: str) -> None:
    for compiled, eager in zip(run(name, True), run(name, False)):
        np.testing.assert_allclose(compiled, eager, rtol=1e-5, atol=2e-6)
        assert np.isfinite(compiled).all()


def test_kinds_of_edges_compiled() -> None:
    layer = PGL.nn.RGCNConv(12, 5, ["cites", "writes", "reads"], num_bases=2)
    flats = {kind: graph.flat() for kind, graph in typed_graphs(PGL).items()}
    x = core.to_tensor(CASES["RGCNConv"].inputs["x"])

    def forward(graphs: Any, x: Any) -> Any:
        return layer({kind: PGL.Graph.from_flat(flat) for kind, flat in graphs.items()}, x)

    np.testing.assert_allclose(to_static(forward)(flats, x).numpy(), forward(flats, x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name, path", [("SAGPool", "sag_pool"), ("GraphMultisetTransformer", "graph_multiset")])
def test_a_layer_whose_shapes_depend_on_values_is_refused_by_name(name: str, path: str) -> None:
    layer = CASES[name].build(PGL, core)
    flat = batched_graph(PGL).flat()

    def forward(x: Any, *tensors: Any) -> Any:
        return layer(PGL.Graph.from_flat(tensors), x)

    with pytest.raises(ValueError, match=f"cannot be read while a program is being compiled.*{path}"):
        to_static(forward)(core.to_tensor(CASES[name].inputs["x"]), *flat)
