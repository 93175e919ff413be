"""Loss layers that are likelihoods: of counts, of normal variables, of label sequences."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import one_of
from core.nn.layer.layers import Layer


class PoissonNLLLoss(Layer):
    """The negative log-likelihood of counts under a Poisson distribution.

    Args:
        log_input: Whether input is the logarithm of the rate.
        full: Whether Stirling's term is added.
        epsilon: Added to a rate before its logarithm.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        epsilon: float = 1e-8,
        reduction: str = "mean",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.log_input = log_input
        self.full = full
        self.epsilon = epsilon
        self.reduction = one_of("PoissonNLLLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any) -> Any:
        """Return the loss.

        Args:
            input: Rates or their logarithms, any shape.
            label: Counts, same shape.
        """
        return F.poisson_nll_loss(
            input, label, log_input=self.log_input, full=self.full, epsilon=self.epsilon, reduction=self.reduction
        )


class GaussianNLLLoss(Layer):
    """The negative log-likelihood under a normal distribution.

    Args:
        full: Whether the constant term is added.
        epsilon: Smallest variance.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, full: bool = False, epsilon: float = 1e-6, reduction: str = "mean", name: Optional[str] = None
    ) -> None:
        super().__init__()
        self.full = full
        self.epsilon = epsilon
        self.reduction = one_of("GaussianNLLLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any, variance: Any) -> Any:
        """Return the loss.

        Args:
            input: Means, any shape.
            label: Same shape.
            variance: Variances, same shape or broadcastable.
        """
        return F.gaussian_nll_loss(
            input, label, variance, full=self.full, epsilon=self.epsilon, reduction=self.reduction
        )


class CTCLoss(Layer):
    """Connectionist temporal classification (Graves et al. 2006).

    Args:
        blank: Class of the blank.
        reduction: ``mean``, ``sum`` or ``none``.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean") -> None:
        super().__init__()
        self.blank = blank
        self.reduction = one_of("CTCLoss", "reduction", reduction, ("mean", "sum", "none"))

    def forward(
        self, log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, norm_by_times: bool = False
    ) -> Any:
        """Return the loss.

        Args:
            log_probs: Logits (T, N, C).
            labels: Classes (N, S).
            input_lengths: Number of steps of each sample (N,).
            label_lengths: Number of labels of each sample (N,).
            norm_by_times: Whether gradients are divided by the number of steps.
        """
        return F.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            blank=self.blank,
            reduction=self.reduction,
            norm_by_times=norm_by_times,
        )


class RNNTLoss(Layer):
    """The loss of a recurrent transducer (Graves 2012, arXiv:1211.3711).

    Args:
        blank: Class of the blank.
        fastemit_lambda: Weight of FastEmit's regularisation.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, blank: int = 0, fastemit_lambda: float = 0.001, reduction: str = "mean", name: Optional[str] = None
    ) -> None:
        super().__init__()
        self.blank = blank
        self.fastemit_lambda = fastemit_lambda
        self.reduction = one_of("RNNTLoss", "reduction", reduction, ("mean", "sum", "none"))
        self.name = name

    def forward(self, input: Any, label: Any, input_lengths: Any, label_lengths: Any) -> Any:
        """Return the loss.

        Args:
            input: Logits (N, T, U + 1, C).
            label: Classes (N, U).
            input_lengths: Number of steps of each sample (N,).
            label_lengths: Number of labels of each sample (N,).
        """
        return F.rnnt_loss(
            input,
            label,
            input_lengths,
            label_lengths,
            blank=self.blank,
            fastemit_lambda=self.fastemit_lambda,
            reduction=self.reduction,
        )
