"""The networks that are compared with other implementations, at reduced width: arguments and inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.parity.PaddleGAN.weights import attributes, class_map, images, numbers


class Case(NamedTuple):
    """One comparison.

    Attributes:
        network: name of the network.
        arguments: of its constructor, the same in both implementations.
        inputs: what it is called with, in order.
    """

    network: str
    arguments: Mapping[str, Any]
    inputs: tuple[np.ndarray, ...]


PICTURES = images("pictures", 2, 3, 32, 32)
DIGITS = images("digits", 3, 1, 28, 28)
NOISE = images("noise", 3, 12)
CLASSES = numbers("classes", 3, 10)
FIVE = attributes("five attributes", 2, 5)
DIFFERENCE = attributes("target", 2, 5) - attributes("source", 2, 5)
LARGE = images("one large picture", 1, 3, 256, 256)
STYLE_NOISE = images("noise of styles", 3, 16) * np.float32(2)

PHOTOPEN = {
    **{"ngf": 1, "num_upsampling_layers": "normal", "crop_size": 64, "aspect_ratio": 1.0},
    **{"norm_G": "spectralspadebatch3x3", "semantic_nc": 5, "use_vae": False, "nef": 16},
}

PPGAN = {
    "resnet_instance": Case("ResnetGenerator", {"input_nc": 3, "output_nc": 3, "ngf": 4, "n_blocks": 2}, (PICTURES,)),
    "resnet_batch": Case(
        "ResnetGenerator",
        {"input_nc": 3, "output_nc": 2, "ngf": 4, "n_blocks": 1, "norm_type": "batch", "padding_type": "replicate"},
        (PICTURES,),
    ),
    "resnet_none": Case(
        "ResnetGenerator",
        {"input_nc": 3, "output_nc": 3, "ngf": 4, "n_blocks": 1, "norm_type": "none", "padding_type": "zero"},
        (PICTURES,),
    ),
    "unet_batch": Case("UnetGenerator", {"input_nc": 3, "output_nc": 3, "num_downs": 5, "ngf": 4}, (PICTURES,)),
    "unet_instance": Case(
        "UnetGenerator",
        {"input_nc": 3, "output_nc": 1, "num_downs": 6, "ngf": 4, "norm_type": "instance"},
        (images("larger pictures", 2, 3, 64, 64),),
    ),
    "patch_instance": Case("NLayerDiscriminator", {"input_nc": 3, "ndf": 6}, (PICTURES,)),
    "patch_batch": Case(
        "NLayerDiscriminator", {"input_nc": 3, "ndf": 6, "n_layers": 2, "norm_type": "batch"}, (PICTURES,)
    ),
    "patch_classes": Case(
        "NLayerDiscriminatorWithClassification",
        {"input_nc": 1, "n_class": 10, "ndf": 6, "n_layers": 2},
        (DIGITS, CLASSES),
    ),
    "patch_spectral": Case(
        "NLayerDiscriminator", {"input_nc": 3, "ndf": 6, "n_layers": 2, "norm_type": "spectral"}, (PICTURES,)
    ),
    "patch_sigmoid": Case(
        "NLayerDiscriminator", {"input_nc": 3, "ndf": 6, "n_layers": 1, "use_sigmoid": True}, (PICTURES,)
    ),
    "photopen_generator": Case("SPADEGenerator", PHOTOPEN, (class_map("classes of a photograph", 2, 5, 64),)),
    "photopen_generator_instance": Case(
        "SPADEGenerator",
        {**PHOTOPEN, "crop_size": 128, "aspect_ratio": 2.0, "norm_G": "spectralspadeinstance5x5"},
        (class_map("classes of a wide photograph", 2, 5, 64),),
    ),
    "photopen_generator_more": Case(
        "SPADEGenerator",
        {**PHOTOPEN, "crop_size": 128, "num_upsampling_layers": "more"},
        (class_map("more classes of a photograph", 2, 5, 128),),
    ),
    "photopen_discriminator": Case(
        "MultiscaleDiscriminator",
        {
            **{"ndf": 4, "num_D": 2, "crop_size": 32, "label_nc": 3, "output_nc": 3},
            **{"contain_dontcare_label": True, "no_instance": False, "n_layers_D": 3},
        },
        (images("classes, edges and pictures", 2, 8, 32, 32),),
    ),
    "dc_generator": Case(
        "DCGenerator", {"input_nz": 12, "input_nc": 1, "output_nc": 1, "ngf": 4}, (NOISE.reshape(3, 12, 1, 1),)
    ),
    "dc_generator_none": Case(
        "DCGenerator",
        {"input_nz": 12, "input_nc": 1, "output_nc": 1, "ngf": 4, "norm_type": "none"},
        (NOISE.reshape(3, 12, 1, 1),),
    ),
    "dc_discriminator": Case(
        "DCDiscriminator", {"input_nc": 1, "ndf": 4, "norm_type": "batch"}, (images("squares", 3, 1, 64, 64),)
    ),
    "dc_discriminator_instance": Case(
        "DCDiscriminator", {"input_nc": 1, "ndf": 4, "norm_type": "instance"}, (images("squares", 3, 1, 64, 64),)
    ),
    "deep_conv": Case("DeepConvGenerator", {"latent_dim": 12, "output_nc": 3, "size": 16, "ngf": 4}, (NOISE,)),
    "deep_conv_classes": Case(
        "ConditionalDeepConvGenerator",
        {"latent_dim": 12, "output_nc": 1, "n_class": 10, "size": 28, "ngf": 4},
        (NOISE, CLASSES),
    ),
    "ugatit_generator": Case(
        "ResnetUGATITGenerator",
        {"input_nc": 3, "output_nc": 3, "ngf": 4, "n_blocks": 2, "img_size": 32},
        (PICTURES,),
    ),
    "ugatit_generator_light": Case(
        "ResnetUGATITGenerator",
        {"input_nc": 3, "output_nc": 2, "ngf": 4, "n_blocks": 1, "light": True},
        (PICTURES,),
    ),
    "ugatit_discriminator": Case("UGATITDiscriminator", {"input_nc": 3, "ndf": 4, "n_layers": 5}, (PICTURES,)),
    "photo2cartoon_generator": Case(
        "ResnetUGATITP2CGenerator", {"ngf": 4}, (images("a larger picture", 1, 3, 64, 64),)
    ),
    "anime_generator": Case("AnimeGenerator", {}, (PICTURES,)),
    "anime_generator_lite": Case("AnimeGeneratorLite", {}, (PICTURES,)),
    "stylegan2_generator": Case("StyleGANv2Generator", {"size": 8, "style_dim": 16, "n_mlp": 2}, (STYLE_NOISE,)),
    "stylegan2_mixed": Case(
        "StyleGANv2Generator", {"size": 8, "style_dim": 16, "n_mlp": 1}, (STYLE_NOISE, images("further noise", 3, 16))
    ),
    "stylegan2_discriminator": Case("StyleGANv2Discriminator", {"size": 8}, (images("small squares", 8, 3, 8, 8),)),
    "stargan_v2_generator": Case(
        "StarGANv2Generator", {"style_dim": 8, "max_conv_dim": 16, "w_hpf": 0}, (LARGE, images("a style", 1, 8))
    ),
    "stargan_v2_masked": Case(
        "StarGANv2Generator",
        {"style_dim": 8, "max_conv_dim": 16, "w_hpf": 2},
        (LARGE, images("a style", 1, 8), images("mask", 1, 1, 256, 256), images("a further mask", 1, 1, 256, 256)),
    ),
    "stargan_v2_mapping": Case(
        "StarGANv2Mapping", {"style_dim": 8, "num_domains": 3}, (images("noise of a style", 3, 16), np.array([0, 2, 1]))
    ),
    "stargan_v2_style": Case(
        "StarGANv2Style", {"style_dim": 8, "num_domains": 3, "max_conv_dim": 8}, (LARGE, np.array([2]))
    ),
    "stargan_v2_discriminator": Case(
        "StarGANv2Discriminator",
        {"num_domains": 3, "max_conv_dim": 8},
        (images("two large pictures", 2, 3, 256, 256), np.array([1, 0])),
    ),
    "wav2lip": Case("Wav2Lip", {}, (images("sounds", 4, 1, 80, 16), images("faces and masked ones", 4, 6, 96, 96))),
    "wav2lip_quality": Case("Wav2LipDiscQual", {}, (images("spoken faces", 2, 3, 2, 96, 96) * np.float32(8),)),
    "sync_net": Case("SyncNetColor", {}, (images("sounds", 4, 1, 80, 16), images("halves of faces", 4, 15, 48, 96))),
    "anime_discriminator": Case("AnimeDiscriminator", {"channel": 8}, (PICTURES,)),
}
"""What ppgan has. Without normalisation its Resnet generator and DCGenerator are compared too."""

PYTORCH = {
    "cgan_generator": Case("CGANGenerator", {"input_nz": 12, "ngf": 4}, (NOISE, CLASSES)),
    "cgan_discriminator": Case("CGANDiscriminator", {"ndf": 4}, (DIGITS, CLASSES)),
    "digit_generator": Case("DCGenerator28", {"input_nz": 12, "ngf": 4, "fc_dim": 32}, (NOISE,)),
    "digit_discriminator": Case("DCDiscriminator28", {"ndf": 4, "fc_dim": 32}, (DIGITS,)),
    "pixel": Case("PixelDiscriminator", {"input_nc": 3, "ndf": 6}, (PICTURES,)),
    "stargan_generator": Case("StarGANGenerator", {"c_dim": 5, "ngf": 4, "n_blocks": 2}, (PICTURES, FIVE)),
    "stargan_discriminator": Case(
        "StarGANDiscriminator", {"image_size": 32, "c_dim": 5, "ndf": 4, "n_layers": 4}, (PICTURES,)
    ),
    "attgan_generator": Case("AttGANGenerator", {"c_dim": 5, "ngf": 4, "n_layers": 4}, (PICTURES, FIVE - 0.5)),
    "attgan_generator_shortcuts": Case(
        "AttGANGenerator",
        {"c_dim": 5, "ngf": 4, "n_layers": 3, "shortcut_layers": 2, "inject_layers": 0},
        (PICTURES, FIVE - 0.5),
    ),
    "attgan_discriminator": Case(
        "AttGANDiscriminator", {"image_size": 32, "c_dim": 5, "ndf": 4, "n_layers": 3, "fc_dim": 16}, (PICTURES,)
    ),
    "attgan_discriminator_instance": Case(
        "AttGANDiscriminator",
        {"image_size": 32, "c_dim": 5, "ndf": 4, "n_layers": 3, "fc_dim": 16, "norm_type": "instance"},
        (PICTURES,),
    ),
    "stgan_generator": Case("STGANGenerator", {"c_dim": 5, "ngf": 4, "n_layers": 4}, (PICTURES, DIFFERENCE)),
    "wgan_critic": Case("WGANCritic", {"input_nc": 3, "ndf": 4, "image_size": 32}, (PICTURES,)),
    "wgan_critic_none": Case(
        "WGANCritic", {"input_nc": 3, "ndf": 4, "image_size": 32, "norm_type": "none"}, (PICTURES,)
    ),
    "spade_generator": Case(
        "SPADEGenerator", {"semantic_nc": 6, "ngf": 1}, (class_map("classes of pixels", 2, 6, 32),)
    ),
    "spade_generator_most": Case(
        "SPADEGenerator",
        {"semantic_nc": 6, "ngf": 2, "num_upsampling_layers": "most"},
        (class_map("more classes of pixels", 2, 6, 128),),
    ),
    "multiscale": Case("MultiscaleDiscriminator", {"input_nc": 3, "ndf": 4}, (PICTURES,)),
}
"""What only the script's own PyTorch networks answer for."""


