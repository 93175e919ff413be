"""DCGAN: images from noise by transposed convolutions, and convolutions with strides that tell them from real ones.

Paper: Radford, Metz and Chintala, "Unsupervised representation learning with deep convolutional generative adversarial
networks", ICLR 2016, https://arxiv.org/abs/1511.06434
Source of parameter names: ppgan 2.1 (DCGenerator, DCDiscriminator, DeepConvGenerator). DCGenerator28 and
DCDiscriminator28 are the networks of the PaddlePaddle 1.5 kit for MNIST.
Weights start as in the paper: normal with standard deviation 0.02, the scales of batch normalisation around 1.

Decided where the sources differ: no discriminator ends in a sigmoid, as the losses of :mod:`PaddleGAN.losses` take
logits (the 1.5 kit applied a sigmoid twice); leaky ReLU has the paper's slope 0.2 (in the 1.5 kit it was 0); ppgan's
discriminator has biases in front of batch normalisation and none elsewhere, which is kept for its weight files.
"""

from __future__ import annotations

from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import (
    batch_norm_2d,
    check_image,
    check_vectors,
    conv,
    deconv,
    linear,
    normalization,
)


class DCGenerator(nn.Layer):
    """Noise to images of 64 pixels: (N, input_nz, 1, 1) to (N, output_nc, 64, 64), in [-1, 1].

    Args:
        input_nz: numbers of noise for each image.
        input_nc: channels of the real images; ppgan's configurations pass it, the network does not need it.
        output_nc: channels of the images.
        ngf: channels of the last hidden feature maps.
        norm_type: ``"batch"`` (which uses running statistics in evaluation), ``"instance"`` or ``"none"``.
    """

    def __init__(
        self, input_nz: int = 100, input_nc: int = 3, output_nc: int = 3, ngf: int = 64, norm_type: str = "batch"
    ) -> None:
        super().__init__()
        positive_numbers("DCGenerator", input_nz=input_nz, output_nc=output_nc, ngf=ngf)
        self.input_nz = input_nz
        layers: list[nn.Layer] = []
        channels = input_nz
        for width, stride, padding in zip((8 * ngf, 4 * ngf, 2 * ngf, ngf), (1, 2, 2, 2), (0, 1, 1, 1)):
            layers += [
                deconv(channels, width, 4, stride=stride, padding=padding, bias=False),
                batch_norm_2d(width) if norm_type == "batch" else normalization(norm_type, width),
                nn.ReLU(),
            ]
            channels = width
        layers += [deconv(channels, output_nc, 4, stride=2, padding=1, bias=False), nn.Tanh()]
        self.model = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the images.

        Args:
            x: noise (N, input_nz, 1, 1), or (N, input_nz).
        """
        noise = x.flatten(1)
        check_vectors("DCGenerator", "noise", noise, self.input_nz)
        return self.model(noise.reshape([-1, self.input_nz, 1, 1]))


class DCDiscriminator(nn.Layer):
    """Images of 64 pixels to logits: (N, input_nc, 64, 64) to (N, 1, 1, 1); larger ones to (N, 1, H/16-3, W/16-3).

    Args:
        input_nc: channels of the images.
        ndf: channels of the first feature maps.
        norm_type: ``"batch"`` (which uses running statistics in evaluation), ``"instance"`` or ``"none"``. ppgan's
            default is ``"instance"``, its recipes and the paper have ``"batch"``.
    """

    def __init__(self, input_nc: int = 3, ndf: int = 64, norm_type: str = "batch") -> None:
        super().__init__()
        positive_numbers("DCDiscriminator", input_nc=input_nc, ndf=ndf)
        batch = norm_type == "batch"
        layers = [conv(input_nc, ndf, 4, stride=2, padding=1, bias=False), nn.LeakyReLU(0.2)]
        for channels in (ndf, 2 * ndf, 4 * ndf):
            layers += [
                conv(channels, 2 * channels, 4, stride=2, padding=1, bias=batch),
                batch_norm_2d(2 * channels) if batch else normalization(norm_type, 2 * channels),
                nn.LeakyReLU(0.2),
            ]
        layers.append(conv(8 * ndf, 1, 4))
        self.model = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the logits."""
        return self.model(x)


