"""The one table of language models, and functions that read it. Importing this module loads no engine."""

from __future__ import annotations

import importlib
import inspect
import os
from typing import Any, Optional, Union

from core.train.config.signatures import signature_of
from core.train.config.table import Component, Table
from PaddleNLP.models.weights import ALIASES, CHECKPOINTS

WORD_NETWORKS = {
    "senta_bow": "PaddleNLP.models.words.senta:BowModel",
    "senta_cnn": "PaddleNLP.models.words.senta:CNNModel",
    "senta_lstm": "PaddleNLP.models.words.senta:LSTMModel",
    "senta_gru": "PaddleNLP.models.words.senta:GRUModel",
    "senta_bilstm": "PaddleNLP.models.words.senta:BiLSTMModel",
    "textcnn": "PaddleNLP.models.words.senta:TextCNNModel",
    "simnet_bow": "PaddleNLP.models.words.simnet:SimNetBow",
    "simnet_cnn": "PaddleNLP.models.words.simnet:SimNetCNN",
    "simnet_lstm": "PaddleNLP.models.words.simnet:SimNetLSTM",
    "simnet_gru": "PaddleNLP.models.words.simnet:SimNetGRU",
    "lac": "PaddleNLP.models.words.lac:LacModel",
    "simnet_mm_dnn": "PaddleNLP.models.words.mm_dnn:SimNetMMDNN",
}
"""Small networks on whole words, without pretrained weights of their own."""

LANGUAGE_MODELS = {
    "rnn_lm": "PaddleNLP.models.language.rnn_lm:RnnLm",
    "elmo": "PaddleNLP.models.language.elmo:ElmoModel",
}
"""Recurrent networks that predict the next word."""

DIALOGUE_NETWORKS = {
    "duconv_retrieval": "PaddleNLP.models.dialogue.retrieval:RetrievalModel",
    "duconv_generation": "PaddleNLP.models.dialogue.knowledge:KnowledgeReplies",
    "mmpms": "PaddleNLP.models.dialogue.mapping:MultiMapping",
    "ade": "PaddleNLP.models.dialogue.ade:DialogueEvaluator",
    "dam": "PaddleNLP.models.dialogue.dam:DeepAttentionMatching",
}
"""Networks that read conversations."""

TRANSLATORS = {
    "transformer": "PaddleNLP.models.translation.transformer:TransformerModel",
    "seq2seq": "PaddleNLP.models.translation.seq2seq:Seq2SeqModel",
    "seq2seq_attention": "PaddleNLP.models.translation.seq2seq:AttentionSeq2SeqModel",
    "seq2seq_variational": "PaddleNLP.models.translation.variational:VariationalSeq2SeqModel",
}
"""Networks that translate."""

FAMILIES = {
    "ernie": "PaddleNLP.models.ernie:ErnieModel",
    "bert": "PaddleNLP.models.bert:BertModel",
    "roberta": "PaddleNLP.models.roberta:RobertaModel",
    "electra": "PaddleNLP.models.electra:ElectraModel",
    "ernie_gram": "PaddleNLP.models.ernie_gram:ErnieGramModel",
    "xlnet": "PaddleNLP.models.xlnet:XLNetModel",
    "albert": "PaddleNLP.models.albert:AlbertModel",
    "skep": "PaddleNLP.models.skep:SkepModel",
    "nezha": "PaddleNLP.models.nezha:NeZhaModel",
    "distilbert": "PaddleNLP.models.distilbert:DistilBertModel",
    "tinybert": "PaddleNLP.models.tinybert:TinyBertModel",
    "bidaf": "PaddleNLP.models.words.bidaf:BiDAF",
    "arnor": "PaddleNLP.models.words.arnor:ArnorModel",
    "gpt": "PaddleNLP.models.gpt:GPTModel",
    "bigru": "PaddleNLP.models.bigru:BiGRUModel",
    **WORD_NETWORKS,
    **TRANSLATORS,
    **LANGUAGE_MODELS,
    **DIALOGUE_NETWORKS,
}
"""Name of a family, which is also that of its network of any size, to its encoder."""

