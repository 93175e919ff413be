"""RotatE: relations of a knowledge graph as rotations of complex numbers.

Paper: Sun et al., "RotatE: Knowledge Graph Embedding by Relational Rotation in Complex Space", ICLR 2019,
https://arxiv.org/abs/1902.10197

    score(h, r, t) = γ - Σ |h_k e^{iθ_k} - t_k|,  h, t complex, θ the relation's angles
"""

from __future__ import annotations

import math
from typing import Any

import core
from PGL.models.transe import TransE

TINY = 1e-12
"""Under the root of an absolute value, whose slope at 0 is infinite."""


class RotatE(TransE):
    """Tables of entities and relations, and how true a triple is. An entity's row: real, then imaginary parts.

    Args:
        num_entities: how many entities there are.
        num_relations: how many relations there are.
        embedding_size: complex numbers of an entity, and angles of a relation.
        gamma: γ: the score of a triple that fits exactly.

    Raises:
        ValueError: a size or γ is not positive.
    """

    parts = 2

    def distance(self, heads: Any, relations: Any, tails: Any) -> Any:
        """Return how far triples of rows are from fitting, without the last axis."""
        angles = relations * (math.pi / self.bound)
        cosine, sine = core.cos(angles), core.sin(angles)
        (real, imaginary), (tail_real, tail_imaginary) = [core.split(rows, 2, axis=-1) for rows in (heads, tails)]
        across = real * cosine - imaginary * sine - tail_real
        upwards = real * sine + imaginary * cosine - tail_imaginary
        return core.sqrt(across * across + upwards * upwards + TINY).sum(axis=-1)
