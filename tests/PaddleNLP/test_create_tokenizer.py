"""Tokenisers by name: of checkpoints, of folders, of classes."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import PaddleNLP
from core.text import BertTokenizer, ErnieTokenizer
from PaddleNLP.config import TOOLKIT
from PaddleNLP.models.weights import CHECKPOINTS
from PaddleNLP.models.weights.vocabularies import VOCABULARIES
from PaddleNLP.tokenizing import TOKENIZERS, build_tokenizer

TOKENS = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "房", "间", "小", "Ab", "ab", "[UNK]"]


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for the publisher, beside an empty cache."""
    folder = tmp_path / "mirror"
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(folder))
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    for name in ("ernie-1.0", "bert-base-chinese"):
        address = urlsplit(VOCABULARIES[name].files["vocab_file"])
        file = folder / address.netloc / address.path.lstrip("/")
        file.parent.mkdir(parents=True)
        file.write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    return folder


def test_of_a_checkpoint_the_official_files_are_fetched_once(mirror: Path) -> None:
    tokenizer = PaddleNLP.create_tokenizer("ernie-1.0")
    assert type(tokenizer) is ErnieTokenizer
    assert tokenizer("房间小 Ab")["input_ids"] == [1, 4, 5, 6, 8, 2]  # letters are made small
    mirror.rename(mirror.with_name("gone"))
    assert PaddleNLP.create_tokenizer("ernie-1.0")("小")["input_ids"] == [1, 6, 2]
    with pytest.raises(ConnectionError, match="ernie_2.0_base_zh_vocab.txt"):
        PaddleNLP.create_tokenizer("ernie-2.0-base-zh")


def test_published_settings_hold_unless_others_are_given(mirror: Path) -> None:
    tokenizer = PaddleNLP.create_tokenizer("bert-base-chinese")
    assert type(tokenizer) is BertTokenizer
    assert tokenizer("Ab")["input_ids"] == [1, 7, 2]
    assert PaddleNLP.create_tokenizer("bert-base-chinese", do_lower_case=True)("Ab")["input_ids"] == [1, 8, 2]


def test_of_a_folder_its_own_class_and_settings(mirror: Path, tmp_path: Path) -> None:
    PaddleNLP.create_tokenizer("bert-base-chinese").save_pretrained(tmp_path / "run" / "tokenizer")
    for folder in (tmp_path / "run", tmp_path / "run" / "tokenizer"):
        tokenizer = PaddleNLP.create_tokenizer(folder)
        assert type(tokenizer) is BertTokenizer
        assert tokenizer("Ab")["input_ids"] == [1, 7, 2]
    stored = tmp_path / "run" / "tokenizer" / "tokenizer_config.json"
    stored.write_text(json.dumps({"tokenizer_class": "os.system"}))
    with pytest.raises(ValueError, match=r"unknown tokenizer 'os\.system'"):
        PaddleNLP.create_tokenizer(tmp_path / "run")
    stored.unlink()
    with pytest.raises(ValueError, match=r"run: no tokenizer_config\.json says whose tokenizer this is"):
        PaddleNLP.create_tokenizer(tmp_path / "run")


def test_of_a_class_with_its_files(tmp_path: Path) -> None:
    file = tmp_path / "vocab.txt"
    file.write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    tokenizer = PaddleNLP.create_tokenizer("ErnieTokenizer", vocab_file=str(file))
    assert tokenizer("房间")["token_type_ids"] == [0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"no tokenizer is published for 'ernie-1\.9'; did you mean ernie-1\.0"):
        PaddleNLP.create_tokenizer("ernie-1.9")


def test_a_config_names_a_checkpoints_tokenizer(mirror: Path) -> None:
    config = "PaddleNLP/configs/drawn_reviews_ernie.yaml"
    section = "{name: BertTokenizer, pretrained: bert-base-chinese, do_lower_case: true}"
    found = TOOLKIT.load(config, [f"tokenizer={section}"], quiet=True).tokenizer
    assert build_tokenizer(found, None, None)("Ab")["input_ids"] == [1, 8, 2]


def test_every_published_tokenizer_is_of_a_checkpoint_and_fits_its_class() -> None:
    assert set(VOCABULARIES) <= set(CHECKPOINTS)
    for name, known in VOCABULARIES.items():
        accepted = TOKENIZERS.resolve(known.tokenizer).resource_files_names
        assert known.files.keys() <= accepted.keys(), name
        assert all(address.startswith("https://") for address in known.files.values()), name
