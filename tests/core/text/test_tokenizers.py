"""WordPiece tokenisers with hand-made vocabularies; ids like Paddle's: tests/parity/text/test_tokenizers.py."""

from __future__ import annotations

import itertools
import json
import pickle
import random
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.text import (
    BasicTokenizer,
    BertTokenizer,
    DistilBertTokenizer,
    ErnieTokenizer,
    RobertaBPETokenizer,
    RobertaChineseTokenizer,
    RobertaTokenizer,
    Vocab,
    WordpieceTokenizer,
)
from tests.parity.text.wordpiece_cases import NASTY, learn

Write = Callable[..., Path]
WORDS = ("un", "##aff", "##able", "你", "好", "cafe", "##s", "a", "b", "c", "!", "##k")


@pytest.fixture
def ernie(vocabulary: Write) -> ErnieTokenizer:
    return ErnieTokenizer(vocabulary(*WORDS))


def test_a_text_becomes_pieces(ernie: ErnieTokenizer) -> None:
    assert ernie.tokenize("Unaffable Cafés,你好!") == ["un", "##aff", "##able", "cafe", "##s", "[UNK]", "你", "好", "!"]
    row = ernie("Unaffable 你", return_attention_mask=True, return_position_ids=True, return_length=True)
    assert row == {
        "input_ids": [1, 5, 6, 7, 8, 2],
        "token_type_ids": [0] * 6,
        "attention_mask": [1] * 6,
        "position_ids": [0, 1, 2, 3, 4, 5],
        "seq_len": 6,
    }


def test_tokens_and_ids(ernie: ErnieTokenizer) -> None:
    assert (ernie.pad_token_id, ernie.cls_token_id, ernie.sep_token_id, ernie.mask_token_id, ernie.unk_token_id) == (
        *(0, 1, 2, 3, 4),
    )
    assert ernie.convert_tokens_to_ids(["un", "what"]) == [5, 4] and ernie.convert_tokens_to_ids("[MASK]") == 3
    assert ernie.convert_ids_to_tokens([1, 5, 2], skip_special_tokens=True) == ["un"]
    assert ernie.convert_ids_to_tokens(5) == "un" and ernie.decode([1, 5, 6, 2], True) == "unaff"
    assert ernie.vocab_size == len(ernie) == 17 and ernie.get_vocab()["##k"] == 16
    assert ernie.all_special_ids == [4, 2, 0, 1, 3]
    assert ernie.get_special_tokens_mask([1, 5, 2], already_has_special_tokens=True) == [1, 0, 1]
    with pytest.raises(ValueError, match="no token has the id 17; ids are below 17"):
        ernie.convert_ids_to_tokens([17])


def test_special_tokens_of_a_text_stand_apart(ernie: ErnieTokenizer) -> None:
    row = ernie("a[MASK]b [mask]", return_offsets_mapping=True)
    assert row["input_ids"] == [1, 12, 3, 13, 4, 4, 4, 2]
    assert row["offset_mapping"] == [(0, 0), (0, 1), (1, 7), (7, 8), (9, 10), (10, 14), (14, 15), (0, 0)]


def test_added_tokens_stand_apart(ernie: ErnieTokenizer, tmp_path: Path) -> None:
    assert ernie.add_tokens(["<e1>", "un", "<e1>", "</e1>"]) == 2
    assert ernie("<e1>unaff</e1>")["input_ids"] == [1, 17, 5, 4, 18, 2] and len(ernie) == 19 and ernie.vocab_size == 17
    assert ernie.convert_ids_to_tokens([17, 18]) == ["<e1>", "</e1>"]
    ernie.save_pretrained(tmp_path / "saved")
    assert ErnieTokenizer.from_pretrained(tmp_path / "saved")("<e1>a</e1>")["input_ids"] == [1, 17, 12, 18, 2]


def plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", "".join(c.lower() for c in text))
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cc", "Cf", "Cn", "Co", "Zs"))


