"""Recurrent networks that translate: an LSTM reads, another writes, with or without attention to what was read.

Papers: Sutskever et al. 2014, https://arxiv.org/abs/1409.3215; with attention Luong et al. 2015,
https://arxiv.org/abs/1508.04025, "general" scores and input feeding. Sizes are those of PaddlePaddle/models at 1.6
(``PaddleNLP/PaddleTextGEN/seq2seq``): two layers of 512, weights drawn from ±0.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import core
from core import nn
from core.incubate.layers.attention import Attention, InputFeedingCell
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.text.generation import Generated, Generation, Step, generate, repeat_rows


class RecurrentTranslator(nn.Layer):
    """What both networks share: vectors of tokens, the LSTM that reads, scores of words.

    Args:
        src_vocab_size: tokens of the source's vocabulary.
        trg_vocab_size: tokens of the target's.
        embed_dim: length of a token's vector.
        hidden_size: length of a state.
        num_layers: layers of each LSTM.
        dropout: the probability of dropping a number between layers.
        init_scale: weights are drawn from ± this.
        pad_id: the token that fills batches.
    """

    base_model_prefix: ClassVar[str] = "seq2seq"
    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False

    def __init__(
        self,
        src_vocab_size: int = 17191,
        trg_vocab_size: int = 7709,
        embed_dim: int = 512,
        hidden_size: int = 512,
        num_layers: int = 2,
        dropout: float = 0.2,
        init_scale: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.vocab_size = trg_vocab_size
        self.num_layers, self.hidden_size = num_layers, hidden_size
        self.pad_id, self.dropout = pad_id, dropout
        self.drawn = nn.ParamAttr(initializer=Uniform(-init_scale, init_scale))
        self.src_embedding = nn.Embedding(src_vocab_size, embed_dim, weight_attr=self.drawn)
        self.trg_embedding = nn.Embedding(trg_vocab_size, embed_dim, weight_attr=self.drawn)
        self.encoder = self.lstm(embed_dim)
        self.linear = nn.Linear(hidden_size, trg_vocab_size, weight_attr=self.drawn, bias_attr=False)

    def lstm(self, inputs: int) -> Any:
        """Return layers of an LSTM that read vectors of a length."""
        attributes = ("weight_ih_attr", "weight_hh_attr", "bias_ih_attr", "bias_hh_attr")
        drawn: dict[str, Any] = dict.fromkeys(attributes, self.drawn)
        return nn.LSTM(inputs, self.hidden_size, self.num_layers, dropout=self.dropout, **drawn)

    def encode(self, src_word: Any) -> tuple[Any, list[tuple[Any, Any]], Any]:
        """Return the states of all tokens, float32 (N, S, hidden_size), each layer's last ones, and lengths.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
        """
        lengths = (src_word != self.pad_id).astype("int64").sum(axis=1)
        x = F.dropout(self.src_embedding(src_word), self.dropout, training=self.training)
        outputs, (hidden, memories) = self.encoder(x, sequence_length=lengths)
        return outputs, [(hidden[layer], memories[layer]) for layer in range(self.num_layers)], lengths

    def embedded(self, trg_word: Any) -> Any:
        """Return the vectors of the target's tokens."""
        return F.dropout(self.trg_embedding(trg_word), self.dropout, training=self.training)

    def generate(self, src_word: Any, settings: Generation, forced: Any = None) -> Generated:
        """Return translations, found token by token.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            settings: how.
            forced: int64 (N, P), tokens that translations begin with; negative ones are left to the network.
        """
        step, states = self.stepper(src_word, settings.rows)
        return generate(step, states, src_word.shape[0], settings, forced)

    def stepper(self, src_word: Any, rows: int) -> tuple[Step, Any]:
        """Return the function of one step of a search, and the first states, one row for each sentence.

        Args:
            src_word: int64 (N, S).
            rows: sequences for each sentence.
        """
        raise NotImplementedError


