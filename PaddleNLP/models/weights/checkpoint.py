"""What is known about a published encoder: settings, address, paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from core.weights import WeightRecord


class Checkpoint(NamedTuple):
    """A published encoder.

    Attributes:
        family: a name of :data:`PaddleNLP.models.registry.FAMILIES`.
        settings: of the family's class, where they differ from its defaults.
        record: where the weights are.
    """

    family: str
    settings: Mapping[str, Any]
    record: WeightRecord


def record(url: str, paper: str, source: str = "PaddlePaddle/PaddleNLP 2.8.1") -> WeightRecord:
    """Return the record of a file.

    Args:
        url: where it is published.
        paper: title and link.
        source: who published it.
    """
    return WeightRecord(
        url=url.replace("http://", "https://"),
        sha256=None,
        preprocessing=None,
        class_count=None,
        license="Apache-2.0",
        source=source,
        paper=paper,
        metrics={},
    )


def sizes(layers: int, hidden: int, heads: int, inner: int, vocabulary: int) -> dict[str, Any]:
    """Return the settings that say how large an encoder is.

    Args:
        layers: Transformer layers.
        hidden: length of a token's vector.
        heads: heads of attention.
        inner: units of the feed-forward blocks.
        vocabulary: tokens.
    """
    return {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
    }
