"""What networks say about wrong settings and inputs: one line that names the thing and the fix."""

from __future__ import annotations

from typing import Any

import pytest

import core
from PaddleGAN.models.registry import entry

SETTINGS = [
    ("DCGenerator", {"norm_type": "group"}, "norm_type must be 'batch', 'instance' or 'none', not 'group'"),
    ("DCGenerator", {"ngf": 0}, "DCGenerator: ngf must be a positive whole number, not 0"),
    ("DCDiscriminator", {"ndf": True}, "DCDiscriminator: ndf must be a positive whole number, not True"),
    ("CGANGenerator", {"n_class": 2.5}, "CGANGenerator: n_class must be a positive whole number, not 2.5"),
    ("DeepConvGenerator", {"size": 30}, "DeepConvGenerator: size must be a multiple of 4, not 30"),
    ("UnetGenerator", {"num_downs": 4}, "UnetGenerator: num_downs must be at least 5, not 4"),
    ("ResnetGenerator", {"padding_type": "same"}, "padding_type must be 'reflect', 'replicate' or 'zero', not 'same'"),
    ("NLayerDiscriminator", {"n_layers": 0}, "NLayerDiscriminator: n_layers must be a positive whole number, not 0"),
    ("StarGANDiscriminator", {"image_size": 100}, "StarGANDiscriminator: image_size must be a multiple of 64, not 100"),
    ("AttGANDiscriminator", {"image_size": 100}, "AttGANDiscriminator: image_size must be a multiple of 32, not 100"),
    ("AttGANDiscriminator", {"norm_type": "batch"}, "norm_type must be 'none' or 'instance', not 'batch'"),
    ("AttGANGenerator", {"n_layers": 1}, "n_layers must be at least 2, and .*, not 1, 1 and 1"),
    ("AttGANGenerator", {"shortcut_layers": 5}, "from 0 to n_layers - 1, not 5, 5 and 1"),
    ("STGANGenerator", {"n_layers": 1}, "STGANGenerator: n_layers must be at least 2, not 1"),
    ("WGANCritic", {"image_size": 48}, "WGANCritic: image_size must be a power of 2 from 8, not 48"),
    ("WGANCritic", {"norm_type": "batch"}, "WGANCritic: norm_type must be 'layer' or 'none', not 'batch'"),
    (
        "SPADEGenerator",
        {"semantic_nc": 3, "num_upsampling_layers": "few"},
        "num_upsampling_layers must be 'normal', 'more', 'most', not 'few'",
    ),
    ("SPADEGenerator", {"semantic_nc": 3, "use_vae": True}, "SPADEGenerator: use_vae must be false, as the encoder"),
    ("SPADEGenerator", {"semantic_nc": 3, "aspect_ratio": 2.0}, "are of ppgan's network; give its crop_size too"),
    (
        "SPADEGenerator",
        {"semantic_nc": 3, "crop_size": 64, "norm_G": "spectralspadegroup3x3"},
        "norm_G must be such as 'spectralspadebatch3x3', with batch, syncbatch, instance, not 'spectralspadegroup3x3'",
    ),
    ("SPADEGenerator", {"semantic_nc": 3, "crop_size": 16}, "crop_size 16 and aspect_ratio 1.0 leave feature maps"),
    ("SPADEGenerator", {"semantic_nc": 3, "crop_size": 64, "aspect_ratio": 0.0}, "aspect_ratio must be more than 0"),
    ("MultiscaleDiscriminator", {}, "give input_nc for the paper's network, or crop_size and label_nc for ppgan's"),
    ("MultiscaleDiscriminator", {"input_nc": 6, "crop_size": 64, "label_nc": 3}, "give input_nc for the paper's netw"),
    ("ResnetUGATITGenerator", {"img_size": 30}, "img_size must be a multiple of 4, not 30"),
    ("ResnetUGATITP2CGenerator", {"ngf": 6}, "ngf must be a multiple of 4, and img_size of 16, not 6 and 256"),
    ("UGATITDiscriminator", {"n_layers": 2}, "UGATITDiscriminator: n_layers must be at least 3, not 2"),
    ("Wav2Lip", {"width": 32}, "Wav2Lip: width must be from 1 to 16, not 32"),
    ("StarGANv2Generator", {"img_size": 48}, "StarGANv2Generator: img_size must be a power of 2 from 32, not 48"),
    ("StarGANv2Generator", {"w_hpf": -1.0}, "StarGANv2Generator: w_hpf must not be negative, not -1.0"),
    ("StarGANv2Style", {"base": 16}, "StarGANv2Style: base must be at least img_size, 256, not 16"),
    ("StyleGANv2Generator", {"size": 48}, "StyleGANv2Generator: size must be one of 8, 16, .*, 1024, not 48"),
    ("StyleGANv2Discriminator", {"size": 4}, "StyleGANv2Discriminator: size must be one of 8, 16, .*, not 4"),
    ("AnimeDiscriminator", {"channel": 5}, "AnimeDiscriminator: channel must be even, not 5"),
    ("NLayerDiscriminator", {"norm_type": "group"}, "must be 'batch', 'instance', 'none' or 'spectral', not 'group'"),
]

