"""Models of subwords and the texts that Paddle's tokenisers and ours are compared on."""

from __future__ import annotations

import collections
import io
import json
import pickle
import re
import sys
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import sentencepiece

sys.path.insert(0, str(Path(__file__).resolve().parent))
import wordpiece_cases as cases  # noqa: E402

LONG = 4000
"""How many lines sentencepiece learns from: each second or third one."""
STORED_MODELS = Path(__file__).with_name("short_models.tar.xz")
"""The models of few lines."""

EXTRA = [
    "Rates of 3,000, 4,5 and 10, 20,x ,5, 9,999,999.",
    "५, १२,३ x٣, ٣٤,",
    "He said ``so'' and '' `` ''' ```",
    "x\u3000y\xa0z \x1c\x1d\x85 tabs\t\tand\nlines",
    "I'll we've it's you'd I'm they're 'Tis O'Neill's",
    "don't   stop    !!  ??a  \n\n b  ",
    "١٢٣ Ⅷ ½ ² 三 〇 ㊿ 𝟙𝟚 ௰ word١٢ 12word",
    "snake_case __init__ a_1 _ __ -- ... ###",
    "今天天气真好，我们去北京大学看电影吧！",
    "中国人民银行发布了第三季度报告",
    "▁a ▁▁ a▁b ▁",
    "𝚺ΣΑΣ ΟΔΟΣ. ﷺ ㍿ ﬃ",
    "<unk> <s> a </s> <pad>",
]
SPECIALS = ["a <mask> b", "你[MASK]好", "x [MASK] y[MASK]", "<sep><cls> a<mask>", "<s>a</s> <pad><unk>", "a  <mask>  b"]
NASTY = [*cases.NASTY, *EXTRA]
PAIRS = [("你好 world", "café 3,000"), ("a b c", ""), ("", "x")]


def no_special(line: str) -> bool:
    """Tell whether a line holds nothing like a special token."""
    return not any(mark in line for mark in ("[MASK]", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "<s>", "<unk>", "<pad>"))


def sentencepiece_model(lines: Iterable[str], size: int, kind: str = "unigram", **settings: Any) -> bytes:
    """Return a model that sentencepiece learns from lines; one thread, so that it is the same each time."""
    target = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in lines if line.strip()]),
        model_writer=target,
        vocab_size=size,
        model_type=kind,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
        **settings,
    )
    return target.getvalue()


XLNET = {
    "control_symbols": ["<cls>", "<sep>", "<pad>", "<mask>", "<eod>"],
    "user_defined_symbols": ["<eop>", ".", "(", ")", '"', "-", "–", "£", "€"],
    "character_coverage": 0.999,
}
ALBERT = {
    "control_symbols": ["[CLS]", "[SEP]", "[MASK]"],
    "user_defined_symbols": ["(", ")", '"', "-", ".", "–", "£", "€"],
    "pad_id": 0,
    "unk_id": 1,
    "pad_piece": "<pad>",
    "unk_piece": "<unk>",
    "bos_id": -1,
    "eos_id": -1,
    "character_coverage": 0.999,
}
TINY = {"character_coverage": 0.998}


def pieces_of(model: bytes) -> list[str]:
    """Return the pieces of a model."""
    found = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [found.id_to_piece(number) for number in range(found.get_piece_size())]


def write_tiny(folder: Path, model: bytes, lines: Sequence[str]) -> dict[str, str]:
    """Write the files of ErnieTinyTokenizer: its vocabulary lacks pieces of the model and has others."""
    pieces = pieces_of(model)
    tokens = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "𠮷", "😀"]
    tokens += [piece for number, piece in enumerate(pieces[3:]) if number % 19 != 4]
    counts: collections.Counter[str] = collections.Counter()
    for line in lines:
        for width in (2, 3, 4, 5, 6):
            counts.update(line[start : start + width] for start in range(0, len(line), 3))
    words = {word for word, count in counts.items() if count > 1 and len(word) > 1}
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in dict.fromkeys(tokens)), encoding="utf-8")
    (folder / "spm_cased_simp_sampled.model").write_bytes(model)
    (folder / "dict.wordseg.pickle").write_bytes(pickle.dumps(words, protocol=2))
    return {
        "vocab_file": str(folder / "vocab.txt"),
        "sentencepiece_model_file": str(folder / "spm_cased_simp_sampled.model"),
        "word_dict": str(folder / "dict.wordseg.pickle"),
    }


