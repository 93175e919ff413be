"""The networks of restoration, and PSNR and SSIM, against ppgan's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from PaddleGAN.metrics import psnr, ssim
from PaddleGAN.models.registry import entry
from tests.parity.PaddleGAN.cases import flat
from tests.parity.PaddleGAN.restoration_cases import RESTORATION, fill, modes, thinned
from tests.parity.stored import stored_arrays, texts
from tests.sampling import sampled

REFERENCES = Path(__file__).with_name("references")


@pytest.mark.parametrize("name", sampled(RESTORATION, 4, group=lambda name: None))
def test_state_and_outputs_are_the_reference_s(name: str) -> None:
    case, reference = RESTORATION[name], stored_arrays(REFERENCES / f"{name}.npz")
    network = entry(case.network)(**case.arguments)
    found = {key: ",".join(map(str, tensor.shape)) for key, tensor in network.state_dict().items()}
    names, shapes = (texts(reference[key]) for key in ("names", "shapes"))
    assert list(found) == names and list(found.values()) == shapes
    for mode in modes(name):
        fill(network)
        network.train() if mode == "training" else network.eval()
        with core.no_grad():
            outputs = flat(network(*[core.to_tensor(array) for array in case.inputs]))
        assert f"{mode} {len(outputs)}" not in reference
        for number, output in enumerate(outputs):
            expected, actual = reference[f"{mode} {number}"], thinned(output.numpy())
            assert actual.shape == expected.shape
            error = np.abs(actual - expected).max() / max(1.0, np.abs(expected).max())
            assert error <= 1e-4, f"{mode} output {number}: relative error {error:.1e}"


@pytest.mark.parametrize("luma", [False, True])
@pytest.mark.parametrize("border", [0, 4])
def test_metrics_are_ppgan_s(border: int, luma: bool) -> None:
    reference = stored_arrays(REFERENCES / "restoration_metrics.npz")
    pictures = reference["first"][None], reference["second"][None]
    for name, function in (("psnr", psnr), ("ssim", ssim)):
        (found,) = function(*pictures, crop_border=border, test_y_channel=luma)
        assert found == pytest.approx(float(reference[f"{name} {border} {luma}"]), rel=1e-6)
