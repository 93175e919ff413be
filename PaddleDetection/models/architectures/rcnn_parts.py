"""What two-stage detectors are made of: a ResNet, perhaps a feature pyramid, and the first layers of their heads.

Two kinds: on a feature pyramid (arXiv 1612.03144) the heads have layers of their own; on the fourth stage alone the
fifth one is the head of each region (arXiv 1506.01497).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

from core import nn
from PaddleDetection.models.backbones.resnet import Res5Head, ResNet
from PaddleDetection.models.backbones.senet import STEM_CHANNELS
from PaddleDetection.models.heads.bbox_head import TwoFCHead, XConvNormHead
from PaddleDetection.models.heads.mask_head import MaskFeat
from PaddleDetection.models.necks.fpn import FPN
from PaddleDetection.models.norms import Norm

TRUNKS: dict[str, dict[str, Any]] = {
    **{f"r{depth}": {"depth": depth} for depth in (18, 34, 50, 101)},
    **{f"r{depth}_vd": {"depth": depth, "variant": "d"} for depth in (34, 50, 101, 200)},
    "x101_vd_64x4d": {"depth": 101, "variant": "d", "groups": 64, "base_width": 4},
    "se154_vd": {
        "depth": 152, "ch_in": STEM_CHANNELS, "variant": "d", "groups": 64, "base_width": 4, "std_senet": True,
    },
}
"""The backbones, as arguments of :class:`ResNet`."""


class Parts(NamedTuple):
    """The parts of a detector.

    Attributes:
        backbone: makes feature maps of images.
        neck: makes of them a pyramid's levels; None where there is none.
        heads: the first layers of the box heads.
        masks: those of the mask head.
    """

    backbone: Any
    neck: Any
    heads: list[Any]
    masks: Any


def pyramid_parts(
    trunk: str,
    count: int,
    norm_type: str = "bn",
    freeze_norm: bool = True,
    freeze_at: int = 0,
    dcn_v2_stages: Sequence[int] = (),
    channels: int = 256,
    head_channels: int = 1024,
    mask_channels: int = 256,
    head_norm_type: Optional[str] = None,
    head_resolution: int = 7,
    nonlocal_stages: Sequence[int] = (),
    scale: float = 1.0,
) -> Parts:
    """Return the parts of a detector on a feature pyramid.

    Args:
        trunk: which of :data:`TRUNKS`.
        count: how many box heads there are.
        norm_type: of the backbone: "bn", "sync_bn" or "gn".
        freeze_norm: whether the backbone's normalisations keep scale, offset and statistics, in training too.
        freeze_at: the backbone's stem and stages up to this one, counted from 0, keep their weights; -1: none does.
        dcn_v2_stages: stages whose 3 x 3 convolutions are deformable, counted from 0.
        channels: of the pyramid.
        head_channels: of the box heads.
        mask_channels: of the mask head.
        head_norm_type: null, or "gn": pyramid and heads have group normalisation, and the box heads four convolutions.
        head_resolution: side of the feature maps that the box heads take.
        nonlocal_stages: stages of the backbone with non-local blocks, counted from 0.
        scale: factor on the backbone's numbers of channels.
    """
    frozen: dict[str, Any] = {"norm_type": norm_type, "freeze_norm": freeze_norm, "freeze_at": freeze_at}
    stages: dict[str, Any] = {"dcn_v2_stages": tuple(dcn_v2_stages), "nonlocal_stages": tuple(nonlocal_stages)}
    backbone = ResNet(**TRUNKS[trunk], **frozen, **stages, scale=scale)
    neck = FPN(backbone.channels, backbone.strides, channels, norm_type=head_norm_type)
    heads: list[nn.Layer] = []
    for number in range(count):
        if head_norm_type is None:
            heads.append(TwoFCHead(channels, head_channels, head_resolution))
        else:
            name = f"stage{number}_" if count > 1 else ""
            sizes = (channels, 4, channels, head_channels, head_resolution)
            heads.append(XConvNormHead(*sizes, norm_type=head_norm_type, stage_name=name))
    return Parts(backbone, neck, heads, MaskFeat(channels, mask_channels, 4, head_norm_type))


def c4_parts(
    trunk: str,
    norm_type: str = "bn",
    freeze_norm: bool = True,
    freeze_at: int = 0,
    mask_channels: int = 256,
    res5_variant: str = "b",
) -> Parts:
    """Return the parts of a detector on the fourth stage alone.

    Args:
        trunk: which of :data:`TRUNKS`.
        norm_type: as of :func:`pyramid_parts`.
        freeze_norm: likewise; of the fifth stage, too.
        freeze_at: likewise.
        mask_channels: of the mask head.
        res5_variant: of the fifth stage, see :class:`ResNet`: "b" in PaddleDetection 2.x, whatever the backbone's is;
            the backbone's in generation 1.
    """
    frozen: dict[str, Any] = {"norm_type": norm_type, "freeze_norm": freeze_norm}
    backbone = ResNet(**TRUNKS[trunk], **frozen, freeze_at=freeze_at, num_stages=3, return_idx=(2,))
    head = Res5Head(TRUNKS[trunk]["depth"], variant=res5_variant, norm=Norm(norm_type, freeze_norm=freeze_norm))
    return Parts(backbone, None, [head], MaskFeat(head.channels, mask_channels, 0))


def divided(settings: Mapping[str, Any], function: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings that a function takes, and the others."""
    names = inspect.signature(function).parameters
    own = {key: value for key, value in settings.items() if key in names}
    return own, {key: value for key, value in settings.items() if key not in names}


def divided_c4(trunk: str, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of :func:`c4_parts`, those that follow from the generation with them, and the others.

    Args:
        trunk: which of :data:`TRUNKS`.
        settings: of an entry function.
    """
    own, further = divided(settings, c4_parts)
    if further.get("generation") == 1:
        own.setdefault("res5_variant", TRUNKS[trunk].get("variant", "b"))
    return own, further
