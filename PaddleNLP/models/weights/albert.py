"""Published ALBERT encoders: layers, hidden size, heads, inner size, tokens, activation, dropout."""

from __future__ import annotations

from PaddleNLP.models.weights.checkpoint import Checkpoint, record, sizes

_ALBERT = (
    "ALBERT: a lite BERT for self-supervised learning of language representations, https://arxiv.org/abs/1909.11942"
)
_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/albert/"

_BASE = (12, 768, 12, 3072)
_LARGE = (24, 1024, 16, 4096)
_XLARGE = (24, 2048, 16, 8192)
_XXLARGE = (12, 4096, 64, 16384)


def _albert(name: str, *size: int, act: str, dropout: float = 0.0, spread: float = 0.02) -> Checkpoint:
    layers, hidden, heads, inner, vocabulary = size
    settings = {
        **sizes(layers, hidden, heads, inner, vocabulary),
        "hidden_act": act,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
        "initializer_range": spread,
    }
    return Checkpoint("albert", settings, record(f"{_HOST}{name}.pdparams", _ALBERT))


CHECKPOINTS = {
    "albert-base-v1": _albert("albert-base-v1", *_BASE, 30000, act="gelu", dropout=0.1),
    "albert-large-v1": _albert("albert-large-v1", *_LARGE, 30000, act="gelu", dropout=0.1),
    "albert-xlarge-v1": _albert("albert-xlarge-v1", *_XLARGE, 30000, act="gelu", dropout=0.1),
    "albert-xxlarge-v1": _albert("albert-xxlarge-v1", *_XXLARGE, 30000, act="gelu"),
    "albert-base-v2": _albert("albert-base-v2", *_BASE, 30000, act="gelu_new"),
    "albert-large-v2": _albert("albert-large-v2", *_LARGE, 30000, act="gelu_new"),
    "albert-xlarge-v2": _albert("albert-xlarge-v2", *_XLARGE, 30000, act="gelu_new"),
    "albert-xxlarge-v2": _albert("albert-xxlarge-v2", *_XXLARGE, 30000, act="gelu_new"),
    "albert-chinese-tiny": _albert("albert-chinese-tiny", 4, 312, 12, 1248, 21128, act="gelu"),
    "albert-chinese-small": _albert("albert-chinese-small", 6, 384, 12, 1536, 21128, act="gelu"),
    "albert-chinese-base": _albert("albert-chinese-base", *_BASE, 21128, act="relu"),
    "albert-chinese-large": _albert("albert-chinese-large", *_LARGE, 21128, act="relu"),
    "albert-chinese-xlarge": _albert("albert-chinese-xlarge", *_XLARGE, 21128, act="relu", spread=0.014),
    "albert-chinese-xxlarge": _albert("albert-chinese-xxlarge", 12, 4096, 16, 16384, 21128, act="relu", spread=0.01),
}
"""Name of a checkpoint to what is known about it."""
