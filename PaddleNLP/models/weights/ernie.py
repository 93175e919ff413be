"""Published ERNIE encoders: layers, hidden size, heads, inner size, tokens, positions, sentences, tasks of each."""

from __future__ import annotations

from PaddleNLP.models.weights.checkpoint import Checkpoint, record, sizes

_PAPERS = {
    "1": "ERNIE: enhanced representation through knowledge integration, https://arxiv.org/abs/1904.09223",
    "2": "ERNIE 2.0: a continual pre-training framework, https://arxiv.org/abs/1907.12412",
    "3": "ERNIE 3.0: large-scale knowledge enhanced pre-training, https://arxiv.org/abs/2107.02137",
    "tiny": "ERNIE-Tiny: a progressive distillation framework, https://arxiv.org/abs/2106.02241",
}
_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/"


def _ernie(
    generation: str,
    url: str,
    layers: int,
    hidden: int,
    heads: int,
    inner: int,
    vocabulary: int,
    positions: int,
    sentences: int,
    tasks: int = 0,
    act: str = "gelu",
) -> Checkpoint:
    settings = {
        **sizes(layers, hidden, heads, inner, vocabulary),
        "max_position_embeddings": positions,
        "type_vocab_size": sentences,
        "hidden_act": act,
    }
    if tasks:
        settings.update(use_task_id=True, task_type_vocab_size=tasks)
    url = url if url.startswith("https:") else f"{_HOST}{url}.pdparams"
    return Checkpoint("ernie", settings, record(url, _PAPERS[generation]))


def _fluid(generation: str, url: str, *settings: int, act: str = "gelu") -> Checkpoint:
    """Return the record of an archive of Fluid 1.x, whose layer normalisation adds 1e-5."""
    found = _ernie(generation, url, *settings, act=act)  # type: ignore[arg-type, misc]  # no tuple of known length
    source = "PaddlePaddle/ERNIE 1.x"
    return Checkpoint("ernie", {**found.settings, "layer_norm_eps": 1e-5}, record(url, _PAPERS[generation], source))


_BASE = (12, 768, 12, 3072)
_LARGE = (24, 1024, 16, 4096)
_MEDIUM = (6, 768, 12, 3072)
_MINI = (6, 384, 12, 1536)
_MICRO = (4, 384, 12, 1536)
_NANO = (4, 312, 12, 1248)
_PICO = (3, 128, 2, 512)

CHECKPOINTS = {
    "ernie-1.0": _ernie("1", "ernie/ernie_v1_chn_base", *_BASE, 18000, 513, 2, act="relu"),
    "ernie-1.0-base-zh": _ernie("1", "ernie/ernie_v1_chn_base", *_BASE, 18000, 513, 2, act="relu"),
    "ernie-1.0-base-zh-cw": _ernie("1", "ernie/ernie_1.0_base_zh_cw", *_BASE, 40000, 512, 4, 3),
    "ernie-1.0-large-zh-cw": _ernie("1", "ernie/ernie_1.0_large_zh_cw", 24, 1024, 16, 3072, 18000, 512, 2, act="relu"),
    "ernie-tiny": _ernie("2", "ernie_tiny/ernie_tiny", 3, 1024, 16, 4096, 50006, 600, 2, act="relu"),
    "ernie-2.0-base-zh": _ernie("2", "ernie_2.0/ernie_2.0_base_zh", *_BASE, 18000, 513, 4, act="relu"),
    "ernie-2.0-large-zh": _ernie("2", "ernie_2.0/ernie_2.0_large_zh", *_LARGE, 12800, 512, 4, act="relu"),
    "ernie-2.0-base-en": _ernie("2", "ernie_v2_base/ernie_v2_eng_base", *_BASE, 30522, 512, 4),
    "ernie-2.0-base-en-finetuned-squad": _ernie(
        "2", "ernie_v2_base/ernie_v2_eng_base_finetuned_squad", *_BASE, 30522, 512, 4
    ),
    "ernie-2.0-large-en": _ernie("2", "ernie_v2_large/ernie_v2_eng_large", *_LARGE, 30522, 512, 4),
    "ernie-3.0-xbase-zh": _ernie("3", "ernie_3.0/ernie_3.0_xbase_zh", 20, 1024, 16, 4096, 40000, 2048, 4, 16),
    "ernie-3.0-base-zh": _ernie("3", "ernie_3.0/ernie_3.0_base_zh", *_BASE, 40000, 2048, 4, 3),
    "ernie-3.0-medium-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_medium_zh", *_MEDIUM, 40000, 2048, 4, 16),
    "ernie-3.0-mini-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_mini_zh", *_MINI, 40000, 2048, 4, 16),
    "ernie-3.0-micro-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_micro_zh", *_MICRO, 40000, 2048, 4, 16),
    "ernie-3.0-nano-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_nano_zh", *_NANO, 40000, 2048, 4, 16),
    "ernie-3.0-tiny-micro-v2-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_tiny_micro_v2", *_MICRO, 40000, 2048, 4),
    "ernie-3.0-tiny-nano-v2-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_tiny_nano_v2", *_NANO, 40000, 2048, 4),
    "ernie-3.0-tiny-pico-v2-zh": _ernie("tiny", "ernie_3.0/ernie_3.0_tiny_pico_v2", *_PICO, 40000, 2048, 4),
    "ERNIE_stable-1.0.1": _fluid(
        "1", "https://baidu-nlp.bj.bcebos.com/ERNIE_stable-1.0.1.tar.gz", *_BASE, 18000, 513, 2, act="relu"
    ),
    "ERNIE_1.0_max-len-512": _fluid(
        "1", "https://ernie.bj.bcebos.com/ERNIE_1.0_max-len-512.tar.gz", *_BASE, 18000, 513, 2, act="relu"
    ),
    "ERNIE_Base_en_stable-2.0.0": _fluid(
        "2", "https://ernie.bj.bcebos.com/ERNIE_Base_en_stable-2.0.0.tar.gz", *_BASE, 30522, 512, 4, 16
    ),
    "ERNIE_Large_en_stable-2.0.0": _fluid(
        "2", "https://ernie.bj.bcebos.com/ERNIE_Large_en_stable-2.0.0.tar.gz", *_LARGE, 30522, 512, 4, 16
    ),
}
"""Name to record. The last four are archives of Fluid 1.x."""
