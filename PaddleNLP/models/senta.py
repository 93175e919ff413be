"""Senta's and EmoTect's networks on words, and those of PaddleHub's ``porn_detection``: classes of texts.

They are facts of PaddlePaddle/models at 1.5 to 1.6 (``PaddleNLP/models/classification/nets.py``): BOW, CNN, LSTM, GRU,
BiLSTM, and TextCNN (Kim 2014, https://arxiv.org/abs/1408.5882). LSTM and GRU are Fluid's, not cuDNN's.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from PaddleNLP.models.word_networks import WordNetwork, largest, windows


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
    fluid_layers = (("embedding", "word_embeddings"), ("fc", "fc1"), ("fc", "fc2"), ("fc", "classifier"))

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
        self.size = size
        self.weight: Any = self.create_parameter([size * emb_dim, filters], attr=attr)
        self.bias: Any = self.create_parameter([filters], is_bias=True)

    def forward(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the results at each word, float32 (N, L, filters), and the largest, float32 (N, filters).

        Args:
            words: float32 (N, L, emb_dim), zeros for padding.
            kept: float32 (N, L), 1 where there is a word.
        """
        tokens = core.tanh(core.matmul(windows(words, self.size), self.weight) + self.bias)
        return tokens, largest(tokens, kept)


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
    fluid_layers = (
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
    fluid_layers = (
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
