"""Words of a dictionary in texts without spaces, computed by hand."""

from __future__ import annotations

import importlib.util
import pickle
import random
from pathlib import Path

import pytest

from core.kernels.engine.requirements import PackageError, check
from core.text import CharTokenizer, JiebaTokenizer, LikeliestPath, LongestMatch, Vocab, WordTokenizer
from core.text.tokenizers import read_frequencies

WORDS = {"北京": 5, "大学": 6, "北京大学": 2, "大学生": 3, "生活": 4, "生": 1}


def test_the_longest_words_from_left_to_right() -> None:
    cut = LongestMatch(WORDS)
    assert cut.cut("我北京大学生活") == ["我", "北京大学", "生活"]
    assert LongestMatch(WORDS, longest=3).cut("北京大学生活") == ["北京", "大学生", "活"]
    assert cut.cut("") == [] and cut.cut("北") == ["北"]
    assert cut.place("x北京y") == (["x", "北京", "y"], [(0, 1), (1, 3), (3, 4)])


def test_the_longest_words_against_a_plain_search() -> None:
    drawn = random.Random(0)
    words = {"".join(drawn.choices("abc", k=drawn.randint(1, 6))) for _ in range(40)}
    cut = LongestMatch(words, 5)
    for _ in range(200):
        text = "".join(drawn.choices("abcd", k=drawn.randint(0, 30)))
        expected, place = [], 0
        while place < len(text):
            size = next((n for n in (5, 4, 3, 2) if place + n <= len(text) and text[place : place + n] in words), 1)
            expected.append(text[place : place + size])
            place += size
        assert cut.cut(text) == expected


def test_the_likeliest_path_against_all_paths() -> None:
    drawn = random.Random(1)
    words = {"".join(drawn.choices("甲乙丙", k=drawn.randint(1, 4))): drawn.randint(1, 50) for _ in range(25)}
    cut = LikeliestPath(words)
    total = sum(words.values())

    def best(text: str) -> float:
        if not text:
            return 1.0
        heads = [n for n in range(1, len(text) + 1) if text[:n] in words] or [1]
        return max(words.get(text[:n], 1) / total * best(text[n:]) for n in heads)

    for _ in range(60):
        text = "".join(drawn.choices("甲乙丙丁", k=drawn.randint(1, 9)))
        found = cut.cut(text)
        product = 1.0
        for word in found:
            product *= words.get(word, 1) / total
        assert "".join(found) == text and product == pytest.approx(best(text))


def test_latin_letters_stand_together_and_other_signs_alone() -> None:
    cut = LikeliestPath(WORDS)
    assert cut.cut("在iPhone13上，北京!? \r\n大学") == [
        *("在", "iPhone13", "上", "，", "北京", "!", "?", " ", "\r\n", "大学"),
    ]


def test_words_and_characters_are_looked_up() -> None:
    vocab = Vocab(token_to_idx={"[UNK]": 0, "北京": 1, "大学": 2, "北": 3}, unk_token="[UNK]")
    assert CharTokenizer(vocab).encode("北 京\n") == [3, 0]
    assert CharTokenizer(vocab).place(" 北 京") == (["北", "京"], [(1, 2), (3, 4)])
    words = WordTokenizer(vocab, LongestMatch(WORDS))
    assert words.encode("北京 大学好") == [1, 2, 0]
    assert pickle.loads(pickle.dumps(words)).place("好 大学")[1] == [(0, 1), (2, 4)]


def test_jieba_is_needed_for_guesses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    vocab = Vocab(token_to_idx={"[UNK]": 0, "北京": 1, "大学": 2, "北": 3, "大": 4}, unk_token="[UNK]")
    tokenizer = JiebaTokenizer(vocab)
    assert tokenizer.cut("北京大学好", use_hmm=False) == ["北京", "大学", "好"]
    assert tokenizer.encode("北京大学好", use_hmm=False) == [1, 2, 0]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    message = (
        "JiebaTokenizer needs the extra jieba for use_hmm=True and cut_all=True; use_hmm=False works without: the "
        "package jieba is not installed; run: .* -m pip install 'jieba>=0.42'"
    )
    check.cache_clear()
    with pytest.raises(PackageError, match=f"^{message}$"):
        tokenizer.cut("北京大学")
    check.cache_clear()


def test_dictionaries_are_read_and_what_is_wrong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("北京 5 ns\n大学\t7\n生\n", encoding="utf-8")
    assert read_frequencies(path) == {"北京": 5, "大学": 7, "生": 1}
    path.write_text("北京 5 ns\n\n", encoding="utf-8")
    assert read_frequencies(path) == {"北京": 5}
    path.write_text("北京 5 ns\n大 学 的 词\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"words.txt, line 2: '大 学 的 词' is not a word, its frequency and its tag"):
        read_frequencies(path)
    path.write_text("")
    with pytest.raises(ValueError, match=r"words.txt: a dictionary without words"):
        read_frequencies(path)
