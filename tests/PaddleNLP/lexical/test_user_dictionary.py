"""Dictionaries of users: their format, what they change in a text, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from PaddleNLP.lexical.user_dictionary import Conflict, UserDictionary, Word

TEXT = "春天的花开秋天的风"
FOUND = [("春天", "t"), ("的", "u"), ("花", "n"), ("开", "v"), ("秋天", "t"), ("的", "u"), ("风", "n")]


def words(pairs: list[tuple[str, str]]) -> list[Word]:
    found, place = [], 0
    for text, tag in pairs:
        found.append(Word(place, place + len(text), tag))
        place += len(text)
    return found


def pairs(text: str, found: list[Word]) -> list[tuple[str, str]]:
    assert "".join(text[word.start : word.end] for word in found) == text
    return [(text[word.start : word.end], word.tag) for word in found]


def read(folder: Path, content: str, conflict: Conflict = "override") -> UserDictionary:
    (folder / "user.dic").write_text(content, encoding="utf-8")
    return UserDictionary.read(folder / "user.dic", conflict)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("春天/SEASON", [("春天", "SEASON"), *FOUND[1:]]),
        ("花开", [*FOUND[:2], ("花开", "v"), *FOUND[4:]]),  # the tag of its last character
        ("花 开/n", [*FOUND[:3], ("开", "n"), *FOUND[4:]]),
        ("秋天的风", [*FOUND[:4], ("秋天的风", "n")]),
        ("天的/x", [("春", "t"), ("天的", "x"), *FOUND[2:4], ("秋", "t"), ("天的", "x"), ("风", "n")]),
        ("春天的/a\n春天的花/b\n花开/c", [("春天的花", "b"), *FOUND[3:]]),  # the longest one, without overlaps
        ("[D:S]\n春天\n秋天/t2\n[D:]\n花开", [("春天", "S"), FOUND[1], ("花开", "v"), ("秋天", "t2"), *FOUND[5:]]),
        ("# 春天/SEASON\n\n开/w", [*FOUND[:3], ("开", "w"), *FOUND[4:]]),
    ],
)
def test_what_a_dictionary_makes_of_words(content: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert pairs(TEXT, read(tmp_path, content).applied(TEXT, words(FOUND))) == expected


def test_the_network_s_words_may_count_where_both_differ(tmp_path: Path) -> None:
    kept = read(tmp_path, "天的/x\n花开/y\n春/z", "keep").applied(TEXT, words(FOUND))
    assert pairs(TEXT, kept) == [*FOUND[:2], ("花开", "y"), *FOUND[4:]]


def test_spaces_and_slashes_belong_to_words(tmp_path: Path) -> None:
    dictionary = read(tmp_path, "New\\ York/LOC\nTCP\\/IP/nz\n\\\\n\n")
    assert set(dictionary.items) == {"New York", "TCP/IP", "\\n"}
    text = "在New York用TCP/IP"
    found = dictionary.applied(text, words([("在", "p"), ("New", "nz"), (" York", "nz"), ("用", "v"), ("TCP/IP", "w")]))
    assert pairs(text, found) == [("在", "p"), ("New York", "LOC"), ("用", "v"), ("TCP/IP", "nz")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("春天/\n", "user.dic:1: '' is no tag: a tag is letters, digits and _, such as n or PER; a slash in a word is"),
        ("花\nTCP/IP/nz\n", "user.dic:2: 'IP/nz' is no tag"),
        ("/n\n", r"user.dic:1: '/n' has no word before its tag; a slash in a word is written \\/"),
        ("[D:中]\n春\n", "user.dic:1: '中' is no tag"),
        ("春天\\\n", r"user.dic:1: '春天\\\\' ends with a backslash; a backslash in a word is written twice"),
        ("春天/a\n\n春 天/b\n", "user.dic:3: '春天' is in line 1 already"),
        ("春" * 1001, "user.dic:1: an item has at most 1,000 characters, not 1,001"),
        ("# nothing\n", "user.dic: a dictionary without words"),
        ("\n".join(["春"] * 2), "user.dic:2: '春' is in line 1 already"),
    ],
)
def test_a_wrong_line_is_reported(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, content)


def test_bytes_that_are_no_text_and_other_rules(tmp_path: Path) -> None:
    (tmp_path / "user.dic").write_bytes(b"\xb4\xba\n")
    with pytest.raises(ValueError, match="user.dic:1: byte 1 is not UTF-8; save the file as UTF-8 text"):
        UserDictionary.read(tmp_path / "user.dic")
    with pytest.raises(ValueError, match="conflict is 'override' or 'keep', not 'both'"):
        UserDictionary([], "both")  # type: ignore[arg-type]  # as a user may write
