"""The heads of SSD (Liu et al., arXiv 1512.02325), SSDLite and BlazeFace: prior boxes, and two predictors a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import core
from core import ParamAttr, nn, regularizer
from core.nn import functional as F
from core.vision.ops import prior_box
from PaddleDetection.models.boxes import by_anchor


class PriorBoxes(NamedTuple):
    """The boxes around each position of each level.

    Attributes:
        min_sizes: of each level, sides in pixels.
        max_sizes: of each level, for each of its min_sizes a larger one, or none.
        aspect_ratios: of each level, widths over heights besides 1.
        steps: of each level, distance of positions in pixels; 0: the image's size over the level's.
        offset: where within its step a position lies.
        flip: whether there are also boxes of the inverse aspect ratios.
        clip: whether boxes are cut at the image's border.
        min_max_aspect_ratios_order: whether the square between two sizes comes before the other shapes.
    """

    min_sizes: Sequence[Sequence[float]]
    max_sizes: Sequence[Sequence[float]]
    aspect_ratios: Sequence[Sequence[float]]
    steps: Sequence[float]
    offset: float = 0.5
    flip: bool = True
    clip: bool = False
    min_max_aspect_ratios_order: bool = False

    @property
    def sides(self) -> list[list[float]]:
        """Widths and heights of each level's boxes, pixels: w, h, w, h, ..., squares first."""
        found = []
        for least, most, ratios in zip(self.min_sizes, self.max_sizes, self.aspect_ratios):
            shapes = [1.0, *(one for ratio in ratios for one in ([ratio, 1 / ratio] if self.flip else [ratio]))]
            roots = [math.sqrt(shape) for number, shape in enumerate(shapes) if number == 0 or abs(shape - 1) >= 1e-6]
            between = [math.sqrt(one * other) for one, other in zip(least, most)]
            pairs = [(side, side) for side in between] + [(one * root, one / root) for one in least for root in roots]
            found.append([side for pair in pairs for side in pair])
        return found

    @property
    def counts(self) -> list[int]:
        """How many boxes a position of each level has."""
        found = []
        for least, most, ratios in zip(self.min_sizes, self.max_sizes, self.aspect_ratios):
            others = sum(abs(ratio - 1.0) >= 1e-6 for ratio in ratios)
            found.append((1 + others * (2 if self.flip else 1)) * len(least) + len(most))
        return found

    def __call__(self, features: Sequence[Any], image: Any) -> Any:
        """Return the boxes of all levels, corners as shares of the image (A, 4).

        Args:
            features: of each level (N, C, H, W); only their sizes count.
            image: (N, 3, height, width); only its size counts.
        """
        levels = zip(features, self.min_sizes, self.max_sizes, self.aspect_ratios, self.steps)
        found = [
            prior_box(
                feature,
                image,
                list(least),
                list(most),
                list(ratios),
                flip=self.flip,
                clip=self.clip,
                steps=[step, step],
                offset=self.offset,
                min_max_aspect_ratios_order=self.min_max_aspect_ratios_order,
            )[0].reshape([-1, 4])
            for feature, least, most, ratios, step in levels
        ]
        return core.concat(found, 0)

    def changed(
        self,
        min_sizes: Optional[Sequence[Sequence[float]]] = None,
        max_sizes: Optional[Sequence[Sequence[float]]] = None,
        aspect_ratios: Optional[Sequence[Sequence[float]]] = None,
        steps: Optional[Sequence[float]] = None,
    ) -> PriorBoxes:
        """Return prior boxes with other sizes.

        Args:
            min_sizes: of each level, sides in pixels; None: these.
            max_sizes: of each level, for each of its min_sizes a larger one, or none; None: these, or with other
                min_sizes none.
            aspect_ratios: of each level, widths over heights besides 1; None: these.
            steps: of each level, distance of positions in pixels; None: these.

        Raises:
            ValueError: there is not one entry for each level, or a number is out of range.
        """
        if min_sizes is not None and max_sizes is None:
            max_sizes = [()] * len(min_sizes)
        named = {"min_sizes": min_sizes, "max_sizes": max_sizes, "aspect_ratios": aspect_ratios, "steps": steps}
        given: dict[str, Any] = {name: values for name, values in named.items() if values is not None}
        for name, values in given.items():
            if len(values) != (levels := len(self.steps)):
                raise ValueError(f"{name} must have an entry for each of the {levels} levels, not {len(values)}")
            numbers = values if name == "steps" else [number for level in values for number in level]
            if not all(math.isfinite(number) and (number > 0 or (name, number) == ("steps", 0)) for number in numbers):
                raise ValueError(f"{name} must hold positive numbers, not {list(values)}")
        made = self._replace(**given)
        for level, (least, most) in enumerate(zip(made.min_sizes, made.max_sizes)):
            if not least:
                raise ValueError(f"min_sizes: level {level} has no prior boxes; give it at least one size")
            if most and (len(most) != len(least) or any(one >= other for one, other in zip(least, most))):
                raise ValueError(
                    f"max_sizes: level {level} must have none, or one above each of its min_sizes {list(least)}, "
                    f"not {list(most)}"
                )
        return made


