"""Graph operators (paddle.geometric): reduction by segment, messages along edges, sampled neighbours."""

from __future__ import annotations

from core import autograd as autograd  # the rules belong to the operators
from core.operators.graphs.neighbors import (
    reindex_graph as reindex_graph,
)
from core.operators.graphs.neighbors import (
    reindex_heter_graph as reindex_heter_graph,
)
from core.operators.graphs.neighbors import (
    sample_neighbors as sample_neighbors,
)
from core.operators.graphs.neighbors import (
    weighted_sample_neighbors as weighted_sample_neighbors,
)
from core.operators.graphs.segment import (
    segment_max as segment_max,
)
from core.operators.graphs.segment import (
    segment_mean as segment_mean,
)
from core.operators.graphs.segment import (
    segment_min as segment_min,
)
from core.operators.graphs.segment import (
    segment_sum as segment_sum,
)
from core.operators.graphs.segment import (
    send_u_recv as send_u_recv,
)
from core.operators.graphs.segment import (
    send_ue_recv as send_ue_recv,
)
from core.operators.graphs.segment import (
    send_uv as send_uv,
)

__all__ = [
    "reindex_graph", "reindex_heter_graph", "sample_neighbors", "segment_max", "segment_mean", "segment_min",
    "segment_sum", "send_u_recv", "send_ue_recv", "send_uv", "weighted_sample_neighbors",
]  # fmt: skip
