"""What every network promises: its size, gradients of every parameter, weights that survive a file, compilation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from PaddleGAN.models.registry import MODELS, entry
from tests.PaddleGAN.models.small import GENERATORS, SMALL, build, inputs, weighted_sum
from tests.parity.PaddleGAN.cases import flat
from tests.sampling import sampled


@pytest.fixture(autouse=True)
def single_precision_afterwards() -> Iterator[None]:
    yield
    core.set_default_dtype("float32")


def conv(received: int, returned: int, kernel: int, bias: bool = True) -> int:
    return received * returned * kernel**2 + bias * returned


def linear(received: int, returned: int) -> int:
    return received * returned + returned


def spade(width: int, classes: int) -> int:
    return conv(classes, 128, 3) + 2 * conv(128, width, 3)


def spade_block(received: int, returned: int, classes: int) -> int:
    middle = min(received, returned)
    count = conv(received, middle, 3) + conv(middle, returned, 3) + spade(received, classes) + spade(middle, classes)
    return count + (received != returned) * (conv(received, returned, 1, False) + spade(received, classes))


def transfer_unit(state: int, width: int) -> int:
    return conv(state, width, 4) + 3 * conv(2 * width, width, 3)


ENCODER = sum(
    conv(received, returned, 4, False) + 2 * returned
    for received, returned in ((3, 64), (64, 128), (128, 256), (256, 512), (512, 1024))
)
"""Of AttGAN and STGAN: convolutions without biases, batch normalisations."""

STRIDED = ((3, 64), (64, 128), (128, 256), (256, 512), (512, 1024), (1024, 2048))
TO_4_PIXELS = ((1024 * 16, 1024), (1024, 1), (1024 * 16, 1024), (1024, 13))

PARAMETERS = {
    "ResnetGenerator": 7_837_699,
    "resnet_6block": 7_837_699,
    "resnet_9block": 11_378_179,
    "UnetGenerator": 54_413_955,
    "unet_128": 41_828_995,
    "unet_256": 54_413_955,
    "NLayerDiscriminator": 2_764_737,
    "NLayerDiscriminatorWithClassification": 2_764_737 + 10 * 64 * 16,  # ten more channels
    "PixelDiscriminator": conv(3, 64, 1) + conv(64, 128, 1) + conv(128, 1, 1),
    "DCGenerator": 16 * (100 * 512 + 512 * 256 + 256 * 128 + 128 * 64 + 64 * 3) + 2 * (512 + 256 + 128 + 64),
    "DCDiscriminator": (
        conv(3, 64, 4, False) + conv(64, 128, 4) + conv(128, 256, 4) + conv(256, 512, 4) + 2 * 896 + conv(512, 1, 4)
    ),
    "DeepConvGenerator": (
        linear(100, 128 * 256) + 2 * 128 + conv(128, 128, 3) + 2 * 128 + conv(128, 64, 3) + 2 * 64 + conv(64, 3, 3)
    ),
    "ConditionalDeepConvGenerator": (
        linear(110, 128 * 256) + 2 * 128 + conv(128, 128, 3) + 2 * 128 + conv(128, 64, 3) + 2 * 64 + conv(64, 3, 3)
    ),
    "DCGenerator28": (linear(100, 2048) + 2 * 2048 + linear(2048, 6272) + 2 * 6272 + conv(128, 128, 4) + 128 * 16 + 1),
    "DCDiscriminator28": conv(1, 64, 4) + conv(64, 128, 4) + 2 * 128 + linear(6272, 1024) + 2 * 1024 + linear(1024, 1),
    "CGANGenerator": (
        linear(110, 1024) + 2 * 1024 + linear(1034, 12544) + 2 * 12544 + conv(266, 256, 4) + 2 * 256 + 266 * 16 + 1
    ),
    "CGANDiscriminator": (
        conv(11, 64, 3) + conv(74, 64, 3) + 2 * 64 + linear(3136 + 10, 1024) + 2 * 1024 + linear(1034, 1)
    ),
    "WGANCritic": conv(3, 64, 4) + conv(64, 128, 4) + conv(128, 256, 4) + conv(256, 512, 4) + 2 * 896 + conv(512, 1, 4),
    "StarGANGenerator": (
        *(conv(8, 64, 7, False) + 128, conv(64, 128, 4, False) + 256, conv(128, 256, 4, False) + 512),
        *(12 * (conv(256, 256, 3, False) + 512), conv(256, 128, 4, False) + 256, conv(128, 64, 4, False) + 128),
        conv(64, 3, 7, False),
    ),
    "StarGANDiscriminator": (
        *(conv(received, returned, 4) for received, returned in STRIDED),
        *(conv(2048, 1, 3, False), conv(2048, 5, 2, False)),
    ),
    "AttGANGenerator": (
        ENCODER,
        *(conv(1024 + 13, 1024, 4, False) + 2048, conv(1024 + 512 + 13, 512, 4, False) + 1024),
        *(conv(512, 256, 4, False) + 512, conv(256, 128, 4, False) + 256, conv(128, 3, 4)),
    ),
    "AttGANDiscriminator": (
        *(conv(received, returned, 4) for received, returned in STRIDED[:5]),
        *(linear(received, returned) for received, returned in TO_4_PIXELS),
    ),
    "STGANGenerator": (
        ENCODER,
        *(transfer_unit(1024 + 13, 512), transfer_unit(512 + 13, 256)),
        *(transfer_unit(256 + 13, 128), transfer_unit(128 + 13, 64)),
        *(conv(1024 + 13, 1024, 4, False) + 2048, conv(1024 + 512 + 13, 512, 4, False) + 1024),
        *(conv(512 + 256 + 13, 256, 4, False) + 512, conv(256 + 128 + 13, 128, 4, False) + 256),
        conv(128 + 64 + 13, 3, 4),
    ),
    "ResnetUGATITGenerator": 15_309_504 + (64**2 - 1) * 256**2,  # ppgan counts the light one; this sees each pixel
    "UGATITDiscriminator": 3_290_560,
    "ResnetUGATITP2CGenerator": 3_767_333,
    "AnimeGenerator": 2_143_552,
    "AnimeGeneratorLite": 962_368,
    "AnimeDiscriminator": 1_128_800,
    "Wav2Lip": 36_298_035,
    "Wav2LipDiscQual": 14_113_793,
    "SyncNetColor": 16_435_072,
    "StarGANv2Generator": 43_467_395,
    "StarGANv2Mapping": 2_438_272,
    "StarGANv2Style": 20_916_928,
    "StarGANv2Discriminator": 20_852_290,
    "StyleGANv2Generator": 30_034_338,
    "StyleGANv2Discriminator": 28_864_129,
    "SPADEGenerator": (
        *(conv(35, 1024, 3), 3 * spade_block(1024, 1024, 35), spade_block(1024, 512, 35), spade_block(512, 256, 35)),
        *(spade_block(256, 128, 35), spade_block(128, 64, 35), conv(64, 3, 3)),
    ),
    "RRDBNet": 16_697_987,
    "LESRCNNGenerator": 774_016,
    "PAN": 272_419,
    "DRNGenerator": 4_804_041,
    "EDVRNet": 3_300_131,
    "BasicVSRNet": 6_291_311,
    "VGGDiscriminator128": 14_499_401,
    "MultiscaleDiscriminator": 2 * (conv(38, 64, 4) + 16 * (64 * 128 + 128 * 256 + 256 * 512) + conv(512, 1, 4)),
}
"""Trainable parameters: official counts for the first of ppgan's networks, else by hand; several numbers are summed."""

