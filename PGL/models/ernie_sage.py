"""ERNIESage: GraphSAGE on graphs whose nodes are texts, which ERNIE reads.

Sources: PaddleNLP's example ``text_graph/erniesage``; version 1: PGL's ``legacy/examples/erniesage``. no paper.
Version 1 reads each node's text alone, version 2 each edge's two texts together; further convolutions are GraphSAGE's.
Versions 3 and 4, which read a node with many neighbours at once, are left out: Paddle 2's version 3 does not run as
published.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.registry import create_model
from PGL.models.limits import LayerCount
from PGL.nn.ernie_sage_conv import ErnieSageV2Conv, with_cls
from PGL.nn.graph_sage_conv import GraphSageConv


class _Convolutions(nn.Layer):
    """The convolutions, and the linear layer behind them, under their names in official files."""

    def __init__(self, convs: list[Any], hidden_size: int, final_fc: bool) -> None:
        super().__init__()
        self.convs = nn.LayerList(convs)
        self.linear = nn.Linear(hidden_size, hidden_size) if final_fc else None


class ErnieSageV1(nn.Layer):
    """ERNIE on nodes, then GraphSAGE: texts of nodes to vectors of unit length.

    Args:
        vocab_size: tokens of the vocabulary.
        max_seqlen: tokens of a text.
        encoder: name and settings of PaddleNLP.create_model, such as ``{name: ernie-1.0, pretrained: true}``; None:
            ernie, of ERNIE base's size, with fresh weights.
        hidden_size: size of the convolutions' results.
        num_layers: how many convolutions there are, 1 at least.
        final_fc: whether a linear layer follows.
        final_l2_norm: whether each result is divided by its length.
        cls_token_id: the token in front of a text.

    Raises:
        ValueError: there is no convolution, the encoder is none with a pooler, its vocabulary is smaller than the
            texts', or its positions do not reach.
    """

    texts = 1
    """How many texts ERNIE reads at once."""

    def __init__(
        self,
        vocab_size: int,
        max_seqlen: int,
        encoder: Optional[dict[str, Any]] = None,
        hidden_size: int = 128,
        num_layers: LayerCount = 1,
        final_fc: bool = True,
        final_l2_norm: bool = True,
        cls_token_id: int = 1,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"{type(self).__name__}: num_layers must be positive, not {num_layers}")
        self.final_l2_norm, self.cls_token_id = final_l2_norm, cls_token_id
        self.ernie = _encoder(
            type(self).__name__, encoder or {"name": "ernie"}, vocab_size, self.texts * max_seqlen + 1
        )
        convs = [self.first_conv(self.ernie.hidden_size, hidden_size)]
        convs += [GraphSageConv(hidden_size, hidden_size, "sum") for _ in range(1, num_layers)]
        self.encoder = _Convolutions(convs, hidden_size, final_fc)

    def first_conv(self, input_size: int, hidden_size: int) -> Any:
        """Return the first convolution."""
        return GraphSageConv(input_size, hidden_size, "sum")

    def first(self, graph: Any, term_ids: Any, act: Optional[str]) -> Any:
        """Return the first convolution's result."""
        alone = with_cls(term_ids, self.cls_token_id)
        return self.encoder.convs[0](graph, self.ernie(alone, core.zeros_like(alone))[1], act)

    def forward(self, graph: Any, term_ids: Any) -> Any:
        """Return a vector of each node.

        Args:
            graph: the graph, of Tensors.
            term_ids: int64 (num_nodes, max_seqlen), filled up with 0.

        Returns:
            (num_nodes, hidden_size).
        """
        feature, last = None, len(self.encoder.convs) - 1
        for number, conv in enumerate(self.encoder.convs):
            act = None if number == last and number else "leaky_relu"
            feature = self.first(graph, term_ids, act) if number == 0 else conv(graph, feature, act)
        if self.encoder.linear is not None:
            feature = self.encoder.linear(feature)
        return F.normalize(feature, axis=1) if self.final_l2_norm else feature


class ErnieSageV2(ErnieSageV1):
    """ERNIE on edges, then GraphSAGE; see :class:`ErnieSageV1`."""

    texts = 2

    def first_conv(self, input_size: int, hidden_size: int) -> Any:
        """Return the first convolution."""
        return ErnieSageV2Conv(input_size, hidden_size, self.cls_token_id)

    def first(self, graph: Any, term_ids: Any, act: Optional[str]) -> Any:
        """Return the first convolution's result."""
        return self.encoder.convs[0](graph, term_ids, self.ernie, act)


def _encoder(owner: str, settings: Mapping[str, Any], vocab_size: int, tokens: int) -> Any:
    """Return the language model of a config."""
    given = dict(settings)
    name = given.pop("name", "ernie")
    if "pretrained" not in given and name == "ernie":
        given.setdefault("vocab_size", vocab_size)
    ernie = create_model(name, task="encoder", **given)
    if getattr(ernie, "pooler", None) is None:
        raise ValueError(f"{owner}: encoder.name: {name} has no vector of a whole text; ernie, bert and others have")
    if ernie.vocab_size < vocab_size:
        raise ValueError(f"{owner}: the encoder knows {ernie.vocab_size} tokens, and the vocabulary has {vocab_size}")
    if ernie.max_length is not None and ernie.max_length < tokens:
        raise ValueError(
            f"{owner}: it reads {tokens} tokens at once, and the encoder knows {ernie.max_length} positions"
        )
    return ernie