class Seq2SeqModel(RecurrentTranslator):
    """The second LSTM begins with the first one's last states, and sees nothing else of the source.

    Args are those of :class:`RecurrentTranslator`.
    """

    def __init__(
        self,
        src_vocab_size: int = 17191,
        trg_vocab_size: int = 7709,
        embed_dim: int = 512,
        hidden_size: int = 512,
        num_layers: int = 2,
        dropout: float = 0.2,
        init_scale: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__(
            src_vocab_size, trg_vocab_size, embed_dim, hidden_size, num_layers, dropout, init_scale, pad_id
        )
        self.decoder = self.lstm(embed_dim)

    def forward(self, src_word: Any, trg_word: Any) -> Any:
        """Return the scores of the word behind each token of the target, float32 (N, T, trg_vocab_size).

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            trg_word: int64 (N, T), the start token before each sentence.
        """
        _, states, _ = self.encode(src_word)
        outputs, _ = self.decoder(self.embedded(trg_word), stacked(states))
        return self.linear(F.dropout(outputs, self.dropout, training=self.training))

    def stepper(self, src_word: Any, rows: int) -> tuple[Step, Any]:
        """Return one step and the first states; see :meth:`RecurrentTranslator.stepper`."""
        _, states, _ = self.encode(src_word)

        def step(last: Any, time: Any, before: Any) -> tuple[Any, Any]:
            output, (hidden, memories) = self.decoder(self.embedded(last.unsqueeze(1)), stacked(before))
            after = [(hidden[layer], memories[layer]) for layer in range(self.num_layers)]
            return self.linear(output.squeeze(1)), after

        return step, states


class AttentionSeq2SeqModel(RecurrentTranslator):
    """The second LSTM looks at all states of the first, and what it found is part of its next input.

    Args are those of :class:`RecurrentTranslator`.
    """

    def __init__(
        self,
        src_vocab_size: int = 17191,
        trg_vocab_size: int = 7709,
        embed_dim: int = 512,
        hidden_size: int = 512,
        num_layers: int = 2,
        dropout: float = 0.2,
        init_scale: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__(
            src_vocab_size, trg_vocab_size, embed_dim, hidden_size, num_layers, dropout, init_scale, pad_id
        )
        sizes = [embed_dim + hidden_size, *[hidden_size] * (num_layers - 1)]
        attributes = ("weight_ih_attr", "weight_hh_attr", "bias_ih_attr", "bias_hh_attr")
        drawn: dict[str, Any] = dict.fromkeys(attributes, self.drawn)
        cells = [nn.LSTMCell(size, hidden_size, **drawn) for size in sizes]
        cell = InputFeedingCell(cells, Attention(hidden_size, hidden_size, "general"), hidden_size, dropout=dropout)
        for parameter in (cell.attention.memory_proj.weight, cell.output_proj.weight):
            Uniform(-init_scale, init_scale)(parameter)
        self.decoder = nn.RNN(cell)

    def forward(self, src_word: Any, trg_word: Any) -> Any:
        """Return the scores of the word behind each token of the target; see :meth:`Seq2SeqModel.forward`."""
        cell = self.decoder.cell
        memory, states, lengths = self.encode(src_word)
        first = cell.first_states(states, src_word.shape[0])
        outputs, _ = self.decoder(
            self.embedded(trg_word), first, memory=memory, lengths=lengths, keys=cell.attention.keys(memory)
        )
        return self.linear(outputs)

    def stepper(self, src_word: Any, rows: int) -> tuple[Step, Any]:
        """Return one step and the first states; see :meth:`RecurrentTranslator.stepper`."""
        cell = self.decoder.cell
        memory, states, lengths = self.encode(src_word)
        keys = repeat_rows(cell.attention.keys(memory), rows)
        memory, lengths = repeat_rows(memory, rows), repeat_rows(lengths, rows)

        def step(last: Any, time: Any, before: Any) -> tuple[Any, Any]:
            output, after = cell(self.embedded(last), before, memory, lengths, keys)
            return self.linear(output), after

        return step, cell.first_states(states, src_word.shape[0])


def stacked(states: Any) -> tuple[Any, Any]:
    """Return each layer's state and memory as an LSTM takes them, (layers, N, hidden_size) each."""
    return core.stack([hidden for hidden, _ in states], 0), core.stack([memory for _, memory in states], 0)
