"""Chinese reviews that are drawn with a known label: what decides is negation and contrast, not which words occur.

A review judges one or two aspects. A word of praise may be negated, or negated twice; of two judgements that contradict
each other the construction says which counts ("虽然房间很干净，但是浴室不怎么宽敞"). Both orders occur, and the labels
have the same words equally often, so a bag of characters or n-grams says little.

Each combination of aspect, word and construction belongs to one part: what is in "valid" and "test" has never been seen
in "train", although each aspect, each word and each construction has.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple, Optional

import numpy as np

from PaddleNLP.data.dataset import Names, TextDataset, Texts, Transform

LABELS = ["negative", "positive"]

SPLITS = {"train": 4000, "valid": 500, "test": 1000}
"""The parts, and how many reviews they have."""

TOPICS = (
    (
        ("房间", "浴室", "大堂", "床", "走廊"),
        (("脏", "干净"), ("吵", "安静"), ("破旧", "崭新"), ("拥挤", "宽敞"), ("简陋", "舒适")),
    ),
    (
        ("服务员", "前台", "客服", "老板", "司机"),
        (("冷淡", "热情"), ("敷衍", "耐心"), ("外行", "专业"), ("粗鲁", "礼貌"), ("拖拉", "麻利")),
    ),
    (
        ("早餐", "汤", "牛排", "面条", "点心"),
        (("难吃", "好吃"), ("油腻", "清爽"), ("寡淡", "鲜美"), ("粗糙", "精致"), ("贵", "实惠")),
    ),
    (
        ("键盘", "屏幕", "系统", "电池", "摄像头"),
        (("难用", "好用"), ("卡顿", "流畅"), ("笨重", "轻巧"), ("脆弱", "耐用"), ("模糊", "清晰")),
    ),
)
"""Of each topic its aspects, and words of blame and of praise."""

PLAIN = ("很{}", "非常{}", "特别{}")
NEGATED = ("不怎么{}", "并不算{}", "一点也不{}")
TWICE = ("没有一次不{}", "不能说不{}")
FORMS = (PLAIN, NEGATED, TWICE)
COMMON = (0, 0, 0, 1, 1, 2)
"""Of six judgements the forms of three, two and one."""

SET_ASIDE_FIRST = (
    "虽然{aside}，但是{main}",
    "尽管{aside}，{main}",
    "{aside}，不过{main}",
)
SET_ASIDE_LAST = (
    "{main}，虽然{aside}",
    "{main}，尽管{aside}",
)
ALONE, MAIN, ASIDE = range(3)
"""The role of a judgement: without another, or which of two counts."""

OPENINGS = ("", "", "上周去的，", "朋友推荐的，", "第二次来，", "说说感受：", "用了半个月，")
CLOSINGS = ("。", "。", "，仅供参考。", "，就说这些。", "！")


class _Combination(NamedTuple):
    topic: int
    aspect: int
    word: int
    praise: int
    form: int
    role: int

    def is_positive(self) -> bool:
        return bool(self.praise) != (self.form == 1)

    def written(self, source: np.random.Generator) -> str:
        aspects, words = TOPICS[self.topic]
        form = FORMS[self.form]
        return aspects[self.aspect] + form[source.integers(len(form))].format(words[self.word][self.praise])


_Groups = dict[tuple[int, int, bool], list[_Combination]]


def combinations(split: str) -> list[tuple[int, ...]]:
    """Return the combinations of topic, aspect, word, praise, form and role that a part has: 6, 2 and 2 of 10.

    Args:
        split: "train", "valid" or "test".
    """
    every = [
        _Combination(*numbers)
        for topic, (aspects, words) in enumerate(TOPICS)
        for numbers in itertools.product((topic,), range(len(aspects)), range(len(words)), (0, 1), range(3), range(3))
    ]
    shares = {"train": range(6), "valid": range(6, 8), "test": range(8, 10)}[split]
    order = np.random.default_rng(20190402).permutation(len(every))
    return [combination for combination, place in zip(every, order.tolist()) if place % 10 in shares]


class DrawnReviews(TextDataset):
    """Drawn reviews; the same part, count and seed are the same reviews always. No review occurs twice.

    Args:
        split: "train", "valid" or "test".
        count: how many; None: 4,000, 500 and 1,000.
        seed: of the draws.
        transform: what to do with a sample.

    Raises:
        ValueError: the split is unknown, or the count is not from 1 to 100,000.
    """

    def __init__(
        self,
        split: str = "train",
        count: Optional[int] = None,
        seed: int = 0,
        transform: Optional[Transform] = None,
    ) -> None:
        if split not in SPLITS:
            raise ValueError(f"DrawnReviews: split must be one of {', '.join(SPLITS)}, not {split!r}")
        count = SPLITS[split] if count is None else count
        if not 1 <= count <= 100_000:
            raise ValueError(f"DrawnReviews: count must be from 1 to 100,000, not {count}")
        source = np.random.default_rng([seed, list(SPLITS).index(split)])
        groups: _Groups = {}
        for numbers in combinations(split):
            found = _Combination(*numbers)
            groups.setdefault((found.role, found.form, found.is_positive()), []).append(found)
        texts: dict[str, int] = {}
        while len(texts) < count:
            label = len(texts) % 2
            texts.setdefault(_review(source, groups, bool(label)), label)
        order = source.permutation(count).tolist()
        written, numbers_of = list(texts), list(texts.values())
        columns = {
            "text": Texts(written[index] for index in order),
            "label": Names(LABELS, (numbers_of[index] for index in order)),
        }
        super().__init__(columns, LABELS, transform=transform)


def _review(source: np.random.Generator, groups: _Groups, label: bool) -> str:
    """Draw a review of a label: every other with one judgement, the rest with two that contradict each other."""

    def judgement(role: int, positive: bool, topic: Optional[int] = None) -> _Combination:
        among = groups[role, COMMON[source.integers(len(COMMON))], positive]
        if topic is not None:
            among = [found for found in among if found.topic == topic]
        return among[source.integers(len(among))]

    if source.integers(2) == 0:
        content = judgement(ALONE, label).written(source)
    else:
        main = judgement(MAIN, label)
        aside = judgement(ASIDE, not label, main.topic)
        frames = (SET_ASIDE_FIRST, SET_ASIDE_LAST)[source.integers(2)]
        frame = frames[source.integers(len(frames))]
        content = frame.format(main=main.written(source), aside=aside.written(source))
    return OPENINGS[source.integers(len(OPENINGS))] + content + CLOSINGS[source.integers(len(CLOSINGS))]
