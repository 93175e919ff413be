"""Published RoBERTa encoders; the table has layers, hidden size, heads and inner size."""

from __future__ import annotations

from PaddleNLP.models.weights.checkpoint import Checkpoint, record, sizes

_ROBERTA = "RoBERTa: a robustly optimized BERT pretraining approach, https://arxiv.org/abs/1907.11692"
_WWM = "Pre-training with whole word masking for Chinese BERT, https://arxiv.org/abs/1906.08101"
_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/"


def _roberta(path: str, *size: int) -> Checkpoint:
    layers, hidden, heads, inner = size
    settings = {**sizes(layers, hidden, heads, inner, 21128), "type_vocab_size": 2}
    return Checkpoint("roberta", settings, record(f"{_HOST}{path}.pdparams", _WWM))


def _english(name: str, *size: int) -> Checkpoint:
    """Return the record of one of the paper's own; sizes, 1e-5 and padding 1 are those of transformers' settings."""
    layers, hidden, heads, inner = size
    settings = {
        **sizes(layers, hidden, heads, inner, 50265),
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "pad_token_id": 1,
        "layer_norm_eps": 1e-5,
    }
    url = f"https://bj.bcebos.com/paddlenlp/models/community/{name}/model_state.pdparams"
    return Checkpoint("roberta", settings, record(url, _ROBERTA))


CHECKPOINTS = {
    "roberta-base": _english("roberta-base", 12, 768, 12, 3072),
    "roberta-large": _english("roberta-large", 24, 1024, 16, 4096),
    "hfl/roberta-wwm-ext": _roberta("roberta_base/roberta_chn_base", 12, 768, 12, 3072),
    "hfl/roberta-wwm-ext-large": _roberta("roberta_large/roberta_chn_large", 24, 1024, 16, 4096),
    "hfl/rbt6": _roberta("rbt6/rbt6_chn_large", 6, 768, 12, 3072),
    "hfl/rbt4": _roberta("rbt4/rbt4_chn_large", 4, 768, 12, 3072),
    "hfl/rbt3": _roberta("rbt3/rbt3_chn_large", 3, 768, 12, 3072),
    "hfl/rbtl3": _roberta("rbtl3/rbtl3_chn_large", 3, 1024, 16, 4096),
}
"""Name to record."""

ALIASES = {name.partition("/")[2]: name for name in CHECKPOINTS if "/" in name}
"""Names without their publisher, as paddlenlp before 2.3 had them."""
