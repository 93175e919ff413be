"""What several networks share: layers by how their weights start, normalisation by name, checks of what is given.

Source of the names and of what each does: ppgan 2.1.
"""

from __future__ import annotations

from typing import Any, Optional

from core import ParamAttr, get_default_dtype, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal, Uniform


def initial(fan_in: int, bias: bool, uniform: bool) -> dict[str, Any]:
    """Return ``weight_attr`` and ``bias_attr`` of a layer.

    Args:
        fan_in: how many numbers an output of the layer is computed from; of a transposed convolution, its kernel's area
            times the channels of the output.
        bias: whether there is a bias.
        uniform: False for the start of DCGAN, Pix2Pix and CycleGAN: weights normal with standard deviation 0.02, bias
            0; True for that of StarGAN, AttGAN and STGAN: both uniform within 1 / sqrt(fan_in).
    """
    bound = fan_in**-0.5
    weights = Uniform(-bound, bound) if uniform else Normal(0.0, 0.02)
    shifts = Uniform(-bound, bound) if uniform else Constant(0.0)
    return {
        "weight_attr": ParamAttr(initializer=weights),
        "bias_attr": ParamAttr(initializer=shifts) if bias else False,
    }


def conv(
    in_channels: int, out_channels: int, kernel_size: int, bias: bool = True, uniform: bool = False, **options: Any
) -> nn.Conv2D:
    """Return a convolution that starts as in :func:`initial`; further arguments as for :class:`core.nn.Conv2D`."""
    attributes = initial(in_channels * kernel_size**2, bias, uniform)
    return nn.Conv2D(in_channels, out_channels, kernel_size, **attributes, **options)


def deconv(
    in_channels: int, out_channels: int, kernel_size: int, bias: bool = True, uniform: bool = False, **options: Any
) -> nn.Conv2DTranspose:
    """Return a transposed convolution that starts as in :func:`initial`; else as :class:`core.nn.Conv2DTranspose`."""
    attributes = initial(out_channels * kernel_size**2, bias, uniform)
    return nn.Conv2DTranspose(in_channels, out_channels, kernel_size, **attributes, **options)


def linear(in_features: int, out_features: int, uniform: bool = False) -> nn.Linear:
    """Return a fully connected layer that starts as in :func:`initial`."""
    return nn.Linear(in_features, out_features, **initial(in_features, True, uniform))


def batch_norm_2d(channels: int) -> nn.BatchNorm2D:
    """Return batch normalisation as in DCGAN: scales start around 1, and evaluation uses the running statistics."""
    return nn.BatchNorm2D(channels, weight_attr=ParamAttr(initializer=Normal(1.0, 0.02)))


class Identity(nn.Layer):
    """In place of a normalisation: returns its input."""

    def forward(self, x: Any) -> Any:
        """Return ``x``."""
        return x


class BatchNormOfTheBatch(nn.BatchNorm):
    """Batch normalisation by the statistics of the batch, in evaluation too.

    ppgan moves the running statistics, which nothing reads, in evaluation as well. Here evaluation changes nothing, as
    an exported program cannot.

    Args:
        channels: number of channels.
    """

    def __init__(self, channels: int) -> None:
        super().__init__(
            channels,
            param_attr=ParamAttr(initializer=Normal(1.0, 0.02)),
            bias_attr=ParamAttr(initializer=Constant(0.0)),
            dtype=get_default_dtype(),
        )

    def forward(self, input: Any) -> Any:
        """Return the normalised feature maps."""
        if self.training:
            return super().forward(input)
        axes = [0, 2, 3]
        mean, variance = input.mean(axis=axes), input.var(axis=axes, unbiased=False)
        return F.batch_norm(input, mean, variance, self.weight, self.bias, epsilon=self._epsilon)


def normalization(kind: str, channels: int) -> nn.Layer:
    """Return a normalisation of feature maps (N, channels, H, W).

    Args:
        kind: ``"batch"`` uses the statistics of the batch in evaluation too, as Pix2Pix does; ``"instance"`` has a
            scale and a shift that stay 1 and 0; ``"none"`` does nothing.
        channels: number of channels.

    Raises:
        ValueError: there is no such kind.
    """
    if kind == "batch":
        return BatchNormOfTheBatch(channels)
    if kind == "instance":
        fixed = [ParamAttr(initializer=Constant(value), learning_rate=0.0, trainable=False) for value in (1.0, 0.0)]
        return nn.InstanceNorm2D(channels, weight_attr=fixed[0], bias_attr=fixed[1])
    if kind == "none":
        return Identity()
    raise ValueError(f"norm_type must be 'batch', 'instance' or 'none', not {kind!r}")


def check_image(owner: str, x: Any, channels: int, multiple: int = 1, size: Optional[int] = None) -> None:
    """Check the images that a network is given.

    Args:
        owner: the network's name, for the message.
        x: images.
        channels: how many the network takes.
        multiple: what height and width must be multiples of.
        size: what height and width must be; None: no certain size.

    Raises:
        ValueError: they have other axes, channels or sizes.
    """
    shape = list(x.shape)
    sides = ("H", "W") if size is None else (size, size)
    if len(shape) != 4 or shape[1] != channels or (size is not None and shape[2:] != [size, size]):
        raise ValueError(f"{owner} takes images (N, {channels}, {sides[0]}, {sides[1]}), not {shape}")
    if any(side % multiple for side in shape[2:]):
        raise ValueError(f"{owner} takes images whose height and width are multiples of {multiple}, not {shape[2:]}")


def check_vectors(owner: str, what: str, vectors: Any, count: int) -> None:
    """Check noise or attributes.

    Args:
        owner: the network's name, for the message.
        what: what the vectors are, for the message.
        vectors: one for each image.
        count: their length.

    Raises:
        ValueError: they are not (N, count).
    """
    if len(vectors.shape) != 2 or vectors.shape[1] != count:
        raise ValueError(f"{owner} takes {what} (N, {count}), not {list(vectors.shape)}")


def attribute_maps(owner: str, attributes: Any, count: int, x: Any) -> Any:
    """Return a vector for each image as constant feature maps of the size of other ones.

    Args:
        owner: the network's name, for the message.
        attributes: (N, count).
        count: length of the vectors.
        x: feature maps (N, C, H, W).

    Returns:
        (N, count, H, W), of the type of ``x``.

    Raises:
        ValueError: the attributes have another shape.
    """
    check_vectors(owner, "attributes", attributes, count)
    height, width = x.shape[2:]
    return attributes.astype(x.dtype).reshape([-1, count, 1, 1]).expand([-1, count, height, width])
