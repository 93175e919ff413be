"""BiDAF with a pointer network on several passages: the reading baseline of DuReader.

Papers: Seo et al. 2016, Bidirectional attention flow for machine comprehension, https://arxiv.org/abs/1611.01603; Wang
and Jiang 2016, https://arxiv.org/abs/1608.07905, for the pointer network; He et al. 2017, DuReader,
https://arxiv.org/abs/1711.05073. The network is a fact of PaddlePaddle/models at 1.6
(``PaddleNLP/models/reading_comprehension/bidaf_model.py``), whose parameters have the names of
:meth:`BiDAF.official_names`; its sizes, 300 and 150, are the defaults of ``src/args.py`` in
``PaddleNLP/Research/ACL2018-DuReader`` there. With vectors of E and states of H numbers, P passages of T words and a
question of J:

=====================  ==================  ==================================================================
words                  (P, T, E), (J, E)   one table for both
passages p             (P, T, 2H)          an LSTM from each end, without peepholes
question q             (J, 2H)             another pair of LSTMs
match s                (P, T, J)           p . q, without weights
attention u            (P, T, 2H)          of each word to the question: softmax of s over J, times q
attention h            (P, 2H)             of the question to a passage: softmax over T of the largest s, times p
flow g                 (P, T, 8H)          p, u, p u, p h
fusion m               (P, T, 2H)          an LSTM from each end over g
summary of q           (2H,)               softmax over J of v . tanh(q A + r B), times q; r is a learned row
first state            (H,)                of the summary
pointer                (P T,) twice        softmax over all words of v . tanh(m C + state D), then an LSTM step on
                                           what it points to, then again; one pointer reads the beginning first,
                                           another one the end, and the two probabilities are averaged
loss                                       - log P(begin) - log P(end), mean over questions
=====================  ==================  ==================================================================

The official program reads a question once beside each passage, which gives the same summary. Fresh vectors of words are
drawn by Xavier's rule, our own choice; the official ones are given to it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from core.incubate.layers import DynamicLSTM
from core.nn import functional as F
from core.nn.initializer import Normal
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.words.network import WordNetwork, lengths_of

LOWEST = -1e30
"""The score of padding, whose share of a softmax is 0."""

FEWEST = 1e-20
"""What a probability counts as at least in the loss."""


class BothLSTMs(nn.Layer):
    """Fluid's LSTMs without peepholes, which read a text from both ends.

    Args:
        inputs: length of a word's vector.
        units: of each LSTM.
        weight_attr: how fresh weights are drawn.
    """

    def __init__(self, inputs: int, units: int, weight_attr: Any = None) -> None:
        super().__init__()
        for way in ("fw", "bw"):
            gate = nn.Linear(inputs, 4 * units, weight_attr=weight_attr, bias_attr=False)
            lstm = DynamicLSTM(units, use_peepholes=False, is_reverse=way == "bw", param_attr=weight_attr)
            self.add_sublayer(f"{way}_gate", gate)
            self.add_sublayer(f"{way}_lstm", lstm)

    def forward(self, words: Any, lengths: Any) -> Any:
        """Return the states of both, zeros behind a text's end, float32 (N, L, 2 * units).

        Args:
            words: float32 (N, L, inputs).
            lengths: int64 (N,), from 0 on.
        """
        forward, _ = self.fw_lstm(self.fw_gate(words), lengths)
        backward, _ = self.bw_lstm(self.bw_gate(words), lengths)
        return core.concat([forward, backward], axis=-1)


class BiDAF(WordNetwork):
    """Words of passages with what they have to do with a question.

    Args:
        vocab_size: words of the vocabulary.
        emb_dim: length of a word's vector.
        units: of each LSTM.
        pad_token_id: the number that fills short texts; None: ``vocab_size``.
    """

    base_model_prefix: ClassVar[str] = "bidaf"

    def __init__(
        self, vocab_size: int = 200000, emb_dim: int = 300, units: int = 150, pad_token_id: Optional[int] = None
    ) -> None:
        super().__init__(vocab_size, emb_dim, 2 * units, 1.0, pad_token_id)
        self.token_size, self.units = 2 * units, units
        self.p_enc = BothLSTMs(emb_dim, units, self.weight_attr())
        self.q_enc = BothLSTMs(emb_dim, units, self.weight_attr())
        self.fusion = BothLSTMs(8 * units, units, self.weight_attr())

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return a passage's states without a question, and their means; see :meth:`WordNetwork.compute`."""
        tokens = self.p_enc(words, lengths_of(kept))
        return tokens, tokens.sum(axis=1) / kept.sum(axis=1, keepdim=True).clip(min=1.0)

    def flow(self, passages: Any, passages_kept: Any, question: Any, question_kept: Any) -> Any:
        """Return g, float32 (N * P, T, 8 * units).

        Args:
            passages: their states, float32 (N * P, T, 2 * units), zeros behind their ends.
            passages_kept: float32 (N * P, T), 1 where there is a word.
            question: the states of each passage's question, float32 (N * P, J, 2 * units).
            question_kept: float32 (N * P, J).
        """
        match = core.matmul(passages, question, transpose_y=True)
        match = match + (1.0 - question_kept.unsqueeze(1)) * LOWEST
        to_question = core.matmul(F.softmax(match, axis=-1), question)
        shares = _shares(match.max(axis=-1), passages_kept)
        to_passage = (shares.unsqueeze(-1) * passages).sum(axis=1, keepdim=True)
        return core.concat([passages, to_question, passages * to_question, passages * to_passage], axis=-1)

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, the head's included."""
        found = {"embedding_para": "word_embeddings.weight", "create_parameter_0.w_0": "random_attn"}
        for layer in ("p_enc", "q_enc", "fusion"):
            for way in ("fw", "bw"):
                found[f"{layer}_{way}_gate_w"] = f"{layer}.{way}_gate.weight"
                for old, new in (("w", "weight"), ("b", "bias")):
                    found[f"{layer}_{way}_lstm_{old}"] = f"{layer}.{way}_lstm.{new}"
        parts = {"random_attn_fc": "random_attn_fc", "q_vec_fc": "q_vec_fc", "logits_fc": "logits_fc"}
        parts["init_state_fc"] = "init_state_fc"
        for way in ("fw", "bw"):
            for layer in ("context_fc", "m_prev0_fc", "logits_fc", *(f"lstm_{gate}" for gate in "fioc")):
                parts[f"{way}_custom_dynamic_rnn_static_rnn_{layer}"] = f"{way}.{layer}"
        for old, new in parts.items():
            found[f"pn_decoder_{old}_w"] = f"{new}.weight"
            found[f"pn_decoder_{old}_b"] = f"{new}.bias"
        del found["pn_decoder_q_vec_fc_b"]
        return found


