"""Conditional GAN: the class that an image is to show is given to the generator and to the discriminator.

Paper: Mirza and Osindero, "Conditional generative adversarial nets", 2014, https://arxiv.org/abs/1411.1784
Source of parameter names: ppgan 2.1 (ConditionalDeepConvGenerator). CGANGenerator and CGANDiscriminator are the
networks of the PaddlePaddle 1.5 kit for MNIST, which joins the class to what every layer receives.
Weights start normal with standard deviation 0.02, the scales of batch normalisation around 1.

Decided where the sources differ: the class is a one-hot vector, as in the paper (the 1.5 kit gave its number as one
channel); the discriminator returns a logit (the kit applied a sigmoid twice); its leaky ReLU has slope 0.2 (in the kit
it was 0).
"""

from __future__ import annotations

from typing import Any

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import (
    attribute_maps,
    batch_norm_2d,
    check_image,
    check_vectors,
    conv,
    deconv,
    linear,
)
from PaddleGAN.models.dcgan import DeepConvGenerator


def batch_norm_1d(features: int) -> nn.BatchNorm1D:
    """Return batch normalisation of vectors, with scales that start around 1."""
    return nn.BatchNorm1D(features, weight_attr=ParamAttr(initializer=Normal(1.0, 0.02)))


def with_class(x: Any, classes: Any) -> Any:
    """Return vectors or feature maps (N, C, ...) with the classes (N, n_class) joined to their channels."""
    if len(x.shape) == 4:
        classes = attribute_maps("with_class", classes, classes.shape[1], x)
    return core.concat([x, classes], axis=1)


def one_hot(owner: str, class_id: Any, n_class: int, like: Any) -> Any:
    """Return class numbers (N,) as vectors (N, n_class) of the type of ``like``.

    Raises:
        ValueError: they are not (N,).
    """
    if len(class_id.shape) != 1:
        raise ValueError(f"{owner} takes class numbers (N,), not {list(class_id.shape)}")
    return F.one_hot(class_id, n_class).astype(like.dtype)


class CGANGenerator(nn.Layer):
    """Noise and classes to digits: (N, input_nz) and (N,) to (N, output_nc, 28, 28), in [-1, 1].

    Args:
        input_nz: numbers of noise for each image.
        output_nc: channels of the images.
        n_class: number of classes.
        ngf: half the channels of the feature maps; the first hidden layer has 8 times as many.
    """

    def __init__(self, input_nz: int = 100, output_nc: int = 1, n_class: int = 10, ngf: int = 128) -> None:
        super().__init__()
        positive_numbers("CGANGenerator", input_nz=input_nz, output_nc=output_nc, n_class=n_class, ngf=ngf)
        self.input_nz = input_nz
        self.n_class = n_class
        self.ngf = ngf
        self.fc1 = linear(input_nz + n_class, 8 * ngf)
        self.norm1 = batch_norm_1d(8 * ngf)
        self.fc2 = linear(8 * ngf + n_class, 2 * ngf * 7 * 7)
        self.norm2 = batch_norm_1d(2 * ngf * 7 * 7)
        self.deconv1 = deconv(2 * ngf + n_class, 2 * ngf, 4, stride=2, padding=1)
        self.norm3 = batch_norm_2d(2 * ngf)
        self.deconv2 = deconv(2 * ngf + n_class, output_nc, 4, stride=2, padding=1)

    def forward(self, noise: Any, class_id: Any) -> Any:
        """Return the images.

        Args:
            noise: (N, input_nz).
            class_id: int64, (N,).
        """
        check_vectors("CGANGenerator", "noise", noise, self.input_nz)
        classes = one_hot("CGANGenerator", class_id, self.n_class, noise)
        x = F.relu(self.norm1(self.fc1(with_class(noise, classes))))
        x = F.relu(self.norm2(self.fc2(with_class(x, classes)))).reshape([-1, 2 * self.ngf, 7, 7])
        x = F.relu(self.norm3(self.deconv1(with_class(x, classes))))
        return F.tanh(self.deconv2(with_class(x, classes)))


class CGANDiscriminator(nn.Layer):
    """Digits and classes to logits: (N, input_nc, 28, 28) and (N,) to (N, 1).

    Args:
        input_nc: channels of the images.
        n_class: number of classes.
        ndf: channels of the feature maps; the hidden fully connected layer has 16 times as many.
    """

    def __init__(self, input_nc: int = 1, n_class: int = 10, ndf: int = 64) -> None:
        super().__init__()
        positive_numbers("CGANDiscriminator", input_nc=input_nc, n_class=n_class, ndf=ndf)
        self.input_nc = input_nc
        self.n_class = n_class
        self.conv1 = conv(input_nc + n_class, ndf, 3, stride=2, padding=1)
        self.conv2 = conv(ndf + n_class, ndf, 3, stride=2, padding=1)
        self.norm2 = batch_norm_2d(ndf)
        self.fc1 = linear(ndf * 7 * 7 + n_class, 16 * ndf)
        self.norm3 = batch_norm_1d(16 * ndf)
        self.fc2 = linear(16 * ndf + n_class, 1)

    def forward(self, x: Any, class_id: Any) -> Any:
        """Return the logits.

        Args:
            x: images.
            class_id: int64, (N,).
        """
        check_image("CGANDiscriminator", x, self.input_nc, size=28)
        classes = one_hot("CGANDiscriminator", class_id, self.n_class, x)
        x = F.leaky_relu(self.conv1(with_class(x, classes)), 0.2)
        x = F.leaky_relu(self.norm2(self.conv2(with_class(x, classes))), 0.2)
        x = F.leaky_relu(self.norm3(self.fc1(with_class(x.flatten(1), classes))), 0.2)
        return self.fc2(with_class(x, classes))


class ConditionalDeepConvGenerator(DeepConvGenerator):
    """Noise and classes to images of a chosen size: (N, latent_dim) and (N,) to (N, output_nc, size, size).

    Args:
        latent_dim: numbers of noise for each image.
        output_nc: channels of the images.
        n_class: number of classes.
        size: height and width of the images, a multiple of 4.
        ngf: channels of the last hidden feature maps.
    """

    def __init__(
        self, latent_dim: int = 100, output_nc: int = 3, n_class: int = 10, size: int = 64, ngf: int = 64
    ) -> None:
        positive_numbers("ConditionalDeepConvGenerator", n_class=n_class)
        super().__init__(latent_dim + n_class, output_nc, size, ngf)
        self.latent_dim = latent_dim
        self.n_class = n_class

    def forward(self, x: Any, class_id: Any) -> Any:  # type: ignore[override]  # classes, too
        """Return the images, in [-1, 1].

        Args:
            x: noise (N, latent_dim).
            class_id: int64, (N,).
        """
        check_vectors("ConditionalDeepConvGenerator", "noise", x, self.latent_dim)
        return super().forward(with_class(x, one_hot("ConditionalDeepConvGenerator", class_id, self.n_class, x)))
