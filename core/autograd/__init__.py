"""Automatic differentiation: backward, gradients of any order, user-defined gradients (paddle.autograd)."""

from __future__ import annotations

from core.autograd import rules as rules
from core.autograd.backward import backward as backward, grad as grad
from core.autograd.mode import (
    enable_grad as enable_grad,
    is_grad_enabled as is_grad_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