class Pointer(nn.Layer):
    """Points at a word, then, knowing where, at another one.

    Args:
        states: length of a word's state.
        units: of the pointer's own state.
        weight_attr: how fresh weights are drawn.
    """

    def __init__(self, states: int, units: int, weight_attr: Any = None) -> None:
        super().__init__()
        self.context_fc = nn.Linear(states, units, weight_attr=weight_attr)
        self.m_prev0_fc = nn.Linear(units, units, weight_attr=weight_attr)
        self.logits_fc = nn.Linear(units, 1, weight_attr=weight_attr)
        for gate in "fioc":
            self.add_sublayer(f"lstm_{gate}", nn.Linear(units + states, units, weight_attr=weight_attr))

    def forward(self, words: Any, kept: Any, state: Any) -> tuple[Any, Any]:
        """Return the probability of each word at the first and at the second step, float32 (N, W) each.

        Args:
            words: their states, float32 (N, W, states).
            kept: float32 (N, W), 1 where there is a word.
            state: the first one, and the first memory, float32 (N, units).
        """
        context = self.context_fc(words)
        first = self._points(context, kept, state)
        seen = core.matmul(first.unsqueeze(1), words).squeeze(1)
        given = core.concat([state, seen], axis=-1)
        gates = [F.sigmoid(getattr(self, f"lstm_{gate}")(given)) for gate in "fio"]
        memory = gates[0] * state + gates[1] * core.tanh(self.lstm_c(given))
        return first, self._points(context, kept, gates[2] * core.tanh(memory))

    def _points(self, context: Any, kept: Any, state: Any) -> Any:
        inner = core.tanh(context + self.m_prev0_fc(state).unsqueeze(1))
        return _shares(self.logits_fc(inner).squeeze(-1), kept)


