"""Drawn conversations in the official files of DAM, ADE, DuConv and MMPMS, each with a known answer.

DAM: the reply repeats what the guest said of a thing some turns before. ADE: a reply names what was asked (2), is on
the topic but says nothing (1), or is about something else (0). DuConv: replies follow from one fact each, whose values
are drawn anew for every conversation. MMPMS: a post has one right reply in each of five manners.

Words stand between spaces. What the parts ask for is drawn from combinations that the others never have.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np

from PaddleNLP.data.drawn.dialogues import CITIES, DAYS, PARTS, part_of

NAMES = {"train": "train", "dev": "valid", "test": "test"}
END = "<eot>"
"""The word behind each turn of DAM's rows."""

SLOTS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "goal": ("我 要 去 {}", "我 要 去 哪里", "你 要 去 {}", CITIES),
    "start": ("我 从 {} 出发", "我 从 哪里 出发", "你 从 {} 出发", CITIES),
    "stay": ("我 住 在 {}", "我 住 在 哪里", "你 住 在 {}", CITIES),
    "day": ("我 定 在 {} 走", "我 定 在 哪天 走", "你 定 在 {} 走", DAYS),
    "back": ("我 打算 {} 回来", "我 打算 哪天 回来", "你 打算 {} 回来", DAYS),
    "seat": ("我 想 坐 {}", "我 想 坐 什么", "你 想 坐 {}", tuple("窗边 过道 前排 后排 卧铺 软座".split())),
    "food": ("我 爱 吃 {}", "我 爱 吃 什么", "你 爱 吃 {}", tuple("川菜 粤菜 湘菜 面条 素食 火锅 烧烤".split())),
}
"""What a guest may say, how it is asked for later, the reply, and the values."""

NODS = ("好 的", "嗯 记下 了", "知道 了", "没 问题", "可以 的")
TOPICS = {"天气": "下雨", "物价": "不贵", "交通": "很堵", "美食": "很辣", "风景": "很美", "房租": "太高"}
MEMBERS = tuple(
    f"{a}{b}" for a in ("林", "周", "方", "许", "沈", "唐", "秦", "陆") for b in ("一", "青", "远", "宁", "舟")
)
FILMS = tuple(
    f"{a}{b}" for a in ("长河", "雪夜", "旧城", "归途", "南风", "星海") for b in ("记", "谣", "行", "曲", "传")
)
PREDICATES: dict[str, tuple[str, ...]] = {
    "导演": MEMBERS[:20],
    "主演": MEMBERS[20:],
    "类型": tuple("喜剧 爱情 悬疑 动作 科幻 战争 动画 历史 奇幻 音乐".split()),
    "口碑": tuple("很好 不错 一般 较差 极佳 平平 惊喜 感人 难忘 失望".split()),
    "星座": tuple("白羊 金牛 双子 巨蟹 狮子 处女 天秤 天蝎 射手 摩羯 水瓶 双鱼".split()),
    "祖籍": CITIES,
    "爱好": tuple("爬山 书法 围棋 游泳 摄影 钓鱼 跑步 唱歌 绘画 茶道".split()),
}
FILM_FACTS, STAR_FACTS = ("导演", "主演", "类型", "口碑"), ("星座", "祖籍", "爱好")
MANNERS = ("{} 我 很 喜欢", "{} 一点 也 不 好", "你 也 常 想 {} 吗", "听说 {} 变 了", "别 再 说 {} 了")
"""What may be replied to a post about something."""


