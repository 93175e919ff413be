"""Published encoders that are ERNIE's network trained further: to find passages (RocketQA, ERNIE-Search), to extract
information (UIE), to classify texts by what the classes are called (UTC); and further sizes of ERNIE 3.0 Tiny.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PaddleNLP.models.weights.checkpoint import Checkpoint, record
from PaddleNLP.models.weights.ernie import CHECKPOINTS as ERNIE

_HOST = "https://bj.bcebos.com/paddlenlp/models/transformers/"
_LATER = "https://paddlenlp.bj.bcebos.com/models/transformers/"
_PAPERS = {
    "rocketqa": "RocketQA: an optimized training approach to dense passage retrieval, https://arxiv.org/abs/2010.08191",
    "rocketqav2": "RocketQAv2: a joint training method for dense passage retrieval, https://arxiv.org/abs/2110.07367",
    "search": "ERNIE-Search: bridging cross-encoder with dual-encoder, https://arxiv.org/abs/2205.09153",
    "uie": "Unified structure generation for universal information extraction, https://arxiv.org/abs/2203.12277",
    "utc": "Universal information extraction as unified semantic matching, https://arxiv.org/abs/2301.03282",
    "tiny": "ERNIE-Tiny: a progressive distillation framework, https://arxiv.org/abs/2106.02241",
}
_SIZES = ("base", "medium", "mini", "micro", "nano")


def _listed() -> Iterator[tuple[str, str, str, str]]:
    """Give name, the encoder that it has the settings of, paper and address."""
    for part in ("query", "para", "cross"):
        old = f"{_HOST}rocketqa/rocketqa_"
        yield f"rocketqa-zh-dureader-{part}-encoder", "ernie-1.0", "rocketqa", f"{old}zh_dureader_{part}_encoder"
        yield f"rocketqa-v1-marco-{part}-encoder", "ernie-2.0-base-en", "rocketqa", f"{old}v1_marco_{part}_encoder"
        address = f"{_LATER}rocketqa/rocketqav2_en_marco_{part}_encoder"
        yield f"rocketqav2-en-marco-{part}-encoder", "ernie-2.0-base-en", "rocketqav2", address
    for size in _SIZES:
        like, kind = f"ernie-3.0-{size}-zh", "rocketqa"
        for name in (f"zh-{size}-query", f"zh-{size}-para", f"{size}-cross"):
            yield f"rocketqa-{name}-encoder", like, kind, f"{_LATER}rocketqa/rocketqa-{name}-encoder"
        yield f"uie-{size}", like, "uie", f"{_HOST}uie/uie_{size}"
        yield f"uie-senta-{size}", like, "uie", f"{_LATER if size == 'base' else _HOST}uie/uie_senta_{size}"
        yield f"ernie-3.0-tiny-{size}-v1-zh", like, "tiny", f"{_HOST}ernie_3.0/ernie_3.0_{size}_zh"
    for use in ("answer_extractor", "qa_filter"):
        yield f"uie-base-{use.replace('_', '-')}", "ernie-3.0-base-zh", "uie", f"{_HOST}uie/uie_base_{use}"
    yield "uie-base-en", "ernie-2.0-base-en", "uie", f"{_HOST}uie/uie_base_en"
    search = f"{_LATER}ernie_search/ernie_search_"
    for name, like in (("base-dual", "ernie-2.0-base-en"), ("large-cross", "ernie-2.0-large-en")):
        address = f"{search}{name.replace('-', '_')}_encoder_marco_en"
        yield f"ernie-search-{name}-encoder-marco-en", like, "search", address


def _tiny(size: str, name: str = "", **settings: Any) -> Checkpoint:
    """Return the record of the second version of ERNIE 3.0 Tiny, which knows no tasks."""
    like = ERNIE[f"ernie-3.0-{size}-zh"].settings
    kept = {key: value for key, value in like.items() if key not in ("use_task_id", "task_type_vocab_size")}
    address = f"{_HOST}ernie_3.0/ernie_3.0_tiny_{size}_v2{name}.pdparams"
    return Checkpoint("ernie", {**kept, **settings}, record(address, _PAPERS["tiny"]))


def _utc(size: str, like: str, tokens: int = 39981) -> Checkpoint:
    """Return the record of a classifier by the classes' names."""
    host, mark = (_HOST, "_") if size == "large" else (_LATER, "-")
    settings = {**ERNIE[like].settings, "vocab_size": tokens}
    if size == "large":
        settings.update(use_task_id=True, task_type_vocab_size=3)
    elif size != "xbase":
        settings = {key: value for key, value in settings.items() if key not in ("use_task_id", "task_type_vocab_size")}
    return Checkpoint("ernie", settings, record(f"{host}utc/utc{mark}{size}.pdparams", _PAPERS["utc"]))


CHECKPOINTS = {
    **{
        name: Checkpoint("ernie", ERNIE[like].settings, record(f"{address}.pdparams", _PAPERS[paper]))
        for name, like, paper, address in _listed()
    },
    **{f"ernie-3.0-tiny-{size}-v2-zh": _tiny(size) for size in ("base", "medium", "mini")},
    "ernie-3.0-tiny-mini-v2-en": _tiny(
        "mini", "_en", vocab_size=50265, max_position_embeddings=514, type_vocab_size=1
    ),
    "utc-large": _utc("large", "ernie-1.0-large-zh-cw", 17965),
    **{f"utc-{size}": _utc(size, f"ernie-3.0-{size}-zh") for size in ("xbase", *_SIZES)},
    "utc-pico": _utc("pico", "ernie-3.0-tiny-pico-v2-zh"),
}
"""Name to record."""
