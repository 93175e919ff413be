"""Every network against another implementation: ppgan where it has the network, else PyTorch in float64."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PaddleGAN
from PaddleGAN.models.registry import entry
from tests.parity.PaddleGAN.cases import PPGAN, PYTORCH, answer, flat, thinned
from tests.parity.PaddleGAN.weights import state
from tests.parity.stored import stored_arrays, texts
from tests.sampling import sampled

REFERENCES = Path(__file__).with_name("references")
CASES = {**PPGAN, **PYTORCH}
LARGE = {
    *("anime_generator", "photo2cartoon_generator", "stylegan2_mixed", "stylegan2_discriminator", "stargan_v2_style"),
    *("stargan_v2_masked", "stargan_v2_discriminator", "wav2lip", "sync_net"),
}
"""Networks that take a second: of each family one stays in the default run."""


def stored(name: str) -> dict[str, np.ndarray]:
    return stored_arrays(REFERENCES / f"{name}.npz")


def fill(network: core.nn.Layer) -> None:
    tensors = network.state_dict()
    for name, value in state({name: tuple(tensor.shape) for name, tensor in tensors.items()}).items():
        tensors[name].set_value(value)


@pytest.mark.parametrize("name", sampled(CASES, 3, group=lambda name: "" if name in LARGE else CASES[name].network))
def test_state_and_outputs_are_the_reference_s(name: str) -> None:
    case, reference = CASES[name], stored(name)
    network = entry(case.network)(**case.arguments)
    found = {name: ",".join(map(str, tensor.shape)) for name, tensor in network.state_dict().items()}
    expected = dict(zip(texts(reference["names"]), texts(reference["shapes"])))
    assert found == expected
    if name in PPGAN:
        assert list(found) == list(expected)  # the order too
    for mode in ("evaluation", "training"):
        fill(network)
        network.train() if mode == "training" else network.eval()
        with core.no_grad():
            outputs = flat(answer(network, case, [core.to_tensor(array) for array in case.inputs]))
        assert f"{mode} {len(outputs)}" not in reference
        for number, output in enumerate(outputs):
            expected = reference[f"{mode} {number}"]
            actual = thinned(output.numpy())
            assert actual.shape == expected.shape
            error = np.abs(actual - expected).max() / max(1.0, np.abs(expected).max())
            assert error <= 1e-4, f"{mode} output {number}: relative error {error:.1e}"


@pytest.mark.parametrize("name", CASES)
def test_the_references_depend_on_the_input(name: str) -> None:
    reference = stored(name)
    output = reference["training 0"]
    assert output.std() > 0.01
    assert len(output) == 1 or np.abs(output[0] - output[1]).max() > 0.01


def test_a_checkpoint_of_ppgan_loads_network_by_network() -> None:
    path = REFERENCES / "ppgan_checkpoint.pdparams"
    creators = {"dc_generator": PaddleGAN.create_generator, "dc_discriminator": PaddleGAN.create_discriminator}
    for name, create in creators.items():
        case, reference = PPGAN[name], stored(name)
        network = create(case.network, pretrained=path, **case.arguments)
        network.eval()
        with core.no_grad():
            output = network(core.to_tensor(case.inputs[0])).numpy()
        np.testing.assert_allclose(output, reference["evaluation 0"], atol=1e-4)


def test_a_checkpoint_of_photopen_loads_by_its_names(tmp_path: Path) -> None:
    case, reference = PPGAN["photopen_generator"], stored("photopen_generator")
    network = entry(case.network)(**case.arguments)
    fill(network)
    core.save({"net_gen": network.state_dict(), "net_des": {}, "epoch": 1}, str(tmp_path / "photopen.pdparams"))
    again = PaddleGAN.create_generator(case.network, pretrained=tmp_path / "photopen.pdparams", **case.arguments)
    again.eval()
    with core.no_grad():
        found = again(core.to_tensor(case.inputs[0])).numpy()
    np.testing.assert_allclose(found, reference["evaluation 0"], atol=1e-4)


def test_simam_gives_a_number_for_a_map_of_one_pixel() -> None:
    from PaddleGAN.models.photopen import simam

    x = np.array([[[[3.0]], [[-2.0]]]], np.float32)
    np.testing.assert_allclose(simam(core.to_tensor(x)).numpy(), x / (1 + np.exp(-0.5)), rtol=1e-6)
