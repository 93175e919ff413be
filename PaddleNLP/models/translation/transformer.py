"""The Transformer that translates (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762), base, big or of any size.

Names and shapes of parameters are those of paddlenlp 2.8.1 (``paddlenlp/transformers/transformer/modeling.py``): layers
normalise their inputs, a normalisation follows the last, positions are sines and then cosines as in tensor2tensor. The
start token fills batches, too, and its vector is zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Optional

import numpy as np

import core
from core import nn
from core.nn.initializer import Assign, Normal
from core.operators.sequences.kept_attention import attend_to_kept, attend_to_memory
from core.text.generation import Generated, Generation, Shared, generate

HIDDEN = -10000.0
"""What is added to the scores of keys that must not be seen."""


def position_encoding_init(n_position: int, d_pos_vec: int) -> np.ndarray:
    """Return sines and then cosines of positions, float32 (n_position, d_pos_vec).

    Wavelengths are a geometric series from 2π to 20000π, both ends included, as in tensor2tensor.

    Args:
        n_position: how many positions there are.
        d_pos_vec: length of a position's vector.
    """
    count = d_pos_vec // 2
    rates = np.exp(np.arange(count) * -(math.log(1e4) / max(count - 1, 1)))
    angles = np.arange(n_position)[:, None] * rates[None]
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    return np.pad(table, [[0, 0], [0, d_pos_vec % 2]]).astype("float32")


class WordEmbedding(nn.Layer):
    """Vectors of tokens, multiplied by √emb_dim.

    Args:
        vocab_size: rows of the table.
        emb_dim: length of a vector.
        bos_id: the token whose vector is zeros.
    """

    def __init__(self, vocab_size: int, emb_dim: int, bos_id: int = 0) -> None:
        super().__init__()
        self.emb_dim = emb_dim
        drawn = nn.ParamAttr(initializer=Normal(0.0, emb_dim**-0.5))
        self.word_embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=bos_id, weight_attr=drawn)

    def forward(self, word: Any) -> Any:
        """Return float32 (N, L, emb_dim) of int64 (N, L)."""
        return self.word_embedding(word) * self.emb_dim**0.5


class PositionalEmbedding(nn.Layer):
    """Vectors of positions, which are not trained.

    Args:
        emb_dim: length of a vector.
        max_length: how many positions there are.
    """

    def __init__(self, emb_dim: int, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length
        fixed = nn.ParamAttr(initializer=Assign(position_encoding_init(max_length, emb_dim)), trainable=False)
        self.pos_encoder = nn.Embedding(max_length, emb_dim, weight_attr=fixed)

    def forward(self, pos: Any) -> Any:
        """Return float32 (N, L, emb_dim) of int64 (N, L)."""
        return self.pos_encoder(pos).detach()


class TransformerModel(nn.Layer):
    """Encoder and decoder with vectors of tokens and scores of all words.

    Args:
        src_vocab_size: tokens of the source's vocabulary.
        trg_vocab_size: tokens of the target's.
        max_length: positions, of the longest sentence at least.
        num_encoder_layers: layers of the encoder.
        num_decoder_layers: layers of the decoder.
        n_head: heads of attention.
        d_model: length of a token's vector.
        d_inner_hid: units of feed-forward blocks.
        dropout: the probability of dropping a number.
        weight_sharing: one table of vectors serves source, target and the scores of words.
        attn_dropout: the probability of dropping a weight of attention; None: ``dropout``.
        act_dropout: that of dropping a number inside feed-forward blocks; None: ``dropout``.
        bos_id: the start token.
        eos_id: the end token.
        pad_id: the token that fills batches; None: ``bos_id``.
        activation: of feed-forward blocks, a function of :mod:`core.nn.functional`.
        normalize_before: whether layers normalise their inputs; otherwise their results, and nothing follows the last.

    Raises:
        ValueError: one table is to serve vocabularies of two sizes.
    """

    base_model_prefix: ClassVar[str] = "transformer"
    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False

    def __init__(
        self,
        src_vocab_size: int = 32000,
        trg_vocab_size: int = 32000,
        max_length: int = 256,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        n_head: int = 8,
        d_model: int = 512,
        d_inner_hid: int = 2048,
        dropout: float = 0.1,
        weight_sharing: bool = True,
        attn_dropout: Optional[float] = None,
        act_dropout: Optional[float] = None,
        bos_id: int = 0,
        eos_id: int = 1,
        pad_id: Optional[int] = None,
        activation: str = "relu",
        normalize_before: bool = True,
    ) -> None:
        super().__init__()
        if weight_sharing and src_vocab_size != trg_vocab_size:
            message = f"src_vocab_size {src_vocab_size} and trg_vocab_size {trg_vocab_size} must be equal"
            raise ValueError(f"weight_sharing: {message}, as one table serves both")
        self.vocab_size = self.trg_vocab_size = trg_vocab_size
        self.max_length = max_length
        self.d_model, self.n_head = d_model, n_head
        self.bos_id, self.eos_id = bos_id, eos_id
        self.pad_id = bos_id if pad_id is None else pad_id
        self.normalize_before = normalize_before
        self.src_word_embedding = WordEmbedding(src_vocab_size, d_model, self.pad_id)
        self.src_pos_embedding = PositionalEmbedding(d_model, max_length)
        if weight_sharing:
            self.trg_word_embedding = self.src_word_embedding
            self.trg_pos_embedding = self.src_pos_embedding
        else:
            self.trg_word_embedding = WordEmbedding(trg_vocab_size, d_model, self.pad_id)
            self.trg_pos_embedding = PositionalEmbedding(d_model, max_length)
        layer: dict[str, Any] = {
            "d_model": d_model, "nhead": n_head, "dim_feedforward": d_inner_hid, "dropout": dropout,
            "activation": activation, "attn_dropout": attn_dropout, "act_dropout": act_dropout,
            "normalize_before": normalize_before,
        }  # fmt: skip
        custom: dict[str, Any] = {}
        if not normalize_before:
            custom["custom_encoder"] = nn.TransformerEncoder(nn.TransformerEncoderLayer(**layer), num_encoder_layers)
            custom["custom_decoder"] = nn.TransformerDecoder(nn.TransformerDecoderLayer(**layer), num_decoder_layers)
        self.transformer = nn.Transformer(
            num_encoder_layers=num_encoder_layers, num_decoder_layers=num_decoder_layers, **layer, **custom
        )
        self.dropout = nn.Dropout(dropout)
        self.weight_sharing = weight_sharing
        if not weight_sharing:
            self.linear = nn.Linear(d_model, trg_vocab_size, bias_attr=False)

    def forward(self, src_word: Any, trg_word: Any) -> Any:
        """Return the scores of the word behind each token of the target, float32 (N, T, trg_vocab_size).

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            trg_word: int64 (N, T), the start token before each sentence.
        """
        memory, hidden = self.encode(src_word)
        target = self._embedded(trg_word, self.trg_word_embedding, self.trg_pos_embedding)
        later = self.transformer.generate_square_subsequent_mask(trg_word.shape[1])
        return self.scores(self.transformer.decoder(target, memory, later, hidden))

    def encode(self, src_word: Any) -> tuple[Any, Any]:
        """Return the encoder's result, float32 (N, S, d_model), and what hides padding, float32 (N, 1, 1, S)."""
        hidden = (src_word == self.pad_id).astype("float32").unsqueeze([1, 2]) * HIDDEN
        source = self._embedded(src_word, self.src_word_embedding, self.src_pos_embedding)
        return self.transformer.encoder(source, hidden), hidden

    def scores(self, output: Any) -> Any:
        """Return scores of all words from the decoder's results, float32 (..., d_model) to (..., trg_vocab_size)."""
        if self.weight_sharing:
            return core.matmul(output, self.trg_word_embedding.word_embedding.weight, transpose_y=True)
        return self.linear(output)

    def _embedded(self, word: Any, words: Any, positions: Any) -> Any:
        length = word.shape[1]
        if isinstance(length, int) and length > self.max_length:
            raise ValueError(f"a sentence of {length} tokens, but the network knows {self.max_length} positions")
        places = (word != self.pad_id).astype("int64") * core.arange(length, dtype="int64")
        return self.dropout(words(word) + positions(places))

    def generate(self, src_word: Any, settings: Generation, forced: Any = None) -> Generated:
        """Return translations, found token by token with the keys and values of earlier ones kept.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            settings: how; ``max_length`` is within the network's positions.
            forced: int64 (N, P), tokens that translations begin with; negative ones are left to the network.
        """
        batch = src_word.shape[0]
        step = self.stepper(src_word, settings.rows)

        def shared(last: Any, time: Any, states: Shared) -> tuple[Any, Shared]:
            scores, kept = step(last, time, states.kept, states.sources)
            return scores, states._replace(kept=kept)

        return generate(shared, Shared(self.empty_caches(batch, settings.max_length)), batch, settings, forced)

    def empty_caches(self, batch: int, length: int) -> list[tuple[Any, Any]]:
        """Return room for the keys and values of so many tokens, for each layer of the decoder."""
        empty = core.zeros([batch, length, self.d_model])
        return [(empty, empty) for _ in self.transformer.decoder.layers]

    def stepper(self, src_word: Any, rows: int) -> Callable[[Any, Any, Any, Any], tuple[Any, Any]]:
        """Return the function of one step of a search: from last tokens, time, caches, sources to scores and caches.

        Sources say in which row each earlier step's keys and values stand, as of :class:`core.text.generation.Shared`.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            rows: sequences for each sentence.
        """
        memory, hidden = self.encode(src_word)
        hidden = hidden.squeeze([1, 2])
        layers = self.transformer.decoder.layers
        crossed = [(layer.cross_attn.k_proj(memory), layer.cross_attn.v_proj(memory)) for layer in layers]

        def step(last: Any, time: Any, caches: Any, sources: Any) -> tuple[Any, Any]:
            x = self.dropout(self.trg_word_embedding(last) + self.trg_pos_embedding(time))
            new = []
            for layer, cache, fixed in zip(layers, caches, crossed):
                x, cache = self._one_token(layer, x, cache, sources, time, fixed, hidden)
                new.append(cache)
            if self.transformer.decoder.norm is not None:
                x = self.transformer.decoder.norm(x)
            return self.scores(x), new

        return step

    def _one_token(
        self, layer: Any, x: Any, cache: Any, sources: Any, time: Any, fixed: Any, hidden: Any
    ) -> tuple[Any, Any]:
        """Return a decoder layer's result of one token a row, (R, d_model), and its keys and values so far."""
        before = self.normalize_before
        own, other = layer.self_attn, layer.cross_attn
        inputs = layer.norm1(x) if before else x
        three = (own.q_proj(inputs), own.k_proj(inputs), own.v_proj(inputs))
        found, cache = attend_to_kept(*three, cache, sources, time, self.n_head)
        x = x + own.out_proj(found)
        x = x if before else layer.norm1(x)
        query = other.q_proj(layer.norm2(x) if before else x)
        x = x + other.out_proj(attend_to_memory(query, fixed[0], fixed[1], hidden, self.n_head))
        x = x if before else layer.norm2(x)
        x = x + layer._feed_forward(layer.norm3(x) if before else x)
        return (x if before else layer.norm3(x)), cache
