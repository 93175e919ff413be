"""Published encoders of the smaller families: ERNIE-Gram, SKEP, NeZha, DistilBERT, TinyBERT, GPT.

paddlenlp 2.8.1 names addresses for GPT-2 without its sizes, which are those of the paper, and sizes of GPT-3 without an
address, which are not here.
"""

from __future__ import annotations

from typing import Any

from PaddleNLP.models.weights.checkpoint import Checkpoint, record, sizes

_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/"
_GRAM = "ERNIE-Gram: pre-training with explicitly n-gram masked language modeling, https://arxiv.org/abs/2010.12148"
_SKEP = "SKEP: sentiment knowledge enhanced pre-training, https://arxiv.org/abs/2005.05635"
_NEZHA = "NEZHA: neural contextualized representation for Chinese, https://arxiv.org/abs/1909.00204"
_DISTIL = "DistilBERT, a distilled version of BERT, https://arxiv.org/abs/1910.01108"
_TINY = "TinyBERT: distilling BERT for natural language understanding, https://arxiv.org/abs/1909.10351"
_CPM = "CPM: a large-scale generative Chinese pre-trained language model, https://arxiv.org/abs/2012.00413"
_GPT2 = "Language models are unsupervised multitask learners, https://openai.com/research/better-language-models"

_BASE = (12, 768, 12, 3072)
_LARGE = (24, 1024, 16, 4096)


def _one(family: str, path: str, paper: str, *size: int, **settings: Any) -> Checkpoint:
    layers, hidden, heads, inner, vocabulary = size
    known = {**sizes(layers, hidden, heads, inner, vocabulary), **settings}
    return Checkpoint(family, known, record(f"{_HOST}{path}.pdparams", paper))


def _gpt2(name: str, layers: int, hidden: int, heads: int) -> Checkpoint:
    ends = {"pad_token_id": 50256, "eos_token_id": 50256, "max_position_embeddings": 1024}
    return _one("gpt", f"gpt/{name}", _GPT2, layers, hidden, heads, 4 * hidden, 50257, **ends)


CHECKPOINTS = {
    "ernie-gram-zh": _one("ernie_gram", "ernie_gram_zh/ernie_gram_zh", _GRAM, *_BASE, 18018),
    "ernie-gram-zh-finetuned-dureader-robust": _one(
        "ernie_gram", "ernie-gram-zh-finetuned-dureader-robust/model_state", _GRAM, *_BASE, 18018
    ),
    "skep_ernie_1.0_large_ch": _one("skep", "skep/skep_ernie_1.0_large_ch", _SKEP, *_LARGE, 12800, hidden_act="relu"),
    "skep_ernie_2.0_large_en": _one("skep", "skep/skep_ernie_2.0_large_en", _SKEP, *_LARGE, 30522, hidden_act="gelu"),
    "skep_roberta_large_en": _one(
        *("skep", "skep/skep_roberta_large_en", _SKEP),
        *(*_LARGE, 50265),
        hidden_act="gelu",
        max_position_embeddings=514,
        type_vocab_size=0,
        pad_token_id=1,
    ),
    "nezha-base-chinese": _one("nezha", "nezha/nezha-base-chinese", _NEZHA, *_BASE, 21128),
    "nezha-large-chinese": _one("nezha", "nezha/nezha-large-chinese", _NEZHA, *_LARGE, 21128),
    "nezha-base-wwm-chinese": _one("nezha", "nezha/nezha-base-wwm-chinese", _NEZHA, *_BASE, 21128),
    "nezha-large-wwm-chinese": _one("nezha", "nezha/nezha-large-wwm-chinese", _NEZHA, *_LARGE, 21128),
    "distilbert-base-uncased": _one(
        "distilbert", "distilbert/distilbert-base-uncased", _DISTIL, 6, 768, 12, 3072, 30522
    ),
    "distilbert-base-cased": _one("distilbert", "distilbert/distilbert-base-cased", _DISTIL, 6, 768, 12, 3072, 28996),
    **{
        f"tinybert-{size}{version}": _one(
            "tinybert", f"tinybert/tinybert-{size}{version}", _TINY, *sizes_, vocabulary, type_vocab_size=2
        )
        for version, vocabulary in (("", 30522), ("-v2", 30522), ("-zh", 21128))
        for size, sizes_ in (("4l-312d", (4, 312, 12, 1200)), ("6l-768d", (6, 768, 12, 3072)))
    },
    "gpt-cpm-large-cn": _one(
        "gpt", "gpt/gpt-cpm-large-cn", _CPM, 32, 2560, 32, 10240, 30000, max_position_embeddings=1024
    ),
    "gpt-cpm-small-cn-distill": _one(
        "gpt", "gpt/gpt-cpm-small-cn-distill", _CPM, *_BASE, 30000, max_position_embeddings=1024
    ),
    "gpt2-en": _gpt2("gpt2-en", 12, 768, 12),
    "gpt2-medium-en": _gpt2("gpt2-medium-en", 24, 1024, 16),
    "gpt2-large-en": _gpt2("gpt2-large-en", 36, 1280, 20),
    "gpt2-xl-en": _gpt2("gpt2-xl-en", 48, 1600, 25),
}
"""Name of a checkpoint to what is known about it."""
