"""Earlier names of graph operators, fused layers, and layers of Fluid (paddle.incubate)."""

from __future__ import annotations

from typing import Optional, Union

from core.geometric import segment_max, segment_mean, segment_min, segment_sum, send_u_recv
from core.incubate import autograd, layers, nn
from core.tensor import Tensor


def graph_send_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    pool_type: str = "sum",
    out_size: Union[int, Tensor, None] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Send node features along edges and reduce what arrives; see :func:`core.geometric.send_u_recv`."""
    return send_u_recv(x, src_index, dst_index, pool_type, out_size)


__all__ = ["autograd", "graph_send_recv", "layers", "nn", "segment_max", "segment_mean", "segment_min", "segment_sum"]
