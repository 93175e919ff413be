"""DAM, the deep attention matching network: whether a response goes on with a conversation of several turns.

Paper: Zhou et al. 2018, Multi-turn response selection for chatbots with deep attention matching network,
https://aclanthology.org/P18-1103. The network is that of PaddlePaddle/models at 1.6 (``net.py`` and ``layers.py`` of
``PaddleNLP/Research/ACL2018-DAM``), where turns and response have blocks of their own; the paper shares them.

Shapes, with T = 9 turns of L = 50 tokens, vectors of d = 200, S = 5 stacked blocks, C = 2 (S + 1) = 12 channels:

    tokens of turns (N, T, L), of the response (N, L)    padding has the vector of word 0
    block: softmax(Q K^T / sqrt(d), where both have tokens) V + Q, norm, + FFN d -> d relu -> d, norm    (.., L, d)
    turn  U_0 .. U_S, response R_0 .. R_S                 U_i = block(U_i-1, U_i-1), one for each i
    U_i looking at R_i, R_i looking at U_i                block(U_i, R_i), block(R_i, U_i), one for each i
    similarity (N, C, T, L, L)                            [cross, own of the turn] [of the response]^T / sqrt(200)
    conv 3x3x3 to 32, ELU, max pool 3 with stride 3       (N, 32, 3, 17, 17)
    conv 3x3x3 to 16, ELU, max pool 3 with stride 3       (N, 16, 1, 6, 6)
    576 -> 1 logit

A query without a token looks at all places alike, padding included, as in the source. The loss is the cross entropy of
the logit's sigmoid, of which each sample's counts 10 at most: the source limits the loss, not the logit.

ELU rises everywhere, so the largest of its values is its value of the largest: it is computed behind the pooling, of a
27th of the numbers. All turns look at the response at once, so that it is not copied for each, and a convolution is
pooled some filters at a time. A program keeps less so, and with ``recompute`` a training keeps of the blocks what they
read, from which the backward pass computes them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.distributed.fleet.utils import recompute as computed_again
from core.nn import functional as F
from core.nn.initializer import Normal, Uniform
from PaddleNLP.models.dialogue.matching import MatchingHead, widened
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.words.network import WordNetwork

SCALE = 200.0**-0.5
"""Similarities are multiplied by it, whatever the size of vectors is, as in the source."""

EXCLUDED = float(2**32 - 1)
"""What is taken from the score of a place that is not looked at."""

FILTERS = 16
"""So many filters of a convolution are computed before their results are pooled."""


class AttentionBlock(nn.Layer):
    """One text looks at another: attention without projections, and a feed-forward network.

    Args:
        size: length of a token's vector.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.scale = size**-0.5
        self.norm0, self.norm1 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.fc0, self.fc1 = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, query: Any, key: Any, allowed: Any) -> Any:
        """Return the query's tokens with what they find, float32 (N, Q, size).

        Args:
            query: float32 (N, Q, size).
            key: float32 (N, K, size).
            allowed: float32 (N, Q, K), 1 where both have a token.
        """
        scores = core.matmul(query, key, transpose_y=True) * self.scale
        weights = F.softmax(allowed * scores + (allowed - 1.0) * EXCLUDED, axis=-1)
        found = self.norm0(query + core.matmul(weights, key))
        return self.norm1(found + self.fc1(F.relu(self.fc0(found))))


