"""ERNIESage against paddlenlp's ERNIE and pgl's message passing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PGL
from tests.parity.PGL import erniesage_case as case
from tests.parity.PGL.layer_cases import direction
from tests.parity.stored import stored_arrays, texts


@pytest.mark.parametrize("version", [1, 2])
def test_outputs_and_gradients(version: int) -> None:
    reference = stored_arrays(Path(__file__).with_name("references") / f"ErnieSageV{version}.npz")
    network = PGL.models.create_model(
        f"ErnieSageV{version}", vocab_size=case.VOCABULARY, max_seqlen=case.TOKENS, encoder=case.ERNIE,
        hidden_size=case.HIDDEN, num_layers=case.LAYERS, cls_token_id=case.CLS,
    )  # fmt: skip
    state = network.state_dict()
    assert sorted(state) == sorted(texts(reference["names"]))
    for name, tensor in state.items():
        tensor.set_value(case.value(name, tuple(tensor.shape)))
    network.eval()
    graph = PGL.Graph(case.EDGES, case.NODES).tensor()
    output = network(graph, core.to_tensor(case.term_ids()))
    np.testing.assert_allclose(output.numpy(), reference["output"], rtol=1e-4, atol=1e-5)
    (output * core.to_tensor(direction(tuple(output.shape)))).sum().backward()
    parameters = dict(network.named_parameters())
    for name in case.DIFFERENTIATED:
        expected = reference[f"gradient {name}"]
        bound = 1e-4 * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(parameters[name].grad.numpy(), expected, rtol=0, atol=bound, err_msg=name)
