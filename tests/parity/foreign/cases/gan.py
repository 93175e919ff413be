"""Generators and discriminators: ``ppgan.models`` of ppgan."""

from __future__ import annotations

from cases.case import Case, made

GENERATORS = "ppgan.models.generators"
CASES = {
    "ResnetGenerator": Case("ppgan", made(f"{GENERATORS}.resnet", "ResnetGenerator", 3, 3, ngf=8), light=True),
    "UnetGenerator": Case(
        "ppgan", made(f"{GENERATORS}.unet", "UnetGenerator", 3, 3, 6, ngf=8, norm_type="instance"), light=True
    ),
    "DeepConvGenerator": Case(
        "ppgan",
        made(f"{GENERATORS}.deep_conv", "DeepConvGenerator", latent_dim=16, output_nc=1, size=32, ngf=16),
        (("uniform", (2, 16)),),
    ),
    "NLayerDiscriminator": Case(
        "ppgan", made("ppgan.models.discriminators.nlayers", "NLayerDiscriminator", 3, ndf=8), light=True
    ),
    "NLayerDiscriminator_spectral": Case(
        "ppgan",
        made("ppgan.models.discriminators.nlayers", "NLayerDiscriminator", 3, ndf=8, norm_type="spectral"),
        light=True,
    ),
}