TASKS = Table(
    "task",
    {
        "sequence_classification": "PaddleNLP.models.heads:SequenceClassification",
        "token_classification": "PaddleNLP.models.heads:TokenClassification",
        "question_answering": "PaddleNLP.models.heads:QuestionAnswering",
        "pair_classification": "PaddleNLP.models.heads:PairClassification",
        "multi_perspective": "PaddleNLP.models.combined.perspectives:MultiPerspective",
        "multiple_choice": "PaddleNLP.models.heads:MultipleChoice",
        "masked_lm": "PaddleNLP.models.language_heads:MaskedLM",
        "next_sentence": "PaddleNLP.models.language_heads:NextSentencePrediction",
        "pretraining": "PaddleNLP.models.language_heads:Pretraining",
        "continual_pretraining": "PaddleNLP.models.language_heads:ContinualPretraining",
    },
)
"""Heads that all families share, by the name of what they are for; a family's own are in ``heads`` of its encoder."""


class Models(Table):
    """Encoders by name: families, and checkpoints, whose settings are defaults."""

    def build(self, component: Component, **provided: Any) -> Any:
        """Build a model, with weights where the component asks for them; ``task`` and ``num_classes`` are provided."""
        return create_model(component.name, **component.arguments, **provided)

    def _parameters(self, name: str) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        checkpoint = CHECKPOINTS.get(self.find(name))
        settings = {} if checkpoint is None else checkpoint.settings
        found = {
            key: one.replace(default=settings.get(key, one.default), kind=keyword)
            for key, one in signature_of(self.resolve(name)).parameters.items()
        }
        extra = {"pretrained": (None, Union[bool, str, None]), "dropout": (None, Optional[float])}
        for key, (default, annotation) in extra.items():
            found[key] = inspect.Parameter(key, keyword, default=default, annotation=annotation)
        return found


MODELS = Models(
    "language model",
    {**FAMILIES, **{name: FAMILIES[checkpoint.family] for name, checkpoint in CHECKPOINTS.items()}},
    aliases=ALIASES,
    listing="PaddleNLP.list_models()",
)
"""Encoders by name; a config names one with its settings."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the models: the families, which have any size, then the checkpoints.

    Args:
        pattern: a shell pattern such as ``"ernie-3.0*"``; upper and lower case are the same.

    Example:
        >>> PaddleNLP.list_models("ernie-1.0*")
        ['ernie-1.0', 'ernie-1.0-base-zh', 'ernie-1.0-base-zh-cw', 'ernie-1.0-large-zh-cw']
    """
    return MODELS.list(pattern)


def create_model(
    name: str,
    task: str = "sequence_classification",
    num_classes: int = 2,
    pretrained: Union[None, bool, str, os.PathLike[str]] = None,
    dropout: Optional[float] = None,
    **settings: Any,
) -> Any:
    """Build a language model by name.

    Args:
        name: one of :func:`list_models`: a family such as ``"ernie"``, whose size is given by settings, or a
            checkpoint such as ``"ernie-3.0-base-zh"``, which has its own.
        task: what the head is for: "sequence_classification", "token_classification", "question_answering",
            "pair_classification", "multi_perspective", "multiple_choice", "masked_lm", "next_sentence",
            "pretraining", "continual_pretraining"; of some families "language_model" (XLNet, GPT), "discriminator"
            (ELECTRA), "crf_token_classification" (SKEP); or "encoder" for no head.
        num_classes: results of a head that classifies; others do not read it.
        pretrained: None or False for fresh weights; True for the official ones of the checkpoint; the name of a
            checkpoint; or the path of a weight file of any format that :mod:`core.weights` reads, or of a folder of
            paddlenlp, Hugging Face or Fluid 1.x. A family takes settings that are not given from the checkpoint, or
            from the folder's ``config.json``.
        dropout: the probability of dropping a number of the encoder's result; None: the encoder's own.
        **settings: of the encoder's class, such as ``hidden_size=256, num_attention_heads=4``.

    Returns:
        The network, a :class:`core.nn.Layer` in training mode.

    Raises:
        ValueError: there is no such model or task (the message has the nearest names), no weights are published, or
            the file does not fit.
        TypeError: the encoder takes no such setting.

    Example:
        >>> model = PaddleNLP.create_model("ernie", num_classes=3, hidden_size=256, num_attention_heads=4)
    """
    build = importlib.import_module("PaddleNLP.models.pretrained").build  # loads the engine
    return build(name, task, num_classes, pretrained, dropout, settings)


def head_of(encoder_class: Any, task: str) -> Any:
    """Return the class of an encoder's head; None of "encoder".

    Args:
        encoder_class: the family's encoder.
        task: what the head is for.

    Raises:
        ValueError: there is no such task.
    """
    if task == "encoder":
        return None
    return Table("task", {**TASKS.entries, **encoder_class.heads, "encoder": encoder_class}).resolve(task)
