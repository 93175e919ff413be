"""Generators, discriminators and their parts: ``ppgan`` of ppgan."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from recipe import uniform

from cases.case import Case, made

GENERATORS = "ppgan.models.generators"
DISCRIMINATORS = "ppgan.models.discriminators"
IMAGE = ("uniform", (1, 3, 64, 64))
SMALL = ("uniform", (1, 3, 24, 24))


def _generator(module: str, name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return made(f"{GENERATORS}.{module}", name, *args, **kwargs)


def _discriminator(module: str, name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return made(f"{DISCRIMINATORS}.{module}", name, *args, **kwargs)


def _style_generator(build: Callable[[], Any], generator: str = "") -> Callable[[], Any]:
    """Return a function that builds a network with a StyleGANv2 generator, whose noise it draws from the recipe."""

    def with_noise() -> Any:
        network = build()
        noises = (getattr(network, generator) if generator else network).noises
        for name, noise in noises.state_dict().items():
            noise.set_value(uniform(name, noise.shape, -1.5, 1.5))
        return network

    return with_noise


class _Options(dict):
    __getattr__ = dict.__getitem__


_PIXEL2STYLE2PIXEL = _Options(
    size=32,
    style_dim=512,
    n_mlp=2,
    channel_multiplier=1,
    encoder_type="GradualStyleEncoder",
    start_from_latent_avg=False,
    learn_in_w=False,
    input_nc=3,
    n_styles=8,
)
_FIRST_ORDER = {"num_kp": 4, "num_channels": 3, "estimate_jacobian": True}
_DENSE_MOTION = {"block_expansion": 8, "max_features": 64, "num_blocks": 3}


_ROWS, _COLUMNS = np.meshgrid(np.linspace(0.0, 3.0, 64), np.linspace(0.0, 2.0, 64), indexing="ij")
_SMOOTH = np.sin(_ROWS * _COLUMNS + np.arange(3).reshape(1, 3, 1, 1)).astype(np.float32)
"""An image of which a rounding step to the side shows the same."""


def _key_points(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return places of four key points, and how their neighbourhoods are turned and stretched."""
    turned = uniform(f"{name} jacobian", (1, 4, 2, 2), -0.2, 0.2) + np.eye(2, dtype=np.float32)
    return uniform(f"{name} value", (1, 4, 2), -0.7, 0.7), turned


def _animated(model: Any, image: Any, *points: Any) -> Any:
    driving, source = ({"value": points[i], "jacobian": points[i + 1]} for i in (0, 2))
    return model(image, kp_driving=driving, kp_source=source)


def _decoded_styles(model: Any, *features: Any) -> Any:
    content, style = (dict(zip(("r11", "r21", "r31", "r41"), features[i : i + 4])) for i in (0, 4))
    return model(content, style)


