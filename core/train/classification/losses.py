"""What training minimises: losses of logits, for class numbers and for labels that mixing has shared out."""

from __future__ import annotations

from typing import Any, Optional

import core
from core.nn import functional as F
from core.train.config.table import Table


class CrossEntropy:
    """Cross entropy; with labels that Mixup, CutMix or FMix shared out, the official kit's MixCELoss.

    Args:
        label_smoothing: how much of each label is spread over all classes (Szegedy et al. 2015,
            https://arxiv.org/abs/1512.00567).

    Raises:
        ValueError: it lies outside 0 (included) and 1.
    """

    def __init__(self, label_smoothing: float = 0.0) -> None:
        if not 0 <= label_smoothing < 1:
            raise ValueError(f"CrossEntropy: label_smoothing must be at least 0 and below 1, not {label_smoothing}")
        self.label_smoothing = label_smoothing

    def __call__(self, logits: Any, labels: Any) -> Any:
        """Return the mean loss, 0-D.

        Args:
            logits: float32, (N, class_num).
            labels: int64, (N,); or shares of the classes, float32, (N, class_num).
        """
        loss = F.cross_entropy(logits, labels, soft_label=labels.ndim == 2)
        if self.label_smoothing > 0:
            uniform = -F.log_softmax(logits, axis=-1).mean()
            loss = (1 - self.label_smoothing) * loss + self.label_smoothing * uniform
        return loss


class FocalLoss:
    """Cross entropy in which well classified samples count less: mean of (1 - p)^gamma * -log p.

    Paper: Lin et al., "Focal loss for dense object detection", ICCV 2017, https://arxiv.org/abs/1708.02002, in its form
    for one class out of many.

    Args:
        gamma: how much less; 0 is cross entropy.
        alpha: weight of each class; None: all alike.

    Raises:
        ValueError: ``gamma`` is negative.
    """

    def __init__(self, gamma: float = 2.0, alpha: Optional[list[float]] = None) -> None:
        if gamma < 0:
            raise ValueError(f"FocalLoss: gamma must not be negative, not {gamma}")
        self.gamma = gamma
        self.alpha = alpha

    def __call__(self, logits: Any, labels: Any) -> Any:
        """Return the mean loss, 0-D; arguments as for :class:`CrossEntropy`."""
        classes = logits.shape[-1]
        if self.alpha is not None and len(self.alpha) != classes:
            raise ValueError(f"FocalLoss: alpha has {len(self.alpha)} weights for {classes} classes")
        shares = labels if labels.ndim == 2 else core.cast(F.one_hot(labels, classes), logits.dtype)
        logarithm = F.log_softmax(logits, axis=-1)
        each = (1 - core.exp(logarithm)) ** self.gamma * -logarithm
        if self.alpha is not None:
            each = each * core.to_tensor(self.alpha, dtype=logits.dtype)
        return (each * shares).sum(axis=-1).mean()


LOSSES = Table("loss", {"CrossEntropy": CrossEntropy, "FocalLoss": FocalLoss}, build_to_check=True)
"""The losses that a config may name."""


def main_logits(outputs: Any) -> Any:
    """Return the logits of a network's main head, (N, class_num).

    Args:
        outputs: what the network answers: logits, or those of several heads, the main one's first, as GoogLeNet.
    """
    return outputs[0] if isinstance(outputs, (list, tuple)) else outputs


def several_heads(loss: Any, outputs: Any, labels: Any, auxiliary_weight: float = 0.3) -> Any:
    """Return the loss of a network's outputs: of the first head, and a share of each further one's.

    Szegedy et al., "Going deeper with convolutions", CVPR 2015, https://arxiv.org/abs/1409.4842, give 0.3 to each of
    GoogLeNet's two further heads.

    Args:
        loss: of logits and labels.
        outputs: logits (N, class_num), or a list of them, the main head's first.
        labels: as the loss takes them.
        auxiliary_weight: share of each further head.
    """
    if not isinstance(outputs, (list, tuple)):
        return loss(outputs, labels)
    total = loss(outputs[0], labels)
    for logits in outputs[1:]:
        total = total + auxiliary_weight * loss(logits, labels)
    return total
