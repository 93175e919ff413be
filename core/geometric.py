"""Graph operators (paddle.geometric): reduction by segment and messages along edges."""

from __future__ import annotations

from core import autograd as autograd  # the rules belong to the operators
from core.operators.segment import (
    segment_max as segment_max,
)
from core.operators.segment import (
    segment_mean as segment_mean,
)
from core.operators.segment import (
    segment_min as segment_min,
)
from core.operators.segment import (
    segment_sum as segment_sum,
)
from core.operators.segment import (
    send_u_recv as send_u_recv,
)
from core.operators.segment import (
    send_ue_recv as send_ue_recv,
)
from core.operators.segment import (
    send_uv as send_uv,
)

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_sum", "send_u_recv", "send_ue_recv", "send_uv"]
