"""Published XLNet models: layers, hidden size, heads, inner size and activation; all have 32,000 tokens."""

from __future__ import annotations

from PaddleNLP.models.weights.checkpoint import Checkpoint, record

_XLNET = "XLNet: generalized autoregressive pretraining for language understanding, https://arxiv.org/abs/1906.08237"
_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/xlnet/"


def _xlnet(name: str, layers: int, hidden: int, heads: int, inner: int, act: str) -> Checkpoint:
    sizes = {"n_layer": layers, "d_model": hidden, "n_head": heads, "d_inner": inner, "vocab_size": 32000}
    return Checkpoint("xlnet", {**sizes, "ff_activation": act}, record(f"{_HOST}{name}.pdparams", _XLNET))


CHECKPOINTS = {
    "xlnet-base-cased": _xlnet("xlnet-base-cased", 12, 768, 12, 3072, "gelu"),
    "xlnet-large-cased": _xlnet("xlnet-large-cased", 24, 1024, 16, 4096, "gelu"),
    "chinese-xlnet-base": _xlnet("chinese-xlnet-base", 12, 768, 12, 3072, "relu"),
    "chinese-xlnet-mid": _xlnet("chinese-xlnet-mid", 24, 768, 12, 3072, "relu"),
    "chinese-xlnet-large": _xlnet("chinese-xlnet-large", 24, 1024, 16, 4096, "relu"),
}
"""Name of a checkpoint to what is known about it."""
