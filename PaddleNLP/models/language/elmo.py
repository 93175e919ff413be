"""ELMo: words' vectors that depend on the sentence, from two language models that read it from either end.

Peters et al. 2018, https://arxiv.org/abs/1802.05365, as PaddlePaddle/models has it (PaddleNLP/ELMO: ``lm_model.py`` and
``finetune/bilm.py``), on words or characters. Each direction has layers of LSTM with a projected state, whose memories
and states are clipped; from the second layer on, inputs are added to outputs. Both directions share the table of words
and the layer that scores them. What a sentence's words mean for a task is a mix of all layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Optional

import numpy as np

import core
from core import nn
from core.incubate.layers import DynamicLSTMP
from core.nn import functional as F
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head, TokenClassification
from PaddleNLP.models.words.network import lengths_of


class ElmoModel(nn.Layer):
    """Vectors of words, and layers that read a sentence from both ends; the official size by default.

    Args:
        vocab_size: how many words there are.
        lstm_size: length of a layer's memory.
        projection_size: length of a word's vector, and of a layer's states.
        num_hidden_layers: layers of each direction.
        clip: the largest size of a number of memories and states.
        hidden_dropout_prob: the probability of dropping a number of a layer's input or output in pretraining, and of a
            layer's states in what a task is given.
        finetune: whether a task moves these layers; otherwise only how they are mixed, as published.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.

    Attributes:
        hidden_size: length of what a task is given of a word: states of both directions.
    """

    base_model_prefix: ClassVar[str] = "elmo"
    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False

    def __init__(
        self,
        vocab_size: int = 52_445,
        lstm_size: int = 4096,
        projection_size: int = 512,
        num_hidden_layers: int = 2,
        clip: float = 3.0,
        hidden_dropout_prob: float = 0.1,
        finetune: bool = False,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.vocab_size, self.hidden_size = vocab_size, 2 * projection_size
        self.num_hidden_layers, self.finetune = num_hidden_layers, finetune
        self.hidden_dropout_prob = hidden_dropout_prob
        self.pad_token_id = vocab_size if pad_token_id is None else pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, projection_size)
        self.dropout = nn.Dropout(hidden_dropout_prob)

        def gates() -> Any:
            return nn.Linear(projection_size, 4 * lstm_size, bias_attr=False)

        def layer(reverse: bool) -> Any:
            options: dict[str, Any] = {"cell_clip": clip, "proj_clip": clip, "proj_activation": "identity"}
            return DynamicLSTMP(lstm_size, projection_size, use_peepholes=False, is_reverse=reverse, **options)

        count = range(num_hidden_layers)
        self.forward_gates, self.backward_gates = (nn.LayerList([gates() for _ in count]) for _ in range(2))
        self.forward_layers, self.backward_layers = (
            nn.LayerList([layer(reverse) for _ in count]) for reverse in (False, True)
        )
        zeros, ones = (nn.initializer.Constant(value) for value in (0.0, 1.0))
        self.mix_weight = self.create_parameter([num_hidden_layers + 1], attr=nn.ParamAttr(initializer=zeros))
        self.mix_scale = self.create_parameter([1], attr=nn.ParamAttr(initializer=ones))

    def weight_attr(self) -> Any:
        """Return how fresh weights of heads are drawn."""
        return None

    def forward(
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Return the mix of all layers for each word, and its mean over the words.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: not used, as are positions and tasks.
            position_ids: not used.
            attention_mask: (N, L), 1 where there is a token; None: padding is ``pad_token_id``.
            task_type_ids: not used.
            inputs_embeds: float32 (N, L, projection_size), used instead of the words' vectors.
            output_hidden_states: whether what is mixed is returned too.

        Returns:
            float32 (N, L, hidden_size); float32 (N, hidden_size); perhaps a tuple of (N, L, hidden_size).
        """
        kept = kept_tokens(input_ids, attention_mask, self.pad_token_id)
        words, (forwards, backwards), _ = self.states(input_ids, kept, inputs_embeds)
        layers = [core.concat([words, words], axis=-1)]
        layers += [self.dropout(core.concat([one, two], axis=-1)) for one, two in zip(forwards, backwards)]
        if not self.finetune:
            layers = [layer.detach() for layer in layers]
        mixed = self.mixed(layers) * kept.unsqueeze(-1)
        pooled = mixed.sum(axis=1) / kept.sum(axis=1, keepdim=True).clip(min=1.0)
        return (mixed, pooled, tuple(layers)) if output_hidden_states else (mixed, pooled)

    def states(
        self, input_ids: Any, kept: Any, words: Any = None, dropped: bool = False
    ) -> tuple[Any, tuple[list[Any], list[Any]], tuple[Any, Any]]:
        """Return the words' vectors, the states of each layer in both directions, and each one's last output.

        States are what a task is given: without the inputs that are added from the second layer on. The official code
        for tasks joins the backward states in the order in which they are made, from a sentence's end; here they stand
        at their words.

        Args:
            input_ids: int64 (N, L).
            kept: float32 (N, L), 1 where there is a token.
            words: float32 (N, L, projection_size), used instead of the words' vectors.
            dropped: whether numbers of layers' inputs and outputs are dropped, as in pretraining.
        """
        lengths = lengths_of(kept)
        if words is None:
            words = self.word_embeddings(input_ids * kept.astype("int64"))
        words = words * kept.unsqueeze(-1)
        drop = self.dropout if dropped else lambda x: x
        found: list[list[Any]] = []
        ends = []
        for gates, layers in (
            (self.forward_gates, self.forward_layers),
            (self.backward_gates, self.backward_layers),
        ):
            given, outputs = words, []
            for number, (gate, layer) in enumerate(zip(gates, layers)):
                given = drop(given)
                state, _ = layer(gate(drop(given)), lengths)
                outputs.append(state)
                given = drop(state + given if number else state)
            found.append(outputs)
            ends.append(given)
        return words, (found[0], found[1]), (ends[0], ends[1])

    def mixed(self, layers: list[Any]) -> Any:
        """Return the sum of layers, each weighted, times a factor; weights are positive and add up to 1."""
        shares = F.softmax(self.mix_weight + 1.0 / len(layers), axis=0)
        total = layers[0] * shares[0]
        for number, layer in enumerate(layers[1:], 1):
            total = total + layer * shares[number]
        return total * self.mix_scale

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here."""
        found = {"embedding_para": "word_embeddings.weight", "ELMo_w": "mix_weight", "ELMo_gamma": "mix_scale"}
        parts = (("w_0", "weight"), ("w_1", "proj_weight"), ("b_0", "bias"))
        for side, (short, name) in enumerate((("fw", "forward"), ("bw", "backward"))):
            for layer in range(self.num_hidden_layers):
                found[f"{short}_layer{layer + 1}_gate_w"] = f"{name}_gates.{layer}.weight"
                number = side * self.num_hidden_layers + layer
                found.update({f"lstmp_{number}.{old}": f"{name}_layers.{layer}.{new}" for old, new in parts})
        return {**found, "softmax_weight": "output.weight", "softmax_bias": "output.bias"}

    def renamed(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return entries of a file of any age under the names here; one of pretraining has no mix, which is then fresh.

        Args:
            values: name to array, as in the file.
        """
        names = self.official_names()
        found = {names.get(name, name): value for name, value in values.items()}
        if "word_embeddings.weight" in found:
            found.setdefault("mix_weight", np.zeros(self.num_hidden_layers + 1, np.float32))
            found.setdefault("mix_scale", np.ones(1, np.float32))
        return found