class DeepAttentionMatching(WordNetwork):
    """Words and blocks: turns and responses at every depth.

    Args:
        vocab_size: rows of the table of words.
        emb_dim: length of a token's vector.
        stacks: blocks one on top of the other.
        turns: of a conversation.
        max_length: tokens of a turn or a response.
        channels: filters of both convolutions; the source has 16 and 16 for the Douban corpus.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.
        recompute: whether the backward pass computes the blocks again: the same numbers in less memory, for about two
            fifths more time.
    """

    base_model_prefix: ClassVar[str] = "dam"

    def __init__(
        self,
        vocab_size: int = 434513,
        emb_dim: int = 200,
        stacks: int = 5,
        turns: int = 9,
        max_length: int = 50,
        channels: Sequence[int] = (32, 16),
        pad_token_id: Optional[int] = None,
        recompute: bool = False,
    ) -> None:
        super().__init__(vocab_size, emb_dim, emb_dim, 1.0, pad_token_id, Normal(0.0, 0.1))
        self.recompute = recompute
        self.token_size = emb_dim
        self.stacks, self.turns, self.max_length, self.channels = stacks, turns, max_length, list(channels)
        self.response_self, self.turn_self, self.turn_to_response, self.response_to_turn = (
            nn.LayerList([AttentionBlock(emb_dim) for _ in range(count)])
            for count in (stacks, stacks, stacks + 1, stacks + 1)
        )

    def words(self, input_ids: Any, kept: Any) -> Any:
        """Return the words' vectors, that of word 0 for padding; see :meth:`WordNetwork.words`."""
        return self.word_embeddings(input_ids * kept.astype("int64"))

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the tokens of a turn after the last block, and their mean; see :meth:`WordNetwork.compute`."""
        tokens = self.depths(words, kept, self.turn_self)[-1]
        return tokens, (tokens * kept.unsqueeze(-1)).sum(axis=1) / kept.sum(axis=1, keepdim=True).clip(min=1.0)

    def depths(self, words: Any, kept: Any, blocks: Any) -> list[Any]:
        """Return a text at every depth, ``stacks`` + 1 times float32 (N, L, emb_dim).

        Args:
            words: float32 (N, L, emb_dim).
            kept: float32 (N, L), 1 where there is a token.
            blocks: the layers.
        """
        allowed = kept.unsqueeze(2) * kept.unsqueeze(1)
        found = [words]
        for block in blocks:
            found.append(self.run(block, found[-1], found[-1], allowed))
        return found

    def run(self, function: Any, *args: Any) -> Any:
        """Return what a function returns, which the backward pass calls again where the network is to recompute."""
        return computed_again(function, *args) if self.recompute else function(*args)

    def similarities(self, input_ids: Any, kept: Any) -> Any:
        """Return how alike the tokens of each turn and of the response are, float32 (N, 2 (stacks + 1), turns, L, L).

        Args:
            input_ids: int64 (N, turns + 1, L), the response last.
            kept: float32 (N, turns + 1, L), 1 where there is a token.
        """
        turns, length, size = self.turns, self.max_length, self.hidden_size
        said, replied = kept[:, :turns].reshape([-1, length]), kept[:, turns]
        words = self.words(input_ids, kept)
        turn = self.depths(words[:, :turns].reshape([-1, length, size]), said, self.turn_self)
        response = self.depths(words[:, turns], replied, self.response_self)
        allowed = said.reshape([-1, turns * length, 1]) * replied.unsqueeze(1)
        back = allowed.reshape([-1, turns, length, length]).transpose([0, 1, 3, 2]).reshape([-1, length, length])
        found = [self.run(self._compared, turn[i], response[i], allowed, back, i) for i in range(self.stacks + 1)]
        return core.stack(found, axis=2).reshape([-1, 2 * (self.stacks + 1), turns, length, length])

    def _compared(self, turn: Any, response: Any, allowed: Any, back: Any, depth: int) -> Any:
        """Return how alike texts are at a depth: looking at each other, and by themselves; (N, 2, turns, L, L)."""
        turns, length, size = self.turns, self.max_length, self.hidden_size
        own = turn.reshape([-1, turns * length, size])
        copied = response.unsqueeze(1).expand([-1, turns, -1, -1]).reshape([-1, length, size])
        turn_side = self.turn_to_response[depth](own, response, allowed).reshape([-1, length, size])
        response_side = self.response_to_turn[depth](copied, turn, back)
        cross = core.matmul(turn_side, response_side, transpose_y=True) * SCALE
        plain = core.matmul(own, response, transpose_y=True) * SCALE
        return core.stack([one.reshape([-1, turns, length, length]) for one in (cross, plain)], axis=1)

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, the head's included."""
        found = {"shared_word_emb": "word_embeddings.weight"}
        kinds = {
            "response_self_stack": ("response_self", self.stacks),
            "turn_self_stack": ("turn_self", self.stacks),
            "t_attend_r_": ("turn_to_response", self.stacks + 1),
            "r_attend_t_": ("response_to_turn", self.stacks + 1),
        }
        for old, (new, count) in kinds.items():
            for i in range(count):
                for layer, name in (("fc", "fc"), ("layer_norm", "norm")):
                    for place in (0, 1):
                        found[f"{old}{i}_{layer}.w_{place}"] = f"{new}.{i}.{name}{place}.weight"
                        found[f"{old}{i}_{layer}.b_{place}"] = f"{new}.{i}.{name}{place}.bias"
        for place in (0, 1):
            found[f"conv3d_{place}.w_0"] = f"conv{place}.weight"
            found[f"conv3d_{place}.b_0"] = f"conv{place}.bias"
        last = 2 * (self.stacks + self.turns * (3 * self.stacks + 2))  # layers that the program makes before
        return {**found, f"fc_{last}.w_0": "classifier.weight", f"fc_{last}.b_0": "classifier.bias"}


class ResponseMatching(MatchingHead):
    """Whether the response fits, by convolutions over turns and both texts' tokens.

    Args:
        encoder: a :class:`DeepAttentionMatching`.
        num_classes: not used.
        dropout: not used.
    """

    head_names = ("conv0", "conv1", "classifier")

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, num_classes, 0.0)
        first, second = encoder.channels
        small = nn.ParamAttr(initializer=Uniform(-0.01, 0.01))
        self.conv0 = nn.Conv3D(2 * (encoder.stacks + 1), first, 3, padding=1, weight_attr=small)
        self.conv1 = nn.Conv3D(first, second, 3, padding=1, weight_attr=small)
        sides = [_pooled(_pooled(size)) for size in (encoder.turns, encoder.max_length, encoder.max_length)]
        self.classifier = self._linear(1, second * sides[0] * sides[1] * sides[2])

    def logit(self, input_ids: Any, attention_mask: Any) -> Any:
        """Return how well responses fit, float32 (N, 1); see :meth:`MatchingHead.logit`."""
        encoder = self.encoder
        kept = kept_tokens(input_ids, attention_mask, encoder.pad_token_id)
        kept = widened(kept, encoder.max_length)
        similar = encoder.similarities(widened(input_ids, encoder.max_length), kept)
        for conv in (self.conv0, self.conv1):
            filters = range(0, conv.weight.shape[0], FILTERS)
            similar = core.concat([self._pooled(conv, similar, first) for first in filters], axis=1)
        return self.classifier(similar.flatten(1))

    def _pooled(self, conv: Any, x: Any, first: int) -> Any:
        """Return the pooled results of some filters of a convolution, from one on, behind ELU."""
        part = slice(first, first + FILTERS)
        return F.elu(F.max_pool3d(F.conv3d(x, conv.weight[part], conv.bias[part], padding=1), 3, 3, 1))


DeepAttentionMatching.heads = {"response_matching": ResponseMatching}


def _pooled(size: int) -> int:
    """Return what is left of an axis after pooling by 3."""
    return (size - 1) // 3 + 1
