"""The tokenisers that a config may name, vocabularies learned from the training texts, and keeping a tokeniser."""

from __future__ import annotations

import base64
import inspect
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Optional, Union

import pydantic

import core.text
from core.text.tokenizers import PretrainedTokenizer
from core.text.tokenizers.folders import CONFIG, read_config
from core.train.config.table import Component, Named, Table, nearest_names
from core.weights import fetch
from PaddleNLP.models.weights import ALIASES
from PaddleNLP.models.weights.vocabularies import VOCABULARIES, Vocabulary
from PaddleNLP.translation.tokenizer import SubwordTokenizer, learned_subwords
from PaddleNLP.word_level import WordLevelTokenizer, learned_words


class Tokenizers(Table):
    """Tokenisers by name; their files may be left out of a config that learns a vocabulary instead."""

    def _parameters(self, name: str) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give."""
        return {
            key: one.replace(default=None, annotation=Optional[str]) if key in self.paths else one
            for key, one in super()._parameters(name).items()
        }


TOKENIZERS = Tokenizers(
    "tokenizer",
    {
        **{
            name: kind
            for name, kind in vars(core.text.tokenizers).items()
            if inspect.isclass(kind) and issubclass(kind, PretrainedTokenizer) and kind is not PretrainedTokenizer
        },
        "WordLevelTokenizer": WordLevelTokenizer,
        "SubwordTokenizer": SubwordTokenizer,
    },
    paths=(
        *("vocab_file", "sentencepiece_model_file", "word_dict", "merges_file", "lac"),
        *("model_file", "bpe_vocab_file", "bpe_json_file", "codes_file"),
    ),
)
"""Tokenisers of :mod:`core.text` by Paddle's names, and that of whole words."""

LEARNABLE = ("BertTokenizer", "ErnieTokenizer", "WordLevelTokenizer", "SubwordTokenizer")
"""Tokenisers whose vocabulary can be learned from the training texts."""


class TokenizerSection(Component):
    """How texts become ids."""

    in_words: ClassVar[str] = "a name with its arguments"

    learn: Optional[pydantic.PositiveInt] = pydantic.Field(
        None, description="learn a vocabulary of at most so many tokens from the texts of data.train, instead of a file"
    )
    pretrained: Optional[str] = pydantic.Field(
        None, description="download the official files of this checkpoint once, such as ernie-1.0, instead of a file"
    )
    max_length: pydantic.PositiveInt = pydantic.Field(
        128, description="tokens of a sample at most, special ones included; longer texts are cut, or read in windows"
    )

    @pydantic.model_validator(mode="after")
    def _one_vocabulary(self) -> TokenizerSection:
        cutting = ("word_dict", "lac") if self.name == "WordLevelTokenizer" else ()
        files = [f"the file {name}" for name in self.arguments if name in TOKENIZERS.paths and name not in cutting]
        sources = [name for name in ("learn", "pretrained") if getattr(self, name) is not None]
        if sources and len(sources) + len(files) > 1:
            raise ValueError(f"give {sources[0]}, or {[*sources[1:], *files][0]}, not both")
        if self.learn is not None and self.name not in LEARNABLE:
            raise ValueError(f"learn goes with {', '.join(LEARNABLE)}, not with {self.name}: name its files")
        if self.pretrained is not None and vocabulary_of(self.pretrained).tokenizer != self.name:
            kind = vocabulary_of(self.pretrained).tokenizer
            raise ValueError(f"the tokenizer of {self.pretrained} is a {kind}, not a {self.name}")
        if not sources and not files:
            raise ValueError(f"name the files of {self.name}, or learn a vocabulary of the training texts: learn: 4000")
        return self


def vocabulary_of(checkpoint: str) -> Vocabulary:
    """Return what is known of the official tokeniser of a checkpoint.

    Args:
        checkpoint: its name, or an alias of it.

    Raises:
        ValueError: none is known; the message has the nearest names.
    """
    name = ALIASES.get(checkpoint, checkpoint)
    if name not in VOCABULARIES:
        near = nearest_names(checkpoint, [*VOCABULARIES, *ALIASES], 3, 0.6)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"no tokenizer is published for {checkpoint!r}{hint}")
    return VOCABULARIES[name]


