"""Loss layers of regression and classification: each prediction against its label."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import one_of
from core.nn.layer.layers import Layer


class MSELoss(Layer):
    """(input - label)².

    Args:
        reduction: ``mean``, ``sum`` or ``none``.
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = one_of("MSELoss", "reduction", reduction, ("mean", "sum", "none"))

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Any shape.
            label: Same shape.
        """
        return F.mse_loss(input, label, reduction=self.reduction)


class L1Loss(Layer):
    """abs(input - label).

    Args:
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.reduction = one_of("L1Loss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Any shape.
            label: Same shape.
        """
        return F.l1_loss(input, label, reduction=self.reduction)


class SmoothL1Loss(Layer):
    """The Huber loss: quadratic up to delta, then linear.

    Args:
        reduction: ``mean``, ``sum`` or ``none``.
        delta: Where the two parts meet.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0, name: Optional[str] = None) -> None:
        super().__init__()
        self.reduction = one_of("SmoothL1Loss", "reduction", reduction, ("mean", "sum", "none"))
        self.delta = delta
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Any shape.
            label: Same shape.
        """
        return F.smooth_l1_loss(input, label, reduction=self.reduction, delta=self.delta)


class CrossEntropyLoss(Layer):
    """The cross entropy between logits and classes.

    Args:
        weight: Factor per class, a tensor of shape (C,).
        ignore_index: Class whose samples do not count.
        reduction: ``mean``, ``sum`` or ``none``.
        soft_label: Whether labels are distributions over the classes.
        axis: The classes' axis.
        use_softmax: Whether input holds logits; otherwise probabilities.
        label_smoothing: Share of the label that is spread over all classes.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        label_smoothing: float = 0.0,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = one_of("CrossEntropyLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.soft_label = soft_label
        self.axis = axis
        self.use_softmax = use_softmax
        self.label_smoothing = label_smoothing
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Logits (..., C).
            label: Classes (...) or (..., 1), int32 or int64; or distributions (..., C).
        """
        return F.cross_entropy(
            input,
            label,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            soft_label=self.soft_label,
            axis=self.axis,
            use_softmax=self.use_softmax,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(Layer):
    """The negative of the label's log-probability.

    Args:
        weight: Factor per class, a tensor of shape (C,).
        ignore_index: Class whose samples do not count.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", name: Optional[str] = None
    ) -> None:
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = one_of("NLLLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Log-probabilities (N, C, ...).
            label: Classes (N, ...).
        """
        return F.nll_loss(input, label, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class BCELoss(Layer):
    """The cross entropy of probabilities of two classes.

    Args:
        weight: Factor on each element.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", name: Optional[str] = None) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = one_of("BCELoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Probabilities, any shape.
            label: Same shape.
        """
        return F.binary_cross_entropy(input, label, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Layer):
    """The cross entropy of logits of two classes.

    Args:
        weight: Factor on each element.
        reduction: ``mean``, ``sum`` or ``none``.
        pos_weight: Factor on positive elements.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None, name: Optional[str] = None
    ) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = one_of("BCEWithLogitsLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.pos_weight = pos_weight
        self.name = name

    def forward(self, logit: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            logit: Logits, any shape.
            label: Same shape.
        """
        return F.binary_cross_entropy_with_logits(
            logit, label, weight=self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


class KLDivLoss(Layer):
    """label · (log(label) - input).

    Args:
        reduction: ``mean``, ``batchmean``, ``sum`` or ``none``.
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = one_of("KLDivLoss", "reduction", reduction, ("mean", "sum", "none", "batchmean"))

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Log-probabilities, any shape.
            label: Probabilities, same shape.
        """
        return F.kl_div(input, label, reduction=self.reduction)
