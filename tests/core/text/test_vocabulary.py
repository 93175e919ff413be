"""Vocabularies: ids, special tokens, files; each damaged file has its line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.text.vocabulary import Vocab


def test_tokens_are_counted_and_special_ones_come_first() -> None:
    vocab = Vocab.build_vocab([["b", "a", "b"], ["c", "a", "b"]], unk_token="<unk>", pad_token="<pad>", min_freq=1)
    assert vocab.token_to_idx == {"<pad>": 0, "<unk>": 1, "b": 2, "a": 3, "c": 4}
    assert vocab.to_indices(["a", "nothing"]) == [3, 1] and vocab("b") == vocab["b"] == 2
    assert vocab.to_tokens(np.array([2, 0])) == ["b", "<pad>"] and vocab.to_tokens(4) == "c"
    assert len(vocab) == 5 and "c" in vocab and "d" not in vocab
    assert vocab.get_unk_token_id() == 1 and vocab.get_pad_token_id() == 0 and vocab.get_bos_token_id() is None


def test_rare_tokens_and_those_beyond_the_size_are_left_out() -> None:
    counter = {"a": 5, "b": 3, "c": 3, "d": 1}
    assert list(Vocab(counter, max_size=2, unk_token="?").token_to_idx) == ["?", "a", "b"]
    assert list(Vocab(counter, min_freq=3).token_to_idx) == ["a", "b", "c"]


def test_ids_can_be_wished_for() -> None:
    vocab = Vocab({"a": 2, "b": 1}, token_to_idx={"<unk>": 2}, unk_token="<unk>")
    assert vocab.token_to_idx == {"b": 0, "a": 1, "<unk>": 2}
    assert vocab.to_indices("z") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Vocab needs counter or token_to_idx"),
        ({"token_to_idx": {"a": 0, "b": 0}}, "Vocab: 'a' and 'b' have the same id, 0"),
        ({"token_to_idx": {"a": -1}}, "Vocab: the id of 'a' is -1; ids are 0, 1, 2, ..."),
        ({"token_to_idx": {"a": 0}, "unk_token": "u"}, "Vocab: the special token 'u' is not among the 1 tokens"),
        ({"token_to_idx": {"a": 0}, "unknown": "u"}, "unknown is no keyword of a special token; those end in _token"),
        ({"counter": {"a": 1}, "token_to_idx": {"z": 0}}, "'z' or its id 0 is not in the vocabulary of 1"),
    ],
)
def test_what_is_no_vocabulary_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Vocab(**arguments)  # type: ignore[arg-type]


def test_unknown_tokens_and_ids() -> None:
    vocab = Vocab.from_dict({"a": 0, "b": 3})
    assert len(vocab) == 4
    with pytest.raises(ValueError, match="'x' is not among the 2 tokens; give an unk_token"):
        vocab.to_indices("x")
    with pytest.raises(ValueError, match="no token has the id 1; ids are below 4"):
        vocab.to_tokens([0, 1])
    with pytest.raises(ValueError, match="ids have one dimension, these have 2"):
        vocab.to_tokens(np.zeros((1, 1), int))


@pytest.mark.parametrize("content", ["[PAD]\n[UNK]\n你\n", "[PAD]\t0\n[UNK]\t1\n你\t2\n", "你\t2\n[UNK]\t1\n[PAD]\t0"])
def test_both_kinds_of_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text(content, encoding="utf-8")
    vocab = Vocab.load_vocabulary(path, unk_token="[UNK]")
    assert vocab.token_to_idx == {"[PAD]": 0, "[UNK]": 1, "你": 2}
    vocab.save_vocabulary(path)
    assert path.read_text(encoding="utf-8") == "[PAD]\n[UNK]\n你\n"


def test_spaces_and_odd_line_separators_are_tokens(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes("a\n\u2028\n\u3000\n\x85\n \nb\n".encode())
    assert Vocab.load_vocabulary(path).token_to_idx == {"a": 0, "\u2028": 1, "\u3000": 2, "\x85": 3, " ": 4, "b": 5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\x00\n", "line 2: a NUL byte; this is no text file"),
        (b"a\nb\n\xff\n", "line 3: byte 0xff is not UTF-8; convert the file to UTF-8"),
        (b"a\nb\rc\n", "line 2: a carriage return inside the line"),
        (b"\n\n", "a vocabulary without tokens"),
        (b"", "a vocabulary without tokens"),
        (b"a\t0\nb\n", "line 2: 'b' is not token<TAB>id, as the first line is"),
        (b"a\t0\nb\t0\n", "line 2: the id 0 of 'b' is that of line 1, too"),
        (b"a\t0\nb\t99999999\n", "line 2: the id 99999999 is above 10000000"),
        (b"a\nb\n", "Vocab: the special token '[UNK]' is not among the 2 tokens"),
    ],
)
def test_a_damaged_file_is_refused_by_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"vocab.txt(, |: ){re.escape(message)}"):
        Vocab.load_vocabulary(path, unk_token="[UNK]")


@pytest.mark.parametrize(
    ("content", "message", "ids"),
    [
        (b"\xef\xbb\xbfa\nb\n", "line 1: a byte order mark is left out", {"a": 0, "b": 1}),
        (b"a\r\nb\r\n", "line 1: Windows line ends are left out", {"a": 0, "b": 1}),
        (b"a\nb\na\n", "line 3: 'a' for the second time; its last line counts", {"a": 2, "b": 1}),
        (b"a\n\nb\n", "line 2: an empty line, whose id 1 has no token", {"a": 0, "b": 2}),
        (b"a\t0\nb\t1\na\t2\n", "line 3: 'a' for the second time; its last line counts", {"a": 2, "b": 1}),
        (b"a\t0\nb\t2\n", "line 1: no token has the id 1, though greater ones do", {"a": 0, "b": 2}),
    ],
)
def test_what_can_be_repaired_is_with_a_warning(
    tmp_path: Path, content: bytes, message: str, ids: dict[str, int]
) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=f"vocab.txt, {re.escape(message)}"):
        vocab = Vocab.load_vocabulary(path)
    assert vocab.token_to_idx == ids


def test_a_vocabulary_with_holes_keeps_its_ids_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    Vocab.from_dict({"a": 0, "b": 2}).save_vocabulary(path)
    with pytest.warns(UserWarning, match="no token has the id 1"):
        assert Vocab.load_vocabulary(path).token_to_idx == {"a": 0, "b": 2}
    with pytest.raises(ValueError, match=r"the token 'a\\n' of id 0 cannot be a line of a file"):
        Vocab.from_dict({"a\n": 0}).save_vocabulary(path)


def test_json_goes_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    vocab = Vocab.build_vocab([["x", "y"]], unk_token="u", mask_token="m")
    text = vocab.to_json(path)
    for found in (Vocab.from_json(text), Vocab.from_json(str(path))):
        assert found.token_to_idx == vocab.token_to_idx and found.mask_token == "m"  # type: ignore[attr-defined]
    for damaged, message in (
        ("{" * 100_000, "no JSON of a vocabulary"),
        ('{"token_to_idx": 3}', "token_to_idx is no mapping of tokens to ids"),
        ('{"token_to_idx": {"a": "b"}}', "the id of 'a' is 'b'"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            Vocab.from_json(damaged)