def create_tokenizer(name: Union[str, os.PathLike[str]], **settings: Any) -> PretrainedTokenizer:
    """Return a tokeniser by name.

    Args:
        name: a checkpoint such as ``"ernie-1.0"``, whose official files are downloaded once; a folder that
            ``save_pretrained``, paddlenlp or a run of PaddleNLP wrote; or the name of a class with its files as
            settings: ``create_tokenizer("ErnieTokenizer", vocab_file="vocab.txt")``.
        **settings: further arguments of the class, in place of the published or stored ones.

    Returns:
        A tokeniser of :mod:`core.text`: called with a text, it gives ``input_ids`` and ``token_type_ids``.

    Raises:
        ValueError: there is no such checkpoint, class or folder (the message has the nearest names), or a file is
            damaged.
        FileNotFoundError: a folder lacks a file.
        ConnectionError: a file cannot be downloaded.

    Example:
        >>> tokenizer = PaddleNLP.create_tokenizer("ernie-1.0")
        >>> ids = tokenizer("房间很小", max_length=128)["input_ids"]
    """
    folder = Path(name)
    if folder.is_dir():
        folder = next((one for one in (folder / "tokenizer", folder) if (one / CONFIG).is_file()), folder)
        stored = read_config(str(folder / CONFIG)).get("tokenizer_class")
        if not isinstance(stored, str):
            raise ValueError(f"{os.fspath(name)}: no {CONFIG} says whose tokenizer this is")
        kind: Any = TOKENIZERS.resolve(stored)
        tokenizer: PretrainedTokenizer = kind.from_pretrained(folder, **settings)
    elif os.fspath(name) in TOKENIZERS.list():
        tokenizer = TOKENIZERS.resolve(os.fspath(name))(**settings)
    else:
        known = vocabulary_of(os.fspath(name))
        files = {argument: str(fetch(address)) for argument, address in known.files.items()}
        tokenizer = TOKENIZERS.resolve(known.tokenizer)(**{**files, **known.settings, **settings})
    return tokenizer


TokenizerChoice = Annotated[TokenizerSection, Named(TOKENIZERS)]


def build_tokenizer(section: TokenizerSection, root: Optional[str], texts: Any) -> Any:
    """Return the tokeniser that a config asks for.

    Args:
        section: of the config.
        root: the folder that paths are relative to; None: the working directory.
        texts: called without arguments, gives the texts that a vocabulary is learned from.

    Raises:
        ValueError: a file is broken, or the longest sample has no room for a text.
        FileNotFoundError: a file is missing.
        ConnectionError: official files are out of reach.
    """
    tokenizer = _built(section, root, texts)
    special = tokenizer.num_special_tokens_to_add()
    if section.max_length <= special:
        message = f"leaves no room for a text beside {special} special tokens"
        raise ValueError(f"tokenizer.max_length {section.max_length} {message}; raise it")
    return tokenizer


def _built(section: TokenizerSection, root: Optional[str], texts: Any) -> Any:
    """Return the tokeniser, whose samples may be of any length."""
    if section.learn is not None:
        return learned(section.name, texts(), section.learn, TOKENIZERS.below(section, root).arguments)
    if section.pretrained is not None:
        return create_tokenizer(section.pretrained, **section.arguments)
    return TOKENIZERS.build(TOKENIZERS.below(section, root))


def learned(name: str, texts: Iterable[str], size: int, settings: Mapping[str, Any]) -> Any:
    """Return a tokeniser whose vocabulary is learned from texts.

    Args:
        name: of the tokeniser.
        texts: what to learn from.
        size: how many tokens there are at most.
        settings: further arguments of the tokeniser.
    """
    if name == "SubwordTokenizer":
        return learned_subwords(texts, size, settings)
    if name == "WordLevelTokenizer":
        vocab = learned_words(texts, size, settings)
    else:
        layout = "ernie" if name == "ErnieTokenizer" else "bert"
        vocab = core.text.learn_wordpiece(texts, size, layout, settings.get("do_lower_case", True))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vocab.txt"
        vocab.save_vocabulary(str(file))
        return TOKENIZERS.resolve(name)(str(file), **settings)


def stored(tokenizer: Any) -> dict[str, Any]:
    """Return a tokeniser as what JSON can hold: its class and the content of its files.

    Args:
        tokenizer: of :mod:`core.text`.
    """
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        files = {
            str(file.relative_to(folder)): base64.b64encode(file.read_bytes()).decode("ascii")
            for file in sorted(Path(folder).rglob("*"))
            if file.is_file()
        }
    return {"name": type(tokenizer).__name__, "files": files}


def restored(record: Any) -> Any:
    """Return the tokeniser of what :func:`stored` gave.

    Args:
        record: what a file held.

    Raises:
        ValueError: it is no such record, or names a file outside its folder.
    """
    good = isinstance(record, dict) and set(record) == {"name", "files"} and isinstance(record["files"], dict)
    if not good or not all(isinstance(part, str) for pair in record["files"].items() for part in pair):
        raise ValueError("it holds no tokeniser")
    kind: Any = TOKENIZERS.resolve(record["name"])
    with tempfile.TemporaryDirectory() as folder:
        for name, content in record["files"].items():
            if Path(name).name != name:
                raise ValueError(f"a tokeniser's file is named {name!r}")
            (Path(folder) / name).write_bytes(base64.b64decode(content, validate=True))
        return kind.from_pretrained(folder)
