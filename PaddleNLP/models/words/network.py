"""What small networks on words share: vectors of words, padding that counts for nothing, names in files of Fluid 1.x.

Their texts have no special tokens, and their vocabularies no token for padding: :mod:`PaddleNLP.word_level` gives it
the number behind the last word, for which the table has no row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Optional

import numpy as np

from core import nn
from core.nn.initializer import XavierUniform
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.word_vectors import read_vectors

PARTS = {
    "embedding": (("w_0", "weight"),),
    "fc": (("w_0", "weight"), ("b_0", "bias")),
    "sequence_conv": (("w_0", "weight"), ("b_0", "bias")),
    "lstm": (("w_0", "weight"), ("b_0", "bias")),
    "gru": (("w_0", "weight"), ("b_0", "bias")),
}
"""Kinds of layers of Fluid, and what it calls the parameters of each, and what they are called here."""

LATER = {"embedder": "word_embeddings", "word_embedding": "word_embeddings", "output_layer": "classifier"}
"""Layers of paddlenlp's networks on words (``BoWModel``, ``BiGruCrf``) under their names here."""

FluidLayers = tuple[tuple[str, str], ...]
"""Pairs of Fluid's kind of a layer and its name here."""


class WordNetwork(nn.Layer):
    """Base of encoders of words: a table of vectors, and what makes one vector of a text.

    Args:
        vocab_size: rows of the table of words.
        emb_dim: length of a word's vector.
        hidden_size: length of a text's vector.
        emb_lr: the learning rate of the table, as a multiple of the network's.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.
        initializer: how fresh words' vectors are drawn; None: as Fluid draws them.

    Attributes:
        given_vectors: how many words start with vectors of a file.
        token_size: length of the vector of a token in a text.
        fluid_layers: the layers in the order in which the official program of Fluid 1.x makes them, as pairs of Fluid's
            kind and the name here; Fluid counts each kind from 0. The head's last layer is "classifier".
    """

    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False
    hidden_dropout_prob: ClassVar[float] = 0.0
    fluid_layers: ClassVar[FluidLayers] = ()
    token_size: int

    def __init__(
        self,
        vocab_size: int,
        emb_dim: int,
        hidden_size: int,
        emb_lr: float,
        pad_token_id: Optional[int],
        initializer: Any = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.vocab_size = vocab_size
        self.pad_token_id = vocab_size if pad_token_id is None else pad_token_id
        self.given_vectors = 0
        self.word_embeddings = nn.Embedding(
            vocab_size,
            emb_dim,
            weight_attr=nn.ParamAttr(learning_rate=emb_lr, initializer=initializer or XavierUniform()),
        )

    def start_from_vectors(self, path: str, numbers: Mapping[str, int]) -> None:
        """Give words the vectors of a file, and count them; the others keep those that were drawn.

        Args:
            path: of the file, as :func:`PaddleNLP.word_vectors.read_vectors` takes it.
            numbers: the row of each word.

        Raises:
            OSError: the file cannot be read.
            ValueError: it holds no vectors, or those of another length.
        """
        table = self.word_embeddings.weight
        try:
            rows, vectors = read_vectors(path, numbers, table.shape[1])
        except ValueError as error:
            raise ValueError(f"word_vectors: {error}") from None
        values = table.numpy()
        values[rows] = vectors
        table.set_value(values)
        self.given_vectors = len(rows)

    def weight_attr(self) -> Any:
        """Return how fresh weights are drawn."""
        return nn.ParamAttr(initializer=XavierUniform())

    def linear(self, inputs: int, outputs: int) -> Any:
        """Return a layer that multiplies by weights (inputs, outputs)."""
        return nn.Linear(inputs, outputs, weight_attr=self.weight_attr())

    def forward(
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Return the vectors of all tokens, and one of the whole text.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: not used, as are positions and tasks.
            position_ids: not used.
            attention_mask: (N, L), 1 where there is a token; None: padding is ``pad_token_id``.
            task_type_ids: not used.
            inputs_embeds: float32 (N, L, emb_dim), used instead of the words' vectors.
            output_hidden_states: whether the words' vectors and the tokens' are returned too.

        Returns:
            float32 (N, L, token_size); float32 (N, hidden_size); perhaps a tuple of the words' vectors and the tokens'.
        """
        kept = kept_tokens(input_ids, attention_mask, self.pad_token_id)
        words = self.words(input_ids, kept) if inputs_embeds is None else inputs_embeds * kept.unsqueeze(-1)
        tokens, pooled = self.compute(words, kept)
        return (tokens, pooled, (words, tokens)) if output_hidden_states else (tokens, pooled)

    def words(self, input_ids: Any, kept: Any) -> Any:
        """Return the words' vectors, zeros for padding, float32 (N, L, emb_dim).

        Args:
            input_ids: int64 (N, L).
            kept: float32 (N, L), 1 where there is a token.
        """
        return self.word_embeddings(input_ids * kept.astype("int64")) * kept.unsqueeze(-1)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the tokens' vectors, float32 (N, L, token_size), and the texts', float32 (N, hidden_size).

        Args:
            words: float32 (N, L, emb_dim), zeros for padding.
            kept: float32 (N, L), 1 where there is a token.
        """
        raise NotImplementedError

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, "classifier" included."""
        found, counts = {}, dict.fromkeys(PARTS, 0)
        for kind, name in self.fluid_layers:
            for old, new in PARTS[kind]:
                found[f"{kind}_{counts[kind]}.{old}"] = f"{name}.{new}"
            counts[kind] += 1
        return found

    def renamed(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return entries of a file of any age under the names here; PaddleHub's names begin with ``@HUB_...@``.

        Args:
            values: name to array, as in the file.
        """
        return renamed(values, self.official_names())


def renamed(values: Mapping[str, np.ndarray], names: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Return entries under the names that a table gives them; what is not in it stays.

    Args:
        values: name to array; PaddleHub's names begin with ``@HUB_...@``.
        names: old name to new one, of Fluid 1.x; those of paddlenlp's networks on words are known.
    """
    plain = {re.sub(r"^@HUB_[^@]*@", "", name): value for name, value in values.items()}
    found = {}
    for name, value in plain.items():
        layer, _, rest = name.partition(".")
        found[names.get(name, f"{LATER[layer]}.{rest}" if layer in LATER else name)] = value
    return found


def lengths_of(kept: Any) -> Any:
    """Return how many tokens each text has, int64 (N,).

    Args:
        kept: float32 (N, L), 1 where there is a token.
    """
    return kept.sum(axis=1).astype("int64")


def states_of(results: Any) -> Any:
    """Return the hidden states of a recurrent layer's results, which an LSTM gives with its memories."""
    return results[0] if isinstance(results, tuple) else results
