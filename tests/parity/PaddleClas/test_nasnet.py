"""NASNet and PNASNet against the well-known PyTorch port: the same outputs from the same weights."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PaddleClas
from tests.parity.PaddleClas.test_networks import REFERENCES, assert_close, official_state
from tests.parity.recipe import input_images
from tests.parity.stored import stored_arrays, texts


@pytest.mark.zoo
@pytest.mark.parametrize("name", ["NASNetA_large", "PNASNet5_large"])
def test_outputs_are_those_of_the_port(name: str) -> None:
    reference = stored_arrays(REFERENCES / f"{name}.npz")
    with core.LazyGuard():
        model = PaddleClas.create_model(name)
    assert {key: ",".join(map(str, tensor.shape)) for key, tensor in model.state_dict().items()} == dict(
        zip(texts(reference["names"]), texts(reference["shapes"]))
    )
    assert model.set_state_dict(official_state(reference)) == ([], [])
    model.materialize()
    model.eval()
    with core.no_grad():
        output = model(core.to_tensor(input_images(reference["input_shape"]))).numpy()
    assert_close(output, reference["output"])
    assert reference["noise"] < 0.5e-4 * max(1.0, np.abs(reference["output"]).max())
    assert np.abs(output[0] - output[1]).max() > 0.1
