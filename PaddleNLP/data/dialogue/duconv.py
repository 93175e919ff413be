"""DuConv: conversations that a leader brings from one topic to another, with facts to speak of.

Wu et al. 2019, Proactive human-machine conversation with explicit conversation goals, https://arxiv.org/abs/1906.05572.
A line of a file is JSON: "goal" (three words each), "knowledge" (facts: subject, predicate, object), "conversation",
whose turns 0, 2, 4 ... the leader says; or "history" and "response", perhaps with "candidate", replies to choose from.
How these become texts is a fact of PaddlePaddle/models at 1.6 (``PaddleNLP/Research/ACL2019-DuConv``, ``tools``).
"""

from __future__ import annotations

import collections
import dataclasses
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Optional

import numpy as np

from core.weights.messages import shown
from PaddleNLP.data.dataset import Column, Names, TextDataset, TextLists, Texts, Transform
from PaddleNLP.data.dialogue.conversations import grouped
from PaddleNLP.data.lines import json_lines, json_value
from PaddleNLP.word_level import CHINESE

Variant = Literal["match", "match_kn", "match_kn_gene"]
"""The published retrieval systems: without knowledge, with it, and with topics replaced by marks besides."""

LOOKED_AMONG = 50
"""Replies of other conversations among which the wrong candidates are found."""


@dataclasses.dataclass
class Moment:
    """A conversation where the leader is to speak.

    Attributes:
        goal: three words each.
        knowledge: facts: subject, predicate, object.
        history: the turns so far.
        response: what the leader said; "" where it is not known.
        candidates: replies to choose from.
    """

    goal: list[list[str]]
    knowledge: list[list[str]]
    history: list[str]
    response: str = ""
    candidates: Sequence[str] = ()

    def marks(self) -> dict[str, str]:
        """Return the marks of both topics; one whose domain is not 电影 is a person."""
        domains = {subject: value for subject, predicate, value in self.knowledge if predicate == "领域"}
        topics = self.goal[0][1:3]
        kinds = ["video" if domains.get(topic) == "电影" else "person" for topic in topics]
        return {f"{kind}_topic_{letter}": topic for kind, letter, topic in zip(kinds, "ab", topics)}

    def generalized(self) -> Moment:
        """Return the same with marks in the place of topics, the longer topic first."""
        return self.replaced({topic: mark for mark, topic in self.marks().items()})

    def replaced(self, words: Mapping[str, str]) -> Moment:
        """Return the same with words replaced."""
        return Moment(
            [[replaced(word, words) for word in step] for step in self.goal],
            [[replaced(word, words) for word in fact] for fact in self.knowledge],
            [replaced(turn, words) for turn in self.history],
            replaced(self.response, words),
            [replaced(one, words) for one in self.candidates],
        )


def replaced(text: str, words: Mapping[str, str]) -> str:
    """Return a text with words replaced, the longest first."""
    for old in sorted((word for word in words if word), key=len, reverse=True):
        text = text.replace(old, words[old])
    return text


def moments_of(value: Any, where: str) -> list[Moment]:
    """Return the moments at which the leader speaks.

    Args:
        value: what a line holds.
        where: file and line, for messages.

    Raises:
        ValueError: it is no conversation of DuConv.
    """
    for key in ("goal", "knowledge"):
        rows = value.get(key)
        good = isinstance(rows, list) and all(isinstance(row, list) and len(row) == 3 for row in rows)
        if not good or not all(isinstance(word, str) for row in rows for word in row) or (key == "goal" and not rows):
            raise ValueError(f"{where}: {key!r} must be lists of three texts each, not {shown(rows)}")
    turns = value.get("conversation", value.get("history"))
    candidates = value.get("candidate", [])
    for key, texts in (("conversation' or 'history", turns), ("candidate", candidates)):
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{where}: '{key}' must be a list of texts, not {shown(texts)}")
    given = value["goal"], value["knowledge"]
    if "conversation" in value:
        return [Moment(*given, turns[:place], turns[place]) for place in range(0, len(turns), 2)]
    response = value.get("response", "")
    if not isinstance(response, str):
        raise ValueError(f"{where}: 'response' must be a text, not {shown(response)}")
    return [Moment(*given, turns, response, candidates)]


def moment_of_line(line: str, where: str) -> Moment:
    """Return the moment of a line of JSON in which the leader is to speak next.

    Raises:
        ValueError: it is no such line.
    """
    value = json_value(line, where)
    if not isinstance(value, dict):
        raise ValueError(f"{where}: a conversation of DuConv is an object of JSON with goal, knowledge and history")
    if "conversation" in value:
        value = {**value, "history": value["conversation"]}
        del value["conversation"]
    return moments_of(value, where)[0]


def _moments(path: str) -> Iterator[tuple[int, Moment]]:
    for number, value in json_lines(path):
        for moment in moments_of(value, f"{path}:{number}"):
            yield number, moment


def by_characters(text: str) -> str:
    """Return a text with spaces between the characters of words that hold Chinese ones."""
    return " ".join(" ".join(word) if CHINESE.search(word) else word for word in text.split())


