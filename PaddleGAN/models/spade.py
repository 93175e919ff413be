"""SPADE: pictures from maps of classes, which decide scale and shift of every normalisation, pixel by pixel.

Papers: Park et al., "Semantic image synthesis with spatially-adaptive normalization", CVPR 2019,
https://arxiv.org/abs/1903.07291; its discriminator is that of Wang et al., https://arxiv.org/abs/1711.11585
Parameter names are those of the authors' implementation: ppgan 2.1 has a relative of the network, for other images.
Weights start as theirs: Xavier's normal distribution times 0.02, biases 0.

The normalisation in front of scale and shift is batch normalisation, and spectral normalisation divides the weights of
the residual blocks and of the discriminator, as in the paper. The encoder of a style image, which the paper calls
optional, is left out.
"""

from __future__ import annotations

from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal
from core.nn.utils import spectral_norm
from PaddleGAN.models.blocks import check_image, positive

HIDDEN_CHANNELS = 128
"""Channels of the feature maps from which scale and shift are computed."""

UPSAMPLINGS = {"normal": 5, "more": 6, "most": 7}
"""How often images are doubled."""


def conv(in_channels: int, out_channels: int, kernel_size: int, **options: Any) -> nn.Conv2D:
    """Return a convolution that starts as the authors' do; arguments as for :class:`core.nn.Conv2D`."""
    deviation = 0.02 * (2 / ((in_channels + out_channels) * kernel_size**2)) ** 0.5
    weight_attr = ParamAttr(initializer=Normal(0.0, deviation))
    return nn.Conv2D(in_channels, out_channels, kernel_size, weight_attr=weight_attr, **options)


class SPADE(nn.Layer):
    """Batch normalisation whose scale and shift come from a map: (N, norm_nc, H, W) to the same shape.

    Args:
        norm_nc: channels of what is normalised.
        label_nc: channels of the map.
    """

    def __init__(self, norm_nc: int, label_nc: int) -> None:
        super().__init__()
        self.param_free_norm = nn.BatchNorm2D(norm_nc, weight_attr=False, bias_attr=False)
        self.mlp_shared = nn.Sequential(conv(label_nc, HIDDEN_CHANNELS, 3, padding=1), nn.ReLU())
        self.mlp_gamma = conv(HIDDEN_CHANNELS, norm_nc, 3, padding=1)
        self.mlp_beta = conv(HIDDEN_CHANNELS, norm_nc, 3, padding=1)

    def forward(self, x: Any, segmap: Any) -> Any:
        """Return the normalised maps.

        Args:
            x: feature maps.
            segmap: (N, label_nc, height, width) of any size; the nearest pixel counts.
        """
        hidden = self.mlp_shared(F.interpolate(segmap, size=x.shape[2:], mode="nearest"))
        return self.param_free_norm(x) * (1.0 + self.mlp_gamma(hidden)) + self.mlp_beta(hidden)


class SPADEResnetBlock(nn.Layer):
    """Two convolutions behind SPADE and leaky ReLU, added to the input: (N, fin, H, W) to (N, fout, H, W).

    Args:
        fin: channels received.
        fout: channels returned; where they differ, the input passes a 1 x 1 convolution.
        label_nc: channels of the map.
    """

    def __init__(self, fin: int, fout: int, label_nc: int) -> None:
        super().__init__()
        middle = min(fin, fout)
        self.conv_0 = spectral_norm(conv(fin, middle, 3, padding=1))
        self.conv_1 = spectral_norm(conv(middle, fout, 3, padding=1))
        self.norm_0 = SPADE(fin, label_nc)
        self.norm_1 = SPADE(middle, label_nc)
        self.learned_shortcut = fin != fout
        if self.learned_shortcut:
            self.conv_s = spectral_norm(conv(fin, fout, 1, bias_attr=False))
            self.norm_s = SPADE(fin, label_nc)

    def forward(self, x: Any, segmap: Any) -> Any:
        """Return the sum."""
        shortcut = self.conv_s(self.norm_s(x, segmap)) if self.learned_shortcut else x
        x = self.conv_0(F.leaky_relu(self.norm_0(x, segmap), 0.2))
        return shortcut + self.conv_1(F.leaky_relu(self.norm_1(x, segmap), 0.2))


