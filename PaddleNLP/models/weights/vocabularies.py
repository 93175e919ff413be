"""The published tokenisers of checkpoints: which class reads which files, with which settings.

Addresses and settings are facts of paddlenlp 2.8.1's own lists (``pretrained_resource_files_map`` and
``pretrained_init_configuration`` of each tokeniser). Checkpoints of the 1.x releases carry a ``vocab.txt`` in their
archives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_ROOT = "https://bj.bcebos.com/"
_HOST = f"{_ROOT}paddlenlp/models/transformers/"


class Vocabulary(NamedTuple):
    """A published tokeniser.

    Attributes:
        tokenizer: its class, a name of :mod:`core.text`.
        files: address of the file for each argument of the class that takes one.
        settings: further arguments.
    """

    tokenizer: str
    files: Mapping[str, str]
    settings: Mapping[str, Any]


def _bert() -> Iterator[tuple[str, str, bool]]:
    """Give name, file and whether letters are made small for BERT's tokenisers."""
    for name in ("base-uncased", "large-uncased", "base-multilingual-uncased"):
        yield f"bert-{name}", f"{_ROOT}paddle-hapi/models/bert/bert-{name}-vocab.txt", True
    for name in ("base-cased", "large-cased", "base-multilingual-cased", "base-chinese"):
        yield f"bert-{name}", f"{_ROOT}paddle-hapi/models/bert/bert-{name}-vocab.txt", False
    for name in ("wwm-chinese", "wwm-ext-chinese"):
        yield f"bert-{name}", f"{_HOST}bert/bert-{name}-vocab.txt", False
    for name in ("base", "medium", "6l-768h", "small", "mini", "tiny"):
        yield f"uer/chinese-roberta-{name}", f"{_HOST}uer/chinese_roberta_vocab.txt", True
    yield "simbert-base-chinese", f"{_HOST}simbert/vocab.txt", True
    for name in ("base", "large"):
        yield f"macbert-{name}-chinese", f"{_ROOT}paddle-hapi/models/bert/bert-base-chinese-vocab.txt", False


_ERNIE = {
    "ernie-1.0": "ernie/vocab.txt",
    "ernie-1.0-base-zh": "ernie/vocab.txt",
    "ernie-1.0-base-zh-cw": "ernie/ernie_1.0_base_zh_cw_vocab.txt",
    "ernie-1.0-large-zh-cw": "ernie/vocab.txt",
    "ernie-2.0-base-zh": "ernie_2.0/ernie_2.0_base_zh_vocab.txt",
    "ernie-2.0-large-zh": "ernie_2.0/ernie_2.0_large_zh_vocab.txt",
    "ernie-2.0-base-en": "ernie_v2_base/vocab.txt",
    "ernie-2.0-base-en-finetuned-squad": "ernie_v2_base/vocab.txt",
    "ernie-2.0-large-en": "ernie_v2_large/vocab.txt",
    **{
        f"ernie-3.0-{size}-zh": f"ernie_3.0/ernie_3.0_{size}_zh_vocab.txt"
        for size in ("xbase", "base", "medium", "mini", "micro", "nano")
    },
    **{
        f"ernie-3.0-tiny-{size}-v2-zh": f"ernie_3.0/ernie_3.0_tiny_{size}_v2_vocab.txt"
        for size in ("base", "medium", "mini", "micro", "nano", "pico")
    },
    "ernie-3.0-tiny-mini-v2-en": "ernie_3.0/ernie_3.0_tiny_mini_v2_en_vocab.txt",
    **{
        f"{name}-encoder": file
        for part in ("query", "para", "cross")
        for name, file in (
            (f"rocketqa-zh-dureader-{part}", "rocketqa/rocketqa-zh-dureader-vocab.txt"),
            (f"rocketqa-v1-marco-{part}", "rocketqa/rocketqa-v1-marco-vocab.txt"),
            (f"rocketqav2-en-marco-{part}", "ernie_v2_base/vocab.txt"),
        )
    },
    **{
        name: f"ernie_3.0/ernie_3.0_{size}_zh_vocab.txt"
        for size in ("base", "medium", "mini", "micro", "nano")
        for name in (
            *(f"rocketqa-{place}-encoder" for place in (f"zh-{size}-query", f"zh-{size}-para", f"{size}-cross")),
            *(f"uie-{size}", f"uie-senta-{size}", f"ernie-3.0-tiny-{size}-v1-zh"),
        )
    },
    **dict.fromkeys(("uie-base-answer-extractor", "uie-base-qa-filter"), "ernie_3.0/ernie_3.0_base_zh_vocab.txt"),
    "uie-base-en": "ernie_v2_base/vocab.txt",
    "ernie-search-base-dual-encoder-marco-en": "ernie_v2_base/vocab.txt",
    "ernie-search-large-cross-encoder-marco-en": "ernie_v2_large/vocab.txt",
}
_UTC = {
    f"utc-{size}": f"https://paddlenlp.bj.bcebos.com/models/transformers/utc/utc_{size}_vocab.txt"
    for size in ("large", "xbase", "base", "medium", "mini", "micro", "nano", "pico")
}
_ROBERTA = {
    "hfl/roberta-wwm-ext": "roberta_base",
    "hfl/roberta-wwm-ext-large": "roberta_large",
    **{f"hfl/{name}": name for name in ("rbt6", "rbt4", "rbt3", "rbtl3")},
}
_WORD_PIECES = [
    *(("BertTokenizer", *one) for one in _bert()),
    *(("ErnieTokenizer", name, f"{_HOST}{file}", True) for name, file in _ERNIE.items()),
    *(("ErnieTokenizer", name, file, True) for name, file in _UTC.items()),
    *(("RobertaChineseTokenizer", name, f"{_HOST}{folder}/vocab.txt", True) for name, folder in _ROBERTA.items()),
    *(
        ("ElectraTokenizer", f"electra-{size}", f"{_HOST}electra/electra-{size}-vocab.txt", True)
        for size in ("small", "base", "large")
    ),
    *(
        ("ElectraTokenizer", f"chinese-electra-{size}", f"{_HOST}chinese-electra-{size}/vocab.txt", True)
        for size in ("small", "base")
    ),
    (
        "ElectraTokenizer", "ernie-health-chinese",
        "https://paddlenlp.bj.bcebos.com/models/transformers/ernie-health-chinese/vocab.txt", True,
    ),
    *(
        ("ErnieGramTokenizer", name, f"{_HOST}ernie_gram_zh/vocab.txt", True)
        for name in ("ernie-gram-zh", "ernie-gram-zh-finetuned-dureader-robust")
    ),
    *(
        ("SkepTokenizer", name, f"{_HOST}skep/{name}.vocab.txt", True)
        for name in ("skep_ernie_1.0_large_ch", "skep_ernie_2.0_large_en")
    ),
    *(
        ("DistilBertTokenizer", name, f"{_HOST}distilbert/{name}-vocab.txt", name.endswith("-uncased"))
        for name in ("distilbert-base-uncased", "distilbert-base-cased")
    ),
    *(
        ("NeZhaTokenizer", f"nezha-{size}-chinese", f"{_HOST}nezha/nezha-chinese-vocab.txt", False)
        for size in ("base", "large", "base-wwm", "large-wwm")
    ),
    *(
        ("TinyBertTokenizer", f"tinybert-{size}", f"{_HOST}tinybert/tinybert-{size}-vocab.txt", True)
        for kind in ("", "-v2", "-zh")
        for size in (f"4l-312d{kind}", f"6l-768d{kind}")
    ),
]  # fmt: skip