@pytest.mark.parametrize("settings", [{}, {"do_lower_case": False}, {"strip_accents": False}])
def test_offsets_are_of_the_original_text(vocabulary: Write, settings: dict[str, Any]) -> None:
    tokenizer = BertTokenizer(vocabulary(*learn(NASTY, "bert")[5:]), **settings)
    for line in NASTY:
        row = tokenizer(line, return_offsets_mapping=True)
        end = 0
        for token, (first, last) in zip(
            tokenizer.convert_ids_to_tokens(row["input_ids"][1:-1]), row["offset_mapping"][1:-1]
        ):
            assert first < last and (first >= end or last == end), line
            end = last
            if token not in tokenizer.all_special_tokens:
                assert plain(token[2:] if token.startswith("##") else token) in plain(line[first:last]), line


def test_rare_characters_take_another_way_to_the_same_words() -> None:
    quick, slow = BasicTokenizer(final_sigma=False), BasicTokenizer(final_sigma=False)
    slow._rare = lambda text, spaced: True  # type: ignore[method-assign]
    for line in NASTY:
        if not any(
            unicodedata.combining(c) and unicodedata.category(c) != "Mn" for c in unicodedata.normalize("NFD", line)
        ):
            assert quick.tokenize(line) == slow.tokenize(line), line
        for tokenizer in (quick, slow):
            spaced, origins = tokenizer.with_origins(line)
            assert spaced.split() == tokenizer.tokenize(line) and len(spaced) == len(origins)
            assert origins == sorted(origins) or "\u0316" in line or "\U0001d165" in line


@pytest.mark.parametrize("never_split", [(), ("[MASK]", "[CLS]"), ("abc",)])
@pytest.mark.parametrize("settings", list(itertools.product((True, False), repeat=4)))
def test_texts_of_common_characters_take_a_short_way_to_the_same_words(
    settings: tuple[bool, ...], never_split: tuple[str, ...]
) -> None:
    lower, chinese, basic, sigma = settings
    tokenizer = BasicTokenizer(lower, never_split, chinese, None, basic, sigma)
    source = random.Random(0)
    for _ in range(40):
        text = "".join(source.choices("天气很好，。！“”Ab1 -[]\t", k=source.randrange(25)))
        for part in ("[MASK]", " abc "):
            text = text[:5] + part + text[5:] if source.random() < 0.2 else text
        assert tokenizer.tokenize(text) == tokenizer.spaced(text).split(), text


def test_words_that_are_never_split() -> None:
    tokenizer = BasicTokenizer(never_split=["C++", "[UNK]"])
    assert tokenizer.tokenize("C++ is [UNK], c++ [UNK]\x00 你C++好") == [
        *("C++", "is", "[", "unk", "]", ",", "c", "+", "+", "[UNK]", "你", "C++", "好"),
    ]
    assert BasicTokenizer().tokenize("ΑΣ ΣΑ Α.Σ") == ["ας", "σα", "α", ".", "ς"]
    assert pickle.loads(pickle.dumps(tokenizer)).tokenize("C++") == ["C++"]


def test_wordpiece_alone() -> None:
    pieces = WordpieceTokenizer(Vocab.from_dict({"[UNK]": 0, "un": 1, "##un": 2, "##": 3}), "[UNK]", 6)
    assert pieces.tokenize("un ununun unununun unx ##un \ud800") == [
        *("un", "un", "##un", "##un", "[UNK]", "[UNK]", "##un", "[UNK]"),
    ]
    with pytest.raises(ValueError, match=r"the unknown token '\?' is not in the vocabulary"):
        WordpieceTokenizer({"a": 0}, "?")


