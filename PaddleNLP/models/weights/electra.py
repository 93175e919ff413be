"""Published ELECTRA encoders: layers, hidden size, heads, inner size, tokens, and the length of the tables' vectors."""

from __future__ import annotations

from PaddleNLP.models.weights.checkpoint import Checkpoint, record, sizes

_ELECTRA = "ELECTRA: pre-training text encoders as discriminators, https://arxiv.org/abs/2003.10555"
_HEALTH = (
    "Building Chinese biomedical language models via multi-level text discrimination, https://arxiv.org/abs/2110.07244"
)
_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/"

_SMALL = (12, 256, 4, 1024)
_BASE = (12, 768, 12, 3072)
_LARGE = (24, 1024, 16, 4096)


def _electra(url: str, layers: int, hidden: int, heads: int, inner: int, vocabulary: int, narrow: int) -> Checkpoint:
    settings = {**sizes(layers, hidden, heads, inner, vocabulary), "embedding_size": narrow}
    return Checkpoint("electra", settings, record(f"{_HOST}{url}.pdparams", _ELECTRA))


def _health() -> Checkpoint:
    """Return the record of the biomedical encoder, whose layer normalisation adds 1e-5."""
    settings = {**sizes(*_BASE, 22608), "embedding_size": 768, "layer_norm_eps": 1e-5}
    url = "https://paddlenlp.bj.bcebos.com/models/transformers/ernie-health-chinese/ernie-health-chinese.pdparams"
    return Checkpoint("electra", settings, record(url, _HEALTH))


CHECKPOINTS = {
    "electra-small": _electra("electra/electra-small", *_SMALL, 30522, 128),
    "electra-base": _electra("electra/electra-base", *_BASE, 30522, 768),
    "electra-large": _electra("electra/electra-large", *_LARGE, 30522, 1024),
    "chinese-electra-small": _electra("chinese-electra-small/chinese-electra-small", *_SMALL, 21128, 128),
    "chinese-electra-base": _electra("chinese-electra-base/chinese-electra-base", *_BASE, 21128, 768),
    "ernie-health-chinese": _health(),
}
"""Name of a checkpoint to what is known about it."""
