"""The texts of several data sets as one, for pretraining; and what a config says of a data set and its part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from core.train.config.table import Component
from PaddleNLP.data.dataset import TextDataset, Texts, Transform
from PaddleNLP.data.encoded import texts_of
from PaddleNLP.data.parts import PartSection, part_of, texts_in
from PaddleNLP.data.registry import DATASETS, rooted

_SENTENCE = re.compile(r".*?(?:[。！？!?；;\n]+|\Z)", re.DOTALL)


def built(settings: Mapping[str, Any]) -> TextDataset:
    """Return a data set, or the part of it, that a config asks for.

    Args:
        settings: name and arguments, and perhaps "part", the keys of :class:`PaddleNLP.data.parts.PartSection`.

    Raises:
        OSError: files are missing.
        ValueError: the data set is unknown or broken, or an argument is wrong.
    """
    given = {key: value for key, value in settings.items() if key != "part"}
    found: TextDataset = DATASETS.build(DATASETS.check(Component.model_validate(given)))
    part = settings.get("part")
    return found if part is None else of_section(found, PartSection.model_validate(part))


def of_section(dataset: TextDataset, section: PartSection, root: Optional[str] = None) -> TextDataset:
    """Return the part of a data set that a config asks for.

    Args:
        dataset: the data set.
        section: the part.
        root: the folder that its paths are relative to; None: the working directory.
    """
    others = map(built, rooted(section.apart_from, root))
    return part_of(dataset, section.every, section.keep, texts_in(others))


class JoinedTexts(TextDataset):
    """The texts of several data sets as one: what pretraining reads. Sample i has "text" and "text_pair".

    Labels are left out, tokens are joined; "text_pair" is empty but for pairs of texts. Texts that occur again are left
    out.

    Args:
        sets: data sets as ``dataset`` of a split has them, each perhaps with ``part``.
        apart_from: data sets of the same form; samples with a text that one of them has are left out.
        longest: a text without a second one is cut behind sentences into pieces of at most so many characters.
        transform: what to do with a sample.

    Raises:
        OSError: files are missing.
        ValueError: a data set is broken, or unknown.
    """

    def __init__(
        self,
        sets: list[dict[str, Any]],
        apart_from: Sequence[dict[str, Any]] = (),
        longest: int = 126,
        transform: Optional[Transform] = None,
    ) -> None:
        if longest < 1:
            raise ValueError(f"longest must be positive, not {longest}")
        first, second = Texts(), Texts()
        foreign = texts_in(map(built, apart_from))
        seen: set[tuple[str, ...]] = set()
        for settings in sets:
            for text, pair in _texts(part_of(built(settings), foreign=foreign), longest):
                key = tuple("".join(one.split()) for one in (text, pair))
                if any(key) and key not in seen:
                    seen.add(key)
                    first.append(text)
                    second.append(pair)
        super().__init__({"text": first, "text_pair": second}, path="JoinedTexts", transform=transform)


def _texts(dataset: TextDataset, longest: int) -> Iterator[tuple[str, str]]:
    """Iterate over texts and second texts, which may be empty."""
    for number in range(len(dataset)):
        texts = list(texts_of([dataset.sample(number)]))
        if "text_pair" in dataset.columns:
            yield texts[0], texts[1]
            continue
        for text in texts:
            for piece in pieces(text, longest):
                yield piece, ""


def pieces(text: str, longest: int) -> Iterator[str]:
    """Iterate over the parts of a text, of at most so many characters, whole sentences as far as they fit.

    Args:
        text: the text.
        longest: the most characters of a part; a longer sentence is cut anywhere.
    """
    waiting = ""
    for sentence in _SENTENCE.findall(text):
        if waiting and len(waiting) + len(sentence) > longest:
            yield waiting
            waiting = ""
        waiting += sentence
        while len(waiting) > longest:
            yield waiting[:longest]
            waiting = waiting[longest:]
    if waiting:
        yield waiting
