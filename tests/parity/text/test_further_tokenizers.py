"""GPTChineseTokenizer and SKEP's byte pairs against paddlenlp's: see make_further_tokenizers.py."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from core.kernels.engine.requirements import PackageError
from core.text import GPTChineseTokenizer, PretrainedTokenizer, SkepTokenizer
from core.text.tokenizers import words
from tests.parity.text import subword_cases as subwords

OFFICIAL = json.loads(Path(__file__).with_name("further.json").read_text(encoding="utf-8"))
BYTE_PAIRS: dict[str, Any] = {
    "use_bpe_encoder": True,
    "need_token_type_id": False,
    "add_two_sep_token_inter": True,
}


@pytest.fixture
def stored_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package jieba, which knows the words that it found when the reference was made, and nothing else."""
    found = types.SimpleNamespace(lcut=lambda text: list(OFFICIAL["jieba"][text]))
    monkeypatch.setattr(words, "check", lambda *_: None)
    monkeypatch.setitem(sys.modules, "jieba", found)  # type: ignore[arg-type]  # stands in for a module


def skep(folder: Path, kind: str) -> SkepTokenizer:
    vocabulary, merges, pieces = subwords.write_skep(folder, kind == "with")
    return SkepTokenizer(vocabulary, merges, pieces, **BYTE_PAIRS)


def chinese(folder: Path) -> GPTChineseTokenizer:
    (folder / "sentencepiece.model").write_bytes(subwords.models(subwords.NASTY)["xlnet"])
    return GPTChineseTokenizer(folder / "sentencepiece.model")


def assert_paddles(tokenizer: PretrainedTokenizer, official: dict[str, Any], specials: list[str]) -> None:
    for line, ids in zip([*subwords.NASTY, *specials], [*official["ids"], *official["specials"]]):
        if None in ids:  # paddlenlp has no id for [UNK] where the pieces have none
            continue
        assert tokenizer(line)["input_ids"] == ids, line
        placed = tokenizer(line, return_offsets_mapping=True)
        assert placed["input_ids"] == ids
        assert all(0 <= start <= end <= len(line) for start, end in placed["offset_mapping"]), line
    for (text, pair), ids in zip(subwords.PAIRS, official["pairs"]):
        assert tokenizer(text, pair)["input_ids"] == ids
    for line, text in zip(subwords.NASTY, official["texts"]):
        assert tokenizer.convert_tokens_to_string(tokenizer.tokenize(line)) == text


@pytest.mark.parametrize("kind", ["with", "without"])
def test_byte_pairs_of_skep(kind: str, tmp_path: Path) -> None:
    tokenizer = skep(tmp_path, kind)
    assert_paddles(tokenizer, OFFICIAL[f"skep, {kind}"], subwords.SPECIALS)
    assert list(tokenizer("a", "b")) == ["input_ids"]
    tokenizer.save_pretrained(tmp_path / "saved")
    again = SkepTokenizer.from_pretrained(tmp_path / "saved")
    assert again("a café", "你好 [MASK]") == tokenizer("a café", "你好 [MASK]")
    assert len(again) == len(tokenizer) and again.vocab_size == tokenizer.vocab_size


def test_files_that_byte_pairs_of_skep_need(tmp_path: Path) -> None:
    vocabulary, merges, pieces = subwords.write_skep(tmp_path, False)
    with pytest.raises(ValueError, match="SkepTokenizer: use_bpe_encoder needs the files bpe_vocab_file and bpe_json"):
        SkepTokenizer(vocabulary, use_bpe_encoder=True)
    (tmp_path / "vocab.json").write_text('{"a": 0}')
    with pytest.raises(ValueError, match=r"vocab.json: it has no '!', and no '\[UNK\]' in its place"):
        SkepTokenizer(vocabulary, merges, pieces, **BYTE_PAIRS)


@pytest.mark.usefixtures("stored_words")
def test_chinese_gpt(tmp_path: Path) -> None:
    tokenizer = chinese(tmp_path)
    assert_paddles(tokenizer, OFFICIAL["gpt"], subwords.DOCUMENTS)
    assert (tokenizer.eol_token_id, tokenizer.bos_token_id, tokenizer.vocab_size) == (0, 400, 400)
    assert tokenizer("你好 world", "café 3,000")["token_type_ids"][-1] == 1
    tokenizer.save_pretrained(tmp_path / "saved")
    again = GPTChineseTokenizer.from_pretrained(tmp_path / "saved")
    assert again("中国人民银行发布了第三季度报告") == tokenizer("中国人民银行发布了第三季度报告")


@pytest.mark.usefixtures("stored_words")
def test_offsets_of_chinese_gpt(tmp_path: Path) -> None:
    text = "今天天气真好，我们去北京大学看电影吧！"
    tokenizer = chinese(tmp_path)
    row = tokenizer(text, return_offsets_mapping=True)
    tokens = tokenizer.convert_ids_to_tokens(row["input_ids"])
    for token, (start, end) in zip(tokens, row["offset_mapping"]):
        plain = token.replace("▁", "").translate(str.maketrans(",!", "，！"))
        assert token == "<unk>" or text[start:end] == plain, (token, start, end)
    assert tokenizer.convert_tokens_to_string(["▁今天", "▁\u2582", "▁好", "▁\u2583"]) == "今天 好\n"


def test_chinese_gpt_needs_jieba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any) -> None:
        raise PackageError("the package jieba is missing: pip install jieba")

    monkeypatch.setattr(words, "check", missing)
    with pytest.raises(PackageError, match="GPTChineseTokenizer needs the extra jieba for the words of texts: the pac"):
        chinese(tmp_path)("今天")