def byte_characters() -> dict[int, str]:
    """Return the character that stands for each byte."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in printed)
    return {**{byte: chr(byte) for byte in printed}, **{byte: chr(256 + n) for n, byte in enumerate(others)}}


def learn_byte_pairs(
    lines: Iterable[str], most: int = 2500, ordered: bool = True
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return tokens and merges that make whole words of the frequent ones.

    Args:
        lines: the text.
        most: how many words.
        ordered: no two merges make the same token.
    """
    table = byte_characters()
    counts: collections.Counter[str] = collections.Counter()
    for line in lines:
        counts.update("".join(table[byte] for byte in f" {word}".encode()) for word in line.split())
        counts.update("".join(table[byte] for byte in char.encode()) for char in line if ord(char) > 127)
    merges: dict[tuple[str, str], int] = {}
    made: set[str] = set()
    for word in sorted(counts, key=lambda word: (-counts[word], word))[:most]:
        symbols = list(word)
        while found := [pair for pair in zip(symbols, symbols[1:]) if pair in merges]:
            best = min(found, key=merges.__getitem__)
            place = list(zip(symbols, symbols[1:])).index(best)
            symbols[place : place + 2] = ["".join(best)]
        while len(symbols) > 1:
            from_end = not ordered and len(symbols) % 2
            pair = (symbols[-2], symbols[-1]) if from_end else (symbols[0], symbols[1])
            token = pair[0] + pair[1]
            if ordered and token in made:
                break
            merges[pair] = len(merges)
            made.add(token)
            symbols[-2 if from_end else 0 : len(symbols) if from_end else 2] = [token]
    return list(dict.fromkeys([*table.values(), *map("".join, merges)])), list(merges)


def write_byte_pairs(
    folder: Path, tokens: Sequence[str], merges: Sequence[tuple[str, str]], special: Sequence[str]
) -> None:
    """Write vocab.json and merges.txt."""
    folder.mkdir(exist_ok=True)
    ids = {token: number for number, token in enumerate([*special, *tokens])}
    (folder / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
    text = "#version: 0.2\n" + "".join(f"{first} {second}\n" for first, second in merges)
    (folder / "merges.txt").write_text(text, encoding="utf-8")


ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
"""RoBERTa's special tokens in their order."""


SKEP = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"]
"""Special tokens of SKEP's English RoBERTa."""

DOCUMENTS = ["a<unk>b <bod>c<eod>", "<bod> 今天 天气\n真好 <eod>", "x\ty  z", "a<bod>", "<eod>  <eod>"]
"""Texts with the special tokens of GPT's Chinese tokeniser."""


def parted(line: str) -> list[str]:
    """Return what GPT's Chinese tokeniser gives to jieba of a line: its parts between special tokens."""
    parts = re.split("<bod>|<eod>|<unk>", line)
    last = len(parts) - 1
    kept = [part.lstrip() if number else part for number, part in enumerate(parts)]
    return [part.rstrip() if number < last else part for number, part in enumerate(kept)]


def write_skep(folder: Path, special: bool) -> list[str]:
    """Write the vocabulary, the merges and the pieces of SKEP's byte pair encoding; return their paths.

    Args:
        folder: where to.
        special: whether the pieces have the special tokens.
    """
    tokens, merges = learn_byte_pairs(NASTY)
    write_byte_pairs(folder, tokens, merges, SKEP if special else [])
    lines = [*SKEP, *map(str, range(len(tokens)))]
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in lines), encoding="utf-8")
    return [str(folder / name) for name in ("vocab.txt", "merges.txt", "vocab.json")]


def models(lines: Sequence[str]) -> dict[str, bytes]:
    """Return the sentencepiece models that are compared: of few lines stored ones, as versions learn differently."""
    if len(lines) < LONG and STORED_MODELS.exists():
        with tarfile.open(STORED_MODELS) as archive:
            return {kind: archive.extractfile(kind).read() for kind in archive.getnames()}  # type: ignore[union-attr]
    learned = lines if len(lines) < LONG else lines[::3]
    size = 400 if len(lines) < LONG else 4000
    return {
        "xlnet": sentencepiece_model(learned, size, **XLNET),
        "albert": sentencepiece_model(learned, size, **ALBERT),
        "bpe": sentencepiece_model(learned, size, "bpe", **XLNET),
        "tiny": sentencepiece_model([line.lower() for line in learned], size, **TINY),
    }


def store_models(models: dict[str, bytes]) -> None:
    """Write the models of few lines."""
    with tarfile.open(STORED_MODELS, "w:xz") as archive:
        for kind, content in models.items():
            member = tarfile.TarInfo(kind)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def frequent_pieces(lines: Iterable[str]) -> set[str]:
    """Return the pieces that occur more than twice."""
    counts = collections.Counter(piece for line in lines for piece in line.split(" "))
    return {piece for piece, count in counts.items() if count > 2}


def write_frequencies(path: Path, lines: Sequence[str]) -> Path:
    """Write a dictionary of words with frequencies, as jieba reads it."""
    counts: collections.Counter[str] = collections.Counter()
    for line in lines:
        for width in (1, 2, 3, 4):
            counts.update(line[start : start + width] for start in range(0, len(line), 2))
    words = {word: count for word, count in counts.items() if count > 1 and word.isalpha()}
    path.write_text("".join(f"{word} {count} n\n" for word, count in words.items()), encoding="utf-8")
    return path
