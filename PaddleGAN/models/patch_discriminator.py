"""PatchGAN: a logit for each overlapping patch of an image.

Paper: Isola et al., "Image-to-image translation with conditional adversarial networks", CVPR 2017,
https://arxiv.org/abs/1611.07004
Source of parameter names: ppgan 2.1 (NLayerDiscriminator, NLayerDiscriminatorWithClassification); ppgan has no pixel
discriminator.
Weights start normal with standard deviation 0.02. No sigmoid at the end unless it is asked for, as the losses take
logits. Batch normalisation uses the statistics of the batch in evaluation too.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import attribute_maps, conv, normalization


class SpectralConv(nn.Layer):
    """A convolution whose weight is divided by its largest singular value: (N, C, H, W) to (N, C', H', W').

    As in ppgan the value is estimated from two fixed vectors, ``weight_u`` and ``weight_v``: by one power iteration in
    training, and without one in evaluation.

    Args:
        layer: the convolution; it loses its parameter ``weight``.
    """

    def __init__(self, layer: nn.Conv2D) -> None:
        super().__init__()
        weight: Any = layer._parameters.pop("weight")
        self.add_parameter("weight_orig", weight)
        self.spectral_norm = nn.SpectralNorm(weight.shape)
        self.layer = layer

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        self.spectral_norm._power_iters = int(self.training)
        self.layer.__dict__["weight"] = self.spectral_norm(self.weight_orig)
        return self.layer(x)


class NLayerDiscriminator(nn.Layer):
    """Images to a logit for each patch: (N, input_nc, H, W) to (N, 1, H', W').

    With the usual 3 layers a logit sees 70 x 70 pixels, and H' is H / 8 - 2.

    Args:
        input_nc: channels of the images; of both, where a pair is judged.
        ndf: channels of the first feature maps; each layer doubles them, up to 8 times as many.
        n_layers: number of convolutions that halve the images.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``; ``"spectral"`` divides all weights by their largest
            singular value (Miyato et al. 2018, https://arxiv.org/abs/1802.05957), with a leaky ReLU of slope 0.01.
        use_sigmoid: whether probabilities are returned instead of logits; the losses here take logits.
    """

    def __init__(
        self,
        input_nc: int = 3,
        ndf: int = 64,
        n_layers: int = 3,
        norm_type: str = "instance",
        use_sigmoid: bool = False,
    ) -> None:
        super().__init__()
        positive_numbers("NLayerDiscriminator", input_nc=input_nc, ndf=ndf, n_layers=n_layers)
        spectral = norm_type == "spectral"
        if not spectral and norm_type not in ("batch", "instance", "none"):
            raise ValueError(
                f"NLayerDiscriminator: norm_type must be 'batch', 'instance', 'none' or 'spectral', not {norm_type!r}"
            )
        layers: list[nn.Layer] = []

        def add(received: int, returned: int, stride: int, bias: bool) -> None:
            layer = conv(received, returned, 4, stride=stride, padding=1, bias=bias)
            layers.append(SpectralConv(layer) if spectral else layer)

        bias = norm_type in ("instance", "spectral")
        add(input_nc, ndf, 2, bias)
        layers.append(nn.LeakyReLU(0.01 if spectral else 0.2))
        channels = ndf
        for layer in range(1, n_layers + 1):
            width = ndf * min(2**layer, 8)
            add(channels, width, 2 if layer < n_layers else 1, bias)
            if not spectral:
                layers.append(normalization(norm_type, width))
            layers.append(nn.LeakyReLU(0.01 if spectral else 0.2))
            channels = width
        add(channels, 1, 1, not spectral)
        self.model = nn.Sequential(*layers)
        self.use_sigmoid = use_sigmoid

    def forward(self, x: Any) -> Any:
        """Return the logits, or probabilities."""
        return F.sigmoid(self.model(x)) if self.use_sigmoid else self.model(x)


class NLayerDiscriminatorWithClassification(NLayerDiscriminator):
    """Images and their classes to a logit for each patch: (N, input_nc, H, W) and (N,) to (N, 1, H', W').

    Args:
        input_nc: channels of the images.
        n_class: number of classes.
        ndf: as for :class:`NLayerDiscriminator`, and the following ones.
        n_layers: number of layers.
        norm_type: the normalisation.
        use_sigmoid: whether the output is a probability.
    """

    def __init__(
        self,
        input_nc: int = 3,
        n_class: int = 10,
        ndf: int = 64,
        n_layers: int = 3,
        norm_type: str = "instance",
        use_sigmoid: bool = False,
    ) -> None:
        positive_numbers("NLayerDiscriminatorWithClassification", n_class=n_class)
        super().__init__(input_nc + n_class, ndf, n_layers, norm_type, use_sigmoid)
        self.n_class = n_class

    def forward(self, x: Any, class_id: Any) -> Any:  # type: ignore[override]  # classes, too
        """Return the logits.

        Args:
            x: images.
            class_id: int64, (N,).
        """
        classes = F.one_hot(class_id, self.n_class).astype(x.dtype)
        return super().forward(
            core.concat([x, attribute_maps("NLayerDiscriminatorWithClassification", classes, self.n_class, x)], axis=1)
        )


class PixelDiscriminator(nn.Layer):
    """Images to a logit for each pixel, which sees that pixel alone: (N, input_nc, H, W) to (N, 1, H, W).

    Args:
        input_nc: channels of the images.
        ndf: channels of the first feature maps, half of the second ones.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``.
    """

    def __init__(self, input_nc: int = 3, ndf: int = 64, norm_type: str = "instance") -> None:
        super().__init__()
        positive_numbers("PixelDiscriminator", input_nc=input_nc, ndf=ndf)
        bias = norm_type == "instance"
        self.model = nn.Sequential(
            conv(input_nc, ndf, 1),
            nn.LeakyReLU(0.2),
            conv(ndf, 2 * ndf, 1, bias=bias),
            normalization(norm_type, 2 * ndf),
            nn.LeakyReLU(0.2),
            conv(2 * ndf, 1, 1, bias=bias),
        )

    def forward(self, x: Any) -> Any:
        """Return the logits."""
        return self.model(x)
