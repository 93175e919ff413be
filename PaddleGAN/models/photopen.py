"""The blocks of ppgan's SPADE networks: GELU, SimAM behind every block, and names of their own.

Papers: Park et al., "Semantic image synthesis with spatially-adaptive normalization", CVPR 2019,
https://arxiv.org/abs/1903.07291; Yang et al., "SimAM: a simple, parameter-free attention module for convolutional
neural networks", ICML 2021, https://proceedings.mlr.press/v139/yang21o.html
Source of parameter names: ppgan 2.1 (SPADEGenerator and MultiscaleDiscriminator of its model PhotoPen).
Weights start as those of layers usually do. Spectral normalisation divides the convolutions of every residual block,
whatever ``norm_G`` says, as in ppgan.
"""

from __future__ import annotations

import re
from typing import Any

from core import nn
from core.nn import functional as F
from core.nn.utils import spectral_norm

HIDDEN_CHANNELS = 128
"""Channels of the feature maps from which scale and shift are computed."""

NORMALISATIONS = {
    "batch": lambda channels: nn.BatchNorm2D(channels, weight_attr=False, bias_attr=False),
    "syncbatch": lambda channels: nn.SyncBatchNorm(channels, weight_attr=False, bias_attr=False),
    "instance": lambda channels: nn.InstanceNorm2D(channels),
}
"""The normalisations in front of scale and shift."""


def normalisation_and_kernel(norm_G: str) -> tuple[str, int]:
    """Return what ``norm_G`` names: a key of :data:`NORMALISATIONS`, and the size of the kernels.

    Args:
        norm_G: such as ``"spectralspadebatch3x3"``.

    Raises:
        ValueError: it names none.
    """
    found = re.fullmatch(r"(?:spectral)?spade([a-z]+)([1357])x\2", norm_G)
    if found is None or found[1] not in NORMALISATIONS:
        raise ValueError(
            f"SPADEGenerator: norm_G must be such as 'spectralspadebatch3x3', with {', '.join(NORMALISATIONS)}, "
            f"not {norm_G!r}"
        )
    return found[1], int(found[2])


def simam(x: Any) -> Any:
    """Return feature maps (N, C, H, W), each weighed by how much it differs from the mean of its map.

    A map of one pixel, for which ppgan has no number, keeps the weight of no difference.
    """
    squares = (x - x.mean(axis=[2, 3], keepdim=True)) ** 2
    others = max(x.shape[2] * x.shape[3] - 1, 1)
    variance = squares.sum(axis=[2, 3], keepdim=True) / others
    return x * F.sigmoid(squares / (4 * (variance + 1e-4)) + 0.5)


class PhotoPenSPADE(nn.Layer):
    """A normalisation whose scale and shift come from a map: (N, norm_nc, H, W) to the same shape.

    Args:
        norm_nc: channels of what is normalised.
        label_nc: channels of the map.
        norm_G: as for :func:`normalisation_and_kernel`.
    """

    def __init__(self, norm_nc: int, label_nc: int, norm_G: str) -> None:
        super().__init__()
        kind, kernel = normalisation_and_kernel(norm_G)
        padding = kernel // 2
        self.param_free_norm = NORMALISATIONS[kind](norm_nc)
        self.mlp_shared = nn.Sequential(nn.Conv2D(label_nc, HIDDEN_CHANNELS, kernel, padding=padding), nn.GELU())
        self.mlp_gamma = nn.Conv2D(HIDDEN_CHANNELS, norm_nc, kernel, padding=padding)
        self.mlp_beta = nn.Conv2D(HIDDEN_CHANNELS, norm_nc, kernel, padding=padding)

    def forward(self, x: Any, segmap: Any) -> Any:
        """Return the normalised maps; of ``segmap``, of any size, the nearest pixel counts."""
        normalised = self.param_free_norm(x)
        hidden = self.mlp_shared(F.interpolate(segmap, size=x.shape[2:], mode="nearest"))
        return normalised * (1 + self.mlp_gamma(hidden)) + self.mlp_beta(hidden)


class PhotoPenResnetBlock(nn.Layer):
    """Two convolutions behind SPADE and GELU, added to the input, then SimAM: (N, fin, H, W) to (N, fout, H, W).

    Args:
        fin: channels received.
        fout: channels returned; where they differ, the input passes a 1 x 1 convolution.
        label_nc: channels of the map.
        norm_G: as for :func:`normalisation_and_kernel`.
    """

    def __init__(self, fin: int, fout: int, label_nc: int, norm_G: str) -> None:
        super().__init__()
        middle = min(fin, fout)
        self.learned_shortcut = fin != fout
        self.spade_0 = PhotoPenSPADE(fin, label_nc, norm_G)
        self.spade_1 = PhotoPenSPADE(middle, label_nc, norm_G)
        if self.learned_shortcut:
            self.spade_s = PhotoPenSPADE(fin, label_nc, norm_G)
        self.act_conv_0 = nn.Sequential(nn.GELU(), spectral_norm(nn.Conv2D(fin, middle, 3, padding=1)))
        self.act_conv_1 = nn.Sequential(nn.GELU(), spectral_norm(nn.Conv2D(middle, fout, 3, padding=1)))
        if self.learned_shortcut:
            self.act_conv_s = nn.Sequential(spectral_norm(nn.Conv2D(fin, fout, 1, bias_attr=False)))

    def forward(self, x: Any, segmap: Any) -> Any:
        """Return the sum, weighed by SimAM."""
        inner = self.act_conv_1(self.spade_1(self.act_conv_0(self.spade_0(x, segmap)), segmap))
        shortcut = self.act_conv_s(self.spade_s(x, segmap)) if self.learned_shortcut else x
        return simam(inner + shortcut)


class PhotoPenPatchDiscriminator(nn.Layer):
    """A discriminator of patches that also returns its feature maps: (N, input_nc, H, W) to a list of Tensors.

    Args:
        input_nc: channels of the pictures.
        ndf: channels of the first feature maps; each layer doubles them, up to 512.
        n_layers: number of convolutions in front of the last one.
    """

    def __init__(self, input_nc: int, ndf: int, n_layers: int) -> None:
        super().__init__()
        self.add_sublayer("block_0", nn.Sequential(nn.Conv2D(input_nc, ndf, 4, stride=2, padding=2), nn.GELU()))
        channels = ndf
        for layer in range(1, n_layers):
            width, stride = min(2 * channels, 512), 1 if layer == n_layers - 1 else 2
            conv = spectral_norm(nn.Conv2D(channels, width, 4, stride=stride, padding=2))
            self.add_sublayer(f"block_{layer}", nn.Sequential(conv, nn.InstanceNorm2D(width), nn.GELU()))
            channels = width
        self.add_sublayer(f"block_{n_layers}", nn.Conv2D(channels, 1, 4, padding=2))

    def forward(self, x: Any) -> list[Any]:
        """Return the feature maps of each layer behind SimAM; the logits of the patches are the last."""
        maps = []
        for layer in self.children():
            x = simam(layer(x))
            maps.append(x)
        return maps