class _Drawn:
    def __init__(self, part: str, seed: int) -> None:
        self.part = part
        self.source = np.random.default_rng([seed, 7, list(PARTS).index(part)])

    def one(self, words: Any) -> str:
        among = list(words)
        return str(among[self.source.integers(len(among))])

    def some(self, words: Any, count: int) -> list[str]:
        among = list(words)
        return [str(among[place]) for place in self.source.permutation(len(among))[:count]]

    def own(self, make: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """Return a combination of words that belongs to the part."""
        while True:
            found = make()
            if len(set(found)) == len(found) and part_of(*found) == self.part:
                return found


def _remembered(drawn: _Drawn, candidates: int) -> list[str]:
    """Return rows of a conversation with candidates for the reply, of which the first one is right."""
    asked, *others = drawn.some(SLOTS, int(drawn.source.integers(3, 5)))
    kin = [name for name in SLOTS if name != asked and SLOTS[name][3] is SLOTS[asked][3]]
    if kin and not set(kin) & set(others):
        others[0] = drawn.one(kin)
    names = [asked, *others]
    chosen = dict(zip(names, drawn.own(lambda: tuple(drawn.one(SLOTS[name][3]) for name in names))))
    turns: list[str] = []
    for name in drawn.some(chosen, len(chosen)):
        turns += [SLOTS[name][0].format(chosen[name]), drawn.one(NODS)]
    turns.append(SLOTS[asked][1])
    reply, values = SLOTS[asked][2], SLOTS[asked][3]
    wrong = [reply.format(chosen[name]) for name in others if chosen[name] in values]
    wrong += [SLOTS[name][2].format(chosen[name]) for name in others]
    rest = [reply.format(value) for value in drawn.some(values, len(values)) if value not in chosen.values()]
    rest += [SLOTS[name][2].format(drawn.one(SLOTS[name][3])) for name in drawn.some(SLOTS, 5) if name not in chosen]
    taken = [*drawn.some(wrong, candidates // 2), *drawn.some(rest, len(rest))][: candidates - 1]
    context = f" {END} ".join(turns)
    replies = [reply.format(chosen[asked]), *drawn.some(taken, len(taken))]
    return [f"{context}\t{text}\t{int(not place)}" for place, text in enumerate(replies)]


def _judged(drawn: _Drawn, level: int) -> tuple[str, str]:
    """Return a question, and a reply of a level from 0 to 2."""
    city, topic = drawn.own(lambda: (drawn.one(CITIES), drawn.one(TOPICS)))
    question = drawn.one(("请问 {} 的 {} 怎么样", "{} 最近 {} 好 吗", "想 知道 {} 的 {}")).format(city, topic)
    if level == 2:
        return question, drawn.one(("{} {}", "现在 {} {}", "{} 真 的 {}")).format(topic, TOPICS[topic])
    if level == 1:
        return question, drawn.one(("{} 我 不 太 清楚", "{} 嘛 说 不 好", "没 注意 过 {}")).format(topic)
    other = drawn.one([name for name in TOPICS if name != topic])
    return question, drawn.one(("{0} {1}", "{0} 我 不 太 清楚", "现在 {0} {1}")).format(other, TOPICS[other])


def _rated(drawn: _Drawn, count: int) -> list[str]:
    rows = [(*_judged(drawn, level), level) for level in drawn.source.integers(0, 3, count).tolist()]
    return [f"{question}\t{reply}\t{level}" for question, reply, level in rows]


def _matched(drawn: _Drawn, count: int, candidates: int) -> list[str]:
    """Return rows of replies that were given, and of others that were given elsewhere."""
    rows: list[str] = []
    while len(rows) < count:
        question, reply = _judged(drawn, int(drawn.source.integers(1, 3)))
        rows.append(f"{question}\t{reply}\t1")
        for _ in range(candidates - 1):
            other = reply
            while other == reply:
                other = _judged(drawn, int(drawn.source.integers(1, 3)))[1]
            rows.append(f"{question}\t{other}\t0")
    return rows


def _led(drawn: _Drawn) -> str:
    """Return a conversation of DuConv: goal, facts, and turns whose even ones a leader says."""
    film, star = drawn.own(lambda: (drawn.one(FILMS), drawn.one(MEMBERS)))
    facts = [(film, name, drawn.one(PREDICATES[name])) for name in FILM_FACTS]
    facts += [(star, name, drawn.one(PREDICATES[name])) for name in STAR_FACTS]
    values = {(subject, name): value for subject, name, value in facts}
    turns = [f"你 看 过 {film} 吗"]
    for subject, names in ((film, FILM_FACTS), (star, STAR_FACTS)):
        for name in drawn.some(names, 2):
            turns += [f"没 有 ， {subject} 的 {name} 呢", f"{subject} 的 {name} 是 {values[subject, name]}"]
    knowledge = [facts[place] for place in drawn.source.permutation(len(facts))]
    domains = [(film, "领域", "电影"), (star, "领域", "明星")]
    goal = [["START", film, star], [film, "相关", star]]
    return json.dumps({"goal": goal, "knowledge": [*knowledge, *domains], "conversation": turns}, ensure_ascii=False)


def _posted(drawn: _Drawn) -> str:
    """Return a post and a reply."""
    city, topic = drawn.own(lambda: (drawn.one(CITIES), drawn.one(TOPICS)))
    post = drawn.one(("说 说 {} 的 {}", "聊 聊 {} 的 {}", "{} 的 {} 如何")).format(city, topic)
    return f"{post}\t{drawn.one(MANNERS).format(topic)}"


def write_conversations(
    folder: Path, counts: tuple[int, int, int] = (5000, 500, 1000), seed: int = 0, shuffled: bool = False
) -> list[str]:
    """Write train, valid and test parts of DAM, ADE, DuConv and MMPMS; return the files' names.

    Args:
        folder: where to, which exists.
        counts: how many conversations the files of each part have.
        seed: of the draws.
        shuffled: whether the replies of train and valid are dealt at random, so that nothing can be learned for test.
    """
    names = []
    for part, count in zip(PARTS, counts):
        drawn, name = _Drawn(part, seed), NAMES[part]
        learnt = part == "train"
        candidates, pairs = (4, 2) if learnt else (10, 10)
        files = {
            f"dam/{name}.txt": [row for _ in range(count) for row in _remembered(drawn, candidates)],
            f"ade/unlabel_data/{name}.txt": _matched(drawn, count * pairs, pairs),
            f"ade/label_data/human/{name}.txt": _rated(drawn, count // 5 if learnt else count),
            f"duconv/{name}.txt": [_led(drawn) for _ in range(count)],
            f"mmpms/dial.{name}": [_posted(drawn) for _ in range(count)],
        }
        for file, rows in files.items():
            rows = _dealt(file, rows, drawn.source) if shuffled and part != "test" else rows
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("\n".join(rows) + "\n", "utf-8")
            names.append(file)
    return names


def _dealt(file: str, rows: list[str], source: np.random.Generator) -> list[str]:
    """Return rows whose labels, replies or facts are another row's."""
    order = source.permutation(len(rows)).tolist()
    if file.startswith("duconv"):
        found = [json.loads(row) for row in rows]
        dealt = [{**row, "knowledge": found[place]["knowledge"]} for row, place in zip(found, order)]
        return [json.dumps(row, ensure_ascii=False) for row in dealt]
    columns = [row.split("\t") for row in rows]
    return ["\t".join([*row[:-1], columns[place][-1]]) for row, place in zip(columns, order)]