def official_answer(network: Any, case: Case, inputs: Sequence[Any]) -> Any:
    """Return what a network of ppgan answers to a case's inputs.

    StyleGAN2's takes a list of noises, with the level that the second one begins at; its noise of details is its own.
    StarGAN v2's take domains as (N, 1), and the masks together; two choose that of a domain in a way that Paddle 2.6
    has no more, so it is done here.
    """
    if case.network.startswith("StarGANv2"):
        first, second = inputs[0], inputs[1] if inputs[1].ndim > 1 else inputs[1].reshape([-1, 1])
        if hasattr(network, "unshared"):
            shared = network.shared(first).reshape([first.shape[0], -1])
            return sum(layer(shared) * (second == k).astype("float32") for k, layer in enumerate(network.unshared))
        return network(first, second, *((inputs[2:],) if len(inputs) > 2 else ()))
    if case.network != "StyleGANv2Generator":
        return network(*inputs)
    return network(list(inputs), inject_index=3 if len(inputs) > 1 else None, randomize_noise=False)[0]


def answer(network: Any, case: Case, inputs: Sequence[Any]) -> Any:
    """Return what our network answers to a case's inputs, with StyleGAN2's own noise of details."""
    if case.network == "StarGANv2Generator":
        return network(*inputs[:2], tuple(inputs[2:]) or None)
    if case.network != "StyleGANv2Generator":
        return network(*inputs)
    first, *second = (network.style(noise) for noise in inputs)
    return network.synthesize(network.at_levels(first, *(second and (second[0], 3))), random=False)


def flat(outputs: Any) -> list[Any]:
    """Return the Tensors of nested lists and tuples in order."""
    if not isinstance(outputs, (list, tuple)):
        return [outputs]
    return [tensor for output in outputs for tensor in flat(output)]


def thinned(output: np.ndarray) -> np.ndarray:
    """Return what is stored of an output: of large images every third row and column."""
    return output[:, :, ::3, ::3] if output.size > 30_000 else output