SMALL_SETTINGS: dict[str, dict[str, Any]] = {
    "DCGenerator": {"ngf": 1},
    "DeepConvGenerator": {"ngf": 1, "size": 8},
    "ConditionalDeepConvGenerator": {"ngf": 1, "size": 8},
    "DCGenerator28": {"ngf": 1, "fc_dim": 4},
    "CGANGenerator": {"ngf": 1},
    "CGANDiscriminator": {"ndf": 1},
    "DCDiscriminator28": {"ndf": 1, "fc_dim": 4},
    "UnetGenerator": {"ngf": 1},
    "ResnetGenerator": {"ngf": 1, "n_blocks": 1},
    "StarGANGenerator": {"ngf": 1, "n_blocks": 1},
    "StarGANDiscriminator": {"ndf": 1},
    "AttGANGenerator": {"ngf": 1},
    "AttGANDiscriminator": {"ndf": 1, "fc_dim": 4},
    "STGANGenerator": {"ngf": 1},
    "WGANCritic": {"ndf": 1},
    "SPADEGenerator": {"semantic_nc": 4, "ngf": 1},
    "ResnetUGATITGenerator": {"ngf": 1, "n_blocks": 1, "img_size": 32},
    "AnimeGeneratorLite": {},
    "StarGANv2Generator": {"img_size": 32, "style_dim": 5, "max_conv_dim": 4, "base": 64},
    "StarGANv2Mapping": {"latent_dim": 6, "hidden_dim": 4},
    "Wav2Lip": {"width": 16},
    "Wav2LipDiscQual": {"width": 32},
    "SyncNetColor": {"width": 32},
    "StyleGANv2Generator": {"size": 8, "style_dim": 6, "n_mlp": 1, "max_channels": 2},
    "StyleGANv2Discriminator": {"size": 8, "max_channels": 2},
}

