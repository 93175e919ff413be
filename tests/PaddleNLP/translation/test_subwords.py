"""Raw text to pieces and back; what is learned; files of another vocabulary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.text import SubwordBPE
from PaddleNLP.tokenizing import create_tokenizer, restored, stored
from PaddleNLP.translation import joined_words
from PaddleNLP.translation.tokenizer import SubwordTokenizer, learn_subwords, learned_subwords

TEXTS = [
    "Two young, White males are outside near many bushes.",
    "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
    "A man's hat (red) costs 3.50 euro - or 2!",
    'Ein Mann in einem blauen Hemd steht auf einer Leiter; "gut" @@ a_b',
]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Hello, world!", "Hello ￭, world ￭!"),
        ("don't (a) 3.5%", "don ￭'￭ t (￭ a ￭) 3 ￭.￭ 5 ￭%"),
        ("a  b\t c", "a b c"),
        ("x￭y", "x ￭■￭ y"),
        ("你好，世界", "你好 ￭，￭ 世界"),
        ("", ""),
    ],
)
def test_marks_say_where_there_was_no_space(text: str, cut: str) -> None:
    assert joined_words.cut(text) == cut
    assert joined_words.joined(cut) == " ".join(text.replace("￭", "■").split())


@pytest.mark.parametrize("size", [60, 120, 400])
def test_texts_come_back_whole(size: int, tmp_path: Path) -> None:
    tokenizer = learned_subwords(TEXTS, size, {})
    assert tokenizer.vocab.to_tokens([0, 1, 2]) == ["<s>", "<e>", "<unk>"]
    for text in TEXTS:
        ids = tokenizer.batch([text])["input_ids"][0]
        assert ids[-1] == 1 and 2 not in ids and tokenizer.text_of(ids) == text
        assert tokenizer.text_of([0, *ids, 5, 6]) == text  # nothing behind the end counts
    assert tokenizer.text_of([]) == tokenizer.text_of([1]) == ""
    tokenizer.save_pretrained(tmp_path)
    for again in (create_tokenizer(tmp_path), restored(stored(tokenizer))):
        assert [again.encode_text(text) for text in TEXTS] == [tokenizer.encode_text(text) for text in TEXTS]
    assert tokenizer.encode_text("Ω") == [2] and tokenizer.encode_text("<s> <e>")[0] != 0


def test_merges_and_counts_are_those_of_subword_nmt() -> None:
    found = learn_subwords(["low low low lower newest newest"], 40, "spaces")
    pieces = [piece for text in ["low low low lower newest newest"] for piece in SubwordBPE(found.codes).tokenize(text)]
    names = [token for _, token in sorted(found.vocab.idx_to_token.items())]
    assert names[3] == "low" and set(pieces) <= set(names)
    assert {"l@@", "o@@", "w", "t", "n@@", "e@@", "w@@", "s@@", "r"} <= set(names)


def test_pieces_are_taken_as_they_are() -> None:
    tokenizer = learned_subwords(["lo@@ w er", "lo@@ w"], 6, {"words": "pieces"})
    assert tokenizer.pieces(" lo@@ w  x") == ["lo@@", "w", "x"]
    assert tokenizer.encode_text("lo@@ w x") == [3, 4, 2] and tokenizer.text_of([3, 4, 3]) == "low lo"
    assert len(learned_subwords(["a b c d"], 5, {"words": "pieces"})) == 5


def write(folder: Path, vocab: str, codes: str) -> dict[str, Any]:
    (folder / "vocab.txt").write_text(vocab, encoding="utf-8")
    (folder / "codes.bpe").write_text(codes, encoding="utf-8")
    return {"vocab_file": folder / "vocab.txt", "codes_file": folder / "codes.bpe"}


def test_files_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    good = "<s>\n<e>\n<unk>\nlow\nlo@@\n"
    files = write(tmp_path, good, "#version: 0.2\nl o\nlo w</w>\n")
    assert SubwordTokenizer(**files).pieces("low") == ["low"]
    files = write(tmp_path, good, "#version: 0.2\nz u\nzu g</w>\nl o\n")
    with pytest.raises(
        ValueError, match=r"codes\.bpe: 1 of 2 merges make pieces that are not in .*of another vocabulary"
    ):
        SubwordTokenizer(**files)
    files = write(tmp_path, "<e>\n<s>\n<unk>\n", "#version: 0.2\n")
    with pytest.raises(ValueError, match=r"vocab\.txt, line 1: must be <s>, as in <s>, <e>, <unk>"):
        SubwordTokenizer(**files)
    write(tmp_path, good, "#version: 0.2\nl o\nlo w</w>\n")
    with pytest.raises(ValueError, match="words: raw need codes_file, the merges"):
        SubwordTokenizer(tmp_path / "vocab.txt")
    with pytest.raises(ValueError, match="words: pieces are pieces already: leave out codes_file"):
        SubwordTokenizer(tmp_path / "vocab.txt", tmp_path / "codes.bpe", "pieces")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    with pytest.raises(ValueError, match="the tokeniser of a BertTokenizer, and not of a SubwordTokenizer"):
        SubwordTokenizer.from_pretrained(tmp_path)