class _Scores(nn.Layer):
    """Scores of words: one weight for each number of a word's state, (vocab_size, projection_size)."""

    def __init__(self, words: int, size: int) -> None:
        super().__init__()
        self.weight = self.create_parameter([words, size])
        self.bias = self.create_parameter([words], is_bias=True)


class ElmoLanguageModel(Head):
    """The two language models: the next word, and the one before.

    Args:
        encoder: an :class:`ElmoModel`.
        dropout: not used: the encoder has its own.
    """

    head_names = ("output",)

    def __init__(self, encoder: ElmoModel, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.output = _Scores(encoder.vocab_size, encoder.hidden_size // 2)

    def compute_losses(self, input_ids: Any, kept: Any, samples: Optional[Any] = None) -> tuple[Any, Any]:
        """Return how surely each next word was predicted, and each one before, float32 (N, L - 1), 0 for padding.

        Args:
            input_ids: int64 (N, L), of sentences with their ends on both sides.
            kept: float32 (N, L), 1 where there is a token.
            samples: int64 (S,), words among which the right one is to be found, see :func:`sampled_losses`; None: all.
        """
        _, _, (after, before) = self.encoder.states(input_ids, kept, dropped=True)
        ids = input_ids * kept.astype("int64")
        there = kept[:, 1:]
        losses = [
            self._losses(states, labels, samples).reshape(there.shape) * there
            for states, labels in ((after[:, :-1], ids[:, 1:]), (before[:, 1:], ids[:, :-1]))
        ]
        return losses[0], losses[1]

    def _losses(self, states: Any, labels: Any, samples: Optional[Any]) -> Any:
        flat, labels = states.reshape([-1, states.shape[-1]]), labels.reshape([-1])
        if samples is not None:
            return sampled_losses(flat, self.output.weight, self.output.bias, labels, samples)
        scores = core.matmul(flat, self.output.weight, transpose_y=True) + self.output.bias
        return F.cross_entropy(scores, labels, reduction="none")


class ElmoTagger(TokenClassification):
    """Tags by a layer of GRU in both directions on the mix of layers, which by itself knows nothing of tags.

    Args:
        encoder: an :class:`ElmoModel`.
        num_classes: tags.
        dropout: on the GRU's input and output; None: the encoder's own.
    """

    head_names = ("gru", "classifier")
    units: ClassVar[int] = 128

    def __init__(self, encoder: ElmoModel, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, num_classes, dropout)
        self.gru = nn.GRU(encoder.hidden_size, self.units, direction="bidirect")
        self.classifier = nn.Linear(2 * self.units, num_classes)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, L, num_classes).

        Args:
            sequence: float32 (N, L, hidden_size), zeros for padding.
            pooled: not used.
        """
        lengths = (sequence.abs().sum(axis=-1) > 0).astype("int64").sum(axis=-1)
        return super().compute(self.gru(self.dropout(sequence), sequence_length=lengths)[0], pooled)


ElmoModel.heads = {"language_model": ElmoLanguageModel, "token_classification": ElmoTagger}


def drawn_words(count: int, words: int) -> Any:
    """Draw words, frequent ones more often: the logarithm of a number from 1 on is drawn evenly.

    Args:
        count: how many.
        words: how many there are, the most frequent first.

    Returns:
        int64 (count,).
    """
    drawn = core.exp(core.uniform([count], "float32", 0.0, 1.0) * float(np.log(words + 1.0)))
    return (drawn.astype("int64") - 1).clip(0, words - 1)


def sampled_losses(states: Any, weight: Any, bias: Any, labels: Any, samples: Any) -> Any:
    """Return cross entropies among the right word and drawn ones, each score less the log of how often it is drawn.

    Jean et al. 2015, https://arxiv.org/abs/1412.2007. A drawn word that is the right one counts once.

    Args:
        states: float32 (M, P).
        weight: float32 (words, P), as for ``bias``, (words,).
        bias: see there.
        labels: int64 (M,).
        samples: int64 (S,), as :func:`drawn_words` draws them.

    Returns:
        float32 (M,).
    """
    words, count = weight.shape[0], samples.shape[0]

    def logarithm(ids: Any) -> Any:
        """Return the logarithm of how often words are among the samples, in the mean."""
        numbers = ids.astype("float32")
        return core.log(core.log((numbers + 2.0) / (numbers + 1.0)) * (count / float(np.log(words + 1.0))))

    right = (states * core.gather(weight, labels)).sum(axis=-1) + core.gather(bias, labels) - logarithm(labels)
    others = core.matmul(states, core.gather(weight, samples), transpose_y=True) + core.gather(bias, samples)
    others = others - logarithm(samples)
    twice = core.equal(labels.unsqueeze(-1), samples.unsqueeze(0)).astype("float32")
    scores = core.concat([right.unsqueeze(-1), others - twice * 1e9], axis=-1)
    return core.logsumexp(scores, axis=-1) - right