STEP = 1e-8
"""Of finite differences: small, as the networks are full of kinks."""

STEPS = {"StyleGANv2Generator": 1e-7}
"""Larger where a hundredth of what is moved counts, as in the layers that map noise to styles."""

DRAWING = ("StyleGANv2Generator",)
"""They draw details in training, so that no two forward passes are the same."""

OF_MANY_KERNELS = ("SPADE", "ResnetUGATITP2C")
"""How those begin that have too many parameters to move each by itself."""


def test_the_table_is_complete() -> None:
    assert sorted(PARAMETERS) == sorted(MODELS)
    assert {case.network for case in SMALL.values()} == {name for name in MODELS if name[0].isupper()}


@pytest.mark.parametrize("name", MODELS)
def test_number_of_trainable_parameters(name: str) -> None:
    needed = {"SPADEGenerator": {"semantic_nc": 35}, "MultiscaleDiscriminator": {"input_nc": 38}}
    with core.LazyGuard():
        network = entry(name)(**needed.get(name, {}))
    count = sum(int(np.prod(parameter.shape)) for parameter in network.parameters() if not parameter.stop_gradient)
    expected = PARAMETERS[name]
    assert count == (sum(expected) if isinstance(expected, tuple) else expected)


LARGE = {"nf": 128, "back_RBs": 40}
DEBLUR = {**LARGE, "predeblur": True, "HR_in": True, "scale_factor": 1}

