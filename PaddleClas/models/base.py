"""What all image classifiers are: stages of feature maps, then a head."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from core import nn


class ImageClassifier(nn.Layer):
    """A network of stages, each of which halves the images or more, and a head: (N, C, H, W) to (N, class_num).

    A subclass sets the attributes, and writes :meth:`forward_stages` and :meth:`forward_head`.

    Attributes:
        head_names: the layers with one output for each class; a weight file for other classes leaves them out.
        head_layers: the sublayers that no stage needs.
        stage_channels: the channels of each stage's feature maps.
        stage_strides: by what the images' height and width are divided in each stage's feature maps; sizes that
            cannot be divided are rounded as the network's own layers do.
    """

    head_names: tuple[str, ...] = ("fc",)
    head_layers: tuple[str, ...] = ("fc",)
    stage_channels: Sequence[int] = ()
    stage_strides: Sequence[int] = ()

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of each stage, large ones first."""
        raise NotImplementedError

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps that the head takes; those of the last stage, unless the subclass says otherwise."""
        return self.forward_stages(x)[-1]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps, (N, class_num)."""
        raise NotImplementedError

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, class_num)."""
        return self.forward_head(self.forward_features(x))


class FeatureExtractor(nn.Layer):
    """A classifier without its head: images (N, C, H, W) to a list of feature maps, one for each stage asked for.

    Args:
        network: the classifier; it loses the layers of its head.
        out_indices: which stages, counted from 0, in rising order; negative ones count from the last. All by default.

    Attributes:
        channels: of each map of the result.
        strides: by what the images' height and width are divided in each.

    Raises:
        ValueError: the network has no stages, or not these.
    """

    def __init__(self, network: ImageClassifier, out_indices: Sequence[int] | None = None) -> None:
        super().__init__()
        count, kind = len(network.stage_channels), type(network).__name__
        if not count:
            raise ValueError(f"{kind} has no stages whose feature maps could be taken: it is for images of one size")
        wanted = range(count) if out_indices is None else out_indices
        indices = [index + count if index < 0 else index for index in wanted]
        if not indices or indices != sorted(set(indices)) or not 0 <= indices[0] <= indices[-1] < count:
            raise ValueError(
                f"out_indices must be stages of {kind}, 0 to {count - 1}, in rising order, not {list(wanted)}"
            )
        self.out_indices = tuple(indices)
        self.channels = tuple(network.stage_channels[index] for index in indices)
        self.strides = tuple(network.stage_strides[index] for index in indices)
        for name in network.head_layers:
            owner, _, leaf = name.rpartition(".")
            delattr(operator.attrgetter(owner)(network) if owner else network, leaf)
        self.network = network

    def forward(self, x: Any) -> list[Any]:
        """Return the feature maps, large ones first: (N, channels[i], H / strides[i], W / strides[i])."""
        maps = self.network.forward_stages(x)
        return [maps[index] for index in self.out_indices]