def test_the_longer_text_is_cut_first(ernie: ErnieTokenizer) -> None:
    for first in range(8):
        for second in range(8):
            for room in range(15):
                left, right = ["a"] * first, ["b"] * second
                while len(left) + len(right) > room:
                    (left if len(left) > len(right) else right).pop()
                row = ernie("a " * first, "b " * second, max_length=room + 3, return_num_truncated_tokens=True)
                assert row["num_truncated_tokens"] == first + second - len(left) - len(right)
                assert row["input_ids"] == [1, *[12] * len(left), 2, *[13] * len(right), 2]
                assert row["token_type_ids"] == [0] * (len(left) + 2) + [1] * (len(right) + 1)


def test_windows_cover_the_last_text(ernie: ErnieTokenizer) -> None:
    options = {"return_offsets_mapping": True, "return_num_truncated_tokens": True}
    rows = ernie("a", "a b c a b c a", max_length=7, stride=2, **options)
    assert rows["num_truncated_tokens"] == [0] * len(rows["input_ids"])
    assert rows["input_ids"] == [[1, 12, 2, 12, 13, 14, 2], [1, 12, 2, 14, 12, 13, 2], [1, 12, 2, 13, 14, 12, 2]]
    assert [row[3] for row in rows["offset_mapping"]] == [(0, 1), (4, 5), (8, 9)]
    assert rows["overflow_to_sample"] == [0, 0, 0]
    single = ernie.batch(["a b c a", "", "b"], max_length=4, stride=1)
    assert single["overflow_to_sample"] == [0, 0, 0, 1, 2] and single["input_ids"][3:] == [[1, 2], [1, 13, 2]]


def test_words_know_their_tokens(ernie: ErnieTokenizer) -> None:
    words = ["Unaff", "", "你好", "\u200b", "b"]
    row = ernie(words, is_split_into_words=True, return_word_ids=True, return_offsets_mapping=True, max_length=6)
    assert row["word_ids"] == [None, 0, 0, 2, 2, None]
    assert row["offset_mapping"] == [(0, 0), (0, 2), (2, 5), (0, 1), (1, 2), (0, 0)]
    rows = ernie([words, ["a"]], is_split_into_words=True, return_word_ids=True)
    assert rows["word_ids"] == [[None, 0, 0, 2, 2, 4, None], [None, 0, None]]


def test_batches_are_their_texts(ernie: ErnieTokenizer) -> None:
    texts, pairs = ["a b", "", "你好 unable"], ["c", "un", ""]
    rows = ernie.batch(texts, pairs, max_length=6, return_offsets_mapping=True, return_special_tokens_mask=True)
    singly = [
        ernie(text, pair, max_length=6, return_offsets_mapping=True, return_special_tokens_mask=True)
        for text, pair in zip(texts, pairs)
    ]
    assert rows == {name: [row[name] for row in singly] for name in singly[0]}
    assert ernie(texts) == ernie.batch(texts) and ernie.batch([]) == {"input_ids": [], "token_type_ids": []}
    bare = ernie.batch(texts, pairs, add_special_tokens=False, return_special_tokens_mask=True)
    assert bare["input_ids"] == [[12, 13, 14], [5], [8, 9, 5, 7]] and bare["special_tokens_mask"][0] == [0, 0, 0]