PPGANS_FORMS = [
    ("EDVRNet", {"w_TSA": False}, 2_996_259),
    ("EDVRNet", LARGE, 20_633_827),
    ("EDVRNet", {**LARGE, "w_TSA": False}, 19_419_875),
    ("EDVRNet", DEBLUR, 23_602_019),
    ("EDVRNet", {**DEBLUR, "w_TSA": False}, 22_388_067),
    ("ResnetUGATITGenerator", {"light": True, "n_blocks": 4}, 10_589_888),
    ("UGATITDiscriminator", {"n_layers": 7}, 53_130_176),
    ("StyleGANv2Generator", {"size": 1024}, 30_370_060),
    ("StarGANv2Generator", {"w_hpf": 0}, 33_892_995),
    ("NLayerDiscriminator", {"norm_type": "spectral"}, 2_764_736),
    (
        "SPADEGenerator",
        {
            **{"ngf": 24, "num_upsampling_layers": "normal", "crop_size": 256, "aspect_ratio": 1.0, "semantic_nc": 14},
            **{"norm_G": "spectralspadebatch3x3", "use_vae": False, "nef": 16},
        },
        19_191_339,
    ),
    (
        "SPADEGenerator",
        {
            **{"ngf": 8, "num_upsampling_layers": "most", "crop_size": 256, "aspect_ratio": 1.0, "semantic_nc": 14},
            **{"norm_G": "spectralspadeinstance3x3", "use_vae": False, "nef": 16},
        },
        4_605_223,
    ),
    (
        "MultiscaleDiscriminator",
        {
            **{"ndf": 128, "num_D": 4, "crop_size": 256, "label_nc": 12, "output_nc": 3},
            **{"contain_dontcare_label": True, "no_instance": False, "n_layers_D": 6},
        },
        61_017_604,
    ),
]
"""Networks with arguments of ppgan 2.1, and how many trainable parameters it counts."""


@pytest.mark.parametrize(("name", "arguments", "expected"), PPGANS_FORMS)
def test_number_of_trainable_parameters_of_ppgan_s_forms(name: str, arguments: dict[str, Any], expected: int) -> None:
    with core.LazyGuard():
        network = entry(name)(**arguments)
    assert expected == sum(
        int(np.prod(parameter.shape)) for parameter in network.parameters() if not parameter.stop_gradient
    )


@pytest.mark.parametrize("name", sampled(SMALL, 3, group=lambda name: None))
def test_every_parameter_gets_a_finite_gradient(name: str) -> None:
    network = build(name)
    weighted_sum(network(*inputs(name))).backward()
    for key, parameter in network.named_parameters():
        if parameter.stop_gradient:
            continue
        assert parameter.grad is not None, key
        gradient = parameter.grad.numpy()
        assert np.isfinite(gradient).all(), key
        if gradient.ndim > 1:  # shifts may be undone by the next normalisation
            assert np.abs(gradient).max() > 0, key


