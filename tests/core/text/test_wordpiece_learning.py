"""Vocabularies learned from texts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.text import BertTokenizer, ErnieTokenizer, learn_wordpiece

TEXTS = ["Unlike the likely, unlikely likes.", "你好，世界！你好 like", "the Café the cafés"] * 3


def test_characters_and_pieces_in_ernies_layout(tmp_path: Path) -> None:
    vocab = learn_wordpiece(iter(TEXTS), 60)
    tokens = list(vocab.token_to_idx)
    assert tokens[:4] == ["[PAD]", "[CLS]", "[SEP]", "[MASK]"] and tokens[-1] == "[UNK]"
    assert list(vocab.token_to_idx.values()) == list(range(len(vocab))) and len(vocab) <= 60
    assert {"你", "，", "##e", "like", "the", "cafe"} <= set(tokens) and "É" not in tokens
    vocab.save_vocabulary(tmp_path / "vocab.txt")
    tokenizer = ErnieTokenizer(tmp_path / "vocab.txt")
    assert tokenizer.unk_token_id == len(vocab) - 1
    assert not any(tokenizer.unk_token_id in row for row in tokenizer.batch(TEXTS)["input_ids"])


def test_berts_layout_has_its_unused_tokens(tmp_path: Path) -> None:
    vocab = learn_wordpiece(TEXTS, 200, layout="bert", do_lower_case=False)
    assert vocab.to_indices(["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]) == [0, 1, 100, 101, 102, 103]
    assert {"U", "C", "##é"} <= set(vocab.token_to_idx)
    vocab.save_vocabulary(tmp_path / "vocab.txt")
    assert BertTokenizer(tmp_path / "vocab.txt", do_lower_case=False)("U")["input_ids"][0] == 101


def test_what_has_no_room_is_what_is_rare() -> None:
    tokens = set(learn_wordpiece(["a a a b b cb"] * 2, 7).token_to_idx)
    assert tokens == {"[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "a", "b"}
    alone = set(learn_wordpiece(["a a a b b cb"] * 2, 100, words=False).token_to_idx)
    assert alone == tokens | {"c", "##b"}
    assert "cb" in learn_wordpiece(["a a a b b cb"] * 2, 100).token_to_idx
    assert "cb" not in learn_wordpiece(["a a a b b cb"] * 2, 100, min_frequency=3).token_to_idx


def test_every_process_learns_the_same() -> None:
    code = (
        "from core.text import learn_wordpiece\n"
        f"texts = {TEXTS!r} + [''.join(chr(97 + (i * j) % 26) for j in range(1, 9)) for i in range(300)]\n"
        "print(list(learn_wordpiece(texts, 400, min_frequency=1).token_to_idx))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout for _ in range(2)]
    assert runs[0] == runs[1] and runs[0].count(b"', '") > 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], 100, "gpt"), "layout 'gpt' is none of bert, ernie"),
        ((["a"], 5), "size 5 has no room beside 5 special tokens of ernie"),
        (([], 100), "the texts have no characters"),
    ],
)
def test_what_cannot_be_learnt(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"learn_wordpiece: {message}")):
        learn_wordpiece(*arguments)