def test_columns_are_those_of_the_network(vocabulary: Write) -> None:
    tokenizer = DistilBertTokenizer(vocabulary(*WORDS))
    assert tokenizer("a") == {"input_ids": [1, 12, 2]}
    assert tokenizer("a", return_token_type_ids=True)["token_type_ids"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("a", "b"), {"max_length": 2}, ValueError, "max_length 2 is less than the 3 special tokens"),
        (
            ("a a a", "b"),
            {"max_length": 5, "truncation": "only_second"},
            ValueError,
            "the first text alone has 3 tokens",
        ),
        (("a", "b"), {"truncation": "first"}, ValueError, "truncation 'first' is none of longest_first, only_first"),
        (("a", "b"), {"truncation": True}, ValueError, "truncation True needs max_length"),
        (("a a a", "b"), {"max_length": 6, "stride": 2}, ValueError, "leave room for 0 tokens in a window"),
        (("a",), {"stride": 2}, ValueError, "stride 2: a positive number of tokens, which needs max_length"),
        (("a",), {"return_nothing": True}, ValueError, "no option 'return_nothing'; there are return_attention_mask"),
        (("a",), {"return_word_ids": True}, ValueError, "return_word_ids goes with is_split_into_words"),
        ((["a"], ["b", "c"]), {}, ValueError, "1 text and 2 second texts"),
        ((["a"], "b"), {}, TypeError, "takes lists of texts, not one text"),
        ((["a", None],), {}, TypeError, "a text is a string, and not None"),
        ((3,), {}, TypeError, "a text is a string, and not 3"),
        (("a",), {"is_split_into_words": True}, TypeError, "is_split_into_words takes lists of strings, not 'a'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    ernie: ErnieTokenizer, arguments: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        ernie(*arguments, **options)


def test_a_vocabulary_without_special_tokens_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\na\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"sep_token '\[SEP\]' is not among the 4 tokens of the vocabulary"):
        BertTokenizer(path)


def test_folders(vocabulary: Write, tmp_path: Path) -> None:
    cased = BertTokenizer(vocabulary(*WORDS, "C"), do_lower_case=False)
    cased.save_pretrained(tmp_path / "saved")
    config = json.loads((tmp_path / "saved" / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert config["tokenizer_class"] == "BertTokenizer" and config["do_lower_case"] is False
    assert BertTokenizer.from_pretrained(tmp_path / "saved")("C c") == cased("C c")
    assert BertTokenizer.from_pretrained(tmp_path / "saved", do_lower_case=True)("C")["input_ids"] == [1, 14, 2]
    with pytest.raises(ValueError, match="saved: the tokeniser of a BertTokenizer, and not of a ErnieTokenizer"):
        ErnieTokenizer.from_pretrained(tmp_path / "saved")
    for content, message in ((b"[" * 100_000, "no JSON"), (b"[]", "no mapping of names"), (b"\xff", "no JSON")):
        (tmp_path / "saved" / "tokenizer_config.json").write_bytes(content)
        with pytest.raises(ValueError, match=f"tokenizer_config.json: {message}"):
            BertTokenizer.from_pretrained(tmp_path / "saved")
    with pytest.raises(FileNotFoundError, match="vocab.txt', which a folder of a BertTokenizer has"):
        BertTokenizer.from_pretrained(tmp_path / "nowhere")


def test_roberta_is_what_its_files_are(vocabulary: Write, tmp_path: Path) -> None:
    chinese = RobertaTokenizer(vocabulary(*WORDS))
    assert isinstance(chinese, RobertaChineseTokenizer) and chinese("你")["input_ids"] == [1, 8, 2]
    chinese.save_pretrained(tmp_path / "chinese")
    assert isinstance(RobertaTokenizer.from_pretrained(tmp_path / "chinese"), RobertaChineseTokenizer)
    tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "a", "b", "ab"]
    (tmp_path / "vocab.json").write_text(json.dumps({token: index for index, token in enumerate(tokens)}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n")
    english = RobertaTokenizer(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert isinstance(english, RobertaBPETokenizer) and english("ab")["input_ids"] == [0, 7, 2]
    assert isinstance(RobertaTokenizer.from_pretrained(tmp_path), RobertaBPETokenizer)


def test_copies_for_processes_and_threads(vocabulary: Write) -> None:
    tokenizer = BertTokenizer(vocabulary(*learn(NASTY, "bert")[5:]))
    expected = tokenizer.batch(NASTY, return_offsets_mapping=True)
    copy = pickle.loads(pickle.dumps(tokenizer))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: copy.batch(NASTY, return_offsets_mapping=True), range(8)))
    assert found == [expected] * 8


def test_the_engine_stays_out() -> None:
    code = "import sys, core.text; sys.exit(any(n in sys.modules for n in ('mxnet', 'numba', 'core.tensor')))"
    subprocess.run([sys.executable, "-c", code], check=True)
