"""Tokenisers of subwords: offsets, special tokens, folders, threads, long lines, and files that are none."""

from __future__ import annotations

import importlib
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable

import pytest

from core.text import (
    AlbertTokenizer,
    ErnieTinyTokenizer,
    GPTTokenizer,
    PretrainedTokenizer,
    RobertaBPETokenizer,
    SubwordBPE,
    XLNetTokenizer,
    learn_bpe,
)
from core.text.tokenizers import count_words, read_codes, read_pieces, write_codes
from tests.parity.text import subword_cases as cases
from tests.sampling import sampled

LINES = [
    "The price was 3,000 or 4,500, he said.",
    "今天天气真好，我们去北京大学看电影吧！",
    "A café in Paris is not cheap at 10, says the price list.",
    *cases.NASTY,
] * 3
UNIGRAM = cases.sentencepiece_model(LINES, 450, **cases.XLNET)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def built(models: Path) -> dict[str, PretrainedTokenizer]:
    (models / "x.model").write_bytes(UNIGRAM)
    (models / "a.model").write_bytes(cases.sentencepiece_model(LINES, 450, **cases.ALBERT))
    tokens, merges = cases.learn_byte_pairs(LINES, 200)
    cases.write_byte_pairs(models / "g", tokens, merges, ["<|endoftext|>"])
    cases.write_byte_pairs(models / "r", tokens, merges, cases.ROBERTA)
    return {
        "xlnet": XLNetTokenizer(models / "x.model"),
        "albert": AlbertTokenizer(sentencepiece_model_file=models / "a.model"),
        "tiny": ErnieTinyTokenizer(**cases.write_tiny(models / "t", UNIGRAM, LINES)),
        "gpt": GPTTokenizer(models / "g" / "vocab.json", models / "g" / "merges.txt"),
        "roberta": RobertaBPETokenizer(models / "r" / "vocab.json", models / "r" / "merges.txt"),
    }


def test_offsets_are_of_the_text_as_given(built: dict[str, PretrainedTokenizer]) -> None:
    text = "Ｔｈｅ  caf\u0301e ``was''\t3,000 天气"
    for name in ("xlnet", "albert", "tiny"):
        row = built[name](text, return_offsets_mapping=True)
        covered = [text[start:end] for start, end in row["offset_mapping"]]
        joined = "".join(covered).replace(" ", "").replace("\t", "")
        assert joined == text.replace(" ", "").replace("\t", ""), (name, covered)
    row = built["gpt"]("a café 你 😀", return_offsets_mapping=True)
    covered = ["a café 你 😀"[start:end] for start, end in row["offset_mapping"]]
    assert covered[0] == "a" and covered[-1] == "😀" and "你" in covered
    assert not any(part.startswith(" ") and len(part) > 1 for part in covered)


@pytest.mark.parametrize("name", ["xlnet", "albert", "tiny", "gpt", "roberta"])
def test_offsets_grow_and_cover_the_words(name: str, built: dict[str, PretrainedTokenizer]) -> None:
    for line in LINES[: len(LINES) // 3]:
        row = built[name](line, return_offsets_mapping=True, add_special_tokens=False)
        assert row["input_ids"] == built[name](line, add_special_tokens=False)["input_ids"]
        last = (0, 0)
        covered: set[int] = set()
        for start, end in row["offset_mapping"]:
            assert last[0] <= start <= end <= len(line) and last[1] <= max(end, last[1]), line
            covered.update(range(start, end))
            last = start, end
        if name in ("gpt", "roberta"):
            assert {place for place, char in enumerate(line) if char.isalnum()} <= covered, line


@pytest.mark.parametrize("name", ["xlnet", "albert", "tiny", "gpt", "roberta"])
def test_folders_pickles_and_threads_give_the_same(
    name: str, built: dict[str, PretrainedTokenizer], tmp_path: Path
) -> None:
    tokenizer = built[name]
    expected = tokenizer.batch(LINES, return_offsets_mapping=True)
    tokenizer.save_pretrained(tmp_path / "folder")
    loaded = type(tokenizer).from_pretrained(tmp_path / "folder")
    for other in (loaded, pickle.loads(pickle.dumps(tokenizer))):
        assert other.batch(LINES, return_offsets_mapping=True) == expected
        assert other.get_vocab() == tokenizer.get_vocab() and len(other) == len(tokenizer)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: tokenizer.batch(LINES)["input_ids"], range(8))) == [expected["input_ids"]] * 8


