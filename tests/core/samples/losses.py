"""Example calls of the losses."""

from __future__ import annotations

import core
from tests.core.samples import Draw, Sample, call


def signs(d: Draw, *shape: int) -> core.Tensor:
    """Return labels -1 and 1."""
    return d.i(*shape, high=2).astype("float32") * 2.0 - 1.0


def truths(d: Draw, *shape: int) -> core.Tensor:
    """Return labels 0 and 1."""
    return d.i(*shape, high=2).astype("float32")


def numbers(d: Draw, *shape: int) -> core.Tensor:
    """Return labels within (0, 1) that need no gradient."""
    return d.f(*shape).detach()


SAMPLES: dict[str, list[Sample]] = {
    "binary_cross_entropy": [lambda d: call(d.f(4, 3), truths(d, 4, 3)), lambda d: call(d.f(4), numbers(d, 4), d.f(4))],
    "binary_cross_entropy_with_logits": [
        lambda d: call(d.f(4, 3, low=-2), truths(d, 4, 3)),
        lambda d: call(d.f(4, 3, low=-2), numbers(d, 4, 3), numbers(d, 3), "sum", numbers(d, 3)),
    ],
    "cosine_embedding_loss": [lambda d: call(d.f(4, 3), d.f(4, 3), signs(d, 4), margin=0.1)],
    "cross_entropy": [
        lambda d: call(d.f(4, 3, low=-2), d.i(4)),
        lambda d: call(d.f(4, 3, low=-2), d.i(4, 1), numbers(d, 3), ignore_index=1, label_smoothing=0.1),
        lambda d: call(d.f(2, 3, 4), core.nn.functional.softmax(numbers(d, 2, 3, 4), 1), soft_label=True, axis=1),
    ],
    "dice_loss": [lambda d: call(d.f(4, 3), d.i(4, 1))],
    "gaussian_nll_loss": [lambda d: call(d.f(4, 3), d.f(4, 3), d.f(4), full=True)],
    "hinge_embedding_loss": [lambda d: call(d.f(4, 3), signs(d, 4, 3))],
    "kl_div": [lambda d: call(d.f(4, 3, low=-2, high=-1), numbers(d, 4, 3), "batchmean")],
    "l1_loss": [lambda d: call(d.f(4, 3), d.f(4, 3))],
    "log_loss": [lambda d: call(d.f(4, 1), truths(d, 4, 1))],
    "margin_ranking_loss": [lambda d: call(d.f(4), d.f(4), signs(d, 4), margin=0.1)],
    "mse_loss": [lambda d: call(d.f(4, 3), d.f(4, 3)), lambda d: call(d.f(4, 3), d.f(3), "none")],
    "multi_label_soft_margin_loss": [lambda d: call(d.f(4, 3), truths(d, 4, 3), numbers(d, 3))],
    "multi_margin_loss": [lambda d: call(d.f(4, 3), d.i(4)), lambda d: call(d.f(4, 3), d.i(4), 2, 0.5, numbers(d, 3))],
    "nll_loss": [lambda d: call(d.f(4, 3), d.i(4)), lambda d: call(d.f(2, 3, 2), d.i(2, 2), numbers(d, 3))],
    "npair_loss": [lambda d: call(d.f(4, 3), d.f(4, 3), d.i(4))],
    "poisson_nll_loss": [lambda d: call(d.f(4), numbers(d, 4)), lambda d: call(d.f(4), d.i(4, high=5), False, True)],
    "sigmoid_focal_loss": [lambda d: call(d.f(4, 3, low=-2), truths(d, 4, 3), core.to_tensor([3.0]))],
    "smooth_l1_loss": [lambda d: call(d.f(4, 3), d.f(4, 3), delta=0.3)],
    "soft_margin_loss": [lambda d: call(d.f(4, 3), signs(d, 4, 3))],
    "softmax_with_cross_entropy": [lambda d: call(d.f(4, 3), d.i(4, 1), return_softmax=True)],
    "square_error_cost": [lambda d: call(d.f(4, 3), d.f(4, 3))],
    "triplet_margin_loss": [lambda d: call(d.f(4, 3), d.f(4, 3), d.f(4, 3), swap=True)],
    "triplet_margin_with_distance_loss": [lambda d: call(d.f(4, 3), d.f(4, 3), d.f(4, 3))],
}