class DeepConvGenerator(nn.Layer):
    """Noise to images of a chosen size, by enlarging and convolving: (N, latent_dim) to (N, output_nc, size, size).

    Args:
        latent_dim: numbers of noise for each image.
        output_nc: channels of the images.
        size: their height and width, a multiple of 4.
        ngf: channels of the last hidden feature maps.

    Raises:
        ValueError: the size is no multiple of 4.
    """

    def __init__(self, latent_dim: int = 100, output_nc: int = 3, size: int = 64, ngf: int = 64) -> None:
        super().__init__()
        positive_numbers("DeepConvGenerator", latent_dim=latent_dim, output_nc=output_nc, size=size, ngf=ngf)
        if size % 4:
            raise ValueError(f"DeepConvGenerator: size must be a multiple of 4, not {size}")
        self.latent_dim = latent_dim
        self.ngf = ngf
        self.init_size = size // 4
        self.l1 = nn.Sequential(linear(latent_dim, ngf * 2 * self.init_size**2))
        around_one = ParamAttr(initializer=Normal(1.0, 0.02))
        self.conv_blocks = nn.Sequential(
            batch_norm_2d(ngf * 2),
            nn.Upsample(scale_factor=2),
            conv(ngf * 2, ngf * 2, 3, padding=1),
            nn.BatchNorm2D(ngf * 2, 0.2, weight_attr=around_one),  # 0.2 of the old statistics, as in ppgan
            nn.LeakyReLU(0.2),
            nn.Upsample(scale_factor=2),
            conv(ngf * 2, ngf, 3, padding=1),
            nn.BatchNorm2D(ngf, 0.2, weight_attr=around_one),
            nn.LeakyReLU(0.2),
            conv(ngf, output_nc, 3, padding=1),
            nn.Tanh(),
        )

    def forward(self, z: Any) -> Any:
        """Return the images, in [-1, 1].

        Args:
            z: noise (N, latent_dim).
        """
        check_vectors("DeepConvGenerator", "noise", z, self.l1[0].weight.shape[0])
        return self.conv_blocks(self.l1(z).reshape([-1, self.ngf * 2, self.init_size, self.init_size]))


class DCGenerator28(nn.Layer):
    """Noise to digits: (N, input_nz) to (N, output_nc, 28, 28), in [-1, 1].

    Args:
        input_nz: numbers of noise for each image.
        output_nc: channels of the images.
        ngf: half the channels of the feature maps.
        fc_dim: width of the first fully connected layer.
    """

    def __init__(self, input_nz: int = 100, output_nc: int = 1, ngf: int = 64, fc_dim: int = 2048) -> None:
        super().__init__()
        positive_numbers("DCGenerator28", input_nz=input_nz, output_nc=output_nc, ngf=ngf, fc_dim=fc_dim)
        self.input_nz = input_nz
        self.ngf = ngf
        around_one = ParamAttr(initializer=Normal(1.0, 0.02))
        self.fc1 = linear(input_nz, fc_dim)
        self.norm1 = nn.BatchNorm1D(fc_dim, weight_attr=around_one)
        self.fc2 = linear(fc_dim, 2 * ngf * 7 * 7)
        self.norm2 = nn.BatchNorm1D(2 * ngf * 7 * 7, weight_attr=around_one)
        self.deconv1 = deconv(2 * ngf, 2 * ngf, 4, stride=2, padding=1)
        self.deconv2 = deconv(2 * ngf, output_nc, 4, stride=2, padding=1)

    def forward(self, noise: Any) -> Any:
        """Return the images."""
        check_vectors("DCGenerator28", "noise", noise, self.input_nz)
        x = F.relu(self.norm1(self.fc1(noise)))
        x = F.relu(self.norm2(self.fc2(x)))
        x = F.relu(self.deconv1(x.reshape([-1, 2 * self.ngf, 7, 7])))
        return F.tanh(self.deconv2(x))


class DCDiscriminator28(nn.Layer):
    """Digits to logits: (N, input_nc, 28, 28) to (N, 1).

    Args:
        input_nc: channels of the images.
        ndf: channels of the first feature maps.
        fc_dim: width of the hidden fully connected layer.
    """

    def __init__(self, input_nc: int = 1, ndf: int = 64, fc_dim: int = 1024) -> None:
        super().__init__()
        positive_numbers("DCDiscriminator28", input_nc=input_nc, ndf=ndf, fc_dim=fc_dim)
        self.input_nc = input_nc
        self.conv1 = conv(input_nc, ndf, 4, stride=2, padding=1)
        self.conv2 = conv(ndf, 2 * ndf, 4, stride=2, padding=1)
        self.norm2 = batch_norm_2d(2 * ndf)
        self.fc1 = linear(2 * ndf * 7 * 7, fc_dim)
        self.norm3 = nn.BatchNorm1D(fc_dim, weight_attr=ParamAttr(initializer=Normal(1.0, 0.02)))
        self.fc2 = linear(fc_dim, 1)

    def forward(self, x: Any) -> Any:
        """Return the logits."""
        check_image("DCDiscriminator28", x, self.input_nc, size=28)
        x = F.leaky_relu(self.conv1(x), 0.2)
        x = F.leaky_relu(self.norm2(self.conv2(x)), 0.2)
        x = F.leaky_relu(self.norm3(self.fc1(x.flatten(1))), 0.2)
        return self.fc2(x)
