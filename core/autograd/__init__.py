"""Automatic differentiation: backward, gradients of any order, user-defined gradients (paddle.autograd)."""

from __future__ import annotations

from core.autograd import rules as rules
from core.autograd.backward import backward as backward
from core.autograd.backward import grad as grad
from core.autograd.functional import (
    hessian as hessian,
)
from core.autograd.functional import (
    jacobian as jacobian,
)
from core.autograd.mode import (
    enable_grad as enable_grad,
)
from core.autograd.mode import (
    is_grad_enabled as is_grad_enabled,
)
from core.autograd.mode import (
    no_grad as no_grad,
)
from core.autograd.mode import (
    set_grad_enabled as set_grad_enabled,
)
from core.autograd.pylayer import PyLayer as PyLayer
from core.autograd.pylayer import PyLayerContext as PyLayerContext
