"""What a region does, layer by layer: each makes one value, which later ones read."""

from __future__ import annotations

import dataclasses

KINDS = ("input", "factor", "stem", "pointwise", "depthwise", "mean", "sum")
"""An input with channels second; an input (N, C or 1, 1, 1) to multiply by, without a gradient; convolutions of images
in the plain order, of pixels, of channels; the mean of each channel of an image; a sum, or an activation alone."""


NOTHING = -1
"""Where there is no layer, or no input."""


@dataclasses.dataclass
class Layer:
    """One layer.

    Attributes:
        kind: Of KINDS.
        shape: Of its result, (N, C, H, W).
        source, other: Which layers it reads.
        given: Which of the region's inputs it reads: images, or a weight.
        kernel, stride, pad: Of a convolution; rows above and columns left of the image.
        scale, shift, epsilon: Batch normalisation of its result: which inputs are its parameters. A shift alone is a
            bias.
        activation, first, second: What follows, see :mod:`core.kernels.regions.row_code`.
        factor: The layer whose result multiplies the channels of this one's.
        images, images_given: Of a stem: the shape of its images, and which input they are.
        needs: Whether it needs a gradient.
    """

    kind: str
    shape: tuple[int, ...]
    source: int = NOTHING
    other: int = NOTHING
    given: int = NOTHING
    kernel: int = 1
    stride: int = 1
    pad: tuple[int, int] = (0, 0)
    scale: int = NOTHING
    shift: int = NOTHING
    epsilon: float = 0.0
    activation: str = "nothing"
    first: float = 0.0
    second: float = 0.0
    factor: int = NOTHING
    images: tuple[int, ...] = ()
    images_given: int = 0
    needs: bool = True

    @property
    def reads(self) -> list[int]:
        """The layers that it reads."""
        return [place for place in (self.source, self.other) if place != NOTHING]