@pytest.mark.parametrize("name", sampled(SMALL, 6, group=lambda name: None, turn=1))
def test_weights_survive_a_file(name: str, tmp_path: Path) -> None:
    network = build(name)
    network(*inputs(name))  # moves the running statistics
    core.save(network.state_dict(), str(tmp_path / "weights.pdparams"))
    core.seed(5)
    again = entry(SMALL[name].network)(**SMALL[name].arguments)
    assert again.set_state_dict(core.load(str(tmp_path / "weights.pdparams"))) == ([], [])
    network.eval()
    again.eval()
    with core.no_grad():
        for found, expected in zip(flat(again(*inputs(name))), flat(network(*inputs(name)))):
            np.testing.assert_array_equal(found.numpy(), expected.numpy())


def training_step(name: str, compiled: bool) -> dict[str, np.ndarray]:
    """Return outputs, gradients and the state after a forward pass in float64."""
    network = build(name)
    if name in DRAWING:
        network.eval()
    call = to_static(lambda *arguments: network(*arguments)) if compiled else network
    outputs = call(*inputs(name, "float64"))
    weighted_sum(outputs).backward()
    found = {f"output {i}": output.numpy() for i, output in enumerate(flat(outputs))}
    found.update({f"state {key}": tensor.numpy() for key, tensor in network.state_dict().items()})
    for key, parameter in network.named_parameters():
        if not parameter.stop_gradient:
            found[f"gradient {key}"] = parameter.grad.numpy()
    return found


@pytest.mark.parametrize("name", sampled(SMALL, 12, group=lambda name: None, turn=1))
def test_compiled_is_the_same(name: str) -> None:
    core.set_default_dtype("float64")
    expected, found = training_step(name, compiled=False), training_step(name, compiled=True)
    assert expected.keys() == found.keys()
    for key, value in expected.items():
        assert np.abs(found[key] - value).max() <= 1e-9 * max(1.0, np.abs(value).max()), key


def role_of(key: str, parameter: Any, many: bool) -> str:
    """Return what a parameter is moved with: all scales and shifts together, in large networks kernels of one name."""
    if parameter.ndim == 1:
        return "scales and shifts"
    return ".".join(key.split(".")[-2:]) if many else key


@pytest.mark.parametrize("name", sampled(GENERATORS, 11, group=lambda name: None))
def test_gradients_are_finite_differences(name: str) -> None:
    core.set_default_dtype("float64")
    network = build(name)
    if name.startswith("SPADE") or name in DRAWING:  # SPADE's forward passes improve its estimates of singular values
        network.eval()
    arguments = inputs(name, "float64")
    weighted_sum(network(*arguments)).backward()
    parameters = {key: tensor for key, tensor in network.named_parameters() if not tensor.stop_gradient}
    roles = {key: role_of(key, tensor, name.startswith(OF_MANY_KERNELS)) for key, tensor in parameters.items()}
    compared = []
    for number, role in enumerate(dict.fromkeys(roles.values())):
        moved = [parameters[key] for key in parameters if roles[key] == role]
        values = [tensor.numpy() for tensor in moved]
        generator = np.random.default_rng(number)
        step = STEPS.get(name, STEP)
        directions = [generator.uniform(-step, step, value.shape) for value in values]

        def loss_at(sign: int, moved: list[Any] = moved, values: Any = values, directions: Any = directions) -> float:
            for tensor, value, direction in zip(moved, values, directions):
                tensor.set_value(value + sign * direction)
            with core.no_grad():
                return float(weighted_sum(network(*arguments)).item())

        expected = (loss_at(1) - loss_at(-1)) / 2
        for tensor, value in zip(moved, values):
            tensor.set_value(value)
        found = sum(float((tensor.grad.numpy() * part).sum()) for tensor, part in zip(moved, directions))
        compared.append((role, found, expected))
    largest = max(abs(expected) for _, _, expected in compared)
    for role, found, expected in compared:
        assert abs(found - expected) <= 1e-5 * max(abs(expected), 1e-2 * largest), f"{role}: {found} is not {expected}"