INPUTS = [
    ("DCGenerator", [(2, 50)], r"DCGenerator takes noise \(N, 100\), not \[2, 50\]"),
    ("DeepConvGenerator", [(2, 100, 1, 1)], r"DeepConvGenerator takes noise \(N, 100\), not \[2, 100, 1, 1\]"),
    ("ConditionalDeepConvGenerator", [(2, 110), (2,)], r"takes noise \(N, 100\), not \[2, 110\]"),
    ("ConditionalDeepConvGenerator", [(2, 100), (2, 1)], r"takes class numbers \(N,\), not \[2, 1\]"),
    ("DCGenerator28", [(2, 99)], r"DCGenerator28 takes noise \(N, 100\), not \[2, 99\]"),
    ("CGANGenerator", [(2, 99), (2,)], r"CGANGenerator takes noise \(N, 100\), not \[2, 99\]"),
    ("CGANGenerator", [(2, 100), (2, 10)], r"CGANGenerator takes class numbers \(N,\), not \[2, 10\]"),
    ("CGANDiscriminator", [(2, 1, 32, 32), (2,)], r"takes images \(N, 1, 28, 28\), not \[2, 1, 32, 32\]"),
    ("DCDiscriminator28", [(2, 3, 28, 28)], r"takes images \(N, 1, 28, 28\), not \[2, 3, 28, 28\]"),
    ("UnetGenerator", [(1, 3, 128, 128)], r"height and width are multiples of 256, not \[128, 128\]"),
    ("ResnetGenerator", [(1, 1, 64, 64)], r"ResnetGenerator takes images \(N, 3, H, W\), not \[1, 1, 64, 64\]"),
    ("ResnetGenerator", [(1, 3, 64, 66)], r"height and width are multiples of 4, not \[64, 66\]"),
    ("StarGANGenerator", [(1, 3, 64, 64), (1, 6)], r"StarGANGenerator takes attributes \(N, 5\), not \[1, 6\]"),
    ("StarGANDiscriminator", [(1, 3, 64, 64)], r"takes images \(N, 3, 128, 128\), not \[1, 3, 64, 64\]"),
    ("AttGANGenerator", [(1, 3, 64, 48), (1, 13)], r"height and width are multiples of 32, not \[64, 48\]"),
    ("AttGANGenerator", [(1, 3, 64, 64), (13,)], r"AttGANGenerator takes attributes \(N, 13\), not \[13\]"),
    ("AttGANDiscriminator", [(1, 3, 64, 64)], r"takes images \(N, 3, 128, 128\), not \[1, 3, 64, 64\]"),
    ("STGANGenerator", [(3, 64, 64), (1, 13)], r"STGANGenerator takes images \(N, 3, H, W\), not \[3, 64, 64\]"),
    ("STGANGenerator", [(1, 3, 64, 64), (1, 5)], r"STGANGenerator takes attributes \(N, 13\), not \[1, 5\]"),
    ("WGANCritic", [(1, 3, 32, 32)], r"WGANCritic takes images \(N, 3, 64, 64\), not \[1, 3, 32, 32\]"),
    ("ResnetUGATITGenerator", [(1, 3, 64, 64)], r"takes images \(N, 3, 32, 32\), not \[1, 3, 64, 64\]"),
    ("StarGANv2Generator", [(1, 3, 32, 32), (1, 6)], r"StarGANv2Generator takes styles \(N, 5\), not \[1, 6\]"),
    ("StarGANv2Generator", [(1, 3, 64, 64), (1, 5)], r"takes images \(N, 3, 32, 32\), not \[1, 3, 64, 64\]"),
    ("Wav2Lip", [(1, 1, 80, 15), (1, 6, 96, 96)], r"takes sounds of 80 bands and 16 frames, .* not \[1, 1, 80, 15\]"),
    ("Wav2Lip", [(1, 1, 80, 16), (1, 3, 96, 96)], r"Wav2Lip takes faces \(N, 6, 96, 96\), .* not \[1, 3, 96, 96\]"),
    ("Wav2LipDiscQual", [(1, 3, 2, 64, 64)], r"Wav2LipDiscQual takes faces \(N, 3, 96, 96\), .* not"),
    ("SyncNetColor", [(1, 1, 80, 16), (1, 15, 96, 96)], r"takes lower halves of faces \(N, 15, 48, 96\), not"),
    ("StarGANv2Mapping", [(2, 16), (2,)], r"StarGANv2Mapping takes noise \(N, 6\), not \[2, 16\]"),
    ("StyleGANv2Generator", [(2, 5)], r"StyleGANv2Generator takes noise \(N, 6\), not \[2, 5\]"),
    ("StyleGANv2Discriminator", [(6, 3, 8, 8)], "compares groups of 4 images: 6 images are no multiple of that"),
    ("StyleGANv2Discriminator", [(4, 3, 16, 16)], r"takes images \(N, 3, 8, 8\), not \[4, 3, 16, 16\]"),
    ("AnimeGeneratorLite", [(1, 3, 30, 32)], r"height and width are multiples of 4, not \[30, 32\]"),
    ("SPADEGenerator", [(1, 3, 32, 32)], r"SPADEGenerator takes images \(N, 4, H, W\), not \[1, 3, 32, 32\]"),
]


@pytest.mark.parametrize(("name", "settings", "message"), SETTINGS)
def test_settings_are_checked(name: str, settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        entry(name)(**settings)


@pytest.mark.parametrize(("name", "shapes", "message"), INPUTS)
def test_inputs_are_checked(name: str, shapes: list[tuple[int, ...]], message: str) -> None:
    network = entry(name)(**SMALL_SETTINGS[name])
    arguments = [core.zeros(shape) for shape in shapes]
    with pytest.raises(ValueError, match=message):
        network(*arguments)
