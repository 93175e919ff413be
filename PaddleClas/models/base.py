"""What all image classifiers are: stages of feature maps, then a head."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import ParamAttr


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

    @property
    def num_features(self) -> int:
        """Length of the vectors that the head's last layer takes, and that a network without one gives."""
        return _width(operator.attrgetter(self.head_names[0])(self))

    def reset_classifier(self, class_num: int) -> None:
        """Give the head a fresh last layer, for other classes, or take it away.

        An optimizer that was made before does not know the new layer.

        Args:
            class_num: number of classes; 0: there is no last layer, and the network gives vectors of
                :attr:`num_features` numbers.

        Raises:
            ValueError: ``class_num`` is negative, or no whole number.

        Example:
            >>> network = PaddleClas.create_model("ResNet18", pretrained="mine.pdparams")
            >>> network.reset_classifier(0)
            >>> network(images).shape
            [8, 512]
        """
        if isinstance(class_num, bool) or not isinstance(class_num, int) or class_num < 0:
            raise ValueError(f"class_num must be a whole number, 0 for no last layer, not {class_num!r}")
        for name in self.head_names:
            owner, _, leaf = name.rpartition(".")
            holder = operator.attrgetter(owner)(self) if owner else self
            former = getattr(holder, leaf)
            last = former.last if isinstance(former, Without) else former
            setattr(holder, leaf, _alike(last, class_num) if class_num else Without(last))


class Without(nn.Layer):
    """Takes the place of a head's last layer that was taken away, and gives what that took.

    Args:
        last: the layer.
    """

    def __init__(self, last: Any) -> None:
        super().__init__()
        self._last = [last]  # in a list it is no sublayer, whose parameters would count

    @property
    def last(self) -> Any:
        """The layer that was there."""
        return self._last[0]

    def forward(self, x: Any) -> Any:
        """Return x."""
        return x


def _width(last: Any) -> int:
    """Return how many features a head's last layer takes."""
    layer = last.last if isinstance(last, Without) else last
    return int(layer.weight.shape[0 if isinstance(layer, nn.Linear) else 1])


def _alike(last: Any, class_num: int) -> Any:
    """Return a fresh layer as the last one of a head, for another number of classes."""

    def attr(parameter: Any) -> Any:
        rate = parameter.optimize_attr["learning_rate"]
        return ParamAttr(initializer=parameter.initializer, learning_rate=rate, regularizer=parameter.regularizer)

    attrs = {"weight_attr": attr(last.weight), "bias_attr": False if last.bias is None else attr(last.bias)}
    if isinstance(last, nn.Linear):
        return nn.Linear(_width(last), class_num, **attrs)
    return nn.Conv2D(_width(last), class_num, last.weight.shape[2:], **attrs)


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
