"""TransE: relations of a knowledge graph as translations.

Paper: Bordes et al., "Translating Embeddings for Modeling Multi-relational Data", NIPS 2013,
https://papers.nips.cc/paper/5071
Margin and initial values: Sun et al., "RotatE", ICLR 2019, https://arxiv.org/abs/1902.10197

    score(h, r, t) = γ - |h + r - t|₁
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn.initializer import Uniform

EPSILON = 2.0
"""Added to γ in the range of initial values."""


class TransE(nn.Layer):
    """Tables of entities and relations, and how true a triple is.

    Args:
        num_entities: how many entities there are.
        num_relations: how many relations there are.
        embedding_size: size of an embedding.
        gamma: γ: the score of a triple that fits exactly.

    Raises:
        ValueError: a size or γ is not positive.
    """

    parts = 1

    def __init__(self, num_entities: int, num_relations: int, embedding_size: int = 128, gamma: float = 12.0) -> None:
        super().__init__()
        if min(num_entities, num_relations, embedding_size) < 1 or not gamma > 0:
            raise ValueError(
                f"{type(self).__name__}: embedding_size and gamma must be positive, not {embedding_size} and {gamma}"
            )
        self.gamma = gamma
        self.bound = (gamma + EPSILON) / embedding_size
        initial = Uniform(-self.bound, self.bound)
        self.entities = self.create_parameter([num_entities, self.parts * embedding_size], default_initializer=initial)
        self.relations = self.create_parameter([num_relations, embedding_size], default_initializer=initial)

    def forward(self, heads: Any, relations: Any, tails: Any) -> Any:
        """Return how true triples are; the higher, the truer.

        Args:
            heads: int64, of a shape that broadcasts with the others, such as (N, 1).
            relations: int64, such as (N, 1).
            tails: int64, such as (N, K).

        Returns:
            float32, of the broadcast shape.
        """
        rows = [rows_of(table, ids) for table, ids in ((self.entities, heads), (self.entities, tails))]
        return self.gamma - self.distance(rows[0], rows_of(self.relations, relations), rows[1])

    def distance(self, heads: Any, relations: Any, tails: Any) -> Any:
        """Return how far triples of rows are from fitting, without the last axis."""
        return core.abs(heads + relations - tails).sum(axis=-1)


def rows_of(table: Any, ids: Any) -> Any:
    """Return rows of a table, of shape (*ids.shape, size)."""
    return core.gather(table, ids.reshape([-1])).reshape([*ids.shape, table.shape[1]])
