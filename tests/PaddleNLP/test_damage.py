"""Damaged files of runs, tokenisers and weights, and texts that are too long: what each is answered in one line."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
import struct
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
import PaddleNLP
from core.text import vocabulary_files

Runs = Callable[[str], Path]
VOCABULARY = "[PAD]\n[CLS]\n[SEP]\n[MASK]\n[UNK]\n你\n"
DEEP = b"[" * 100_000
SETTINGS: dict[str, Any] = {
    "vocab_size": 60,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 32,
}


class Calls:
    def __reduce__(self) -> Any:
        return print, ("this ran",)


# texts and ids that do not fit


@pytest.mark.parametrize("task", ["Classification", "PairClassification", "MultipleChoice", "RelationExtraction"])
def test_the_first_text_that_is_cut_is_warned_of(task: str, run_of: Runs) -> None:
    reader = PaddleNLP.open_reader(run_of(task))
    texts: dict[str, Any] = {
        "Classification": "好" * 98,
        "PairClassification": ("好" * 98, "好"),
        "MultipleChoice": ("好" * 95, "好", "好", "好"),
        "RelationExtraction": "好" * 98,
    }
    with pytest.warns(UserWarning, match="a text of 100 tokens is cut to 48, which the network was trained for; so "):
        reader.predict(texts[task])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reader.predict(texts[task])


def test_texts_that_are_read_in_windows_are_not_cut(run_of: Runs) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PaddleNLP.open_reader(run_of("TokenClassification")).predict("好" * 98)
        PaddleNLP.open_reader(run_of("QuestionAnswering")).predict(("在哪里？", "好" * 98))


def test_ids_and_positions_outside_the_tables_are_named() -> None:
    model = PaddleNLP.create_model("ernie", **SETTINGS)
    with pytest.raises(IndexError, match=r"embedding: row number 60 is outside an axis of size 60: use \[0, 60\)"):
        model(core.to_tensor(np.array([[1, 60]])))
    with pytest.raises(IndexError, match=r"row number -1 is outside an axis of size 60"):
        model(core.to_tensor(np.array([[1, -1]])))
    with pytest.raises(ValueError, match="texts of 33 tokens, but the model knows 32 positions: cut them"):
        model(core.ones([1, 33], "int64"))


# folders whose files do not belong together


@pytest.fixture
def copy(run_of: Runs, tmp_path: Path) -> Path:
    """A copy of a run's folder, to be damaged."""
    return Path(shutil.copytree(run_of("Classification"), tmp_path / "copy"))


@pytest.mark.parametrize("names", [["negative"], ["negative", "positive", "both"]])
def test_as_many_names_as_the_network_has_classes(names: list[str], copy: Path) -> None:
    (copy / "classes.json").write_text(json.dumps(names))
    with pytest.raises(ValueError, match=r"does not fit the network: 'classifier.weight' has shape \[16, 2\]"):
        PaddleNLP.open_reader(copy)


def test_a_runs_vocabulary_that_is_another_one(copy: Path) -> None:
    file = copy / "tokenizer" / "vocab.txt"
    file.write_text(file.read_text(encoding="utf-8") + "\U00020000\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"embeddings.weight' has shape \[127, 16\], the network needs \[128, 16\]"):
        PaddleNLP.open_reader(copy)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (DEEP, "tokenizer_config.json: no JSON: RecursionError"),
        (b"[1]", "tokenizer_config.json: no mapping of names to settings"),
        (b'{"tokenizer_class": "BertTokenizer"}', "the tokeniser of a BertTokenizer, and not of a ErnieTokenizer"),
        (b'{"tokenizer_class": "ErnieTokenizer", "unk_token": "?"}', "the special token '[?]' is not among the"),
    ],
)
def test_a_runs_tokeniser_that_is_none(content: bytes, message: str, copy: Path) -> None:
    (copy / "tokenizer" / "tokenizer_config.json").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        PaddleNLP.open_reader(copy)


# files of vocabularies and weights


def tokenizer_of(path: Path, content: bytes) -> Any:
    """Return the tokeniser of a vocabulary's file."""
    path.write_bytes(content)
    return PaddleNLP.create_tokenizer("ErnieTokenizer", vocab_file=path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "vocab.txt, line 3: a NUL byte; this is no text file"),
        (b"[PAD]\n\xff\xfe\n", "vocab.txt, line 2: byte 0xff is not UTF-8; convert the file to UTF-8"),
        (b'{"a": 1}', r"vocab.txt: Vocab: the special token '\[PAD\]' is not among the 1 tokens"),
        (b"", "vocab.txt: a vocabulary without tokens"),
    ],
)
def test_a_vocabulary_that_is_none(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        tokenizer_of(tmp_path / "vocab.txt", content)


@pytest.mark.parametrize(
    ("further", "message", "count"),
    [
        ("你\n好\n", "vocab.txt, line 7: '你' for the second time; its last line counts", 8),
        ("\n好\n", "vocab.txt, line 7: an empty line, whose id 6 has no token", 8),
    ],
)
def test_a_vocabulary_with_duplicates_or_holes_keeps_its_ids(
    further: str, message: str, count: int, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=message):
        tokenizer = tokenizer_of(tmp_path / "vocab.txt", (VOCABULARY + further).encode())
    assert tokenizer("好")["input_ids"] == [1, 7, 2] and tokenizer.vocab_size == count


def test_a_vocabulary_that_unpacks_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tokenizer_of(tmp_path / "vocab.gz", gzip.compress(VOCABULARY.encode()))("你")["input_ids"] == [1, 5, 2]
    monkeypatch.setattr(vocabulary_files, "MAXIMUM_BYTES", 1_000_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"bomb.gz' unpacks to more than 1,000,000 bytes"):
        tokenizer_of(tmp_path / "bomb.gz", gzip.compress(b"a\n" * 20_000_000))
    tracemalloc.stop()


def packed(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"a": Calls()}))


HARMFUL: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a.safetensors": (
        lambda path: path.write_bytes(struct.pack("<Q", 100) + b"{}"),
        "a.safetensors' as a safetensors file: .*invalid header length; fetch or write it again",
    ),
    "b.safetensors": (
        lambda path: path.write_bytes(struct.pack("<Q", 1 << 40) + b"{}"),
        "its header is longer than 32,000,000 bytes; fetch or write it again",
    ),
    "c.safetensors": (
        lambda path: path.write_bytes(struct.pack("<Q", len(DEEP)) + DEEP),
        "c.safetensors' as a safetensors file: .*invalid JSON in header",
    ),
    "a.pdparams": (
        lambda path: path.write_bytes(pickle.dumps({"a": Calls()})),
        "a.pdparams': it asks for builtins.print, .*; nothing in it was run",
    ),
    "pytorch_model.bin": (packed, "pytorch_model.bin': it asks for builtins.print, .*; nothing in it was run"),
}


@pytest.mark.parametrize("name", list(HARMFUL))
def test_weights_that_lie_or_call(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write, message = HARMFUL[name]
    write(tmp_path / name)
    with pytest.raises(ValueError, match=message) as caught:
        PaddleNLP.create_model("ernie", pretrained=tmp_path / name, **SETTINGS)
    assert "\n" not in str(caught.value) and "this ran" not in capfd.readouterr().out