class SPADEGenerator(nn.Layer):
    """Maps of classes to pictures: (N, semantic_nc, H, W) to (N, 3, H, W), in [-1, 1].

    Args:
        semantic_nc: channels of the maps; for classes one each, with 1 where the class is.
        ngf: channels of the last feature maps; 16 times as many at the start.
        num_upsampling_layers: ``"normal"`` doubles 5 times, ``"more"`` 6 times and ``"most"`` 7 times, with one block
            more; height and width are multiples of 2 to that power.

    Raises:
        ValueError: a number is not positive, or there is no such way of upsampling.
    """

    def __init__(self, semantic_nc: int, ngf: int = 64, num_upsampling_layers: str = "normal") -> None:
        super().__init__()
        positive("SPADEGenerator", semantic_nc=semantic_nc, ngf=ngf)
        if num_upsampling_layers not in UPSAMPLINGS:
            raise ValueError(
                f"num_upsampling_layers must be {', '.join(map(repr, UPSAMPLINGS))}, not {num_upsampling_layers!r}"
            )
        self.semantic_nc = semantic_nc
        self.num_upsampling_layers = num_upsampling_layers
        self.fc = conv(semantic_nc, 16 * ngf, 3, padding=1)
        self.head_0 = SPADEResnetBlock(16 * ngf, 16 * ngf, semantic_nc)
        self.G_middle_0 = SPADEResnetBlock(16 * ngf, 16 * ngf, semantic_nc)
        self.G_middle_1 = SPADEResnetBlock(16 * ngf, 16 * ngf, semantic_nc)
        width = 16 * ngf
        stages = 5 if num_upsampling_layers == "most" else 4
        for stage in range(stages):
            self.add_sublayer(f"up_{stage}", SPADEResnetBlock(width, width // 2, semantic_nc))
            width //= 2
        self.stages = stages
        self.conv_img = conv(width, 3, 3, padding=1)

    def forward(self, segmap: Any) -> Any:
        """Return the pictures."""
        factor = 2 ** UPSAMPLINGS[self.num_upsampling_layers]
        check_image("SPADEGenerator", segmap, self.semantic_nc, factor)
        height, width = segmap.shape[2:]
        x = self.fc(F.interpolate(segmap, size=[height // factor, width // factor], mode="nearest"))
        x = twice(self.head_0(x, segmap))
        x = self.G_middle_0(x, segmap)
        if self.num_upsampling_layers != "normal":
            x = twice(x)
        x = self.G_middle_1(x, segmap)
        for stage in range(self.stages):
            x = getattr(self, f"up_{stage}")(twice(x), segmap)
        return F.tanh(self.conv_img(F.leaky_relu(x, 0.2)))


def twice(x: Any) -> Any:
    """Return feature maps with each pixel repeated twice as high and wide."""
    return F.interpolate(x, scale_factor=2, mode="nearest")


class PatchDiscriminator(nn.Layer):
    """A discriminator of patches that also returns its feature maps: (N, input_nc, H, W) to a list of Tensors.

    Args:
        input_nc: channels of the pictures.
        ndf: channels of the first feature maps; each layer doubles them, up to 512.
        n_layers: number of convolutions in front of the last one.
    """

    def __init__(self, input_nc: int, ndf: int, n_layers: int) -> None:
        super().__init__()
        first = nn.Sequential(conv(input_nc, ndf, 4, stride=2, padding=2), nn.LeakyReLU(0.2))
        self.add_sublayer("model0", first)
        channels = ndf
        for layer in range(1, n_layers):
            width, stride = min(2 * channels, 512), 1 if layer == n_layers - 1 else 2
            layer_conv = spectral_norm(conv(channels, width, 4, stride=stride, padding=2, bias_attr=False))
            normalised = nn.Sequential(layer_conv, nn.InstanceNorm2D(width, weight_attr=False, bias_attr=False))
            self.add_sublayer(f"model{layer}", nn.Sequential(normalised, nn.LeakyReLU(0.2)))
            channels = width
        self.add_sublayer(f"model{n_layers}", nn.Sequential(conv(channels, 1, 4, padding=2)))

    def forward(self, x: Any) -> list[Any]:
        """Return the feature maps of each layer; the logits of the patches are the last."""
        maps = []
        for layer in self.children():
            x = layer(x)
            maps.append(x)
        return maps


class MultiscaleDiscriminator(nn.Layer):
    """Discriminators of an image, of it at half the size, and so on: (N, input_nc, H, W) to a list of lists.

    Args:
        input_nc: channels of the images: of the map of classes and of the picture, joined.
        ndf: channels of the first feature maps of each.
        num_D: number of discriminators.
        n_layers: number of convolutions of each in front of the last one.
    """

    def __init__(self, input_nc: int, ndf: int = 64, num_D: int = 2, n_layers: int = 4) -> None:
        super().__init__()
        positive("MultiscaleDiscriminator", input_nc=input_nc, ndf=ndf, num_D=num_D, n_layers=n_layers)
        for number in range(num_D):
            self.add_sublayer(f"discriminator_{number}", PatchDiscriminator(input_nc, ndf, n_layers))

    def forward(self, x: Any) -> list[list[Any]]:
        """Return for each discriminator its feature maps, of which the last one holds the logits of the patches."""
        results = []
        for number, discriminator in enumerate(self.children()):
            if number:
                x = F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=True)
            results.append(discriminator(x))
        return results
