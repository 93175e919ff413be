"""Senta's and EmoTect's networks on words, and those of PaddleHub's ``porn_detection``: classes of texts.

They are facts of PaddlePaddle/models at 1.5 to 1.6 (``PaddleNLP/models/classification/nets.py``): BOW, CNN, LSTM, GRU,
BiLSTM, and TextCNN (Kim 2014, https://arxiv.org/abs/1408.5882). LSTM and GRU are Fluid's, not cuDNN's.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from core.incubate.layers import DynamicGRU, DynamicLSTM, sequence_last_step, sequence_pool
from core.nn import functional as F
from PaddleNLP.models.words.network import FluidLayers, WordNetwork, lengths_of, states_of

LOWEST = -1e30
"""What is added where there is no word, whose results are not the largest."""


class BowModel(WordNetwork):
    """The sum of the words' vectors, and two layers.

    Args:
        vocab_size: words of the vocabulary.
        emb_dim: length of a word's vector.
        inner_size: results of the first layer.
        hidden_size: results of the second layer, which are the text's vector.
        emb_lr: the learning rate of the words' vectors, as a multiple of the network's.
        pad_token_id: the number that fills short texts; None: ``vocab_size``.
    """

    base_model_prefix: ClassVar[str] = "senta_bow"
    fluid_layers: ClassVar[FluidLayers] = (
        *(("embedding", "word_embeddings"), ("fc", "fc1")),
        *(("fc", "fc2"), ("fc", "classifier")),
    )

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        inner_size: int = 128,
        hidden_size: int = 96,
        emb_lr: float = 1.0,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, hidden_size, emb_lr, pad_token_id)
        self.token_size = emb_dim
        self.fc1 = self.linear(emb_dim, inner_size)
        self.fc2 = self.linear(inner_size, hidden_size)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the words' vectors, and the texts'; see :meth:`WordNetwork.compute`."""
        total = core.tanh(words.sum(axis=1))
        return words, core.tanh(self.fc2(core.tanh(self.fc1(total))))