def history_text(moment: Moment) -> str:
    """Return the turns so far as the retrieval systems read them."""
    return f"[CLS] {' [INNER_SEP] '.join(moment.history) or '[START]'} [SEP]"


def knowledge_text(moment: Moment) -> str:
    """Return goal and facts as the retrieval systems read them."""
    goal, facts = (
        f" {mark} ".join(" ".join(words) for words in rows)
        for mark, rows in (("[PATH_SEP]", moment.goal), ("[KN_SEP]", moment.knowledge))
    )
    return f"{goal} [SEP] {facts}"


def source_text(moment: Moment) -> str:
    """Return goal, facts and turns so far as the generating system reads them."""
    goal, facts = (" ".join(" ".join(words) for words in rows) for rows in (moment.goal, moment.knowledge))
    return f"{goal} {facts} : {' '.join(moment.history)}"


class Repeated(Column[str]):
    """Texts of which each belongs to so many samples in a row.

    Args:
        texts: the texts.
        times: how many samples each has.
    """

    what = "texts"

    def __init__(self, texts: Sequence[str], times: int) -> None:
        self.texts, self.times = texts, times

    def __len__(self) -> int:
        return len(self.texts) * self.times

    def _at(self, number: int) -> str:
        return self.texts[number // self.times]


class DuConvCandidates(TextDataset):
    """What the leader says next, among candidates: "text" is the history, "text_pair" a reply, "knowledge" the facts.

    The published tools fill replies of other conversations with words of this one by rules of their own. Here, of
    50 replies that were said elsewhere, with both topics replaced by this conversation's, those are taken that share
    the most words with the right one. That is our own choice.

    Args:
        path: the file.
        variant: "match", "match_kn" or "match_kn_gene".
        candidates: replies to choose from, of which the first is right.
        characters: whether Chinese words are read character by character, as in the published systems.
        seed: of the other replies.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong, names file and line; or there are too few replies.
    """

    def __init__(
        self,
        path: str,
        variant: Variant = "match_kn",
        candidates: int = 10,
        characters: bool = True,
        seed: int = 0,
        transform: Optional[Transform] = None,
    ) -> None:
        if variant not in ("match", "match_kn", "match_kn_gene"):
            raise ValueError(f"variant is match, match_kn or match_kn_gene, not {variant!r}")
        if candidates < 2:
            raise ValueError(f"candidates must be at least 2, not {candidates}")
        found = [(number, moment) for number, moment in _moments(path) if moment.response]
        general = [moment.generalized() for _, moment in found]
        draw = np.random.default_rng(seed)
        texts, replies, facts, lines = Texts(), Texts(), Texts(), array("q")
        cut = by_characters if characters else _spaced
        for place, (number, moment) in enumerate(found):
            shown_as = general[place] if variant == "match_kn_gene" else moment
            words = {} if variant == "match_kn_gene" else moment.marks()
            others = [replaced(one.response, words) for one in _others(general, place, draw, candidates)]
            texts.append(cut(history_text(shown_as)))
            facts.append(cut(knowledge_text(shown_as)))
            wrong = _likest(shown_as.response, others, candidates - 1)
            if len(wrong) < candidates - 1:
                raise ValueError(f"{path}:{number}: there are not {candidates - 1} other replies to choose from")
            for reply in (shown_as.response, *wrong):
                replies.append(f"{cut(reply)} [SEP]")
                lines.append(number)
        columns = {
            "text": Repeated(texts, candidates),
            "text_pair": replies,
            **({} if variant == "match" else {"knowledge": Repeated(facts, candidates)}),
            "label": Names(["0", "1"], (int(place % candidates == 0) for place in range(len(replies)))),
            **grouped(len(replies), candidates),
        }
        super().__init__(columns, ["0", "1"], path, lines, transform)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _others(general: Sequence[Moment], place: int, draw: np.random.Generator, count: int) -> list[Moment]:
    """Return moments of which the replies may be candidates; more where many are alike."""
    many = min(len(general), max(LOOKED_AMONG, 5 * count))
    return [general[other] for other in draw.choice(len(general), many, replace=False).tolist() if other != place]


def _likest(right: str, others: Sequence[str], count: int) -> list[str]:
    """Return the replies that share the most words with the right one, of several alike ones one."""
    own = collections.Counter(right.split())
    kept = [one for one in dict.fromkeys(others) if one != right]
    return sorted(kept, key=lambda one: -sum((own & collections.Counter(one.split())).values()))[:count]


class DuConvReplies(TextDataset):
    """What the leader says next: "source" is goal, facts and history, "target" the reply, "facts" the facts.

    Args:
        path: the file.
        generalized: whether marks stand for both topics, as in the published recipe.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong; names file and line.
    """

    def __init__(self, path: str, generalized: bool = False, transform: Optional[Transform] = None) -> None:
        sources, targets, facts, lines = Texts(), Texts(), TextLists(), array("q")
        for number, moment in _moments(path):
            if moment.response:
                given = moment.generalized() if generalized else moment
                sources.append(source_text(given))
                targets.append(given.response)
                facts.append(" ".join(fact) for fact in given.knowledge)
                lines.append(number)
        super().__init__({"source": sources, "target": targets, "facts": facts}, (), path, lines, transform)
