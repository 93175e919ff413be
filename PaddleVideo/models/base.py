"""What all networks of videos have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from core import nn
from core.nn import ParamAttr
from core.nn.initializer import Uniform


class VideoNetwork(nn.Layer):
    """A network of videos; files of weights find its parameters by what it says here.

    Attributes:
        head_names: the layers with one output for each class; a weight file for other classes leaves them out.
    """

    head_names: tuple[str, ...] = ()

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here."""
        return {}

    def of_classifier(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights of an image classifier under the names of this network's backbone.

        Args:
            values: arrays by their names in PaddleClas; those of the classifier's head may be among them.

        Returns:
            Arrays of this network's shapes, by its names; empty where the classifier is of another kind.
        """
        return {}


class ClipClassifier(VideoNetwork):
    """Tells which action is in a clip: frames (N, T, C, H, W) to logits (N, class_num).

    Attributes:
        class_num: how many classes it tells apart.
        num_seg: how many frames a clip must have; None: any number.
    """

    class_num: int
    num_seg: Optional[int] = None
    head_names = ("head.fc",)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, class_num).

        Args:
            clips: normalised frames, float32 (N, T, C, H, W), in the order of time.
        """
        raise NotImplementedError


def along_time(in_channels: int, out_channels: int, kernel: int, groups: int = 1, dilation: int = 1) -> nn.Conv1D:
    """Return a convolution over time that keeps its length, with weights as BMN's and MS-TCN's official ones begin.

    Args:
        in_channels: as of :class:`core.nn.Conv1D`.
        out_channels: likewise.
        kernel: steps, an odd number.
        groups: likewise.
        dilation: how far apart the kernel's steps are.
    """
    bound = (in_channels * kernel) ** -0.5
    weight, bias = (ParamAttr(initializer=Uniform(-bound, bound)) for _ in range(2))
    padding = kernel // 2 * dilation
    return nn.Conv1D(in_channels, out_channels, kernel, 1, padding, dilation, groups, "zeros", weight, bias)