def _listed() -> Iterator[tuple[str, Vocabulary]]:
    for kind, name, file, lower in _WORD_PIECES:
        yield name, Vocabulary(kind, {"vocab_file": file}, {"do_lower_case": lower})
    folder = f"{_HOST}ernie_tiny/"
    files = {
        "vocab_file": f"{folder}vocab.txt",
        "sentencepiece_model_file": f"{folder}spm_cased_simp_sampled.model",
        "word_dict": f"{folder}dict.wordseg.pickle",
    }
    yield "ernie-tiny", Vocabulary("ErnieTinyTokenizer", files, {"do_lower_case": True})
    for size in ("base", "large", "xlarge", "xxlarge"):
        for version in ("v1", "v2"):
            file = f"{_HOST}albert/albert-{size}-{version}.spiece.model"
            settings: dict[str, Any] = {"do_lower_case": True, "remove_space": True, "keep_accents": False}
            tokens = {"unk_token": "<unk>", "pad_token": "<pad>"}
            files = {"sentencepiece_model_file": file}
            yield f"albert-{size}-{version}", Vocabulary("AlbertTokenizer", files, {**settings, **tokens})
    for size in ("tiny", "small", "base", "large", "xlarge", "xxlarge"):
        files = {"vocab_file": f"{_HOST}albert/albert-chinese-{size}.vocab.txt"}
        settings = {"do_lower_case": False, "unk_token": "[UNK]", "pad_token": "[PAD]"}
        yield f"albert-chinese-{size}", Vocabulary("AlbertTokenizer", files, settings)
    chinese = [f"chinese-xlnet-{size}" for size in ("base", "mid", "large")]
    for name in ("xlnet-base-cased", "xlnet-large-cased", *chinese):
        files = {"vocab_file": f"{_HOST}xlnet/{name}-spiece.model"}
        yield name, Vocabulary("XLNetTokenizer", files, {"do_lower_case": False})
    files = {"vocab_file": f"{_HOST}gpt/gpt-en-vocab.json", "merges_file": f"{_HOST}gpt/gpt-en-merges.txt"}
    for name in ("gpt2-en", "gpt2-medium-en", "gpt2-large-en", "gpt2-xl-en"):
        yield name, Vocabulary("GPTTokenizer", files, {})
    for name in ("gpt-cpm-large-cn", "gpt-cpm-small-cn-distill"):
        file = f"{_HOST}gpt/gpt-cpm-cn-sentencepiece.model"
        yield name, Vocabulary("GPTChineseTokenizer", {"model_file": file}, {})
    folder = f"{_HOST}skep/skep_roberta_large_en."
    files = {
        "vocab_file": f"{folder}vocab.txt",
        "bpe_vocab_file": f"{folder}vocab.bpe",
        "bpe_json_file": f"{folder}encoder.json",
    }
    settings = {"use_bpe_encoder": True, "need_token_type_id": False, "add_two_sep_token_inter": True}
    yield "skep_roberta_large_en", Vocabulary("SkepTokenizer", files, settings)
    for name in ("roberta-base", "roberta-large"):
        folder = f"{_ROOT}paddlenlp/models/community/{name}/"
        files = {"vocab_file": f"{folder}vocab.json", "merges_file": f"{folder}merges.txt"}
        yield name, Vocabulary("RobertaBPETokenizer", files, {})


VOCABULARIES = dict(_listed())
"""Name of a checkpoint to its tokeniser."""
