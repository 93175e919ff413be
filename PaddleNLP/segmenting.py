"""What cuts texts into words: the spaces in them, nothing, a dictionary, or a network that LAC has trained."""

from __future__ import annotations

import importlib
import io
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, Literal, NamedTuple, Union

from core.text.tokenizers import LikeliestPath, read_frequencies
from core.text.tokenizers.pieces import Offsets

Segmenter = Literal["spaces", "characters", "dictionary", "lac"]
"""The spaces in a text; nothing, each character is a word; the words of a dictionary; or lexical analysis."""

PathLike = Union[str, "os.PathLike[str]", None]
_NEEDS = {"dictionary": "word_dict", "lac": "lac"}
_WORD, _CHARACTER = re.compile(r"\S+"), re.compile(r"\S")
MOST_FILES = 50
"""Of an archive of an exported folder; real ones have a few."""


class Segmentation(NamedTuple):
    """What cuts texts.

    Attributes:
        place: gives the words of a text but for white space, and of each its first character and the one behind.
        files: what it is made of, as files by name.
    """

    place: Callable[[str], tuple[list[str], Offsets]]
    files: Mapping[str, bytes]


def segmentation(segmenter: Segmenter, word_dict: PathLike = None, lac: PathLike = None) -> Segmentation:
    """Return what cuts texts.

    Args:
        segmenter: its name.
        word_dict: the dictionary's file.
        lac: an exported folder of lexical analysis, or an archive that :attr:`Segmentation.files` holds.

    Raises:
        OSError: a file cannot be read.
        ValueError: it is broken, is missing, or belongs to another segmenter.
    """
    for name, given in (("word_dict", word_dict), ("lac", lac)):
        if (given is not None) != (_NEEDS.get(segmenter) == name):
            wrong = f"needs {name}" if given is None else f"reads no {name}; leave it out, or choose another segmenter"
            raise ValueError(f"tokenizer.segmenter {segmenter} {wrong}")
    if lac is not None:
        return _by_lac(Path(lac))
    if word_dict is not None:
        frequencies = read_frequencies(word_dict)
        path = LikeliestPath(frequencies)
        content = "".join(f"{word} {count}\n" for word, count in frequencies.items()).encode("utf-8")
        return Segmentation(lambda text: _without_spaces(*path.place(text)), {"words.txt": content})
    pattern = _CHARACTER if segmenter == "characters" else _WORD

    def place(text: str) -> tuple[list[str], Offsets]:
        found = list(pattern.finditer(text))
        return [one[0] for one in found], [one.span() for one in found]

    return Segmentation(place, {})


def _without_spaces(words: list[str], offsets: Offsets) -> tuple[list[str], Offsets]:
    kept = [number for number, word in enumerate(words) if not word.isspace()]
    return [words[number] for number in kept], [offsets[number] for number in kept]


def _by_lac(path: Path) -> Segmentation:
    """Return what cuts texts by an exported folder of lexical analysis."""
    content = _packed(path) if path.is_dir() else path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        _unpack(content, path, Path(folder))
        analyser = importlib.import_module("PaddleNLP.lexical.analyser").LAC(folder)  # loads the engine

    def place(text: str) -> tuple[list[str], Offsets]:
        chunks = analyser.reader.predict(text).chunks
        covered = [found.span() for chunk in chunks for found in _WORD.finditer(text, chunk.start, chunk.end)]
        return [text[start:end] for start, end in covered], covered

    return Segmentation(place, {"lac.zip": content})


def _packed(folder: Path) -> bytes:
    if not (folder / "program.json").is_file():
        raise ValueError(f"tokenizer.lac: {os.fspath(folder)!r} is no folder that PaddleNLP/export.py wrote")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for file in sorted(folder.iterdir()):
            if file.is_file():
                archive.writestr(zipfile.ZipInfo(file.name), file.read_bytes())  # without times: equal each time
    return stream.getvalue()


def _unpack(content: bytes, path: Path, folder: Path) -> None:
    """Write the files of an archive into a folder: a few, which are not compressed, and none of which is elsewhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members: list[Any] = archive.infolist()
            flat = all(Path(one.filename).name == one.filename and one.compress_type == 0 for one in members)
            if len(members) > MOST_FILES or not flat or sum(one.file_size for one in members) > len(content):
                raise zipfile.BadZipFile("it holds other files than an exported folder's")
            for one in members:
                (folder / one.filename).write_bytes(archive.read(one))
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise ValueError(f"{os.fspath(path)}: no archive of an exported folder: {error}") from None
