"""Drawn facts and questions with known answers: candidate sentences (DBQA), and texts in SQuAD's layout (MRQA).

Each combination of person, attribute and value belongs to one part: what "dev" and "test" ask for is never asked in
"train".
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np

PEOPLE = tuple(first + last for first in "赵钱孙李周吴" for last in ("明", "芳", "伟", "静"))
ATTRIBUTES = {
    "家乡": ("苏州", "桂林", "洛阳", "泉州", "大理", "敦煌"),
    "职业": ("医生", "木匠", "老师", "司机", "厨师", "画家"),
    "爱好": ("下棋", "钓鱼", "跑步", "唱歌", "种花", "摄影"),
    "宠物": ("黑猫", "白狗", "金鱼", "乌龟", "鹦鹉", "兔子"),
    "生日": ("三月", "五月", "六月", "八月", "九月", "腊月"),
}
FORMS = {
    "plain": ("{person}的{attribute}是{value}。", "{person}的{attribute}是什么？"),
    "said": ("据说{person}的{attribute}是{value}。", "据说，{person}的{attribute}是什么？"),
    "letter": ("来信说，{value}是{person}的{attribute}。", "信里说{person}的{attribute}是什么？"),
    "report": ("报道：{person}，{attribute}{value}。", "报道中{person}的{attribute}是？"),
    "chat": ("{person}嘛，{attribute}应该是{value}吧。", "你知道{person}的{attribute}吗？"),
    "table": ("{person} {attribute} {value}；", "查{person}的{attribute}"),
    "story": ("从前，{person}有个{attribute}叫{value}。", "故事里{person}的{attribute}叫什么？"),
    "notice": ("通知：{attribute}为{value}者，{person}。", "通知里{person}的{attribute}为何？"),
}
"""Of each set how it states a fact, and how it asks for one."""

IN_DOMAIN = tuple(FORMS)[:6]
OUT_OF_DOMAIN = tuple(FORMS)[6:]

PARTS = {"train": range(6), "dev": range(6, 8), "test": range(8, 10)}
"""Of ten shares of all facts those that a part asks for."""


def part_of(person: str, attribute: str, value: str) -> str:
    """Return the part that asks for a fact."""
    place = zlib.crc32(f"{person}|{attribute}|{value}".encode()) % 10
    return next(name for name, places in PARTS.items() if place in places)


class _Facts:
    """Some things about some people: each person has other values, and one value is asked for."""

    def __init__(self, part: str, source: np.random.Generator, people: int, things: int) -> None:
        while True:
            self.person, *others = (PEOPLE[place] for place in source.permutation(len(PEOPLE))[:people])
            self.attribute = tuple(ATTRIBUTES)[source.integers(len(ATTRIBUTES))]
            names = [self.attribute, *(name for name in ATTRIBUTES if name != self.attribute)][:things]
            self.values = {}
            for name in names:
                order = source.permutation(len(ATTRIBUTES[name]))
                for person, place in zip((self.person, *others), order):
                    self.values[person, name] = ATTRIBUTES[name][place]
            if part_of(self.person, self.attribute, self.answer) == part:
                break
        pairs = list(self.values)
        self.order = [pairs[place] for place in source.permutation(len(pairs))]

    @property
    def answer(self) -> str:
        return self.values[self.person, self.attribute]

    def sentence(self, form: str, pair: tuple[str, str]) -> str:
        return FORMS[form][0].format(person=pair[0], attribute=pair[1], value=self.values[pair])

    def question(self, form: str) -> str:
        return FORMS[form][1].format(person=self.person, attribute=self.attribute)


def write_dbqa(
    folder: Path, counts: tuple[int, int, int] = (2000, 200, 400), seed: int = 0, shuffled: bool = False
) -> list[str]:
    """Write train.tsv, dev.tsv and test.tsv as NLPCC-DBQA's: "qid, label, text_a, text_b"; return their names.

    A question has six candidates, of which one states the asked fact; the others are of other people or things.

    Args:
        folder: where to, which exists.
        counts: questions of each part.
        seed: of the draws.
        shuffled: whether in train and dev one of the candidates is marked at random, whatever it states.
    """
    names = []
    for number, (part, count) in enumerate(zip(PARTS, counts)):
        source = np.random.default_rng([seed, number, 1])
        rows = ["qid\tlabel\ttext_a\ttext_b"]
        for question in range(count):
            facts = _Facts(part, source, people=3, things=3)
            right = (facts.person, facts.attribute)
            wrong = [pair for pair in facts.order if pair != right][:5]
            pairs = [pair for pair in facts.order if pair == right or pair in wrong]
            marked = pairs[source.integers(len(pairs))] if shuffled and part != "test" else right
            for pair in pairs:
                form = IN_DOMAIN[source.integers(3)]
                text = facts.sentence(form, pair)
                rows.append(f"{question}\t{int(pair == marked)}\t{facts.question('plain')}\t{text}")
        (folder / f"{part}.tsv").write_text("\n".join(rows) + "\n", "utf-8")
        names.append(f"{part}.tsv")
    return names


def write_mrqa(
    folder: Path, counts: tuple[int, int, int] = (600, 60, 100), seed: int = 0, shuffled: bool = False
) -> list[str]:
    """Write folders train, dev and test of sets in SQuAD's layout; return the files' names.

    Each has six sets, which state four things about somebody and ask for one of them, each in its own words; test has
    two more, out of domain.

    Args:
        folder: where to, which exists.
        counts: questions of each set of each part.
        seed: of the draws.
        shuffled: whether in train and dev the answer is the value of any fact of the text, whatever is asked for.
    """
    names = []
    for number, (part, count) in enumerate(zip(PARTS, counts)):
        (folder / part).mkdir(exist_ok=True)
        for place, form in enumerate(FORMS if part == "test" else IN_DOMAIN):
            source = np.random.default_rng([seed, number, place, 2])
            paragraphs = []
            for question in range(count):
                facts = _Facts(part, source, people=1, things=4)
                context = "".join(facts.sentence(form, pair) for pair in facts.order)
                asked = facts.order.index((facts.person, facts.attribute))
                if shuffled and part != "test":
                    asked = int(source.integers(len(facts.order)))
                before = "".join(facts.sentence(form, pair) for pair in facts.order[:asked])
                answer = facts.values[facts.order[asked]]
                start = context.index(answer, len(before))
                entry = {
                    "id": f"{form}_{part}_{question}",
                    "question": facts.question(form),
                    "answers": [{"text": answer, "answer_start": start}],
                }
                paragraphs.append({"context": context, "qas": [entry]})
            content = {"version": "1.1", "data": [{"title": form, "paragraphs": paragraphs}]}
            (folder / part / f"{form}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
            names.append(f"{part}/{form}.json")
    return names