class SepConvLayer(nn.Layer):
    """SSDLite's predictor: a convolution of each channel by itself, then a 1 x 1 convolution.

    Args:
        in_channels: of the feature maps.
        out_channels: of what is predicted.
        kernel_size: side of the first kernel.
        padding: around the feature maps.
        conv_decay: weight decay of the kernels, in place of the optimizer's.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int = 3, padding: int = 1, conv_decay: float = 0.0
    ) -> None:
        super().__init__()

        def decayed(rate: float) -> ParamAttr:
            return ParamAttr(regularizer=regularizer.L2Decay(rate))

        self.dw_conv = nn.Conv2D(
            in_channels,
            in_channels,
            kernel_size,
            padding=padding,
            groups=in_channels,
            weight_attr=decayed(conv_decay),
            bias_attr=False,
        )
        self.bn = nn.BatchNorm2D(in_channels, weight_attr=decayed(0.0), bias_attr=decayed(0.0))
        self.pw_conv = nn.Conv2D(in_channels, out_channels, 1, weight_attr=decayed(conv_decay), bias_attr=False)

    def forward(self, x: Any) -> Any:
        """Return predictions (N, out_channels, H, W)."""
        return self.pw_conv(F.relu6(self.bn(self.dw_conv(x))))


class SSDHead(nn.Layer):
    """Predicts for each prior box its shift and size, and scores of the classes, background last.

    Args:
        in_channels: of the levels, the finest first.
        num_classes: how many classes there are, without background.
        priors: the prior boxes.
        kernel_size: side of the predictors' kernels.
        padding: around the feature maps.
        use_sepconv: predict with depthwise separable convolutions, as SSDLite does.
        conv_decay: weight decay of those, in place of the optimizer's.

    Raises:
        ValueError: the levels of in_channels and of the prior boxes are not as many.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        num_classes: int,
        priors: PriorBoxes,
        kernel_size: int = 3,
        padding: int = 1,
        use_sepconv: bool = False,
        conv_decay: float = 0.0,
    ) -> None:
        super().__init__()
        counts = priors.counts
        if len(counts) != len(in_channels):
            raise ValueError(
                f"SSDHead: there are prior boxes for {len(counts)} levels, but in_channels {tuple(in_channels)} are of"
                f" {len(in_channels)}; give as many of both"
            )
        self.priors = priors
        self.num_scores = num_classes + 1

        def predictor(channels: int, outputs: int) -> nn.Layer:
            if use_sepconv:
                return SepConvLayer(channels, outputs, kernel_size, padding, conv_decay)
            return nn.Conv2D(channels, outputs, kernel_size, padding=padding)

        self.box_convs, self.score_convs = [], []
        for level, (channels, count) in enumerate(zip(in_channels, counts)):
            self.box_convs.append(self.add_sublayer(f"boxes{level}", predictor(channels, count * 4)))
            scores = predictor(channels, count * self.num_scores)
            self.score_convs.append(self.add_sublayer(f"scores{level}", scores))

    def forward(self, features: Sequence[Any], image: Any) -> tuple[Any, Any, Any]:
        """Return what is predicted for all prior boxes, and these.

        Args:
            features: of each level (N, C, H, W), the finest first.
            image: (N, 3, height, width); only its size counts.

        Returns:
            Shifts and sizes (N, A, 4), scores (N, A, num_classes + 1), and corners as shares of the image (A, 4).
        """
        deltas = [by_anchor(layer(feature), 4) for layer, feature in zip(self.box_convs, features)]
        scores = [by_anchor(layer(feature), self.num_scores) for layer, feature in zip(self.score_convs, features)]
        return core.concat(deltas, 1), core.concat(scores, 1), self.priors(features, image)
