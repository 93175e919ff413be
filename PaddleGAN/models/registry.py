"""The one table of networks, and functions that read it. Importing this module loads no network and no engine."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from core.train.config.table import Component, Table

GENERATORS = {
    "cgan": ("CGANGenerator", "ConditionalDeepConvGenerator"),
    "dcgan": ("DCGenerator28", "DCGenerator", "DeepConvGenerator"),
    "unet_generator": ("UnetGenerator", "unet_128", "unet_256"),
    "resnet_generator": ("ResnetGenerator", "resnet_6block", "resnet_9block"),
    "stargan": ("StarGANGenerator",),
    "attgan": ("AttGANGenerator",),
    "stgan": ("STGANGenerator",),
    "spade": ("SPADEGenerator",),
    "restoration.rrdb_net": ("RRDBNet",),
    "restoration.lesrcnn": ("LESRCNNGenerator",),
    "restoration.pan": ("PAN",),
    "restoration.drn": ("DRNGenerator",),
    "restoration.edvr": ("EDVRNet",),
    "restoration.basicvsr": ("BasicVSRNet",),
    "ugatit": ("ResnetUGATITGenerator",),
    "photo2cartoon": ("ResnetUGATITP2CGenerator",),
    "animegan": ("AnimeGenerator", "AnimeGeneratorLite"),
    "stylegan2": ("StyleGANv2Generator",),
    "stargan_v2": ("StarGANv2Generator", "StarGANv2Mapping", "StarGANv2Style"),
    "wav2lip": ("Wav2Lip",),
}
"""Module of PaddleGAN.models to the names of its generators: classes, or functions that build one."""

DISCRIMINATORS = {
    "cgan": ("CGANDiscriminator",),
    "dcgan": ("DCDiscriminator28", "DCDiscriminator"),
    "patch_discriminator": ("NLayerDiscriminator", "NLayerDiscriminatorWithClassification", "PixelDiscriminator"),
    "wgan": ("WGANCritic",),
    "stargan": ("StarGANDiscriminator",),
    "attgan": ("AttGANDiscriminator",),
    "spade": ("MultiscaleDiscriminator",),
    "restoration.vgg_discriminator": ("VGGDiscriminator128",),
    "ugatit": ("UGATITDiscriminator",),
    "animegan": ("AnimeDiscriminator",),
    "stylegan2_discriminator": ("StyleGANv2Discriminator",),
    "stargan_v2": ("StarGANv2Discriminator",),
    "wav2lip": ("Wav2LipDiscQual", "SyncNetColor"),
}
"""Module of PaddleGAN.models to the names of its discriminators and critics."""

MODELS = {
    name: family for table in (GENERATORS, DISCRIMINATORS) for family, names in table.items() for name in names
}
"""Network name to the module of PaddleGAN.models that holds it."""


ALIASES = {
    "basic": "NLayerDiscriminator",
    "nlayers": "NLayerDiscriminator",
    "pixel": "PixelDiscriminator",
    "STGANDiscriminator": "AttGANDiscriminator",
}
"""Other names of networks to the names in the tables: those of PaddlePaddle 1.5's ``--net_D``, and that of STGAN's
discriminator, which is AttGAN's."""