LONG = {
    "words": "a b, 3,000 ``x'' \u0301é " * 3000,
    "Chinese": "好" * 60_000,
    "letters": "a" * 60_000,
    "spaces": " " * 60_000,
}
TOKENIZERS = ("xlnet", "albert", "tiny", "gpt", "roberta")


@pytest.mark.parametrize(("name", "text"), sampled([(name, text) for name in TOKENIZERS for text in LONG], 4))
def test_long_lines(name: str, text: str, built: dict[str, PretrainedTokenizer]) -> None:
    row = built[name](LONG[text], return_offsets_mapping=True)  # what is not linear takes minutes
    assert len(row["input_ids"]) == len(row["offset_mapping"])


def test_halves_of_surrogate_pairs_are_unknown(built: dict[str, PretrainedTokenizer]) -> None:
    for name, tokenizer in built.items():
        row = tokenizer("a\ud800b", return_offsets_mapping=True)
        assert row["input_ids"] == tokenizer("a\ud800b")["input_ids"] and len(row["input_ids"]) >= 3, name


def test_texts_come_back(built: dict[str, PretrainedTokenizer]) -> None:
    text = "The price was 3,000 天 😀!"
    assert built["gpt"].decode(built["gpt"](text)["input_ids"]) == text
    assert built["roberta"].decode(built["roberta"](text)["input_ids"], skip_special_tokens=True) == text
    assert built["xlnet"].convert_tokens_to_string(["▁The", "▁pri", "ce"]) == "The price"
    assert built["gpt"].decode(built["gpt"]("😀")["input_ids"][:1]) in ("\ufffd", "😀")


def test_special_tokens_of_each_layout(built: dict[str, PretrainedTokenizer]) -> None:
    xlnet = built["xlnet"]("a", "b", return_attention_mask=True, return_special_tokens_mask=True)
    tokens = built["xlnet"].convert_ids_to_tokens(xlnet["input_ids"])
    assert tokens[-1] == "<cls>" and tokens[-2] == "<sep>" and xlnet["token_type_ids"][-1] == 2
    assert xlnet["special_tokens_mask"][-2:] == [1, 1] and built["xlnet"].padding_side == "left"
    roberta = built["roberta"]
    row = roberta.convert_ids_to_tokens(roberta("a", "b")["input_ids"])
    assert row == ["<s>", "a", "</s>", "</s>", "b", "</s>"] and set(roberta("a", "b")["token_type_ids"]) == {0}
    assert built["gpt"].convert_ids_to_tokens(built["gpt"]("a", "b")["input_ids"]) == ["a", "b"]
    assert built["gpt"].eos_token_id == 0 and built["gpt"].eol_token_id == built["gpt"].get_vocab()["Ċ"]


def test_bos_before_each_text(built: dict[str, PretrainedTokenizer], models: Path) -> None:
    folder = models / "g"
    gpt = GPTTokenizer(folder / "vocab.json", folder / "merges.txt", add_bos_token=True)
    row = gpt("a", "b", return_offsets_mapping=True)
    assert gpt.convert_ids_to_tokens(row["input_ids"]) == ["<|endoftext|>", "a", "<|endoftext|>", "b"]
    assert row["token_type_ids"] == [0, 0, 1, 1] and row["offset_mapping"] == [(0, 0), (0, 1), (0, 0), (0, 1)]


def test_words_get_a_space_before_them(built: dict[str, PretrainedTokenizer]) -> None:
    options = {"return_offsets_mapping": True, "return_word_ids": True}
    row = built["roberta"](["The", "price"], is_split_into_words=True, **options)
    joined = built["roberta"](" The price")
    assert row["input_ids"] == joined["input_ids"]
    places = list(zip(row["word_ids"], row["offset_mapping"]))[1:-1]
    assert places[0][0] == 0 and places[0][1][0] == 0 and places[-1] == (1, (places[-1][1][0], 5))