_STYLE_FEATURES = tuple(("uniform", (1, 64 * 2**level, 32 // 2**level, 32 // 2**level)) for level in range(4))


def _case(build: Callable[[], Any], *inputs: Any, **kwargs: Any) -> Case:
    return Case("ppgan", build, inputs or (IMAGE,), **kwargs)


CASES = {
    "ResnetGenerator": Case("ppgan", made(f"{GENERATORS}.resnet", "ResnetGenerator", 3, 3, ngf=8)),
    "UnetGenerator": Case(
        "ppgan", made(f"{GENERATORS}.unet", "UnetGenerator", 3, 3, 6, ngf=8, norm_type="instance")
    ),
    "DeepConvGenerator": Case(
        "ppgan",
        made(f"{GENERATORS}.deep_conv", "DeepConvGenerator", latent_dim=16, output_nc=1, size=32, ngf=16),
        (("uniform", (2, 16)),),
    ),
    "NLayerDiscriminator": Case(
        "ppgan", made(f"{DISCRIMINATORS}.nlayers", "NLayerDiscriminator", 3, ndf=8)
    ),
    "NLayerDiscriminator_spectral": Case(
        "ppgan",
        made(f"{DISCRIMINATORS}.nlayers", "NLayerDiscriminator", 3, ndf=8, norm_type="spectral"),
        differs="the real Paddle's gradient of spectral_norm is not its derivative: each weight's is scaled by itself,"
        " and what the others contribute to the norm is left out",
    ),
    "ConditionalDeepConvGenerator": _case(
        _generator("deep_conv", "ConditionalDeepConvGenerator", latent_dim=16, output_nc=1, size=32, ngf=16),
        ("uniform", (2, 16)),
        ("below", 10, (2, 1)),
    ),
    "DCGenerator": _case(
        _generator("dcgenerator", "DCGenerator", input_nz=16, input_nc=1, output_nc=3, ngf=8),
        ("uniform", (2, 16, 1, 1)),
    ),
    "DCDiscriminator": _case(
        _discriminator("dcdiscriminator", "DCDiscriminator", 3, ndf=8, norm_type="batch"),
        ("uniform", (2, 3, 64, 64)),
    ),
    "AnimeGenerator": _case(_generator("generater_animegan", "AnimeGenerator"), ("uniform", (1, 3, 32, 32))),
    "AnimeDiscriminator": _case(_discriminator("discriminator_animegan", "AnimeDiscriminator", 8, 3)),
    "ResnetUGATITGenerator": _case(
        _generator("resnet_ugatit", "ResnetUGATITGenerator", 3, 3, ngf=8, n_blocks=2, img_size=64)
    ),
    "UGATITDiscriminator": _case(_discriminator("discriminator_ugatit", "UGATITDiscriminator", 3, ndf=8, n_layers=5)),
    "RRDBNet": _case(_generator("rrdb_net", "RRDBNet", 3, 3, 16, 2, gc=8), SMALL),
    "EDVRNet": _case(
        _generator("edvr", "EDVRNet", nf=16, nframes=3, groups=4, front_RBs=1, back_RBs=1),
        ("uniform", (1, 3, 3, 16, 16)),
    ),
    "DRNGenerator": _case(
        _generator("drn", "DRNGenerator", (2, 4), n_blocks=2, n_feats=16), ("uniform", (1, 3, 16, 16))
    ),
    "MPRNet": _case(
        _generator("mpr", "MPRNet", n_feat=16, scale_unetfeats=8, scale_orsnetfeats=8, num_cab=2),
        ("uniform", (1, 3, 32, 32)),
    ),
    "PAN": _case(_generator("pan", "PAN", 3, 3, 16, 8, 2), SMALL),
    "LESRCNNGenerator": _case(_generator("lesrcnn", "LESRCNNGenerator", scale=2), ("uniform", (1, 3, 8, 8))),
    "StyleGANv2Generator": _case(
        _style_generator(_generator("generator_styleganv2", "StyleGANv2Generator", 16, 32, 3, channel_multiplier=1)),
        ("uniform", (2, 32)),
        call=lambda model, style: model([style], randomize_noise=False),
    ),
    "GPEN": _case(_generator("gpen", "GPEN", 16, 64, 2, channel_multiplier=1), ("uniform", (1, 3, 16, 16))),
    "Pixel2Style2Pixel": _case(
        _style_generator(_generator("generator_pixel2style2pixel", "Pixel2Style2Pixel", _PIXEL2STYLE2PIXEL), "decoder"),
        call=lambda model, image: model(image, resize=False, randomize_noise=False),
    ),
    "StarGANv2Generator": _case(
        _generator("generator_starganv2", "StarGANv2Generator", img_size=128, style_dim=16, max_conv_dim=128, w_hpf=1),
        ("uniform", (1, 3, 128, 128)),
        ("uniform", (1, 16)),
        ("uniform", (1, 1, 128, 128)),
        ("uniform", (1, 1, 128, 128)),
        call=lambda model, image, style, *masks: model(image, style, masks=masks),
    ),
    "Wav2Lip": _case(_generator("wav2lip", "Wav2Lip"), ("uniform", (1, 1, 80, 16)), ("uniform", (1, 6, 96, 96))),
    "SyncNetColor": _case(
        _discriminator("syncnet", "SyncNetColor"), ("uniform", (1, 1, 80, 16)), ("uniform", (1, 15, 48, 96))
    ),
    "SPADEGenerator": _case(
        _generator("generater_photopen", "SPADEGenerator", 4, "normal", 64, 1.0, "spectralspadebatch3x3", 5, False, 4),
        ("uniform", (1, 5, 64, 64)),
    ),
    "MultiscaleDiscriminator": _case(
        _discriminator("discriminator_photopen", "MultiscaleDiscriminator", 8, 2, 64, 5, 3, False, True, 3),
        ("uniform", (1, 8, 64, 64)),
    ),
    "DecoderNet": _case(
        _generator("generater_lapstyle", "DecoderNet"), *_STYLE_FEATURES, *_STYLE_FEATURES, call=_decoded_styles
    ),
    "GeneratorPSGANAttention": _case(
        _generator("makeup", "GeneratorPSGANAttention", conv_dim=8, repeat_num=1),
        ("uniform", (1, 3, 256, 256)),
        ("uniform", (1, 3, 256, 256)),
        ("uniform", (1, 136, 64, 64)),
        ("uniform", (1, 136, 64, 64)),
        ("below", 2, (1,)),
        IMAGE,
        IMAGE,
    ),
    "RevisionNet": _case(_generator("generater_lapstyle", "RevisionNet"), ("uniform", (1, 6, 32, 32))),
    "NetworkR": _case(_generator("remaster", "NetworkR"), ("uniform", (1, 1, 2, 32, 32))),
    "KPDetector": _case(
        made("ppgan.modules.keypoint_detector", "KPDetector", temperature=0.1, **_DENSE_MOTION, **_FIRST_ORDER)
    ),
    "OcclusionAwareGenerator": _case(
        _generator(
            "occlusion_aware",
            "OcclusionAwareGenerator",
            block_expansion=8,
            max_features=64,
            num_down_blocks=2,
            num_bottleneck_blocks=2,
            estimate_occlusion_map=True,
            dense_motion_params=_DENSE_MOTION,
            **_FIRST_ORDER,
        ),
        _SMOOTH,
        *_key_points("driving"),
        *_key_points("source"),
        call=_animated,
    ),
}
