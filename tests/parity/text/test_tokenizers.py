"""core.text's tokenisers against paddlenlp's own: see make_tokenizers.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.text import BasicTokenizer, PretrainedTokenizer, tokenizers
from tests.parity.text import wordpiece_cases as cases
from tests.sampling import sampled

PADDLE = json.loads(Path(__file__).with_name("wordpiece.json").read_text(encoding="utf-8"))


def build(name: str, tokens: list[str], folder: Path, numbered: bool = False) -> PretrainedTokenizer:
    kind, _, settings = cases.CASES[name]
    tokenizer: PretrainedTokenizer = getattr(tokenizers, kind)(
        cases.write(tokens, folder / "vocab.txt", numbered), **settings
    )
    return tokenizer


@pytest.mark.parametrize("name", cases.CASES)
def test_nasty_lines_have_paddles_ids(name: str, tmp_path: Path) -> None:
    layout = cases.CASES[name][1]
    tokens = [*cases.SPECIAL[layout], *PADDLE["vocabulary"]]
    tokenizer = build(name, tokens, tmp_path, numbered=layout == "ernie")
    official = PADDLE["short"][name]
    for line, ids in zip(cases.NASTY, official["ids"]):
        assert tokenizer(line)["input_ids"] == ids, line
    assert tokenizer.batch(cases.NASTY)["input_ids"] == official["ids"]
    placed = tokenizer.batch(cases.NASTY, return_offsets_mapping=True)
    assert placed["input_ids"] == official["ids"]
    for (text, pair, settings), row in zip(cases.PAIRS, official.get("pairs", [])):
        assert tokenizer(text, pair, **settings) == row, (text, pair, settings)
    for (texts, pairs, settings), rows in zip(cases.WINDOWS, official.get("windows", [])):
        found = tokenizer(texts, pairs, return_offsets_mapping=True, **settings)
        for column in ("input_ids", "overflow_to_sample"):
            assert found[column] == rows[column]
        for row, ours, theirs in zip(found["input_ids"], found["offset_mapping"], rows["offset_mapping"]):
            for index, place, official_place in zip(row, ours, theirs):
                # Paddle guesses what an unknown token covers: the next characters, the spaces between them too
                assert index == tokenizer.unk_token_id or list(place) == official_place
    for words, ids in zip(cases.WORDS, official.get("words", [])):
        assert tokenizer(words, is_split_into_words=True)["input_ids"] == ids


@pytest.mark.parametrize("name", sampled(cases.LONG_CASES, 1000, group=lambda name: name == "ernie"))
def test_ten_thousand_lines_have_paddles_ids(name: str, tmp_path: Path) -> None:
    lines = cases.shared_lines()
    if not lines:
        pytest.skip(f"no shared data sets in {cases.SHARED}")
    official = PADDLE["long"][name]
    tokens = cases.learn(lines, cases.CASES[name][1])
    assert [len(tokens), cases.digest(tokens)] == official["vocabulary"]
    rows = build(name, tokens, tmp_path).batch(lines)["input_ids"]
    assert cases.hundreds(rows) == official["hashes"]
    assert sum(map(len, rows)) == official["tokens"][0]


def test_characters_are_words_as_in_paddle() -> None:
    tokenizer = BasicTokenizer()
    words = [tokenizer.tokenize(f"a{chr(code)}b") for code in cases.characters()]
    assert cases.hundreds(words) == PADDLE["characters"]
