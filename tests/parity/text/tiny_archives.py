"""Archives in the layout of the published data sets of text, with a few drawn samples."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Union

_WORDS = "the a film is good bad not very Great awful it's plot, actor; end. naïve 好".split()
_GERMAN = "der die das Film ist gut schlecht nicht sehr toll übel Ende".split()


def _sentence(drawn: random.Random, words: list[str], most: int = 9) -> str:
    return " ".join(words[int(len(words) * drawn.random() ** 2)] for _ in range(drawn.randint(1, most)))


def tar(path: Path, files: Mapping[str, Union[str, bytes]]) -> str:
    """Write a gzipped tar file of these files and return its path."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return str(path)


def imdb(folder: Path) -> str:
    """Write reviews as Imdb reads them."""
    drawn = random.Random(1)
    files = {"aclImdb/README": "no review", "aclImdb/train/unsup/0_0.txt": "good " * 50}
    for part in ("test", "train"):
        for number in range(6):
            for kind in ("neg", "pos"):
                text = _sentence(drawn, _WORDS) + "<br />" + "\r\n" * (number % 3)
                files[f"aclImdb/{part}/{kind}/{number}_7.txt"] = text
    return tar(folder / "aclImdb_v1.tar.gz", files)


def imikolov(folder: Path) -> str:
    """Write sentences as Imikolov reads them."""
    drawn = random.Random(2)
    words = [*_WORDS, "<unk>"]
    files = {
        f"./simple-examples/data/ptb.{part}.txt": "".join(f" {_sentence(drawn, words)} \n" for _ in range(count))
        for part, count in (("test", 7), ("train", 23), ("valid", 6))
    }
    return tar(folder / "simple-examples.tgz", {"./simple-examples/README": "no data", **files})


PROPS = (
    (
        "A man saw the old dog .",
        ("-", "-", "see", "-", "-", "-", "-"),
        [("(A0*", "*)", "(V*)", "(A1*", "*", "*)", "*")],
    ),
    (
        "Run and hide",
        ("run", "-", "hide"),
        [("(V*)", "*", "*"), ("*", "(AM-DIS*)", "(V*)")],
    ),
    ("Nothing here", ("-", "-"), []),
    ("It may rain now", ("-", "-", "rain", "-"), [("(A0*)", "(AM-MOD*)", "(V*", "*)")]),
)


def conll05(folder: Path) -> list[str]:
    """Write the archive and the dictionaries that Conll05st reads; return their paths."""
    words, props = "", ""
    for sentence, verbs, columns in PROPS:
        words += "".join(f"{word}\n" for word in sentence.split()) + "\n"
        props += "".join("  ".join(row) + "\n" for row in zip(verbs, *columns)) + "\n"
    release = "conll05st-release/test.wsj/"
    archive = tar(
        folder / "conll05st-tests.tar.gz",
        {
            f"{release}props/test.wsj.props.gz": gzip.compress(props.encode(), mtime=0),
            f"{release}words/test.wsj.words.gz": gzip.compress(words.encode(), mtime=0),
        },
    )
    dictionaries = {
        "wordDict.txt": "UNK bos eos A man saw the old Run and It may rain".split(),
        "verbDict.txt": "run hide see rain".split(),
        "targetDict.txt": "B-A0 I-A0 B-A1 I-A1 B-V I-V B-AM-DIS I-AM-DIS B-AM-MOD I-AM-MOD O".split(),
        "emb": ["0.1 0.2"],
    }
    for name, lines in dictionaries.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [archive, *(str(folder / name) for name in dictionaries)]


def wmt14(folder: Path) -> str:
    """Write pairs as WMT14 reads them."""
    drawn = random.Random(3)
    pairs = [f"{_sentence(drawn, _WORDS)}\t{_sentence(drawn, _GERMAN)}\n" for _ in range(12)]
    pairs[4] = "a " * 79 + "\tdas\n"
    pairs[5] = "a " * 78 + "\t" + "das " * 80 + "\n"
    return tar(
        folder / "wmt14.tgz",
        {
            "wmt14/train/train": "".join(pairs[:8]),
            "wmt14/test/test": "".join(pairs[8:10]),
            "wmt14/gen/gen": "".join(pairs[10:]),
            "wmt14/src.dict": "\n".join(["<s>", "<e>", "<unk>", *_WORDS]) + "\n",
            "wmt14/trg.dict": "\n".join(["<s>", "<e>", "<unk>", *_GERMAN]) + "\n",
        },
    )


def wmt16(folder: Path) -> str:
    """Write pairs as WMT16 reads them."""
    drawn = random.Random(4)
    files = {
        f"wmt16/{part}": "".join(f"{_sentence(drawn, _WORDS)}\t{_sentence(drawn, _GERMAN)}\n" for _ in range(count))
        for part, count in (("test", 3), ("train", 9), ("val", 2))
    }
    return tar(folder / "wmt16.tar.gz", files)


MOVIES = (
    "1::Toy Story (1995)::Animation|Children's|Comedy",
    "7::Été, L' (1960)::Drama",
    "9::Story of (us), The (1999)::Comedy|Drama",
)


def movielens(folder: Path) -> str:
    """Write ratings as Movielens reads them."""
    drawn = random.Random(5)
    ages = (1, 18, 25, 35, 45, 50, 56)
    users = [f"{user}::{'MF'[user % 2]}::{ages[user]}::{user + 3}::0{user}123" for user in range(1, 5)]
    ratings = [f"{drawn.randint(1, 4)}::{drawn.choice((1, 7, 9))}::{drawn.randint(1, 5)}::97830{n}" for n in range(40)]
    with zipfile.ZipFile(folder / "ml-1m.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in (("ratings", ratings), ("users", users), ("movies", MOVIES)):
            archive.writestr(f"ml-1m/{name}.dat", "".join(f"{line}\n" for line in lines).encode("latin-1"))
        archive.writestr("ml-1m/README", "no data")
    return str(folder / "ml-1m.zip")


def uci_housing(folder: Path) -> str:
    """Write numbers as UCIHousing reads them."""
    drawn = random.Random(6)
    rows = [" ".join(f"{drawn.uniform(-3, 90):8.4f}" for _ in range(14)) for _ in range(11)]
    (folder / "housing.data").write_text(" " + "\n ".join(rows) + "\n", encoding="ascii")
    return str(folder / "housing.data")
