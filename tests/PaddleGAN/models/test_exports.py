"""Every generator as an exported program, for any number of images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core.static import InputSpec
from PaddleGAN.models.blocks import normalization
from tests.PaddleGAN.models.small import GENERATORS, SMALL, build
from tests.parity.PaddleGAN.cases import flat
from tests.sampling import sampled


@pytest.mark.parametrize("name", sampled(GENERATORS, 4, group=lambda name: None))
def test_a_program_gives_the_network_s_images_for_any_batch(name: str, tmp_path: Path) -> None:
    network = build(name)
    network.eval()
    given = SMALL[name].inputs
    core.jit.save(
        network, str(tmp_path / "program"), [InputSpec([None, *array.shape[1:]], str(array.dtype)) for array in given]
    )
    predictor = core.jit.Predictor(str(tmp_path / "program"))
    for count in (2, 1):
        arrays = [array[:count] for array in given]
        found = flat(predictor.run(arrays if len(arrays) > 1 else arrays[0]))
        with core.no_grad():
            expected = flat(network(*[core.to_tensor(array) for array in arrays]))
        assert len(found) == len(expected)
        for actual, wanted in zip(found, expected):
            np.testing.assert_allclose(actual, wanted.numpy(), atol=1e-5)


def test_normalisation_by_the_batch_leaves_its_statistics_alone_in_evaluation() -> None:
    layer = normalization("batch", 3)
    x = np.random.default_rng(0).normal(2.0, 3.0, (4, 3, 5, 5)).astype("float32")
    layer.eval()
    found = layer(core.to_tensor(x)).numpy()
    np.testing.assert_array_equal(layer._mean.numpy(), np.zeros(3))
    mean, variance = x.mean(axis=(0, 2, 3), keepdims=True), x.var(axis=(0, 2, 3), keepdims=True)
    scale = layer.weight.numpy().reshape(1, 3, 1, 1)
    np.testing.assert_allclose(found, scale * (x - mean) / np.sqrt(variance + 1e-5), atol=1e-5)
    layer.train()
    np.testing.assert_allclose(layer(core.to_tensor(x)).numpy(), found, atol=1e-5)
    assert layer._mean.numpy().all()
