"""SPADE: pictures from maps of classes, which decide scale and shift of every normalisation, pixel by pixel.

Papers: Park et al., "Semantic image synthesis with spatially-adaptive normalization", CVPR 2019,
https://arxiv.org/abs/1903.07291; its discriminator is that of Wang et al., https://arxiv.org/abs/1711.11585
Parameter names are those of the authors' implementation, and weights start as theirs: Xavier's normal distribution
times 0.02, biases 0. With ``crop_size``, which ppgan 2.1 requires and the paper's networks do not need, both networks
are ppgan's instead, with its arguments, names and blocks (:mod:`PaddleGAN.models.photopen`).

The normalisation in front of scale and shift is batch normalisation, and spectral normalisation divides the weights of
the residual blocks and of the discriminator, as in the paper. The encoder of a style image, which the paper calls
optional, is left out.
"""

from __future__ import annotations

from typing import Any, Optional

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal
from core.nn.layer.checks import positive_numbers
from core.nn.utils import spectral_norm
from PaddleGAN.models.blocks import check_image
from PaddleGAN.models.photopen import HIDDEN_CHANNELS, PhotoPenPatchDiscriminator, PhotoPenResnetBlock

NORM_G = "spectralspadebatch3x3"
"""How ppgan's configurations name the normalisation of the paper: batch normalisation, kernels 3 x 3."""

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
        crop_size: None for the paper's network. Else the network is ppgan's: it makes pictures of this width.
        aspect_ratio: of ppgan's network: width of its pictures over their height.
        norm_G: of ppgan's network: the normalisation and the size of the kernels behind it, as
            ``"spectralspadeinstance3x3"``.
        use_vae: false, as the encoder of a style image is left out.
        nef: channels of that encoder; not needed.

    Raises:
        ValueError: a number is not positive, there is no such way of upsampling or normalisation, an encoder is asked
            for, or arguments of ppgan's network are given without ``crop_size``.
    """

    def __init__(
        self,
        semantic_nc: int,
        ngf: int = 64,
        num_upsampling_layers: str = "normal",
        crop_size: Optional[int] = None,
        aspect_ratio: float = 1.0,
        norm_G: str = NORM_G,
        use_vae: bool = False,
        nef: int = 16,
    ) -> None:
        super().__init__()
        positive_numbers("SPADEGenerator", semantic_nc=semantic_nc, ngf=ngf)
        if num_upsampling_layers not in UPSAMPLINGS:
            raise ValueError(
                f"num_upsampling_layers must be {', '.join(map(repr, UPSAMPLINGS))}, not {num_upsampling_layers!r}"
            )
        if use_vae:
            raise ValueError("SPADEGenerator: use_vae must be false, as the encoder of a style image is left out")
        self.semantic_nc = semantic_nc
        self.num_upsampling_layers = num_upsampling_layers
        self.factor = 2 ** UPSAMPLINGS[num_upsampling_layers]
        if crop_size is None and (aspect_ratio, norm_G) != (1.0, NORM_G):
            raise ValueError("SPADEGenerator: aspect_ratio and norm_G are of ppgan's network; give its crop_size too")
        self.first_size = None if crop_size is None else first_size(crop_size, aspect_ratio, self.factor)

        def block(fin: int, fout: int) -> nn.Layer:
            if crop_size is None:
                return SPADEResnetBlock(fin, fout, semantic_nc)
            return PhotoPenResnetBlock(fin, fout, semantic_nc, norm_G)

        outer = conv if crop_size is None else nn.Conv2D
        width = 16 * ngf
        self.fc = outer(semantic_nc, width, 3, padding=1)
        self.head_0, self.G_middle_0, self.G_middle_1 = (block(width, width) for _ in range(3))
        self.stages = 5 if num_upsampling_layers == "most" else 4
        for stage in range(self.stages):
            self.add_sublayer(f"up_{stage}", block(width, width // 2))
            width //= 2
        self.conv_img = outer(width, 3, 3, padding=1)

    def forward(self, segmap: Any) -> Any:
        """Return the pictures; ppgan's network makes those of ``crop_size`` of maps of any size."""
        check_image("SPADEGenerator", segmap, self.semantic_nc, 1 if self.first_size else self.factor)
        size = self.first_size or [side // self.factor for side in segmap.shape[2:]]
        x = self.fc(F.interpolate(segmap, size=size, mode="nearest"))
        x = twice(self.head_0(x, segmap))
        x = self.G_middle_0(x, segmap)
        if self.num_upsampling_layers != "normal":
            x = twice(x)
        x = self.G_middle_1(x, segmap)
        for stage in range(self.stages):
            x = getattr(self, f"up_{stage}")(twice(x), segmap)
        return F.tanh(self.conv_img(F.gelu(x) if self.first_size else F.leaky_relu(x, 0.2)))


def first_size(crop_size: int, aspect_ratio: float, factor: int) -> list[int]:
    """Return height and width of the first feature maps of ppgan's network.

    Args:
        crop_size: width of the pictures.
        aspect_ratio: width over height.
        factor: by which the first feature maps are enlarged.

    Raises:
        ValueError: a number is not positive, or nothing would be left of the pictures.
    """
    positive_numbers("SPADEGenerator", crop_size=crop_size)
    if not aspect_ratio > 0:
        raise ValueError(f"SPADEGenerator: aspect_ratio must be more than 0, not {aspect_ratio}")
    width = crop_size // factor
    height = round(width / aspect_ratio)
    if width < 1 or height < 1:
        raise ValueError(
            f"SPADEGenerator: crop_size {crop_size} and aspect_ratio {aspect_ratio} leave feature maps of {width} x "
            f"{height} where pictures are halved {factor.bit_length() - 1} times; choose a larger crop_size"
        )
    return [height, width]


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
        input_nc: channels of the images: of the map of classes and of the picture, joined; None in ppgan's form, where
            they follow from ``label_nc`` and what follows it.
        ndf: channels of the first feature maps of each.
        num_D: number of discriminators.
        n_layers: number of convolutions of each in front of the last one.
        crop_size: None for the paper's network; any number for ppgan's, which takes images of every size.
        label_nc: of ppgan's network: number of classes.
        output_nc: of ppgan's network: channels of the picture.
        contain_dontcare_label: of ppgan's network: whether the map has a channel of pixels without a class.
        no_instance: of ppgan's network: whether the map has no channel of the edges of instances.
        n_layers_D: ppgan's name of ``n_layers``.

    Raises:
        ValueError: a number is not positive, or arguments of both forms are given, or of none.
    """

    def __init__(
        self,
        input_nc: Optional[int] = None,
        ndf: int = 64,
        num_D: int = 2,
        n_layers: int = 4,
        crop_size: Optional[int] = None,
        label_nc: Optional[int] = None,
        output_nc: int = 3,
        contain_dontcare_label: bool = False,
        no_instance: bool = True,
        n_layers_D: Optional[int] = None,
    ) -> None:
        super().__init__()
        if (input_nc is None) is not (crop_size is not None and label_nc is not None):
            raise ValueError(
                "MultiscaleDiscriminator: give input_nc for the paper's network, or crop_size and label_nc for ppgan's"
            )
        if input_nc is None:
            assert label_nc is not None
            positive_numbers("MultiscaleDiscriminator", label_nc=label_nc, output_nc=output_nc)
            input_nc = label_nc + output_nc + bool(contain_dontcare_label) + (not no_instance)
        layers = n_layers if n_layers_D is None else n_layers_D
        positive_numbers("MultiscaleDiscriminator", input_nc=input_nc, ndf=ndf, num_D=num_D, n_layers=layers)
        self.input_nc = input_nc
        for number in range(num_D):
            if crop_size is None:
                self.add_sublayer(f"discriminator_{number}", PatchDiscriminator(input_nc, ndf, layers))
            else:
                own = PhotoPenPatchDiscriminator(input_nc, ndf, layers)
                self.add_sublayer(f"nld_{number}", nn.Sequential(*(nn.AvgPool2D(3, 2, 1) for _ in range(number)), own))
        self.shares_halves = crop_size is None

    def forward(self, x: Any) -> list[list[Any]]:
        """Return for each discriminator its feature maps, of which the last one holds the logits of the patches."""
        if not self.shares_halves:
            return [discriminator(x) for discriminator in self.children()]
        results = []
        for number, discriminator in enumerate(self.children()):
            if number:
                x = F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=True)
            results.append(discriminator(x))
        return results
