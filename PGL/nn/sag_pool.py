"""Self-attention pooling: keep the best nodes of each graph.

Paper: Lee, Lee and Kang, "Self-Attention Graph Pooling", ICML 2019, https://arxiv.org/abs/1904.08082

    s = tanh(GNN(x)),  the ⌈ratio n⌉ best of a graph's n nodes are kept, best first,  y_i = s_i x_i
    or, with a least score: s = softmax of GNN(x) over the nodes of a graph; nodes below it go, but never the best

x (nodes, inputs), s (nodes), y (kept nodes, inputs). Edges between kept nodes are kept.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

import core
from core import nn
from core.operators import message_passing
from PGL.graph import Graph
from PGL.math import segment_topk
from PGL.nn.functional import membership
from PGL.nn.gcn_conv import GCNConv
