"""Published BERT encoders; the table has layers, hidden size, heads, inner size and tokens."""

from __future__ import annotations

from PaddleNLP.models.weights.checkpoint import Checkpoint, record, sizes

_BERT = "BERT: pre-training of deep bidirectional Transformers, https://arxiv.org/abs/1810.04805"
_WWM = "Pre-training with whole word masking for Chinese BERT, https://arxiv.org/abs/1906.08101"
_MACBERT = "Revisiting pre-trained models for Chinese natural language processing, https://arxiv.org/abs/2004.13922"
_UER = "UER: an open-source toolkit for pre-training models, https://arxiv.org/abs/1909.05658"
_SIMBERT = "SimBERT: retrieval and generation by one BERT, https://github.com/ZhuiyiTechnology/simbert"
_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/"
_FLUID = "https://bert-models.bj.bcebos.com/"

_BASE = (12, 768, 12, 3072)
_LARGE = (24, 1024, 16, 4096)


def _bert(path: str, paper: str, *size: int) -> Checkpoint:
    layers, hidden, heads, inner, vocabulary = size
    settings = {**sizes(layers, hidden, heads, inner, vocabulary), "type_vocab_size": 2}
    return Checkpoint("bert", settings, record(f"{_HOST}{path}.pdparams", paper))


def _fluid(name: str, *size: int) -> Checkpoint:
    """Return the record of an archive of Fluid 1.x, whose layer normalisation adds 1e-5."""
    settings = {**sizes(*size), "type_vocab_size": 2, "layer_norm_eps": 1e-5}
    return Checkpoint("bert", settings, record(f"{_FLUID}{name}.tar.gz", _BERT, "PaddlePaddle/models 1.6, PaddleLARK"))


CHECKPOINTS = {
    "bert-base-uncased": _bert("bert-base-uncased", _BERT, *_BASE, 30522),
    "bert-large-uncased": _bert("bert-large-uncased", _BERT, *_LARGE, 30522),
    "bert-base-cased": _bert("bert/bert-base-cased", _BERT, *_BASE, 28996),
    "bert-large-cased": _bert("bert/bert-large-cased", _BERT, *_LARGE, 28996),
    "bert-base-chinese": _bert("bert/bert-base-chinese", _BERT, *_BASE, 21128),
    "bert-base-multilingual-uncased": _bert("bert-base-multilingual-uncased", _BERT, *_BASE, 105879),
    "bert-base-multilingual-cased": _bert("bert/bert-base-multilingual-cased", _BERT, *_BASE, 119547),
    "bert-wwm-chinese": _bert("bert/bert-wwm-chinese", _WWM, *_BASE, 21128),
    "bert-wwm-ext-chinese": _bert("bert/bert-wwm-ext-chinese", _WWM, *_BASE, 21128),
    "macbert-base-chinese": _bert("macbert/macbert-base-chinese", _MACBERT, *_BASE, 21128),
    "macbert-large-chinese": _bert("macbert/macbert-large-chinese", _MACBERT, *_LARGE, 21128),
    "simbert-base-chinese": _bert("simbert/simbert-base-chinese-v1", _SIMBERT, *_BASE, 13685),
    **{
        f"uer/chinese-roberta-{name}": _bert(f"uer/chinese_roberta_{name.replace('-', '_')}", _UER, *size, 21128)
        for name, size in {
            "base": _BASE,
            "6l-768h": (6, 768, 12, 3072),
            "medium": (8, 512, 8, 2048),
            "small": (4, 512, 8, 2048),
            "mini": (4, 256, 4, 1024),
            "tiny": (2, 128, 2, 512),
        }.items()
    },
    "uncased_L-12_H-768_A-12": _fluid("uncased_L-12_H-768_A-12", *_BASE, 30522),
    "cased_L-12_H-768_A-12": _fluid("cased_L-12_H-768_A-12", *_BASE, 28996),
    "multi_cased_L-12_H-768_A-12": _fluid("multi_cased_L-12_H-768_A-12", *_BASE, 119547),
    "chinese_L-12_H-768_A-12": _fluid("chinese_L-12_H-768_A-12", *_BASE, 21128),
    "uncased_L-24_H-1024_A-16": _fluid("uncased_L-24_H-1024_A-16", *_LARGE, 30522),
    "multilingual_L-12_H-768_A-12": _fluid("multilingual_L-12_H-768_A-12", *_BASE, 105879),
    "chinese_roberta_wwm_ext_L-12_H-768_A-12": _fluid("chinese_roberta_wwm_ext_L-12_H-768_A-12", *_BASE, 21128),
    "chinese_roberta_wwm_large_ext_L-24_H-1024_A-16": _fluid(
        "chinese_roberta_wwm_large_ext_L-24_H-1024_A-16", *_LARGE, 21128
    ),
}
"""Name to record. The last eight are archives of Fluid 1.x, of which those of RoBERTa are BERT's network."""