class Networks(Table):
    """Networks by name; a component may have "pretrained" and "part" beside the arguments of its class."""

    def build(self, component: Component, **provided: Any) -> Any:
        """Build a network, with weights where the component asks for them."""
        arguments = {**component.arguments, **provided}
        return self.create(component.name, arguments.pop("pretrained", None), arguments.pop("part", None), arguments)

    def create(
        self,
        name: str,
        pretrained: Union[bool, str, os.PathLike[str], None],
        part: Optional[str],
        arguments: Mapping[str, Any],
    ) -> Any:
        """Build a network by name; see :func:`PaddleGAN.models.pretrained.build`."""
        build = importlib.import_module("PaddleGAN.models.pretrained").build  # loads the engine
        return build(self, name, pretrained, part, arguments)

    def continued(self, component: Component) -> Component:
        """Return a component without weights to start from, with the arguments that an official file implied."""
        given = component.arguments
        pretrained = given.pop("pretrained", None)
        given.pop("part", None)
        weights = importlib.import_module("PaddleGAN.models.weights")
        name = weights.own_checkpoint(self.find(component.name)) if pretrained is True else pretrained
        implied = weights.CHECKPOINTS[name].arguments if name in weights.CHECKPOINTS else {}
        return Component.model_validate({"name": component.name, **implied, **given})

    def _parameters(self, name: str) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give."""
        extra = {"pretrained": (False, Union[bool, str]), "part": (None, Optional[str])}
        keyword = inspect.Parameter.KEYWORD_ONLY
        own = {
            key: inspect.Parameter(key, keyword, default=default, annotation=annotation)
            for key, (default, annotation) in extra.items()
        }
        return {**super()._parameters(name), **own}


def _table(kind: str, families: Mapping[str, Sequence[str]]) -> Networks:
    entries = {name: f"PaddleGAN.models.{family}:{name}" for family, names in families.items() for name in names}
    return Networks(kind, entries, aliases={old: name for old, name in ALIASES.items() if name in entries})


GENERATOR_NETWORKS = _table("generator", GENERATORS)
"""Generators by name; a config names one with its arguments."""

DISCRIMINATOR_NETWORKS = _table("discriminator", DISCRIMINATORS)
"""Discriminators and critics by name."""

NETWORKS = Networks("network", {**GENERATOR_NETWORKS.entries, **DISCRIMINATOR_NETWORKS.entries}, aliases=ALIASES)
"""All of them."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the networks: the generators, then the discriminators and critics.

    Args:
        pattern: a shell pattern such as ``"*Generator"``; upper and lower case are the same.

    Example:
        >>> PaddleGAN.list_models("unet*")
        ['UnetGenerator', 'unet_128', 'unet_256']
    """
    return NETWORKS.list(pattern)


def entry(name: str) -> Any:
    """Return the class or function of a network: ``entry("DCGenerator")`` is ``PaddleGAN.models.DCGenerator``.

    Raises:
        ValueError: there is no network of this name; the message has the nearest ones.
    """
    return NETWORKS.resolve(name)


def create_generator(
    name: str,
    pretrained: Union[bool, str, os.PathLike[str], None] = None,
    part: Optional[str] = None,
    **arguments: Any,
) -> Any:
    """Build a generator by name.

    Args:
        name: one of :data:`GENERATORS`, such as ``"resnet_9block"``.
        pretrained: None or False for fresh weights; True for the official ones, downloaded on first use and kept in the
            cache; the name of a checkpoint of :data:`PaddleGAN.models.weights.CHECKPOINTS`; or the path of a
            ``.pdparams`` or ``.safetensors`` file with exactly the network's parameters; a checkpoint of ppgan, which
            holds several networks, serves too.
        part: which network of such a checkpoint, such as ``"netG_A"``; its only generator by default.
        **arguments: of the network's class, documented there.

    Returns:
        The network, a :class:`core.nn.Layer` in training mode.

    Raises:
        ValueError: there is no such generator (the message has the nearest names), no weights are published for it, or
            the file does not fit it.
        TypeError: the network takes no such argument, or lacks one.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.

    Example:
        >>> generator = PaddleGAN.create_generator("unet_256", input_nc=3, output_nc=3, use_dropout=True)
        >>> pictures = generator(core.randn([1, 3, 256, 256]))
    """
    return GENERATOR_NETWORKS.create(name, pretrained, part, arguments)


def create_discriminator(
    name: str,
    pretrained: Union[bool, str, os.PathLike[str], None] = None,
    part: Optional[str] = None,
    **arguments: Any,
) -> Any:
    """Build a discriminator or critic by name.

    Args:
        name: one of :data:`DISCRIMINATORS`, such as ``"basic"``.
        pretrained: as for :func:`create_generator`.
        part: which network of a checkpoint, such as ``"netD_B"``; its only discriminator by default.
        **arguments: of the network's class, documented there.

    Returns:
        The network, a :class:`core.nn.Layer` in training mode.

    Raises:
        ValueError: there is no such discriminator (the message has the nearest names), or the file does not fit it.
        TypeError: the network takes no such argument, or lacks one.
        FileNotFoundError: there is no such file.

    Example:
        >>> discriminator = PaddleGAN.create_discriminator("nlayers", input_nc=6, n_layers=4)
    """
    return DISCRIMINATOR_NETWORKS.create(name, pretrained, part, arguments)
