"""Loss layers of rankings and distances."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import one_of
from core.nn.layer.layers import Layer


class MarginRankingLoss(Layer):
    """max(0, -label · (input - other) + margin).

    Args:
        margin: The margin.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.margin = margin
        self.reduction = one_of("MarginRankingLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, other: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Any shape.
            other: Same shape.
            label: 1 or -1, same shape.
        """
        return F.margin_ranking_loss(input, other, label, margin=self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(Layer):
    """input where label is 1, max(0, margin - input) where it is -1.

    Args:
        margin: The margin.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.margin = margin
        self.reduction = one_of("HingeEmbeddingLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Distances, any shape.
            label: 1 or -1, same shape.
        """
        return F.hinge_embedding_loss(input, label, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(Layer):
    """1 - cos where label is 1, max(0, cos - margin) where it is -1.

    Args:
        margin: The margin, from -1 to 1.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, margin: float = 0, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.margin = margin
        self.reduction = one_of("CosineEmbeddingLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input1: Any, input2: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input1: Vectors (N, M) or (M,).
            input2: Same shape.
            label: 1 or -1, (N,) or ().
        """
        return F.cosine_embedding_loss(input1, input2, label, margin=self.margin, reduction=self.reduction)


class MultiLabelSoftMarginLoss(Layer):
    """The mean over classes of the two-class cross entropy.

    Args:
        weight: Factor per class.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = one_of("MultiLabelSoftMarginLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Logits (N, C).
            label: 0 or 1, same shape.
        """
        return F.multi_label_soft_margin_loss(input, label, weight=self.weight, reduction=self.reduction)


class MultiMarginLoss(Layer):
    """max(0, margin - input[label] + input[other])^p, the mean over classes.

    Args:
        p: The exponent, 1 or 2.
        margin: The margin.
        weight: Factor per class.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean", name: Optional[str] = None
    ) -> None:
        super().__init__()
        self.p = p
        self.margin = margin
        self.weight = weight
        self.reduction = one_of("MultiMarginLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Scores (N, C).
            label: Classes (N,).
        """
        return F.multi_margin_loss(
            input, label, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class SoftMarginLoss(Layer):
    """log(1 + exp(-label · input)).

    Args:
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.reduction = one_of("SoftMarginLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Any shape.
            label: 1 or -1, same shape.
        """
        return F.soft_margin_loss(input, label, reduction=self.reduction)


class TripletMarginLoss(Layer):
    """max(0, d(input, positive) - d(input, negative) + margin).

    Args:
        margin: The margin.
        p: Degree of the norm.
        epsilon: Added to each difference.
        swap: Whether d(positive, negative) is used where it is smaller.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        epsilon: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.margin = margin
        self.p = p
        self.epsilon = epsilon
        self.swap = swap
        self.reduction = one_of("TripletMarginLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, positive: Any, negative: Any) -> Any:
        """Return the loss.

        Args:
            input: Vectors (N, M).
            positive: Same shape.
            negative: Same shape.
        """
        return F.triplet_margin_loss(
            input,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            epsilon=self.epsilon,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(Layer):
    """The triplet loss with a distance of the user's.

    Args:
        distance_function: ``f(x, y)``; the Euclidean distance when it is None.
        margin: The margin.
        swap: Whether d(positive, negative) is used where it is smaller.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        distance_function: Any = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap
        self.reduction = one_of("TripletMarginWithDistanceLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, positive: Any, negative: Any) -> Any:
        """Return the loss.

        Args:
            input: Vectors (N, M).
            positive: Same shape.
            negative: Same shape.
        """
        return F.triplet_margin_with_distance_loss(
            input,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
