"""LAC: words, parts of speech and names of a Chinese text at once, by recurrent layers on characters, and a chain.

Paper: Jiao et al. 2018, Chinese lexical analysis with deep Bi-GRU-CRF network, https://arxiv.org/abs/1807.01882.
Networks are facts of PaddlePaddle/models at 1.6 (``PaddleNLP/models/sequence_labeling/nets.py``) and paddlenlp 2.8.1
(``paddlenlp/taskflow/models/lexical_analysis_model.py``), which have different units and chains.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Optional

import core
from core import nn
from core.nn.initializer import Uniform
from core.text import LinearChainCrf, LinearChainCrfLoss
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.layers.both_ways import BothWays
from PaddleNLP.models.words.network import WordNetwork, lengths_of

BOUND = 0.1
"""Fresh weights are between minus this and this."""

DECAY = 1e-4
"""Of the squares of weights, but those of words."""


def _attr(learning_rate: float = 1.0, decayed: bool = True) -> Any:
    decay = core.regularizer.L2Decay(DECAY) if decayed else None
    return nn.ParamAttr(initializer=Uniform(-BOUND, BOUND), learning_rate=learning_rate, regularizer=decay)


class LacModel(WordNetwork):
    """Vectors of characters, then two layers that read a text from both ends.

    Args:
        vocab_size: characters of the vocabulary.
        emb_dim: length of a character's vector; 128 as in the release of PaddleHub, 768 in the published recipe.
        units: of each direction of a layer, likewise.
        cell: "fluid", units that reset before they multiply, and a chain (tags + 2, tags), for weights of Fluid 1.x; or
            "paddle", cuDNN's units and a chain (tags + 2, tags + 2), for those of paddlenlp.
        emb_lr: the learning rate of the characters' vectors, as a multiple of the network's.
        crf_lr: that of the chain.
        pad_token_id: the number that fills short texts; None: ``vocab_size``.
        hidden_dropout_prob: of dropping a number of the characters' vectors, and of each layer's results, in training;
            the published recipes drop nothing.
    """

    base_model_prefix: ClassVar[str] = "lac"

    def __init__(
        self,
        vocab_size: int = 20940,
        emb_dim: int = 128,
        units: int = 128,
        cell: Literal["fluid", "paddle"] = "fluid",
        emb_lr: float = 5.0,
        crf_lr: float = 0.2,
        pad_token_id: Optional[int] = None,
        hidden_dropout_prob: float = 0.0,
    ) -> None:
        super().__init__(vocab_size, emb_dim, 2 * units, emb_lr, pad_token_id, Uniform(-BOUND, BOUND))
        self.cell, self.crf_lr = cell, crf_lr
        self.dropout = nn.Dropout(hidden_dropout_prob)
        self.token_size = 2 * units
        if cell == "fluid":
            self.layers = nn.LayerList([BothWays(size, 2 * units, attr=_attr()) for size in (emb_dim, 2 * units)])
        else:
            attrs = {f"weight_{kind}_attr": _attr() for kind in ("ih", "hh")}
            self.gru = nn.GRU(emb_dim, units, 2, "bidirect", dropout=hidden_dropout_prob, **attrs)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the states, and their means; see :meth:`WordNetwork.compute`."""
        lengths = lengths_of(kept)
        tokens = self.dropout(words)
        if self.cell == "paddle":
            tokens = self.dropout(self.gru(tokens, sequence_length=lengths)[0])
        else:
            for layer in self.layers:
                tokens = self.dropout(layer(tokens, lengths)[0])
        return tokens, tokens.sum(axis=1) / kept.sum(axis=1, keepdim=True).clip(min=1.0)

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, the head's included."""
        found = {"word_emb": "word_embeddings.weight", "crfw": "crf.transitions"}
        ways = [(place, way) for place in (0, 1) for way in ("forward", "backward")]
        for number, (place, way) in enumerate(ways):
            for old, new in (("w_0", "weight"), ("b_0", "bias")):
                found[f"fc_{number}.{old}"] = f"layers.{place}.fc_{way}.{new}"
                found[f"gru_{number}.{old}"] = f"layers.{place}.gru_{way}.{new}"
        return {**found, "fc_4.w_0": "fc.weight", "fc_4.b_0": "fc.bias"}


class LacHead(Head):
    """A tag for each token, by the best path through a chain.

    Args:
        encoder: a :class:`LacModel`.
        num_classes: how many tags there are.
        dropout: not used; the encoder drops.
    """

    head_names = ("fc", "crf", "crf_loss")

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Any = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        layout = "fluid" if encoder.cell == "fluid" else "square"
        self.crf = LinearChainCrf(num_classes, encoder.crf_lr, layout=layout)
        self.fc = nn.Linear(encoder.hidden_size, self.crf.num_tags, weight_attr=_attr())
        self.crf_loss = LinearChainCrfLoss(self.crf)

    def forward(  # type: ignore[override]  # no hidden states
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> Any:
        """Return the number of each token's tag, int64 (N, L), 0 behind the end of a text.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: not used, as are positions.
            position_ids: not used.
            attention_mask: (N, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        return self.decode(self.emissions(input_ids, attention_mask), self.lengths(input_ids, attention_mask))

    def emissions(self, input_ids: Any, attention_mask: Any = None) -> Any:
        """Return the score of each tag at each token, float32 (N, L, tags); arguments are those of :meth:`forward`."""
        return self.fc(self.encoder(input_ids, attention_mask=attention_mask)[0])

    def lengths(self, input_ids: Any, attention_mask: Any = None) -> Any:
        """Return the tokens of each text, int64 (N,); arguments are those of :meth:`forward`."""
        return lengths_of(kept_tokens(input_ids, attention_mask, self.encoder.pad_token_id))

    def decode(self, emissions: Any, lengths: Any) -> Any:
        """Return the best path of each text, int64 (N, L).

        Args:
            emissions: result of :meth:`emissions`.
            lengths: result of :meth:`lengths`.
        """
        if self.encoder.cell == "paddle":  # start and end are tags of the chain, but none of a token
            emissions = emissions - core.to_tensor([0.0] * self.num_classes + [1e4, 1e4])
        return self.crf.decode(emissions, lengths)[1]

    def loss(self, emissions: Any, labels: Any, lengths: Any) -> Any:
        """Return the mean over texts of minus the logarithm of the true path's probability.

        Args:
            emissions: result of :meth:`emissions`.
            labels: int64 (N, L), a tag for each token.
            lengths: result of :meth:`lengths`.
        """
        return self.crf_loss(emissions, lengths, labels).mean()


LacModel.heads = {"crf_token_classification": LacHead}
