"""What the blocks of Inception-v3 and -v4 are made of: branches of convolutions, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

from core import nn
from core.nn import functional as F
from core.operators import concat
from core.vision.models.blocks import same_padding


class Filter(NamedTuple):
    """One convolution of a branch, with batch normalisation and ReLU.

    Attributes:
        name: attribute name in the block.
        channels: of its result.
        size: height and width of the kernel, pixels.
        stride: step of the convolution, pixels.
        padding: zeros on each side of the image, pixels; as many as keep its size at stride 1 when it is None.
    """

    name: str
    channels: int
    size: Union[int, tuple[int, int]]
    stride: int = 1
    padding: Optional[int] = None


Convolution = Callable[..., nn.Layer]
"""Makes a convolution with batch normalisation and ReLU, from its numbers of channels and size, stride and padding."""

Step = Union[Filter, Sequence[Filter], Callable[[Any], Any]]
"""A convolution; several ones that see the same images, their results one after another; or a function of images."""


class Branches(nn.Layer):
    """Branches that see the same images; their feature maps come out one after another: (N, C, H, W) to (N, C', ...).

    Args:
        in_channels: C.
        branches: the steps of each branch, in order.
        convolution: makes each convolution.
    """

    def __init__(self, in_channels: int, branches: Sequence[Sequence[Step]], convolution: Convolution) -> None:
        super().__init__()
        self.branches = branches
        for branch in branches:
            channels = in_channels
            for step in branch:
                if callable(step):
                    continue
                for part in _parts(step):
                    padding = same_padding(part.size) if part.padding is None else part.padding
                    layer = convolution(channels, part.channels, part.size, stride=part.stride, padding=padding)
                    self.add_sublayer(part.name, layer)
                channels = sum(part.channels for part in _parts(step))

    def forward(self, x: Any) -> Any:
        """Return the feature maps of all branches."""
        maps = []
        for branch in self.branches:
            results = [x]
            for step in branch:
                image = results[0] if len(results) == 1 else concat(results, 1)
                if callable(step):
                    results = [step(image)]
                else:
                    results = [getattr(self, part.name)(image) for part in _parts(step)]
            maps += results
        return concat(maps, 1)


def _parts(step: Union[Filter, Sequence[Filter]]) -> Sequence[Filter]:
    return (step,) if isinstance(step, Filter) else step


def largest(x: Any) -> Any:
    """Return the largest of each 3 x 3 pixels, at every other pixel, without padding."""
    return F.max_pool2d(x, 3, 2)
