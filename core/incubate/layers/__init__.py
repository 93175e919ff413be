"""Layers of Fluid 1.x on padded batches with lengths: recurrent cells, operators on sequences; decoders' attention."""

from __future__ import annotations

from core.incubate.layers.attention import Attention, InputFeedingCell
from core.incubate.layers.basic_recurrent import BasicGRU, BasicLSTM
from core.incubate.layers.dynamic_recurrent import DynamicGRU, DynamicLSTM, DynamicLSTMP
from core.incubate.layers.sequence import (
    SequenceConv,
    sequence_conv,
    sequence_expand,
    sequence_first_step,
    sequence_last_step,
    sequence_pool,
    sequence_reverse,
    sequence_softmax,
)

__all__ = [
    "Attention",
    "BasicGRU",
    "BasicLSTM",
    "DynamicGRU",
    "DynamicLSTM",
    "DynamicLSTMP",
    "InputFeedingCell",
    "SequenceConv",
    "sequence_conv",
    "sequence_expand",
    "sequence_first_step",
    "sequence_last_step",
    "sequence_pool",
    "sequence_reverse",
    "sequence_softmax",
]
