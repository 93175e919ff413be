"""DuConv's retrieval: whether a reply goes on with a conversation, with facts to look at or without.

Paper: Wu et al. 2019, Proactive human-machine conversation with explicit conversation goals,
https://arxiv.org/abs/1906.05572. The network is that of PaddlePaddle/models at 1.6 (``retrieval_model.py`` and
``transformer.py`` of ``PaddleNLP/Research/ACL2019-DuConv/retrieval_paddle``).

Shapes, with d = 256, 4 layers of 8 heads, L at most 256, and K tokens of goal and facts:

    [CLS] history [SEP] reply [SEP] (N, L): words + positions + segments (0, 1 of the reply), norm      (N, L, d)
    layer: y = norm(x + attention(norm(x))); z = norm(y + FFN d -> 4 d gelu -> d of norm(y)); norm behind the last
    c = tanh(layer of the first token) (N, d)
    facts (N, K): own table of words, layer d -> 3 H without bias, GRU of H = 128 each way, (N, K, 2 H) = m
    with facts: weights (N, K) = softmax(v tanh(m W + c)), W (2 H, d), v (d, 1), no biases; f = weights m
    logits (N, 2) of c, or of [c, f] (N, d + 2 H); cross entropy

The GRU resets before its product, and its candidate is relu(x + (r h) W + b), as in the source. Its training runs
without dropout; so does this network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Normal, TruncatedNormal, XavierUniform
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.layers.both_ways import BothWays


class EncoderLayer(nn.Layer):
    """Attention and a feed-forward network, each with a norm before it and behind.

    Args:
        size: length of a token's vector.
        heads: of the attention.
    """

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.attention = nn.MultiHeadAttention(size, heads)
        self.fc0, self.fc1 = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.before_attention, self.behind_attention, self.before_ffn, self.behind_ffn = (
            nn.LayerNorm(size) for _ in range(4)
        )

    def forward(self, x: Any, mask: Any) -> Any:
        """Return the tokens' vectors, float32 (N, L, size).

        Args:
            x: float32 (N, L, size).
            mask: float32 (N, 1, 1, L), added to scores.
        """
        y = self.before_attention(x)
        y = self.behind_attention(x + self.attention(y, y, y, mask))
        return self.behind_ffn(y + self.fc1(F.gelu(self.fc0(self.before_ffn(y)))))


class FactReader(nn.Layer):
    """The GRU that reads facts forwards and backwards.

    Args:
        vocab_size: rows of its table of words.
        size: length of a word's vector.
        units: of the GRU in each direction.
    """

    def __init__(self, vocab_size: int, size: int, units: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, size, weight_attr=nn.ParamAttr(initializer=XavierUniform()))
        drawn = nn.ParamAttr(initializer=Normal(0.0, 0.02))
        self.both = BothWays(size, 2 * units, False, "relu", fc_bias=False, attr=drawn, bias_attr=drawn)

    def forward(self, ids: Any, kept: Any) -> Any:
        """Return the states of all tokens, float32 (N, K, 2 * units), 0 of padding.

        Args:
            ids: int64 (N, K).
            kept: float32 (N, K), 1 where there is a token.
        """
        whole = kept.astype("int64")
        return self.both(self.word_embeddings(ids * whole), whole.sum(axis=1))[0]


class RetrievalModel(nn.Layer):
    """The Transformer that reads history and reply, and what reads facts.

    Args:
        vocab_size: words of the vocabulary, of both tables.
        hidden_size: length of a token's vector.
        layers: how many there are.
        attention_heads: of each.
        max_length: tokens of history and reply together at most.
        knowledge_length: tokens of goal and facts that are read at most; 0: the network reads none.
        fact_units: of the GRU in each direction.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.
    """

    base_model_prefix: ClassVar[str] = "retrieval"
    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False
    hidden_dropout_prob: ClassVar[float] = 0.0

    def __init__(
        self,
        vocab_size: int = 14373,
        hidden_size: int = 256,
        layers: int = 4,
        attention_heads: int = 8,
        max_length: int = 256,
        knowledge_length: int = 0,
        fact_units: int = 128,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.vocab_size, self.hidden_size, self.token_size = vocab_size, hidden_size, hidden_size
        self.max_length, self.knowledge_length, self.fact_units = max_length, knowledge_length, fact_units
        self.pad_token_id = vocab_size if pad_token_id is None else pad_token_id
        drawn = nn.ParamAttr(initializer=XavierUniform())
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, weight_attr=drawn)
        self.position_embeddings = nn.Embedding(max_length, hidden_size, weight_attr=drawn)
        self.segment_embeddings = nn.Embedding(2, hidden_size, weight_attr=drawn)
        self.norm_first, self.norm_last = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
        self.layers = nn.LayerList([EncoderLayer(hidden_size, attention_heads) for _ in range(layers)])
        self.pooler = nn.Linear(hidden_size, hidden_size, weight_attr=self.weight_attr())
        if knowledge_length:
            self.facts = FactReader(vocab_size, hidden_size, fact_units)
            self.fact_keys = nn.Linear(2 * fact_units, hidden_size, bias_attr=False)
            self.fact_scores = nn.Linear(hidden_size, 1, bias_attr=False)

    def weight_attr(self) -> Any:
        """Return how fresh weights are drawn."""
        return nn.ParamAttr(initializer=TruncatedNormal(std=0.02))

    def forward(
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> tuple[Any, Any]:
        """Return the tokens' vectors, float32 (N, L, hidden_size), and the first one's behind the pooler.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: int64 (N, L), 1 in the reply.
            position_ids: not used.
            attention_mask: (N, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        kept = kept_tokens(input_ids, attention_mask, self.pad_token_id)
        whole = kept.astype("int64")
        places = core.arange(0, input_ids.shape[1], dtype="int64").unsqueeze(0)
        x = self.word_embeddings(input_ids * whole) + self.position_embeddings(places)
        x = self.norm_first(x + self.segment_embeddings((token_type_ids if token_type_ids is not None else 0) * whole))
        mask = ((kept - 1.0) * 1e9).unsqueeze(1).unsqueeze(2)
        for layer in self.layers:
            x = layer(x, mask)
        x = self.norm_last(x)
        return x, core.tanh(self.pooler(x[:, 0]))

    def found_facts(self, knowledge_ids: Any, context: Any) -> Any:
        """Return what is found in goal and facts, float32 (N, 2 * fact_units).

        Args:
            knowledge_ids: int64 (N, K).
            context: float32 (N, hidden_size).
        """
        kept = kept_tokens(knowledge_ids, None, self.pad_token_id)
        states = self.facts(knowledge_ids, kept)
        scores = self.fact_scores(core.tanh(self.fact_keys(states) + context.unsqueeze(1))).squeeze(2)
        weights = F.softmax(scores + (kept - 1.0) * 1e9, axis=-1)
        return core.matmul(weights.unsqueeze(1), states).squeeze(1)


class ReplyMatching(Head):
    """Whether a reply fits.

    Args:
        encoder: a :class:`RetrievalModel`.
        num_classes: 2, of replies that do not fit and that do.
        dropout: not used.
    """

    head_names = ("classifier",)

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, 0.0)
        self.num_classes = num_classes
        width = encoder.hidden_size + (2 * encoder.fact_units if encoder.knowledge_length else 0)
        self.classifier = self._linear(num_classes, width)

    def forward(  # type: ignore[override]  # facts
        self, input_ids: Any, token_type_ids: Any = None, knowledge_ids: Any = None
    ) -> Any:
        """Return logits (N, num_classes).

        Args:
            input_ids: int64 (N, L), history and reply.
            token_type_ids: int64 (N, L), 1 in the reply.
            knowledge_ids: int64 (N, K), goal and facts, of a network that reads some.
        """
        _, context = self.encoder(input_ids, token_type_ids)
        if self.encoder.knowledge_length:
            context = core.concat([context, self.encoder.found_facts(knowledge_ids, context)], axis=-1)
        return self.classifier(context)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy.

        Args:
            logits: float32 (N, num_classes).
            labels: int64 (N,).
        """
        return F.cross_entropy(logits, labels.reshape([-1]))


RetrievalModel.heads = {"reply_matching": ReplyMatching}


def joined_ids(context: Sequence[int], reply: Sequence[int], max_length: int) -> tuple[list[int], list[int]]:
    """Return the ids of a history and a reply, and their segments; both end with [SEP], the history begins with [CLS].

    Args:
        context: ids of "[CLS] history [SEP]"; what is too long loses its beginning.
        reply: ids of "reply [SEP]", of which the first 50 count.
        max_length: of the result.
    """
    said = [*reply[:-1][:50], reply[-1]]
    room = max(max_length - len(said) - 2, 0)
    kept = list(context[1:-1])[-room:] if room else []
    first = [context[0], *kept, context[-1]]
    return first + said, [0] * len(first) + [1] * len(said)
