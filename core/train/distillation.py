"""Distillation: a network learns the answers of a trained one, its teacher.

Hinton, Vinyals and Dean 2015, https://arxiv.org/abs/1503.02531.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core.nn import functional as F


def frozen(network: Any) -> Any:
    """Return a network in evaluation mode, whose parameters take no gradient.

    Args:
        network: it is changed itself.
    """
    network.eval()
    for parameter in network.parameters():
        parameter.stop_gradient = True
    return network


def symmetric_divergence(student: Any, teacher: Any) -> Any:
    """Return how far a student's answers are from its teacher's: half of KL(t, s) + KL(s, t), the mean over samples.

    This is what PaddleClas' official kit calls the Jensen-Shannon divergence, and trains its SSLD models with
    (https://arxiv.org/abs/2103.05959).

    Args:
        student: logits, (N, classes).
        teacher: logits, (N, classes); no gradient flows into them.
    """
    log_student, log_teacher = F.log_softmax(student, axis=-1), F.log_softmax(teacher.detach(), axis=-1)
    difference = core.exp(log_teacher) - core.exp(log_student)
    return 0.5 * (difference * (log_teacher - log_student)).sum(axis=-1).mean()


def soft_divergence(student: Any, teacher: Any, temperature: float = 1.0, counted: Any = None) -> Any:
    """Return KL(t, s) of answers that a temperature makes softer, times its square, so that gradients keep their size.

    Args:
        student: logits, (..., classes).
        teacher: logits, (..., classes); no gradient flows into them.
        temperature: logits are divided by it.
        counted: float32 (...), 1 for answers that count, 0 for others; None: all do.
    """
    log_student = F.log_softmax(student / temperature, axis=-1)
    log_teacher = F.log_softmax(teacher.detach() / temperature, axis=-1)
    each = (core.exp(log_teacher) * (log_teacher - log_student)).sum(axis=-1)
    return temperature**2 * masked_mean(each, counted)


def masked_mean(values: Any, counted: Optional[Any]) -> Any:
    """Return the mean of numbers.

    Args:
        values: float32 (...).
        counted: float32 (...), 1 for numbers that count, 0 for others; None: all do.
    """
    return values.mean() if counted is None else (values * counted).sum() / counted.sum()
