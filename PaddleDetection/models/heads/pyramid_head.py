"""The head of PyramidBox (Tang et al., arXiv 1803.07737): context modules, and scores of which the best counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.regularizer import L2Decay
from PaddleDetection.models.backbones.pyramid_vgg import bias
from PaddleDetection.models.backbones.vgg_blocks import L2NormScale
from PaddleDetection.models.boxes import by_anchor
from PaddleDetection.models.heads.ssd_head import PriorBoxes

SCALES = (10.0, 8.0, 5.0)
"""What the L2 scales of the finest levels begin with."""


class Predicted(NamedTuple):
    """What is predicted of one kind of object for all prior boxes.

    Attributes:
        deltas: shifts and sizes (N, A, 4).
        scores: (N, A, 2), background last.
    """

    deltas: Any
    scores: Any


class ConvBN(nn.Layer):
    """A convolution without bias and a batch normalisation, whose offset keeps its value, as in the 1.x release.

    Args:
        in_channels: of the feature maps.
        out_channels: of what is made of them.
        kernel_size: side of the kernel, pixels; odd.
        activation: applied at the end; None for none.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        activation: Optional[Callable[[Any], Any]] = None,
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2D(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias_attr=False)
        scale = ParamAttr(regularizer=L2Decay(0.0))
        kept = ParamAttr(regularizer=L2Decay(0.0), learning_rate=0.0)
        self.bn = nn.BatchNorm2D(out_channels, 0.999, 0.001, weight_attr=scale, bias_attr=kept)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return the filtered, normalised and activated feature maps."""
        x = self.bn(self.conv(x))
        return x if self.activation is None else self.activation(x)


class ContextModule(nn.Layer):
    """The context-sensitive predict module: a residual block, then three branches that see more and more around.

    Args:
        in_channels: of the feature maps; 512 come out.
    """

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.branch1 = ConvBN(in_channels, 1024, 1)
        self.branch2a = ConvBN(in_channels, 256, 1, F.relu)
        self.branch2b = ConvBN(256, 256, 3, F.relu)
        self.branch2c = ConvBN(256, 1024, 1)
        self.ssh_1 = nn.Conv2D(1024, 256, 3, padding=1, bias_attr=bias())
        self.ssh_dimred = nn.Conv2D(1024, 128, 3, padding=1, bias_attr=bias())
        self.ssh_2 = nn.Conv2D(128, 128, 3, padding=1, bias_attr=bias())
        self.ssh_3a = nn.Conv2D(128, 128, 3, padding=1, bias_attr=bias())
        self.ssh_3b = nn.Conv2D(128, 128, 3, padding=1, bias_attr=bias())

    def forward(self, x: Any) -> Any:
        """Return feature maps (N, 512, H, W)."""
        x = F.relu(self.branch1(x) + self.branch2c(self.branch2b(self.branch2a(x))))
        reduced = F.relu(self.ssh_dimred(x))
        far = self.ssh_3b(F.relu(self.ssh_3a(reduced)))
        return F.relu(core.concat([self.ssh_1(x), self.ssh_2(reduced), far], 1))


class PyramidHead(nn.Layer):
    """Predicts a face, and the head around it, for one prior box at each position of each level.

    At the finest level the best of three scores speaks for the background, which outnumbers faces there (max-in-out);
    above it the best of three speaks for the face.

    Args:
        in_channels: of the levels, the finest first.
        priors: the prior boxes, one at each position.
    """

    def __init__(self, in_channels: Sequence[int], priors: PriorBoxes) -> None:
        super().__init__()
        self.priors = priors
        self.contexts, self.norms, self.box_convs, self.score_convs = [], [], [], []
        for level, channels in enumerate(in_channels):
            self.contexts.append(self.add_sublayer(f"context{level}", ContextModule(channels)))
            if level < len(SCALES):
                self.norms.append(self.add_sublayer(f"norm{level}", L2NormScale(512, SCALES[level])))
            boxes = nn.Conv2D(512, 8, 3, padding=1, bias_attr=bias())
            scores = nn.Conv2D(512, 6 if level else 8, 3, padding=1, bias_attr=bias())
            self.box_convs.append(self.add_sublayer(f"boxes{level}", boxes))
            self.score_convs.append(self.add_sublayer(f"scores{level}", scores))

    def forward(self, features: Sequence[Any], image: Any) -> tuple[Predicted, Predicted, Any]:
        """Return what is predicted of faces and of heads, and the prior boxes' corners as shares of the image (A, 4).

        Args:
            features: of each level (N, C, H, W), the finest first.
            image: (N, 3, height, width); only its size counts.
        """
        seen = [context(feature) for context, feature in zip(self.contexts, features)]
        for level, norm in enumerate(self.norms):
            seen[level] = norm(seen[level])
        deltas = [core.split(conv(x), 2, 1) for conv, x in zip(self.box_convs, seen)]
        scores = [best_scores(conv(x), level == 0) for level, (conv, x) in enumerate(zip(self.score_convs, seen))]
        face, head = (
            Predicted(
                core.concat([by_anchor(pair[kind], 4) for pair in deltas], 1),
                core.concat([by_anchor(pair[kind], 2) for pair in scores], 1),
            )
            for kind in (0, 1)
        )
        return face, head, self.priors(features, image)


def best_scores(scores: Any, finest: bool) -> tuple[Any, Any]:
    """Return the scores of faces and of heads, each (N, 2, H, W), background last.

    Args:
        scores: of the finest level (N, 8, H, W), thrice the background, the face, and so for the head; of the others
            (N, 6, H, W), the background, thrice the face, the background and the head.
        finest: which of the two.
    """
    if finest:
        around, face, around_head, head = core.split(scores, [3, 1, 3, 1], 1)
        around, around_head = around.max(1, keepdim=True), around_head.max(1, keepdim=True)
    else:
        around, face, around_head, head = core.split(scores, [1, 3, 1, 1], 1)
        face = face.max(1, keepdim=True)
    return core.concat([face, around], 1), core.concat([head, around_head], 1)