class SequenceConvPool(nn.Layer):
    """Filters over windows of words, then the largest result of each filter in the text (Fluid's sequence_conv_pool).

    Args:
        emb_dim: length of a word's vector.
        filters: how many there are.
        size: words of a window.
        attr: how fresh weights are drawn.

    Attributes:
        weight: float32 (size * emb_dim, filters).
        bias: float32 (filters,).
    """

    def __init__(self, emb_dim: int, filters: int, size: int, attr: Any) -> None:
        super().__init__()
        self.weight = self.create_parameter([size * emb_dim, filters], attr=attr)
        self.bias = self.create_parameter([filters], is_bias=True)

    def forward(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the results at each word, float32 (N, L, filters), and the largest, float32 (N, filters).

        Args:
            words: float32 (N, L, emb_dim), zeros for padding.
            kept: float32 (N, L), 1 where there is a word.
        """
        size, filters = self.weight.shape[0] // words.shape[2], self.weight.shape[1]
        kernel = self.weight.reshape([size, words.shape[2], filters]).transpose([2, 1, 0])
        edges = [size // 2, size - 1 - size // 2]
        rows = F.conv1d(words, kernel, self.bias, padding=edges, data_format="NLC")
        there = kept.unsqueeze(-1)
        inside = rows + (there - 1.0) * -LOWEST  # tanh keeps the order: the largest result is that of the largest sum
        if self.training:  # one of several equal results has the gradient
            most = F.adaptive_max_pool1d(inside.transpose([0, 2, 1]), 1).squeeze(-1)
        else:
            most = inside.max(axis=1)
        return core.tanh(rows) * there, core.tanh(most) * kept.max(axis=1, keepdim=True)


class CNNModel(WordNetwork):
    """Filters over windows of words, and one layer without an activation.

    Args:
        vocab_size: as in :class:`BowModel`.
        emb_dim: see there.
        filters: how many there are.
        window: words of a window.
        hidden_size: results of the layer, which are the text's vector.
        emb_lr: see there.
        pad_token_id: see there.
    """

    base_model_prefix: ClassVar[str] = "senta_cnn"
    fluid_layers: ClassVar[FluidLayers] = (
        *(("embedding", "word_embeddings"), ("sequence_conv", "conv")),
        *(("fc", "fc1"), ("fc", "classifier")),
    )

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        filters: int = 128,
        window: int = 3,
        hidden_size: int = 96,
        emb_lr: float = 1.0,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, hidden_size, emb_lr, pad_token_id)
        self.token_size = filters
        self.conv = SequenceConvPool(emb_dim, filters, window, self.weight_attr())
        self.fc1 = self.linear(filters, hidden_size)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the filters' results, and the texts' vectors; see :meth:`WordNetwork.compute`."""
        tokens, most = self.conv(words, kept)
        return tokens, self.fc1(most)


class TextCNNModel(WordNetwork):
    """Filters over windows of three sizes, and one layer: EmoTect's usual network.

    Args:
        vocab_size: as in :class:`BowModel`.
        emb_dim: see there.
        filters: how many there are of each size.
        hidden_size: results of the layer, which are the text's vector.
        emb_lr: see there.
        pad_token_id: see there.
    """

    base_model_prefix: ClassVar[str] = "textcnn"
    sizes: ClassVar[tuple[int, ...]] = (1, 2, 3)
    fluid_layers: ClassVar[FluidLayers] = (
        ("embedding", "word_embeddings"),
        *(("sequence_conv", f"convs.{place}") for place in range(3)),
        *(("fc", "fc1"), ("fc", "classifier")),
    )

    def __init__(
        self,
        vocab_size: int = 240465,
        emb_dim: int = 128,
        filters: int = 128,
        hidden_size: int = 96,
        emb_lr: float = 1.0,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, hidden_size, emb_lr, pad_token_id)
        self.token_size = filters * len(self.sizes)
        self.convs = nn.LayerList([SequenceConvPool(emb_dim, filters, size, self.weight_attr()) for size in self.sizes])
        self.fc1 = self.linear(self.token_size, hidden_size)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the filters' results, and the texts' vectors; see :meth:`WordNetwork.compute`."""
        tokens, most = zip(*[conv(words, kept) for conv in self.convs])
        return core.concat(list(tokens), axis=-1), core.tanh(self.fc1(core.concat(list(most), axis=-1)))


class LSTMModel(WordNetwork):
    """An LSTM with peepholes, and one layer on the largest of each of its numbers.

    Args:
        vocab_size: as in :class:`BowModel`.
        emb_dim: see there.
        units: of the LSTM.
        hidden_size: results of the layer, which are the text's vector.
        emb_lr: see there.
        pad_token_id: see there.
    """

    base_model_prefix: ClassVar[str] = "senta_lstm"
    cell: ClassVar[Any] = DynamicLSTM
    gates: ClassVar[int] = 4
    fluid_layers: ClassVar[FluidLayers] = (
        *(("embedding", "word_embeddings"), ("fc", "fc0"), ("lstm", "recurrent")),
        *(("fc", "fc1"), ("fc", "classifier")),
    )

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        units: int = 128,
        hidden_size: int = 96,
        emb_lr: float = 30.0,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, hidden_size, emb_lr, pad_token_id)
        self.token_size = units
        self.fc0 = self.linear(emb_dim, self.gates * units)
        self.recurrent = self.cell(units, param_attr=self.weight_attr())
        self.fc1 = self.linear(units, hidden_size)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the states, and the texts' vectors; see :meth:`WordNetwork.compute`."""
        lengths = lengths_of(kept)
        states = states_of(self.recurrent(self.fc0(words), lengths))
        return states, core.tanh(self.fc1(core.tanh(sequence_pool(states, "max", lengths))))


class GRUModel(LSTMModel):
    """The same with gated recurrent units, the network that Baidu calls GRNN."""

    base_model_prefix: ClassVar[str] = "senta_gru"
    cell: ClassVar[Any] = DynamicGRU
    gates: ClassVar[int] = 3
    fluid_layers: ClassVar[FluidLayers] = tuple(
        ("gru" if kind == "lstm" else kind, name) for kind, name in LSTMModel.fluid_layers
    )


class BiLSTMModel(WordNetwork):
    """LSTMs that read a text from both ends, and one layer on the last state of each.

    The official program takes the state at a text's last word from both, where the one that reads backwards has seen
    that word alone.

    Args:
        vocab_size: as in :class:`BowModel`.
        emb_dim: see there.
        units: of each LSTM.
        hidden_size: results of the layer, which are the text's vector.
        emb_lr: see there.
        pad_token_id: see there.
        official_last_step: whether the backward LSTM gives its state at the last word, as in the official program; or
            at the first one, where it has seen all words.
    """

    base_model_prefix: ClassVar[str] = "senta_bilstm"
    fluid_layers: ClassVar[FluidLayers] = (
        *(("embedding", "word_embeddings"), ("fc", "fc0"), ("fc", "fc0_reverse")),
        *(("lstm", "recurrent"), ("lstm", "recurrent_reverse"), ("fc", "fc1"), ("fc", "classifier")),
    )

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        units: int = 128,
        hidden_size: int = 96,
        emb_lr: float = 30.0,
        pad_token_id: Optional[int] = None,
        official_last_step: bool = True,
    ) -> None:
        super().__init__(vocab_size, emb_dim, hidden_size, emb_lr, pad_token_id)
        self.official_last_step = official_last_step
        self.token_size = 2 * units
        self.fc0 = self.linear(emb_dim, 4 * units)
        self.fc0_reverse = self.linear(emb_dim, 4 * units)
        self.recurrent = DynamicLSTM(units, param_attr=self.weight_attr())
        self.recurrent_reverse = DynamicLSTM(units, is_reverse=True, param_attr=self.weight_attr())
        self.fc1 = self.linear(2 * units, hidden_size)

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the states, and the texts' vectors; see :meth:`WordNetwork.compute`."""
        lengths = lengths_of(kept)
        forward, _ = self.recurrent(self.fc0(words), lengths)
        backward, _ = self.recurrent_reverse(self.fc0_reverse(words), lengths)
        last = sequence_last_step(backward, lengths) if self.official_last_step else backward[:, 0]
        both = core.concat([sequence_last_step(forward, lengths), last], axis=-1)
        return core.concat([forward, backward], axis=-1), core.tanh(self.fc1(both))
