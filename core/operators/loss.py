"""All losses of nn.functional in one place; each family has its own file beside this one."""

from __future__ import annotations

from core.operators.loss_alignment import rnnt_loss
from core.operators.loss_binary import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    log_loss,
    multi_label_soft_margin_loss,
    multi_margin_loss,
    sigmoid_focal_loss,
    soft_margin_loss,
)
from core.operators.loss_classes import cross_entropy, dice_loss, nll_loss, softmax_with_cross_entropy
from core.operators.loss_ranking import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    npair_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from core.operators.loss_regression import (
    gaussian_nll_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    square_error_cost,
)
from core.operators.loss_sequence import ctc_loss
from core.operators.loss_tree import hsigmoid_loss

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "ctc_loss",
    "dice_loss",
    "hsigmoid_loss", "rnnt_loss",
    "gaussian_nll_loss", "hinge_embedding_loss", "kl_div", "l1_loss", "log_loss", "margin_ranking_loss", "mse_loss",
    "multi_label_soft_margin_loss", "multi_margin_loss", "nll_loss", "npair_loss", "poisson_nll_loss",
    "sigmoid_focal_loss", "smooth_l1_loss", "soft_margin_loss", "softmax_with_cross_entropy", "square_error_cost",
    "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip
TENSOR_METHODS = ()
IN_PLACE_METHODS = ()
