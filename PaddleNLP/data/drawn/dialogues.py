"""Drawn conversations about journeys in the official files of dialogue understanding, each with a known answer.

Five files a part: fitting responses (UDC), intents and slots (ATIS), the state after some turns (DSTC2), acts (SWDA).
Every word occurs in each part; the conversations of a part are drawn from combinations that the others never have.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

CITIES = tuple("上海 北京 广州 成都 杭州 武汉 西安 长沙 青岛 昆明 南宁 兰州 大连 贵阳".split())
DAYS = ("今天", "明天", "后天", "周一", "周三", "周五", "月底", "初八")
VERBS = {"订": "book", "查": "find", "退": "cancel", "改": "change"}
THINGS = {"机票": "flight", "火车票": "train", "船票": "ship"}
JOURNEYS = (
    "{verb}{day}从{start}到{goal}的{thing}",
    "我想{verb}{day}去{goal}的{thing}，{start}出发",
    "{day}离开{start}前往{goal}，请{verb}{thing}",
    "{goal}，{day}，{start}出发，{verb}一下{thing}",
)
TOPICS = {"天气": "今天{}", "物价": "最近{}", "交通": "现在{}", "美食": "都说{}"}
STATES = {"天气": "下雨", "物价": "不贵", "交通": "很堵", "美食": "很辣"}
PLACES = ("城东", "城西", "城南", "城北", "车站", "江边")
FOODS = ("川菜", "粤菜", "湘菜", "面条", "素食", "火锅", "烧烤")
PRICES = ("便宜", "适中", "偏贵", "高档")
GREETINGS = ("你好", "您好，在吗", "麻烦一下", "打扰了", "请帮个忙")
ACTS = {
    "statement": ("我在{city}住了三年", "{day}我到了{city}", "我们{day}离开{city}"),
    "opinion": ("我觉得{city}太热了", "依我看{city}还不错", "我认为{day}去{city}更好"),
    "yes_no_question": ("{city}{day}热吗", "你{day}去不去{city}", "{day}还在{city}吗"),
    "wh_question": ("{day}谁去{city}", "{city}{day}哪里好玩", "{day}怎么去{city}"),
    "agreement": ("对，{city}是这样", "没错，{day}去{city}", "同意，就去{city}"),
    "rejection": ("不，不是{city}", "不对，{day}不去{city}", "算了，别去{city}"),
}
FOLDERS = {
    "udc": "udc",
    "atis_intent": "atis/atis_intent",
    "atis_slot": "atis/atis_slot",
    "dstc2": "dstc2/dstc2",
    "swda": "swda",
}
"""Where DGU has the files of each task."""

ROWS = {"udc": 3, "dstc2": 6}
"""How many times more rows a file has than others: to compare a response with what was asked takes more examples."""

PARTS = {"train": range(6), "dev": range(6, 8), "test": range(8, 10)}
"""Of ten shares of all combinations those of a part."""


def part_of(*words: str) -> str:
    """Return the part that a combination of words belongs to."""
    place = zlib.crc32("|".join(words).encode()) % 10
    return next(name for name, places in PARTS.items() if place in places)


class _Drawn:
    def __init__(self, part: str, seed: int) -> None:
        self.part = part
        self.source = np.random.default_rng([seed, list(PARTS).index(part)])

    def one(self, words: object) -> str:
        among = list(words)  # type: ignore[call-overload]  # a mapping's keys, or texts
        return str(among[self.source.integers(len(among))])

    def cities(self) -> tuple[str, str]:
        while True:
            first, second = self.one(CITIES), self.one(CITIES)
            if first != second and part_of(first, second) == self.part:
                return first, second


def _journey(drawn: _Drawn) -> tuple[str, list[str], str]:
    """Return a request, the tags of its characters, and its intent."""
    start, goal = drawn.cities()
    verb, thing, day = drawn.one(VERBS), drawn.one(THINGS), drawn.one(DAYS)
    values = {"start": start, "goal": goal, "day": day}
    text, tags = "", []
    rest = drawn.one(JOURNEYS).replace("{verb}", verb).replace("{thing}", thing)
    while rest:
        before, opened, rest = rest.partition("{")
        text += before
        tags += ["O"] * len(before)
        if opened:
            name, _, rest = rest.partition("}")
            text += values[name]
            tags += [f"B-{name}"] + [f"I-{name}"] * (len(values[name]) - 1)
    return text, tags, f"{VERBS[verb]}_{THINGS[thing]}"


def _match(drawn: _Drawn, candidates: int) -> list[str]:
    """Return rows of a conversation with candidates for the next turn, of which the first fits."""
    first, second = drawn.cities()
    topic, other = drawn.one(TOPICS), drawn.one(TOPICS)
    while other == topic:
        other = drawn.one(TOPICS)
    if drawn.source.integers(2):
        turns = [f"请问{first}{topic}怎么样", f"{first}吗", f"不是，我问{second}"]
    else:
        turns = [f"我要去{first}和{second}", "好的", f"先说{second}的{topic}"]

    def response(city: str, about: str) -> str:
        return f"{city}{TOPICS[about].format(STATES[about])}"

    wrong = [response(first, topic), response(second, other), response(first, other)]
    while len(wrong) < candidates - 1:
        city = drawn.one(CITIES)
        if city != second:
            wrong.append(response(city, topic))
    order = [wrong[place] for place in drawn.source.permutation(len(wrong))[: candidates - 1]]
    said = "\t".join(turns)
    return [f"{int(not place)}\t{said}\t{text}" for place, text in enumerate([response(second, topic), *order])]


def _state(drawn: _Drawn, number: int) -> list[str]:
    """Return two rows of a conversation: what the guest wants before and after a change of mind."""
    while True:
        place, food, price, earlier = (drawn.one(words) for words in (PLACES, FOODS, PRICES, FOODS))
        if food != earlier and part_of(place, food, price) == part_of(place, earlier, price) == drawn.part:
            break
    turns = [
        drawn.one(GREETINGS),
        f"找{place}{drawn.one(('的馆子', '吃饭的地方'))}，{price}的",
        f"{drawn.one(('想吃', '来点', '要'))}{earlier}",
        f"{drawn.one(('还是', '算了', '不'))}，换成{food}，不要{earlier}",
    ]
    if drawn.source.integers(2):
        turns[3] = f"{food}比{earlier}好，{drawn.one(('改', '换'))}一下"
    rows = [(turns[:3], (place, earlier, price)), (turns, (place, food, price))]
    return [f"{number}\t" + "\x01".join(said) + "\t" + " ".join(labels) for said, labels in rows]


def _act(drawn: _Drawn, number: int) -> str:
    while True:
        act = drawn.one(ACTS)
        text = drawn.one(ACTS[act]).format(city=drawn.one(CITIES), day=drawn.one(DAYS))
        if part_of(text) == drawn.part:
            return f"{number // 10}\t{act}\t{'AB'[number % 2]}\t{text}"


def _shuffled(name: str, rows: list[str], source: np.random.Generator) -> list[str]:
    """Return rows whose labels are dealt at random: of slots, which kind each is, but not where it is."""
    columns = [row.split("\t") for row in rows]
    if name == "atis_slot":
        tags = [row[1].split(" ") for row in columns]
        kinds = [tag[2:] for row in tags for tag in row if tag.startswith("B-")]
        dealt = iter([kinds[place] for place in source.permutation(len(kinds))])
        for row in tags:
            kind = ""
            for place, tag in enumerate(row):
                kind = next(dealt) if tag.startswith("B-") else kind
                row[place] = tag if tag == "O" else tag[:2] + kind
        return [f"{row[0]}\t{' '.join(own)}" for row, own in zip(columns, tags)]
    place = {"dstc2": 2, "swda": 1}.get(name, 0)
    labels = [row[place] for row in columns]
    for row, number in zip(columns, source.permutation(len(labels))):
        row[place] = labels[number]
    return ["\t".join(row) for row in columns]


def write_dialogues(
    folder: Path, counts: tuple[int, int, int] = (4000, 500, 1000), seed: int = 0, shuffled: bool = False
) -> list[str]:
    """Write train, dev and test parts of all :data:`FOLDERS`; return the files' names.

    Args:
        folder: where to, which exists.
        counts: about how many rows the files of each part have; of train, some have more (:data:`ROWS`).
        seed: of the draws.
        shuffled: whether train and dev have their labels dealt at random, so that nothing can be learned for test.
    """
    names = []
    for part, count in zip(PARTS, counts):
        candidates = 6 if part == "train" else 10
        larger = ROWS if part == "train" else {}
        rows: dict[str, list[str]] = {name: [] for name in FOLDERS}
        drawn = _Drawn(part, seed)
        while len(rows["udc"]) < count * larger.get("udc", 1):
            rows["udc"] += _match(drawn, candidates)
        for number in range(count):
            text, tags, intent = _journey(drawn)
            rows["atis_intent"].append(f"{intent}\t{text}")
            rows["atis_slot"].append(f"{' '.join(text)}\t{' '.join(tags)}")
            rows["swda"].append(_act(drawn, number))
        for number in range(-(-count * larger.get("dstc2", 1) // 2)):
            rows["dstc2"] += _state(drawn, number)
        for name, lines in rows.items():
            lines = _shuffled(name, lines, drawn.source) if shuffled and part != "test" else lines
            file = f"{FOLDERS[name]}/{part}.txt"
            (folder / FOLDERS[name]).mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("\n".join(lines) + "\n", "utf-8")
            names.append(file)
    return names
