"""Drawn sentences with the labels that a knowledge base would give them, of which three in ten are wrong.

A fact is a relation of two entities. Each sentence about a pair with a fact has the fact's label, also where its words
say nothing of it: this is how distant supervision goes wrong. Pairs of train are not in dev or test, where labels are
right, and where every second sentence states its fact.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

RELATIONS = {
    "/people/person/place_of_birth": ("PERSON", "CITY", ("born", "raised", "baptised")),
    "/people/person/place_lived": ("PERSON", "CITY", ("living", "settled", "resident")),
    "/business/person/company": ("PERSON", "COMPANY", ("employed", "hired", "manager")),
    "/business/company/founders": ("PERSON", "COMPANY", ("founder", "creator", "established")),
    "/business/company/headquarters": ("COMPANY", "CITY", ("based", "headquartered", "seated")),
    "/business/company/owner_of": ("COMPANY", "COMPANY", ("owner", "buyer", "acquired")),
}
"""Types of both entities, and words that state the relation."""

NEUTRAL = ("praised", "visited", "mentioned", "recalled", "described", "noticed", "admired", "greeted", "discussed")
"""Words that state none of them."""

FORMS = ("was {} in", ", {} of", "had been {} at", "is {} with", ", once {} near", "{} by")
NONE = "None"
BEFORE = ("Yesterday", "Last week", "In March", "As reported ,", "They say that", "In the end", "")
BEHIND = ("last year", "for a time", "with many others", "in those days", "as was known", "again", "")
SYLLABLES = ("ka", "lo", "mi", "ner", "sta", "vel", "dor", "ri", "tan", "ush", "bel", "gor")
COUNTS = {"train": 3000, "dev_part": 600, "test_part": 1000}
KINDS = ("PERSON", "CITY", "COMPANY")
NOISY, NEGATIVE = 0.3, 0.2
"""Of the sentences of train: those whose label is wrong, and those of pairs without a fact."""


def write_distant(folder: Path, seed: int = 0, shuffled: bool = False) -> list[str]:
    """Write train.json, dev_part.json and test_part.json in the lines of ARNOR's release; return their names.

    Args:
        folder: where to write.
        seed: of the draws.
        shuffled: whether the labels of train and dev are dealt at random.
    """
    source = np.random.default_rng(seed)
    names = _names(source)
    pairs: dict[tuple[str, str], str] = {}
    files = []
    for part, count in COUNTS.items():
        used = set(pairs)
        facts = _facts(names, pairs, used, source)
        rows = [_row(part, facts, names, pairs, source) for _ in range(count)]
        if shuffled and part != "test_part":
            labels = [row["relationMentions"][0]["label"] for row in rows]
            for row, place in zip(rows, source.permutation(count)):
                row["relationMentions"][0]["label"] = labels[place]
        files.append(f"{part}.json")
        lines = (json.dumps(row) + "\n" for row in rows)
        (folder / files[-1]).write_text("".join(lines), encoding="utf-8")
    return files


def _names(source: np.random.Generator) -> dict[str, list[str]]:
    """Return names of each type; none is of two types."""
    found: set[str] = set()
    while len(found) < 300:
        found.add("".join(source.choice(SYLLABLES, source.integers(2, 4))).capitalize())
    order = source.permutation(sorted(found)).tolist()
    people = [f"{one} {other}" for one, other in zip(order[:100], order[100:200])]
    return {"PERSON": people, "CITY": order[200:250], "COMPANY": [f"{name} Inc" for name in order[250:]]}


def _facts(
    names: dict[str, list[str]], pairs: dict[tuple[str, str], str], used: set[tuple[str, str]], source: Any
) -> dict[str, list[tuple[str, str]]]:
    """Draw pairs with a fact each that no part before has, and add them to all pairs."""
    facts: dict[str, list[tuple[str, str]]] = {}
    for relation, (first, second, _) in RELATIONS.items():
        own: list[tuple[str, str]] = []
        while len(own) < 60:
            pair = (str(source.choice(names[first])), str(source.choice(names[second])))
            if pair not in pairs and pair not in used and pair[0] != pair[1]:
                pairs[pair] = relation
                own.append(pair)
        facts[relation] = own
    return facts


def _row(
    part: str,
    facts: dict[str, list[tuple[str, str]]],
    names: dict[str, list[str]],
    pairs: dict[tuple[str, str], str],
    source: np.random.Generator,
) -> dict[str, Any]:
    relation = str(source.choice(list(RELATIONS)))
    first, second, words = RELATIONS[relation]
    drawn = source.random()
    states = drawn < 1 - NOISY - NEGATIVE
    fact = drawn < 1 - NEGATIVE
    if fact:
        pair = facts[relation][source.integers(len(facts[relation]))]
    else:
        pair = (str(source.choice(names[first])), str(source.choice(names[second])))
        while pair in pairs or pair[0] == pair[1]:
            pair = (str(source.choice(names[first])), str(source.choice(names[second])))
    chosen = words if states else NEUTRAL
    ranks = np.arange(1, len(chosen) * len(FORMS) + 1)
    shares = 1 / ranks if states else np.ones(len(ranks))  # facts are often stated in the same few ways
    place = int(source.choice(len(ranks), p=shares / shares.sum()))
    pattern = FORMS[place // len(chosen)].format(chosen[place % len(chosen)])
    parts = (str(source.choice(BEFORE)), pair[0], pattern, pair[1], str(source.choice(BEHIND)), ".")
    mention: dict[str, Any] = {"em1Text": pair[0], "em2Text": pair[1], "label": relation if fact else NONE}
    if part != "train":
        mention["is_noise"] = fact and not states
    entities = [{"text": name, "label": kind} for name, kind in zip(pair, (first, second))]
    text = " ".join(one for one in parts if one)
    return {"sentText": text, "relationMentions": [mention], "entityMentions": entities}
