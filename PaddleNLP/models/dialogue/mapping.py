"""MMPMS: several mappings of a post, each of which leads to a reply of another kind.

Paper: Chen et al. 2019, Generating multiple diverse responses with multi-mapping and posterior mapping selection,
https://arxiv.org/abs/1906.01781. The network is that of PaddlePaddle/models at 1.6
(``PaddleNLP/Research/IJCAI2019-MMPMS``, ``mmpms/models/mmpms.py``).

Shapes, with vectors of E = 300, H = 1,024, M = 20 mappings, V words, and one table of words for all texts:

    post (N, L): GRU each way of H / 2, memory (N, L, H), last states x (N, H); response (N, T): another one, y (N, H)
    candidates m_k = layer_k x (N, M, H)
    p = softmax over k of m_k y; in training z = softmax((log(p + 1e-10) + g) / .67), g Gumbel noise; else one-hot of
        the largest; h_0 = sum of z_k m_k
    decoder: a = additive attention (H / 2) of h to memory; h = GRU([word, a], h); words: dropout .3 of [h, a], layer to
        H, layer to V

    loss = nll + match
    nll: cross entropy of the response's words and its end, summed over a response, mean over the batch
    match: cross entropy of sigmoid(x y) with 1, and of sigmoid(x y') with 0, mean over the batch; y' is the response of
        the sample at the same place from the batch's other end

A reply is written from each mapping. All GRUs reset before their product, and the update gate says how much is new.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.incubate.layers import Attention, DynamicGRU
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.text.generation import Generated, Generation, generate, repeat_rows
from PaddleNLP.models.dialogue.recurrent import Words, summed_by_text
from PaddleNLP.models.layers.both_ways import BothWays

SMALLEST = 1e-10


class MultiMapping(nn.Layer):
    """Reads a post, and replies in several ways.

    Args:
        vocab_size: words.
        emb_dim: length of a word's vector.
        hidden_size: H.
        mappings: M.
        tau: how soft the choice of a mapping is in training.
        hidden_dropout_prob: of what words are predicted from.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.
    """

    base_model_prefix: ClassVar[str] = "mmpms"
    heads: ClassVar[dict[str, Any]] = {}
    takes_facts: ClassVar[bool] = False

    def __init__(
        self,
        vocab_size: int = 30004,
        emb_dim: int = 300,
        hidden_size: int = 1024,
        mappings: int = 20,
        tau: float = 0.67,
        hidden_dropout_prob: float = 0.3,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.vocab_size, self.hidden_size, self.token_size = vocab_size, hidden_size, hidden_size
        self.count, self.tau = mappings, tau
        self.pad_token_id = vocab_size if pad_token_id is None else pad_token_id
        self.words = Words(vocab_size, emb_dim, self.pad_token_id, 0.03)
        self.post_reader = BothWays(emb_dim, hidden_size, origin_mode=False)
        self.response_reader = BothWays(emb_dim, hidden_size, origin_mode=False)
        self.mappings = nn.LayerList([nn.Linear(hidden_size, hidden_size) for _ in range(mappings)])
        self.attention = Attention(hidden_size, hidden_size, "additive", hidden_size // 2)
        self.fc, self.gru = nn.Linear(emb_dim + hidden_size, 3 * hidden_size), DynamicGRU(hidden_size)
        self.dropout = nn.Dropout(hidden_dropout_prob)
        drawn = nn.ParamAttr(initializer=Uniform(-math.sqrt(1 / hidden_size), math.sqrt(1 / hidden_size)))
        self.project = nn.Linear(2 * hidden_size, hidden_size)
        self.predictor = nn.Linear(hidden_size, vocab_size, weight_attr=drawn, bias_attr=drawn)

    def read(self, post: Any) -> tuple[Any, Any, Any, Any]:
        """Return memory (N, L, H), lengths (N,), the post's vector (N, H) and the mappings' (N, M, H).

        Args:
            post: int64 (N, L).
        """
        words, lengths = self.words(post)
        memory, last = self.post_reader(words, lengths)
        return memory, lengths, last, core.stack([mapping(last) for mapping in self.mappings], axis=1)

    def step(self, word: Any, state: Any, memory: Any, lengths: Any, keys: Any) -> tuple[Any, Any]:
        """Return what words are predicted from, float32 (N, 2 H), and the new state (N, H).

        Args:
            word: float32 (N, E), the vector of the word before.
            state: float32 (N, H).
            memory: float32 (N, L, H).
            lengths: int64 (N,).
            keys: of the attention.
        """
        found, _ = self.attention(state, memory, lengths, keys)
        given = self.fc(core.concat([word, found], axis=-1)).unsqueeze(1)
        state = self.gru(given, h_0=state).squeeze(1)
        return core.concat([state, found], axis=-1), state

    def scores_of(self, features: Any) -> Any:
        """Return the scores of all words, (.., V), of what :meth:`step` returned."""
        return self.predictor(self.project(self.dropout(features)))

    def chosen(self, candidates: Any, response: Any, noise: Any = None) -> Any:
        """Return the decoder's first state by the response, float32 (N, H).

        Args:
            candidates: float32 (N, M, H).
            response: float32 (N, H).
            noise: float32 (N, M), uniform between 0 and 1; None: the best mapping is taken.
        """
        shares = F.softmax(core.matmul(candidates, response.unsqueeze(2)).squeeze(2), axis=-1)
        if noise is None:
            weights = F.one_hot(core.argmax(shares, axis=-1), self.count)
        else:
            gumbel = -core.log(SMALLEST - core.log(noise + SMALLEST))
            weights = F.softmax((core.log(shares + SMALLEST) + gumbel) / self.tau, axis=-1)
        return core.matmul(weights.unsqueeze(1), candidates).squeeze(1)

    def losses(self, post: Any, reply: Any, end: int, noise: Any = None) -> dict[str, Any]:
        """Return the terms of the loss by name: "nll" and "match".

        Args:
            post: int64 (N, L).
            reply: int64 (N, T + 2), with start and end token.
            end: the end token.
            noise: as in :meth:`chosen`; None in training: it is drawn.
        """
        inputs, labels = reply[:, :-1], reply[:, 1:]
        own = core.where(labels == end, core.full_like(labels, self.pad_token_id), labels)
        memory, lengths, vector, candidates = self.read(post)
        response = self.response_reader(*self.words(own))[1]
        if noise is None and self.training:
            noise = core.uniform([post.shape[0], self.count], "float32", 0.0, 1.0)
        state, keys, features = self.chosen(candidates, response, noise), self.attention.keys(memory), []
        for word in core.unbind(self.words(inputs)[0], axis=1):
            one, state = self.step(word, state, memory, lengths, keys)
            features.append(one)
        scores = self.scores_of(core.stack(features, axis=1))
        there = labels != self.pad_token_id
        right = (labels * there.astype("int64")).reshape([-1])
        each = F.cross_entropy(scores.reshape([-1, self.vocab_size]), right, reduction="none")
        pairs = [(vector * one).sum(axis=1) for one in (response, core.flip(response, axis=0))]
        match = F.softplus(-pairs[0]) + F.softplus(pairs[1])
        return {"nll": summed_by_text(each.reshape(labels.shape), there), "match": match.mean()}

    def generate(self, post: Any, settings: Generation) -> Generated:
        """Return a reply from each mapping: tokens (N, M, max_length), and the same of scores, lengths and ends.

        Args:
            post: int64 (N, L).
            settings: how each is found; of a beam search the best counts.
        """
        memory, lengths, _, candidates = self.read(post)
        memory, keys, lengths = (
            repeat_rows(one, self.count * settings.rows) for one in (memory, self.attention.keys(memory), lengths)
        )

        def step(tokens: Any, time: Any, state: Any) -> tuple[Any, Any]:
            features, state = self.step(self.words.table(tokens), state, memory, lengths, keys)
            return self.scores_of(features), state

        found = generate(step, candidates.reshape([-1, self.hidden_size]), post.shape[0] * self.count, settings)
        tokens = found.tokens[:, 0].reshape([-1, self.count, settings.max_length])
        return Generated(tokens, *(one[:, 0].reshape([-1, self.count]) for one in found[1:]))