def test_a_token_that_is_missing_comes_behind_the_model(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(cases.sentencepiece_model(LINES, 450))
    tokenizer = XLNetTokenizer(tmp_path / "m")
    size = tokenizer.vocab_size
    assert [tokenizer.sep_token_id, tokenizer.pad_token_id, tokenizer.cls_token_id] == [size, size + 1, size + 2]
    assert tokenizer("a")["input_ids"][-2:] == [size, size + 2] and len(tokenizer) == size + 6


def test_albert_is_english_or_chinese(vocabulary: Callable[..., Path], tmp_path: Path) -> None:
    chinese = AlbertTokenizer(vocabulary("天", "气"), do_lower_case=False)
    assert chinese("天气X")["input_ids"] == [1, 5, 6, 4, 2]
    chinese.save_pretrained(tmp_path / "folder")
    assert AlbertTokenizer.from_pretrained(tmp_path / "folder")("天气X")["input_ids"] == [1, 5, 6, 4, 2]
    with pytest.raises(ValueError, match="AlbertTokenizer needs vocab_file .Chinese. or sentencepiece_model_file"):
        AlbertTokenizer()


def test_learning_counts_words_and_characters(tmp_path: Path) -> None:
    lines = ["low low low lower", "newest newest  newer"]
    assert count_words(lines) == {"low": 3, "lower": 1, "newest": 2, "newer": 1}
    codes = learn_bpe(lines, 3)
    assert codes[0] == ("w", "e") and learn_bpe(count_words(lines), 3) == codes
    assert len(learn_bpe(lines, 100)) < 20 and learn_bpe(lines, 11, total_symbols=True) == learn_bpe(lines, 2)
    write_codes(codes, tmp_path / "codes")
    assert read_codes(tmp_path / "codes") == ((0, 2), codes)
    with pytest.raises(ValueError, match="learn_bpe: the text has no word of two characters"):
        learn_bpe(["a b"], 3)


def test_pieces_of_words(tmp_path: Path) -> None:
    bpe = SubwordBPE([("l", "o"), ("lo", "w</w>"), ("e", "r</w>")])
    text = " low  lower\n"
    pieces, offsets = bpe.place(text)
    assert pieces == ["low", "lo@@", "w@@", "er"]
    assert [text[start:end] for start, end in offsets] == ["low", "lo", "w", "er"]
    assert bpe.process_line(text) == " low lo@@ w@@ er\n" and bpe.segment("") == "" and bpe.process_line(" \n") == " \n"
    assert pickle.loads(pickle.dumps(bpe)).tokenize("low") == ["low"]
    assert SubwordBPE([("l", "o"), ("lo", "w</w>")], vocab=["lo@@", "w"]).tokenize("low") == ["lo@@", "w"]
    (tmp_path / "old").write_text("l o\nlo w\nlow </w>\n")
    assert SubwordBPE(tmp_path / "old").tokenize("low lowl") == ["low", "low@@", "l"]
    (tmp_path / "pieces").write_text("low 3\nlo@@ 1\n")
    assert read_pieces(tmp_path / "pieces", 2) == {"low"} and len(read_pieces(tmp_path / "pieces")) == 2
    assert "".join(bpe.tokenize("er" * 30_000)).replace("@@", "") == "er" * 30_000  # what is not linear takes minutes


class Calls:
    def __reduce__(self) -> Any:
        return print, ("this ran",)


def gpt(folder: Path, vocab: str, merges: str = "#version: 0.2\n") -> GPTTokenizer:
    (folder / "vocab.json").write_text(vocab)
    (folder / "merges.txt").write_text(merges)
    return GPTTokenizer(folder / "vocab.json", folder / "merges.txt")


def xlnet(folder: Path, content: bytes) -> XLNetTokenizer:
    (folder / "m.model").write_bytes(content)
    return XLNetTokenizer(folder / "m.model")


def tiny(folder: Path, words: bytes) -> ErnieTinyTokenizer:
    files = cases.write_tiny(folder, UNIGRAM, LINES)
    Path(files["word_dict"]).write_bytes(words)
    return ErnieTinyTokenizer(**files)


def codes_of(folder: Path, text: str) -> SubwordBPE:
    (folder / "codes").write_text(text)
    return SubwordBPE(folder / "codes")


GPT = json.dumps({"<|endoftext|>": 0, "a": 1, "b": 2, "ab": 3})
WRONG: list[tuple[str, Callable[[Path], Any], str]] = [
    ("no model", lambda folder: xlnet(folder, b"hello"), r"m.model: no sentencepiece model, or one that is cut off$"),
    ("empty", lambda folder: xlnet(folder, b""), r"m.model: no sentencepiece model, .*: it has no pieces"),
    ("cut off", lambda folder: xlnet(folder, UNIGRAM[:-9]), r"m.model: no sentencepiece model, or one that is cut o"),
    (
        "cut between",
        lambda folder: xlnet(folder, UNIGRAM[: UNIGRAM.index(b"<cls>") - 4]),
        "m.model: no sentencepiece model, or one that is cut off: it has no settings of the trainer",
    ),
    ("pickle calls", lambda folder: tiny(folder, pickle.dumps([Calls()])), "no pickle of words: it asks for builti"),
    ("pickle cut", lambda folder: tiny(folder, pickle.dumps(["a"])[:-3]), "pickle: no pickle of words: "),
    ("no pickle", lambda folder: tiny(folder, b"words"), "pickle: no pickle of words: "),
    ("numbers", lambda folder: tiny(folder, pickle.dumps([1])), "pickle: no pickle of words: it holds something else"),
    ("deep", lambda folder: gpt(folder, "[" * 100_000), "vocab.json: no JSON of a vocabulary: RecursionError"),
    ("no JSON", lambda folder: gpt(folder, "{"), "vocab.json: no JSON of a vocabulary: JSONDecodeError"),
    ("a list", lambda folder: gpt(folder, "[1]"), "vocab.json: no JSON of a vocabulary: it is no mapping of pieces"),
    ("an id", lambda folder: gpt(folder, '{"a": "b"}'), "vocab.json: no JSON of a vocabulary: the id of 'a' is 'b'"),
    ("twice", lambda folder: gpt(folder, '{"<|endoftext|>": 0, "a": 0}'), "'<.endoftext.>' and 'a' have the same id"),
    ("no unk", lambda folder: gpt(folder, '{"a": 0}'), "vocab.json: unk_token '<.endoftext.>' is not in the voc"),
    ("one piece", lambda folder: gpt(folder, GPT, "#\na b\nab\n"), "merges.txt, line 3: 'ab' is no merge: two pieces"),
    ("three", lambda folder: gpt(folder, GPT, "#\na b a\n"), "merges.txt, line 2: 'a b a' is no merge: two pieces"),
    ("unknown", lambda folder: gpt(folder, GPT, "#\nb a\n"), "merges.txt, line 2: 'ba' is not in the vocabulary"),
    ("version", lambda folder: codes_of(folder, "#version: 0.9\na b"), "codes, line 1: version '0.9' of merges; 0.1 "),
    ("code", lambda folder: codes_of(folder, "#version: 0.2\na b\na\n"), "codes, line 3: 'a' is no merge: two pieces"),
    ("spaces", lambda folder: codes_of(folder, "a  b\n"), "codes, line 1: 'a  b' is no merge: two pieces"),
]


@pytest.mark.parametrize(("act", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_files_that_are_none(
    act: Callable[[Path], Any], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        act(tmp_path)
    assert "\n" not in str(caught.value) and "this ran" not in capfd.readouterr().out


def test_pieces_without_counts_are_named(tmp_path: Path) -> None:
    (tmp_path / "pieces").write_text("low 3\nlo\n")
    with pytest.raises(ValueError, match="pieces, line 2: 'lo' is no piece with its count"):
        read_pieces(tmp_path / "pieces")


def test_no_engine_and_no_code_of_a_model(tmp_path: Path) -> None:
    program = "import sys, core.text.tokenizers; sys.exit('mxnet' in sys.modules or 'jieba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert importlib.import_module("core.text").XLNetTokenizer is XLNetTokenizer