class PassageReading(Head):
    """Where in several passages the answer to a question begins, and ends.

    Args:
        encoder: a :class:`BiDAF`.
        dropout: the probability of dropping a number of an LSTM's states, and of the flow; 0 unless it is given.
    """

    head_names = ("random_attn", "random_attn_fc", "q_vec_fc", "logits_fc", "init_state_fc", "fw", "bw")

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        size, units, attr = encoder.hidden_size, encoder.units, encoder.weight_attr()
        self.random_attn = self.create_parameter([1, units], default_initializer=Normal(0.0, 1.0))
        self.random_attn_fc = nn.Linear(units, units, weight_attr=attr)
        self.q_vec_fc = nn.Linear(size, units, weight_attr=attr, bias_attr=False)
        self.logits_fc = nn.Linear(units, 1, weight_attr=attr)
        self.init_state_fc = nn.Linear(size, units, weight_attr=attr)
        self.fw = Pointer(size, units, attr)
        self.bw = Pointer(size, units, attr)

    def forward(self, question_ids: Any, input_ids: Any) -> tuple[Any, Any]:  # type: ignore[override]  # two texts
        """Return the probabilities of the answer's beginning and end at each word, float32 (N, P, T), 0 at padding.

        Args:
            question_ids: int64 (N, J).
            input_ids: int64 (N, P, T), the passages; a passage may be empty, and all of them.
        """
        encoder = self.encoder
        count, places, length = input_ids.shape
        question_kept = kept_tokens(question_ids, None, encoder.pad_token_id)
        ids = input_ids.reshape([-1, length])
        kept = kept_tokens(ids, None, encoder.pad_token_id)
        question = encoder.q_enc(encoder.words(question_ids, question_kept), lengths_of(question_kept))
        passages = encoder.p_enc(encoder.words(ids, kept), lengths_of(kept))
        question, passages = self.dropout(question), self.dropout(passages)
        beside = _repeated(question, places), _repeated(question_kept, places)
        flow = self.dropout(encoder.flow(passages, kept, *beside))
        states = self.dropout(encoder.fusion(flow, lengths_of(kept)))
        states = states.reshape([-1, places * length, encoder.hidden_size])
        kept = kept.reshape([-1, places * length])
        state = self.init_state_fc(self.summary(question, question_kept))
        begins, ends = self.fw(states, kept, state)
        ends_first, begins_last = self.bw(states, kept, state)
        shape = [-1, places, length]
        return ((begins + begins_last) / 2).reshape(shape), ((ends + ends_first) / 2).reshape(shape)

    def summary(self, question: Any, kept: Any) -> Any:
        """Return one vector of a question's states, float32 (N, 2 * units).

        Args:
            question: float32 (N, J, 2 * units).
            kept: float32 (N, J), 1 where there is a word.
        """
        inner = core.tanh(self.q_vec_fc(question) + self.random_attn_fc(self.random_attn))
        shares = _shares(self.logits_fc(inner).squeeze(-1), kept)
        return core.matmul(shares.unsqueeze(1), question).squeeze(1)

    def loss(self, probabilities: tuple[Any, Any], places: tuple[Any, Any]) -> Any:
        """Return the mean over questions of minus the logarithms of the true places' probabilities.

        Args:
            probabilities: of beginning and end, float32 (N, P, T) each.
            places: of the first and the last word of the answer, int64 (N, 2) each: passage and word; -1: none, which
                counts for nothing, as the official program has it.
        """
        total = 0.0
        for shares, place in zip(probabilities, places):
            length = shares.shape[2]
            known = (place[:, 0] >= 0).astype("float32")
            index = (place[:, 0] * length + place[:, 1]).clip(min=0).unsqueeze(1)
            own = core.take_along_axis(shares.flatten(1), index, 1).squeeze(1)
            total = total - (core.log(own.clip(min=FEWEST)) * known).mean()
        return total


BiDAF.heads = {"passage_reading": PassageReading}


def _shares(scores: Any, kept: Any) -> Any:
    """Return the softmax over the words that are there, float32 (N, L); zeros where there is none."""
    return F.softmax(scores + (1.0 - kept) * LOWEST, axis=-1) * kept


def _repeated(rows: Any, times: int) -> Any:
    """Return each row so many times in a row, (N * times, ...)."""
    shape = list(rows.shape)
    return rows.unsqueeze(1).expand([shape[0], times, *shape[1:]]).reshape([-1, *shape[1:]])
