"""One encoder with several heads, each for a task of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from core import nn
from PaddleNLP.models.heads import Head
from PaddleNLP.models.registry import head_of

SHARED = ("sequence_classification", "token_classification")
"""Heads that can share an encoder: what they read is one text, or pair, a sample."""


class HeadSize(NamedTuple):
    """A head that is wanted.

    Attributes:
        task: what it is for, one of :data:`SHARED`.
        num_classes: results.
    """

    task: str
    num_classes: int


class MultiHead(nn.Layer):
    """An encoder that several heads read, such as those of dialogue understanding (DGU, PaddlePaddle/models).

    The encoder's names are those that it has under a single head; a head's begin with ``heads.NAME``.

    Args:
        encoder: as :class:`PaddleNLP.models.heads.Head` takes it.
        heads: the heads by name.
        dropout: the probability of dropping a number of the encoder's result; None: the encoder's own.

    Raises:
        ValueError: a head cannot share an encoder.
    """

    def __init__(self, encoder: Any, heads: Mapping[str, HeadSize], dropout: Optional[float] = None) -> None:
        super().__init__()
        self.base_model_prefix: str = encoder.base_model_prefix
        pooler = getattr(encoder, "pooler", None)
        built: dict[str, Any] = {}
        for name, (task, num_classes) in heads.items():
            kind = head_of(type(encoder), task)
            if task not in SHARED or kind.forward is not Head.forward:
                raise ValueError(f"{name}: a head for {task} cannot share an encoder; use {' or '.join(SHARED)}")
            encoder.pooler = pooler  # a head that does not read it may have taken it away
            built[name] = kind(encoder, num_classes=num_classes, dropout=dropout)
            delattr(built[name], self.base_model_prefix)  # the encoder is held once, below
        encoder.pooler = pooler if any(head.uses_pooler for head in built.values()) else encoder.pooler
        setattr(self, self.base_model_prefix, encoder)
        self.heads = nn.LayerDict(built)

    @property
    def encoder(self) -> Any:
        """The encoder, whatever the family calls it."""
        return getattr(self, self.base_model_prefix)

    def forward(self, *arguments: Any, **named: Any) -> tuple[Any, ...]:
        """Return the results of all heads, in order; arguments are those of the encoder."""
        outputs = self.encoder(*arguments, **named)
        return tuple(head.compute(outputs[0], outputs[1]) for head in self.heads.values())

    def one(self, name: str) -> OneHead:
        """Return a network with one of the heads."""
        return OneHead(self, name)


class OneHead:
    """The encoder of a :class:`MultiHead` with one of its heads, called as a network with that head alone.

    Args:
        network: the network.
        name: of the head.
    """

    def __init__(self, network: MultiHead, name: str) -> None:
        self.network, self.head = network, network.heads[name]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Return the head's results; arguments are those of the encoder."""
        outputs = self.network.encoder(*arguments, **named)
        return self.head.compute(outputs[0], outputs[1])

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the head's loss."""
        return self.head.loss(logits, labels)
