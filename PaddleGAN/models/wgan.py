"""The critic of WGAN and WGAN-GP: DCGAN's discriminator without batch normalisation.

Papers: Gulrajani et al., "Improved training of Wasserstein GANs", NIPS 2017, https://arxiv.org/abs/1704.00028, after
Arjovsky, Chintala and Bottou, "Wasserstein GAN", ICML 2017, https://arxiv.org/abs/1701.07875
Parameter names are this project's own. Weights start as in DCGAN, normal with standard deviation 0.02.

Batch normalisation would make an image's score depend on the others, and the gradient penalty is one of each image by
itself: the paper recommends layer normalisation in its place. The generator is DCGAN's.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image, conv


class WGANCritic(nn.Layer):
    """Images to scores, larger for real ones: (N, input_nc, image_size, image_size) to (N, 1).

    Args:
        input_nc: channels of the images.
        ndf: channels of the first feature maps; each convolution doubles them.
        image_size: height and width of the images, a power of 2 from 8; convolutions halve it down to 4.
        norm_type: ``"layer"`` normalises all channels of an image together, with a scale and a shift for each channel;
            ``"none"`` does nothing.

    Raises:
        ValueError: the size is no such power, or there is no such normalisation.
    """

    def __init__(self, input_nc: int = 3, ndf: int = 64, image_size: int = 64, norm_type: str = "layer") -> None:
        super().__init__()
        positive_numbers("WGANCritic", input_nc=input_nc, ndf=ndf, image_size=image_size)
        if image_size < 8 or image_size & (image_size - 1):
            raise ValueError(f"WGANCritic: image_size must be a power of 2 from 8, not {image_size}")
        if norm_type not in ("layer", "none"):
            raise ValueError(f"WGANCritic: norm_type must be 'layer' or 'none', not {norm_type!r}")
        self.input_nc = input_nc
        self.image_size = image_size
        layers: list[nn.Layer] = [conv(input_nc, ndf, 4, stride=2, padding=1), nn.LeakyReLU(0.2)]
        channels = ndf
        for _ in range(image_size.bit_length() - 4):  # from half the size down to 4
            layers.append(conv(channels, 2 * channels, 4, stride=2, padding=1))
            channels *= 2
            if norm_type == "layer":
                layers.append(nn.GroupNorm(1, channels))
            layers.append(nn.LeakyReLU(0.2))
        layers.append(conv(channels, 1, 4))
        self.model = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the scores."""
        check_image("WGANCritic", x, self.input_nc, size=self.image_size)
        return self.model(x).flatten(1)
