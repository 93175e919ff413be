"""DuConv's generation: a reply that speaks of one fact, which the right reply points at while the network learns.

Paper: Wu et al. 2019, Proactive human-machine conversation with explicit conversation goals,
https://arxiv.org/abs/1906.05572, after Lian et al. 2019, https://arxiv.org/abs/1902.04911. The network is that of
PaddlePaddle/models at 1.6 (``knowledge_seq2seq.py`` of ``PaddleNLP/Research/ACL2019-DuConv/generative_paddle``).

Shapes, with vectors of E = 300, H = 800, V = 30,004 words, K facts, and one table of words for all texts:

    source (N, L): GRU each way of H / 2, all states memory (N, L, H); s = tanh(layer of the last ones) (N, H)
    facts (N, K, F), reply (N, T): a GRU each way of their own, the last states facts (N, K, H), r (N, H)
    prior p = softmax(s facts^T), posterior q = softmax(r facts^T) (N, K), over facts that there are
    knowledge k = q facts in training, p facts afterwards (N, H)
    decoder, h_0 = s: a = softmax(h memory^T) memory; y = GRU([word, a], h); z = GRU([k, a], h);
        y, z = tanh(layer y), tanh(layer z); g = sigmoid(layer [y, z]) (N, 1); h = g y + (1 - g) z
    words: dropout .3 of [a, h] (N, 2 H), layer to H, layer to V

    loss = bow + kl + nll                    in the first epochs, of stage "bow", bow alone
    nll: cross entropy of the reply's words and its end, summed over a reply, mean over the batch
    bow: cross entropy of each of the reply's words by layer(tanh(layer k)), summed and averaged in the same way
    kl: mean over all of q (log(q + 1e-10) - log(p + 1e-10)), q held fixed

The decoder's GRUs reset behind the product; those that read keep what the update gate says (``origin_mode``).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Optional

import core
from core import nn
from core.nn import functional as F
from core.text.generation import Generated, Generation, generate, repeat_rows
from PaddleNLP.models.dialogue.recurrent import Words, summed_by_text
from PaddleNLP.models.layers.both_ways import BothWays

SMALLEST = 1e-10


class Read(NamedTuple):
    """What is read before a reply is written.

    Attributes:
        memory: float32 (N, L, H), the source's states.
        masked: float32 (N, 1, L), added to scores: -1e9 where there is no token.
        state: float32 (N, H), the decoder's first.
        facts: float32 (N, K, H).
        missing: float32 (N, 1, K), added to scores: -1e9 where there is no fact.
        prior: float32 (N, K).
    """

    memory: Any
    masked: Any
    state: Any
    facts: Any
    missing: Any
    prior: Any


class KnowledgeReplies(nn.Layer):
    """Reads goal, facts and history, and replies.

    Args:
        vocab_size: words.
        emb_dim: length of a word's vector.
        hidden_size: H.
        hidden_dropout_prob: of what words are predicted from.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.
    """

    base_model_prefix: ClassVar[str] = "duconv_generation"
    heads: ClassVar[dict[str, Any]] = {}
    takes_facts: ClassVar[bool] = True

    def __init__(
        self,
        vocab_size: int = 30004,
        emb_dim: int = 300,
        hidden_size: int = 800,
        hidden_dropout_prob: float = 0.3,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.vocab_size, self.hidden_size, self.token_size = vocab_size, hidden_size, hidden_size
        self.pad_token_id = vocab_size if pad_token_id is None else pad_token_id
        self.words = Words(vocab_size, emb_dim, self.pad_token_id, 0.05)
        self.source_reader = BothWays(emb_dim, hidden_size, origin_mode=True)
        self.fact_reader = BothWays(emb_dim, hidden_size, origin_mode=True)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.word_gru = nn.GRUCell(emb_dim + hidden_size, hidden_size)
        self.fact_gru = nn.GRUCell(2 * hidden_size, hidden_size)
        self.word_side, self.fact_side = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)
        self.gate = nn.Linear(2 * hidden_size, 1)
        self.dropout = nn.Dropout(hidden_dropout_prob)
        self.out0, self.out1 = nn.Linear(2 * hidden_size, hidden_size), nn.Linear(hidden_size, vocab_size)
        self.bow0, self.bow1 = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, vocab_size)

    def read(self, source: Any, facts: Any) -> Read:
        """Return what is read.

        Args:
            source: int64 (N, L).
            facts: int64 (N, K, F); a fact without tokens is none.
        """
        words, lengths = self.words(source)
        memory, last = self.source_reader(words, lengths)
        state = core.tanh(self.bridge(last))
        count, rows = facts.shape[1], facts.reshape([-1, facts.shape[2]])
        facts, sizes = self.words(rows)
        vectors = self.fact_reader(facts, sizes)[1].reshape([-1, count, self.hidden_size])
        missing = _lowest(sizes.reshape([-1, 1, count]) > 0)
        masked = _lowest((source != self.pad_token_id).unsqueeze(1))
        return Read(memory, masked, state, vectors, missing, self._weights(state, vectors, missing))

    def _weights(self, query: Any, facts: Any, missing: Any) -> Any:
        """Return how much each fact is looked at, float32 (N, K)."""
        return F.softmax(core.matmul(query.unsqueeze(1), facts, transpose_y=True) + missing, axis=-1).squeeze(1)

    def posterior(self, read: Read, reply: Any) -> Any:
        """Return how much each fact is looked at by the right reply, float32 (N, K).

        Args:
            read: of :meth:`read`.
            reply: int64 (N, T), its words alone.
        """
        return self._weights(self.fact_reader(*self.words(reply))[1], read.facts, read.missing)

    def step(self, word: Any, state: Any, knowledge: Any, memory: Any, masked: Any) -> tuple[Any, Any]:
        """Return what words are predicted from, float32 (N, 2 H), and the new state (N, H).

        Args:
            word: float32 (N, E), the vector of the word before.
            state: float32 (N, H).
            knowledge: float32 (N, H).
            memory: float32 (N, L, H).
            masked: float32 (N, 1, L).
        """
        weights = F.softmax(core.matmul(state.unsqueeze(1), memory, transpose_y=True) + masked, axis=-1)
        found = core.matmul(weights, memory).squeeze(1)
        by_word = core.tanh(self.word_side(self.word_gru(core.concat([word, found], axis=-1), state)[0]))
        by_fact = core.tanh(self.fact_side(self.fact_gru(core.concat([knowledge, found], axis=-1), state)[0]))
        gate = F.sigmoid(self.gate(core.concat([by_word, by_fact], axis=-1)))
        state = gate * by_word + (1.0 - gate) * by_fact
        return core.concat([found, state], axis=-1), state

    def scores_of(self, features: Any) -> Any:
        """Return the scores of all words, (.., V), of what :meth:`step` returned."""
        return self.out1(self.out0(self.dropout(features)))

    def losses(self, source: Any, facts: Any, reply: Any, end: int, bow_alone: bool = False) -> dict[str, Any]:
        """Return the terms of the loss by name: "bow", and unless ``bow_alone`` "kl" and "nll".

        Args:
            source: int64 (N, L).
            facts: int64 (N, K, F).
            reply: int64 (N, T + 2), with start and end token.
            end: the end token.
            bow_alone: whether the others are left out.
        """
        inputs, labels = reply[:, :-1], reply[:, 1:]
        own = core.where(labels == end, core.full_like(labels, self.pad_token_id), labels)
        read = self.read(source, facts)
        posterior = self.posterior(read, own)
        knowledge = core.matmul(posterior.unsqueeze(1), read.facts).squeeze(1)
        bow = F.log_softmax(self.bow1(core.tanh(self.bow0(knowledge))), axis=-1)
        kept = own != self.pad_token_id
        found = {"bow": summed_by_text(-core.take_along_axis(bow, own * kept.astype("int64"), 1), kept)}
        if bow_alone:
            return found
        fixed = posterior.detach()
        found["kl"] = (fixed * (core.log(fixed + SMALLEST) - core.log(read.prior + SMALLEST))).mean()
        there = labels != self.pad_token_id
        state, features = read.state, []
        for word in core.unbind(self.words(inputs)[0], axis=1):
            one, state = self.step(word, state, knowledge, read.memory, read.masked)
            features.append(one)
        scores = self.scores_of(core.stack(features, axis=1))
        right = (labels * there.astype("int64")).reshape([-1])
        each = F.cross_entropy(scores.reshape([-1, self.vocab_size]), right, reduction="none")
        found["nll"] = summed_by_text(each.reshape(labels.shape), there)
        return found

    def generate(self, source: Any, facts: Any, settings: Generation) -> Generated:
        """Return replies, by the facts that the conversation points at.

        Args:
            source: int64 (N, L).
            facts: int64 (N, K, F).
            settings: how.
        """
        read, rows = self.read(source, facts), settings.rows
        knowledge = repeat_rows(core.matmul(read.prior.unsqueeze(1), read.facts).squeeze(1), rows)
        memory, masked = repeat_rows(read.memory, rows), repeat_rows(read.masked, rows)

        def step(tokens: Any, time: Any, state: Any) -> tuple[Any, Any]:
            features, state = self.step(self.words.table(tokens), state, knowledge, memory, masked)
            return self.scores_of(features), state

        return generate(step, read.state, source.shape[0], settings)


def _lowest(there: Any) -> Any:
    """Return 0 where there is something, -1e9 elsewhere."""
    return (there.astype("float32") - 1.0) * 1e9
