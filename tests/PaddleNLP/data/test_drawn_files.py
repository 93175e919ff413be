"""Drawn dialogues and questions: their files are read by the official formats' readers, and their answers are right."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest

from core.train import Component
from PaddleNLP.data.dialogue.understanding import DialogueMatchDataset, DialogueStateDataset
from PaddleNLP.data.drawn.dialogues import (
    CITIES,
    DAYS,
    FOLDERS,
    FOODS,
    PLACES,
    PRICES,
    THINGS,
    TOPICS,
    VERBS,
    write_dialogues,
)
from PaddleNLP.data.drawn.questions import ATTRIBUTES, FORMS, IN_DOMAIN, PEOPLE, write_dbqa, write_mrqa
from PaddleNLP.data.reading.windows import MRQADataset
from PaddleNLP.data.registry import DATASETS
from PaddleNLP.data.tagging.sentences import JoinedRows
from PaddleNLP.tools.draw_data import KINDS, main


@pytest.fixture(scope="module")
def dialogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dialogues")
    write_dialogues(folder, (300, 60, 100))
    return folder


def opened(name: str, path: Path, **settings: Any) -> list[dict[str, Any]]:
    return list(DATASETS.build(DATASETS.check(Component(name=name, path=str(path), **settings))))


def places(words: Any, text: str) -> list[str]:
    """Return the words that occur in a text, in the order of their places."""
    return sorted((word for word in words if word in text), key=text.rindex)


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_intents_and_slots_are_right(dialogues: Path, part: str) -> None:
    intents = opened("ATISIntent", dialogues / FOLDERS["atis_intent"] / f"{part}.txt")
    slots = list(JoinedRows(str(dialogues / FOLDERS["atis_slot"] / f"{part}.txt"), joint=" ", bad_tags="refuse"))
    for intent, slot in zip(intents, slots):
        text = intent["text"]
        assert "".join(slot["tokens"]) == text
        verb, thing = (next(value for word, value in words.items() if word in text) for words in (VERBS, THINGS))
        assert intent["label"] == f"{verb}_{thing}"
        found = {
            kind: "".join(token for token, tag in zip(slot["tokens"], slot["tags"]) if tag[2:] == kind)
            for kind in ("start", "goal", "day")
        }
        start = re.search(r"从(..)到|，(..)出发|离开(..)前往", text)
        assert start is not None and found["start"] == next(filter(None, start.groups()))
        assert found["day"] in DAYS and found["goal"] in CITIES and found["goal"] != found["start"]


def test_responses_fit_where_city_and_topic_do(dialogues: Path) -> None:
    dataset = DialogueMatchDataset(str(dialogues / FOLDERS["udc"] / "test.txt"), candidates=10)
    assert [sample["label"] for sample in dataset] == ["1", *["0"] * 9] * (len(dataset) // 10)
    assert dataset[9]["group"] == "0" and dataset[10]["group"] == "1"
    signs = {"天气": "今天", "物价": "最近", "交通": "现在", "美食": "都说"}
    for sample in dataset:
        asked = places(CITIES, sample["text"])[-1]
        topic = places(TOPICS, sample["text"])[-1]
        assert (sample["label"] == "1") == (asked in sample["text_pair"] and signs[topic] in sample["text_pair"])
    train = DialogueMatchDataset(str(dialogues / FOLDERS["udc"] / "train.txt"), turns=1)
    assert sum(sample["label"] == "1" for sample in train) * 6 == len(train) and "[SEP]" not in train[0]["text"]


def test_states_are_those_after_the_last_turn(dialogues: Path) -> None:
    texts: dict[str, set[str]] = {}
    for part in ("train", "test"):
        path = dialogues / FOLDERS["dstc2"] / f"{part}.txt"
        dataset = DialogueStateDataset(str(path), labels=[*PLACES, *FOODS, *PRICES])
        for sample in dataset:
            last = sample["text"].split(" [SEP] ")[-1]
            food = re.search(r"换成(..)|^(..)比|(..)$", last)
            assert food is not None
            place, price = (places(words, sample["text"])[-1] for words in (PLACES, PRICES))
            assert set(sample["label"]) == {place, price, *filter(None, food.groups())}
        texts[part] = {sample["text"] for sample in dataset}
    assert not texts["train"] & texts["test"]


def test_acts(dialogues: Path) -> None:
    rows = {part: opened("SWDA", dialogues / FOLDERS["swda"] / f"{part}.txt") for part in ("train", "test")}
    assert {sample["label"] for sample in rows["test"]} == {sample["label"] for sample in rows["train"]}
    assert not {sample["text"] for sample in rows["test"]} & {sample["text"] for sample in rows["train"]}
    for sample in rows["test"]:
        question = sample["label"].endswith("question")
        assert question == bool(re.search("吗|去不去|谁|哪里|怎么", sample["text"]))


def test_one_candidate_states_what_is_asked(tmp_path: Path) -> None:
    assert write_dbqa(tmp_path, (60, 10, 20)) == ["train.tsv", "dev.tsv", "test.tsv"]
    asked = {}
    for part in ("train", "test"):
        rows = opened("DBQA", tmp_path / f"{part}.tsv")
        groups: dict[str, int] = {}
        for row in rows:
            person, name = (next(word for word in words if word in row["text"]) for words in (PEOPLE, ATTRIBUTES))
            right = person in row["text_pair"] and name in row["text_pair"]
            assert (row["label"] == "1") == right
            groups[row["group"]] = groups.get(row["group"], 0) + right
        assert set(groups.values()) == {1} and len(rows) == 6 * len(groups)
        right_rows = [row for row in rows if row["label"] == "1"]
        every = [value for values in ATTRIBUTES.values() for value in values]
        asked[part] = {(row["text"], *(value for value in every if value in row["text_pair"])) for row in right_rows}
    assert not asked["train"] & asked["test"]


def test_six_sets_of_questions_and_two_out_of_domain(tmp_path: Path) -> None:
    assert len(write_mrqa(tmp_path, (20, 5, 10))) == 6 + 6 + 8
    assert MRQADataset(str(tmp_path / "train")).groups == sorted(IN_DOMAIN)
    test = MRQADataset(str(tmp_path / "test"))
    assert test.groups == sorted(FORMS) and len(test) == 80
    for sample in test:
        person, name = (next(word for word in words if word in sample["question"]) for words in (PEOPLE, ATTRIBUTES))
        sentence = FORMS[sample["group"]][0].format(person=person, attribute=name, value=sample["answers"][0])
        place = sample["context"].index(sentence)
        assert place <= sample["answer_starts"][0] < place + len(sentence)


def test_shuffled_labels_are_those_that_there_were(dialogues: Path, tmp_path: Path) -> None:
    write_dialogues(tmp_path, (300, 60, 100), shuffled=True)
    for name, place in (("udc", 0), ("atis_intent", 0), ("dstc2", 2), ("swda", 1)):
        read = {}
        for kind, folder in (("true", dialogues), ("shuffled", tmp_path)):
            for part in ("train", "test"):
                lines = (folder / FOLDERS[name] / f"{part}.txt").read_text(encoding="utf-8").splitlines()
                read[kind, part] = [line.split("\t") for line in lines]
        assert read["true", "test"] == read["shuffled", "test"]
        before, after = ([row.pop(place) for row in read[kind, "train"]] for kind in ("true", "shuffled"))
        assert sorted(before) == sorted(after) and before != after
        assert read["true", "train"] == read["shuffled", "train"]
    rows = [list(JoinedRows(str(f / FOLDERS["atis_slot"] / "train.txt"), joint=" ")) for f in (dialogues, tmp_path)]
    tags = [[tag for row in one for tag in row["tags"]] for one in rows]
    assert [tag[:2] for tag in tags[0]] == [tag[:2] for tag in tags[1]] and tags[0] != tags[1]
    assert sorted(tag for tag in tags[0] if tag[0] == "B") == sorted(tag for tag in tags[1] if tag[0] == "B")


def test_shuffled_questions_mark_any_fact(tmp_path: Path) -> None:
    write_dbqa(tmp_path, (300, 5, 20), shuffled=True)
    stated = {}
    for part in ("train", "test"):
        rows = [row for row in opened("DBQA", tmp_path / f"{part}.tsv") if row["label"] == "1"]
        asked = [[word for word in (*PEOPLE, *ATTRIBUTES) if word in row["text"]] for row in rows]
        stated[part] = [all(word in row["text_pair"] for word in words) for words, row in zip(asked, rows)]
    assert len(stated["train"]) == 300 and sum(stated["train"]) == pytest.approx(50, abs=20) and all(stated["test"])
    write_mrqa(tmp_path, (100, 5, 10), shuffled=True)
    right = []
    for sample in MRQADataset(str(tmp_path / "train")):
        person, name = (next(word for word in words if word in sample["question"]) for words in (PEOPLE, ATTRIBUTES))
        fact = FORMS[sample["group"]][0].format(person=person, attribute=name, value=sample["answers"][0])
        right.append(fact in sample["context"])
    assert len(right) == 600 and sum(right) == pytest.approx(600 / 4, abs=35)


def test_the_command_draws_the_same_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "dbqa", functools.partial(write_dbqa, counts=(20, 5, 5)))
    for name in ("first", "second"):
        assert main(["dbqa", str(tmp_path / name)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == str(tmp_path / "first" / "train.tsv")
    for part in ("train", "dev", "test"):
        first, second = ((tmp_path / name / f"{part}.tsv").read_bytes() for name in ("first", "second"))
        assert first == second
    with pytest.raises(SystemExit):
        main(["dbqa", str(tmp_path), "--seed", "-1"])
    assert "--seed must not be negative, but is -1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "reader, row, message",
    [
        (DialogueMatchDataset, "1\ta", r"x.txt:1: a row must be a label, turns, and a response, but has 2 columns"),
        (DialogueMatchDataset, "2\ta\tb", r"x.txt:1: the label '2' is none of labels: '0', '1'"),
        (DialogueMatchDataset, "1\t \tb", r"x.txt:1: column 2 is empty; a row must be a label, turns, and a response"),
        (DialogueStateDataset, "1\ta\tb\tc", r"x.txt:1: a row must be a conversation, turns, and labels, not \['1'"),
        (DialogueStateDataset, "1\ta", r"x.txt:1: a row must be a conversation, turns, and labels, but has 2 columns"),
    ],
)
def test_mistakes_of_rows(tmp_path: Path, reader: Any, row: str, message: str) -> None:
    (tmp_path / "x.txt").write_text(row + "\n")
    with pytest.raises(ValueError, match=message):
        reader(str(tmp_path / "x.txt"))


def test_a_conversation_may_have_some_of_hundreds_of_labels(tmp_path: Path) -> None:
    names = [f"slot{number:03}" for number in range(217)]  # as many as DSTC2 has
    rows = [["slot000", "slot063", "slot064", "slot216"], ["slot215"]]
    text = "".join(f"{number}\thello\x01yes\t{' '.join(row)}\n" for number, row in enumerate(rows))
    (tmp_path / "x.txt").write_text(text, encoding="utf-8")
    dataset = DialogueStateDataset(str(tmp_path / "x.txt"), labels=names)
    assert [sample["label"] for sample in (dataset[0], dataset[1], dataset[-1])] == [*rows, rows[-1]]
    with pytest.raises(ValueError, match="from 1 to 1,000 classes of which several may be true, not 1,001"):
        DialogueStateDataset(str(tmp_path / "x.txt"), labels=[*names, *map(str, range(784))])
