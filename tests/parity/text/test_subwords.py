"""core.text's tokenisers of subwords against paddlenlp's, subword-nmt and jieba: see make_subwords.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.text import (
    AlbertTokenizer,
    ErnieTinyTokenizer,
    GPTTokenizer,
    LikeliestPath,
    PretrainedTokenizer,
    RobertaBPETokenizer,
    SubwordBPE,
    XLNetTokenizer,
    learn_bpe,
)
from core.text.tokenizers import read_frequencies, write_codes
from tests.parity.text import subword_cases as subwords
from tests.parity.text import wordpiece_cases as cases

OFFICIAL = json.loads(Path(__file__).with_name("subwords.json").read_text(encoding="utf-8"))
NAMES = [
    *("xlnet", "xlnet, bpe", "xlnet, accents", "albert", "tiny", "tiny, cased", "gpt, ordered", "gpt, any"),
    *("gpt, spaces", "roberta", "roberta, spaces"),
]


class Texts:
    """Lines, and the models that are learned of them."""

    def __init__(self, size: str, lines: Sequence[str], folder: Path) -> None:
        self.size, self.lines, self.folder = size, lines, folder
        self.models = subwords.models(lines)
        self.merges: dict[bool, Any] = {}

    def build(self, name: str) -> PretrainedTokenizer:
        kind, _, rest = name.partition(", ")
        if kind in ("gpt", "roberta"):
            tokens, merges = self.learned(rest != "any")
            special = subwords.ROBERTA if kind == "roberta" else ["<|endoftext|>"]
            subwords.write_byte_pairs(self.folder / "pairs", tokens, merges, special)
            paths = self.folder / "pairs" / "vocab.json", self.folder / "pairs" / "merges.txt"
            spaces = rest == "spaces"
            if kind == "gpt":
                return GPTTokenizer(*paths, add_prefix_space=spaces)
            return RobertaBPETokenizer(*paths, add_prefix_space=spaces)
        if kind == "tiny":
            files = subwords.write_tiny(self.folder / "tiny", self.models["tiny"], self.lines)
            return ErnieTinyTokenizer(**files, do_lower_case=rest != "cased")
        path = self.folder / "m.model"
        path.write_bytes(self.models["bpe" if rest == "bpe" else kind])
        if kind == "albert":
            return AlbertTokenizer(None, path)
        if rest == "bpe":
            return XLNetTokenizer(path, do_lower_case=True)
        return XLNetTokenizer(path, remove_space=rest != "accents", keep_accents=rest == "accents")

    def learned(self, ordered: bool) -> Any:
        if ordered not in self.merges:
            self.merges[ordered] = subwords.learn_byte_pairs(self.lines, ordered=ordered)
            merges = self.merges[ordered][1]
            official = OFFICIAL[self.size][f"merges, {'ordered' if ordered else 'any'}"]
            assert [len(merges), cases.digest(merges)] == official
        return self.merges[ordered]


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Texts:
    return Texts("short", subwords.NASTY, tmp_path_factory.mktemp("short"))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Texts:
    lines = cases.shared_lines()
    if not lines:
        pytest.skip(f"no shared data sets in {cases.SHARED}")
    return Texts("long", lines, tmp_path_factory.mktemp("long"))


@pytest.mark.parametrize("name", NAMES)
def test_nasty_lines_have_paddles_ids(name: str, short: Texts) -> None:
    official = OFFICIAL["short"][name]
    tokenizer = short.build(name)
    lines = [line for line in subwords.NASTY if name != "albert" or subwords.no_special(line)]
    for line, ids in zip(lines, official["ids"]):
        assert tokenizer(line)["input_ids"] == ids, line
    assert tokenizer.batch(lines)["input_ids"] == official["ids"]
    placed = tokenizer.batch(lines, return_offsets_mapping=True)
    assert placed["input_ids"] == official["ids"]
    for line, offsets in zip(lines, placed["offset_mapping"]):
        assert all(0 <= start <= end <= len(line) for start, end in offsets), line
    for line, ids in zip(subwords.SPECIALS, official["specials"]):
        assert tokenizer(line)["input_ids"] == ids, line
    for (text, pair), row in zip(subwords.PAIRS, official["pairs"]):
        assert tokenizer(text, pair) == row


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_lines_have_paddles_ids(name: str, long: Texts) -> None:
    assert {kind: cases.digest(model) for kind, model in long.models.items()} == OFFICIAL["long"]["models"]
    official = OFFICIAL["long"][name]
    tokenizer = long.build(name)
    placed = tokenizer.batch(long.lines, return_offsets_mapping=True)
    rows = tokenizer.batch(long.lines)["input_ids"]
    assert cases.hundreds(rows) == official["hashes"] and sum(map(len, rows)) == official["tokens"]
    assert placed["input_ids"] == rows


def test_merges_and_pieces_are_those_of_subword_nmt(short: Texts) -> None:
    codes, plain, kept = OFFICIAL["short"]["subword-nmt"]
    learned = learn_bpe(subwords.NASTY, 300)
    write_codes(learned, short.folder / "codes")
    assert (short.folder / "codes").read_text(encoding="utf-8") == codes
    bpe = SubwordBPE(short.folder / "codes")
    assert [bpe.segment(line) for line in subwords.NASTY] == plain
    bpe = SubwordBPE(learned, merges=240, vocab=subwords.frequent_pieces(plain))
    assert [bpe.segment(line) for line in subwords.NASTY] == kept


@pytest.mark.exhaustive
def test_merges_and_pieces_of_the_shared_lines_are_those_of_subword_nmt(long: Texts) -> None:
    codes, plain, kept = OFFICIAL["long"]["subword-nmt"]
    lines = long.lines[5000:]
    learned = learn_bpe(lines, 1000)
    assert cases.digest("".join(["#version: 0.2\n", *(f"{first} {second}\n" for first, second in learned)])) == codes
    found = list(map(SubwordBPE(learned).segment, lines))
    assert cases.hundreds(found) == plain
    bpe = SubwordBPE(learned, merges=800, vocab=subwords.frequent_pieces(found))
    assert cases.hundreds([bpe.segment(line) for line in lines]) == kept


def test_words_are_those_of_jieba(short: Texts) -> None:
    path = LikeliestPath(read_frequencies(subwords.write_frequencies(short.folder / "words", subwords.NASTY)))
    for line, words in zip(subwords.NASTY, OFFICIAL["short"]["jieba"]):
        assert path.cut(line) == words


@pytest.mark.exhaustive
def test_words_of_the_shared_lines_are_those_of_jieba(long: Texts) -> None:
    path = LikeliestPath(read_frequencies(subwords.write_frequencies(long.folder / "words", long.lines)))
    assert cases.hundreds([path.cut(line) for line in long.lines]) == OFFICIAL["long"]["jieba"]
