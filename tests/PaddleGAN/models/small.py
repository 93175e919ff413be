"""Small networks of every family with inputs, and a scalar of what they return, for tests of what all share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import core
from PaddleGAN.models.registry import entry
from tests.parity.PaddleGAN import restoration_cases
from tests.parity.PaddleGAN.cases import NOISE, PICTURES, PPGAN, PYTORCH, Case, flat
from tests.parity.PaddleGAN.weights import class_map, images
from tests.parity.recipe import uniform

EDVR = {"nf": 4, "groups": 2, "front_RBs": 1, "back_RBs": 1, "nframes": 3}
LITTLE = restoration_cases.SMALL[:, :, :4, :6].copy()
RESTORERS = {
    "RRDBNet": Case("RRDBNet", {"nf": 4, "nb": 1, "gc": 2}, (LITTLE,)),
    "LESRCNNGenerator": Case("LESRCNNGenerator", {"scale": 2}, (LITTLE,)),
    "PAN": Case("PAN", {"nf": 4, "unf": 4, "nb": 1}, (LITTLE,)),
    "DRNGenerator": Case("DRNGenerator", {"scale": [2], "n_blocks": 1, "n_feats": 8, "rgb_range": 1}, (LITTLE,)),
    "EDVRNet": Case("EDVRNet", EDVR, (restoration_cases.WINDOWS[:, :3, :, :8, :8].copy(),)),
    "BasicVSRNet": Case(
        "BasicVSRNet", {"mid_channels": 4, "num_blocks": 1}, (restoration_cases.pictures("clip", 1, 2, 3, 64, 64),)
    ),
    "VGGDiscriminator128": Case(
        "VGGDiscriminator128", {"num_feat": 2, "image_size": 32}, (restoration_cases.pictures("faces", 2, 3, 32, 32),)
    ),
}

SMALL: Mapping[str, Case] = {
    **{
        PYTORCH[name].network: PYTORCH[name]
        for name in (
            *("cgan_generator", "cgan_discriminator", "digit_generator", "digit_discriminator", "pixel"),
            *("stargan_generator", "stargan_discriminator", "attgan_generator", "attgan_discriminator"),
            *("stgan_generator", "wgan_critic", "multiscale"),
        )
    },
    **{
        PPGAN[name].network: PPGAN[name]
        for name in (
            *("resnet_instance", "patch_instance", "patch_classes", "dc_generator", "dc_discriminator", "deep_conv"),
            *("deep_conv_classes", "ugatit_generator_light", "ugatit_discriminator", "anime_generator_lite"),
            "anime_discriminator",
        )
    },
    "ResnetUGATITP2CGenerator": Case(  # of 32 pixels its inmost maps have one, whose normalisation enlarges rounding
        "ResnetUGATITP2CGenerator", {"ngf": 4, "n_blocks": 1}, (images("photographs", 2, 3, 64, 64),)
    ),
    "AnimeGenerator": Case("AnimeGenerator", {}, (PICTURES[:, :, :8, :8],)),
    "StyleGANv2Generator": Case(
        "StyleGANv2Generator", {"size": 8, "style_dim": 6, "n_mlp": 2, "max_channels": 4}, (NOISE[:2, :6],)
    ),
    "StyleGANv2Discriminator": Case("StyleGANv2Discriminator", {"size": 32, "max_channels": 4}, (PICTURES,)),
    "Wav2Lip": Case("Wav2Lip", {"width": 16}, (images("sounds", 3, 1, 80, 16), images("masked", 3, 6, 96, 96))),
    "Wav2LipDiscQual": Case("Wav2LipDiscQual", {"width": 32}, (images("spoken", 2, 3, 2, 96, 96),)),
    "SyncNetColor": Case(
        "SyncNetColor", {"width": 32}, (images("sounds", 3, 1, 80, 16), images("halves", 3, 15, 48, 96))
    ),
    "StarGANv2Generator": Case(
        "StarGANv2Generator",
        {"img_size": 32, "style_dim": 5, "max_conv_dim": 4, "w_hpf": 0, "base": 64},
        (PICTURES, images("style", 2, 5)),
    ),
    "StarGANv2Mapping": Case(
        "StarGANv2Mapping", {"latent_dim": 6, "style_dim": 5, "hidden_dim": 7}, (NOISE[:2, :6], np.array([1, 0]))
    ),
    "StarGANv2Style": Case(
        "StarGANv2Style",
        {"img_size": 32, "style_dim": 5, "max_conv_dim": 4, "base": 64},
        (PICTURES, np.array([1, 0])),
    ),
    "StarGANv2Discriminator": Case(
        "StarGANv2Discriminator", {"img_size": 32, "max_conv_dim": 4, "base": 64}, (PICTURES, np.array([1, 0]))
    ),
    "UnetGenerator": Case("UnetGenerator", {"num_downs": 5, "ngf": 2}, (PICTURES,)),
    "SPADEGenerator": Case("SPADEGenerator", {"semantic_nc": 3, "ngf": 1}, (class_map("map", 2, 3, 32),)),
    **RESTORERS,
    "NLayerDiscriminator, spectral": PPGAN["patch_spectral"],
    "SPADEGenerator of ppgan": PPGAN["photopen_generator"],
    "MultiscaleDiscriminator of ppgan": PPGAN["photopen_discriminator"],
}
"""Network to one of its small forms; a network that has several has a longer name for each further one."""

GENERATORS = [name for name, case in SMALL.items() if case.network.endswith(("Generator", "Generator28"))]


def build(name: str) -> Any:
    """Return a small network of the default dtype, with seeded weights."""
    case = SMALL[name]
    network = entry(case.network)(**case.arguments)
    restoration_cases.fill(network)
    return network


def inputs(name: str, dtype: str = "float32") -> list[Any]:
    """Return its inputs; floating-point ones of the dtype."""
    return [core.to_tensor(array.astype(dtype) if array.dtype.kind == "f" else array) for array in SMALL[name].inputs]


def weighted_sum(outputs: Any) -> Any:
    """Return a sum of all outputs with fixed weights, 0-D."""
    total = None
    for number, output in enumerate(flat(outputs)):
        weights = uniform(f"weights {number}", output.shape, -1.0, 1.0)
        term = (output * core.to_tensor(weights.astype(np.dtype(str(output.dtype).rpartition(".")[2])))).sum()
        total = term if total is None else total + term
    return total
