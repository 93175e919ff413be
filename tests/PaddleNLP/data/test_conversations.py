"""Files of dialogue systems: DAM's rows and pickles, ADE's rows, DuConv's lines, MMPMS's posts; drawn conversations."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.train import Component
from PaddleNLP.data.dialogue.conversations import MatchingPickle, fitted, said_and_reply
from PaddleNLP.data.dialogue.duconv import (
    by_characters,
    history_text,
    knowledge_text,
    moment_of_line,
    moments_of,
    source_text,
)
from PaddleNLP.data.drawn.conversations import write_conversations
from PaddleNLP.data.drawn.dialogues import part_of
from PaddleNLP.data.registry import DATASETS

TALK = {
    "goal": [["START", "长河记", "林一"], ["长河记", "主演", "林一"]],
    "knowledge": [["长河记", "领域", "电影"], ["林一", "星座", "白羊"]],
    "conversation": ["看 过 长河记 吗", "没 有", "林一 是 白羊"],
}


def dataset(name: str, path: Path, **settings: Any) -> Any:
    return DATASETS.build(Component(name=name, path=str(path), **settings))


def test_rows_of_dam_and_ade(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("3 4 99 5 99\t7 8\t1\n3 99 6\t9\t0\n", "utf-8")
    found = dataset("ContextResponseRows", tmp_path / "a.txt", end_of_turn=99, candidates=2)
    assert [said_and_reply(found[i]) for i in range(2)] == [(["3 4", "5"], "7 8"), (["3", "6"], "9")]
    assert [one["label"] for one in found] == ["1", "0"] and list(found.columns["group"]) == ["0", "0"]
    judged = dataset("ContextResponseRows", tmp_path / "a.txt", numeric=True)
    assert [one["label"] for one in judged] == [1.0, 0.0] and judged[0]["text"] == "3 4 99 5 99"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2\t3", "a row must be a context, a response and a label, with tabs between them"),
        ("1 2\t\t1", "a row must be a context, a response and a label"),
        ("1 2\t3\t2", "the label '2' is none of labels: '0', '1'"),
    ],
)
def test_a_row_that_is_wrong(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"1\t2\t0\n{line}\n", "utf-8")
    with pytest.raises(ValueError, match=f"a.txt:2: {message}"):
        dataset("ContextResponseRows", tmp_path / "a.txt")


def test_pickles_of_dam_of_either_python(tmp_path: Path) -> None:
    parts = [{"y": [1, 0], "c": [[5, 1, 6, 1], [7]], "r": [[8], [9, 9]]}, {"y": [1], "c": [[2]], "r": [[3]]}]
    older = [{key.encode(): value for key, value in part.items()} for part in parts]
    for name, content in (("new", pickle.dumps([*parts, parts[0]])), ("old", pickle.dumps((*older, older[0]), 2))):
        (tmp_path / name).write_bytes(content)
        found: Any = MatchingPickle(str(tmp_path / name), "train", end_of_turn=1)
        assert [said_and_reply(one) for one in found] == [(["5", "6"], "8"), (["7"], "9 9")]
        assert [one["label"] for one in found] == ["1", "0"]
        assert MatchingPickle(str(tmp_path / name), "valid")[0]["text"] == "2"


class Harmful:
    """What runs a command when an ordinary unpickler reads it."""

    def __reduce__(self) -> Any:
        return print, ("it ran",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([Harmful()] * 3, "not a pickle of ids: it asks for builtins.print"),
        ([{}, {}], "DAM's pickles hold three parts, train, valid and test"),
        ([{"y": [1]}] * 3, "part train: it must be a dictionary with the lists y, c and r"),
        ([{"y": [1], "c": [[1]], "r": []}] * 3, r"part train: y, c and r must be lists of one length, not \[1, 1, 0\]"),
        ([{"y": [1], "c": [["a"]], "r": [[1]]}] * 3, "part train, sample 1: ids must be lists of whole numbers"),
        ([{"y": [7], "c": [[1]], "r": [[1]]}] * 3, "part train, sample 1: the label '7' is none of labels"),
    ],
)
def test_a_pickle_that_is_none_of_dams(value: Any, message: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(value))
    with pytest.raises(ValueError, match=f"a.pkl.*{message}"):
        dataset("MatchingPickle", tmp_path / "a.pkl")
    assert "it ran" not in capsys.readouterr().out


def test_a_damaged_pickle(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([{"y": [1]}] * 3)[:-5])
    with pytest.raises(ValueError, match="a.pkl: not a pickle of ids"):
        dataset("MatchingPickle", tmp_path / "a.pkl")


def test_turns_are_filled_up_and_cut() -> None:
    assert fitted(["a", "b"], 3, "last") == ["a", "b", ""]
    assert fitted(["a", "b", "c"], 2, "last") == ["b", "c"] and fitted(["a", "b", "c"], 2, "first") == ["a", "b"]


def test_what_duconvs_systems_read() -> None:
    opening, reply = moments_of(TALK, "")
    assert opening.response == "看 过 长河记 吗" and history_text(opening) == "[CLS] [START] [SEP]"
    assert history_text(reply) == "[CLS] 看 过 长河记 吗 [INNER_SEP] 没 有 [SEP]"
    goal = "START 长河记 林一 [PATH_SEP] 长河记 主演 林一"
    assert knowledge_text(reply) == f"{goal} [SEP] 长河记 领域 电影 [KN_SEP] 林一 星座 白羊"
    facts = "长河记 领域 电影 林一 星座 白羊"
    assert source_text(reply) == f"START 长河记 林一 长河记 主演 林一 {facts} : 看 过 长河记 吗 没 有"
    general = reply.generalized()
    assert general.response == "person_topic_b 是 白羊" and general.history[0] == "看 过 video_topic_a 吗"
    assert by_characters("长河记 is 好看") == "长 河 记 is 好 看"


def write_talks(folder: Path) -> Path:
    names, lines = ("白羊", "金牛", "双子", "巨蟹", "狮子", "处女"), []
    for number, value in enumerate(names):
        text = json.dumps(TALK, ensure_ascii=False).replace("白羊", value)
        lines.append(text.replace("长河记", f"长河记{number}"))
    (folder / "talks.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder / "talks.txt"


def test_candidates_of_duconv_differ_by_the_fact(tmp_path: Path) -> None:
    path = write_talks(tmp_path)
    found = dataset("DuConvCandidates", path, candidates=4, characters=False)
    rows = [found[number] for number in range(4, 8)]  # the reply of the first conversation
    assert [row["text_pair"].split()[:-2] for row in rows] == [["林一", "是"]] * 4
    values = [row["text_pair"].split()[-2] for row in rows]
    assert values[0] == "白羊" and len(set(values)) == 4 and [row["label"] for row in rows] == ["1", "0", "0", "0"]
    assert {row["knowledge"] for row in rows} == {rows[0]["knowledge"]} and len({row["group"] for row in rows}) == 1
    plain = dataset("DuConvCandidates", path, variant="match", candidates=4)
    assert "knowledge" not in plain.columns and plain[4]["text_pair"] == "林 一 是 白 羊 [SEP]"
    marked = dataset("DuConvCandidates", path, variant="match_kn_gene", candidates=4, characters=False)
    assert "长河记" not in marked[4]["text"] + marked[4]["knowledge"] and "person_topic_b" in marked[4]["text_pair"]
    replies = dataset("DuConvReplies", path)
    assert replies[1]["target"] == "林一 是 白羊" and replies[1]["facts"] == ["长河记0 领域 电影", "林一 星座 白羊"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "a line must hold a JSON object"),
        ('{"goal": [["a", "b"]], "knowledge": []}', "'goal' must be lists of three texts each"),
        ('{"goal": [], "knowledge": []}', "'goal' must be lists of three texts each"),
        ('{"goal": [["a", "b", "c"]], "knowledge": [["a", 1, "c"]]}', "'knowledge' must be lists of three texts"),
        ('{"goal": [["a", "b", "c"]], "knowledge": []}', "'conversation' or 'history' must be a list of texts"),
        ('{"goal": [["a", "b", "c"]], "knowledge": [], "history": [], "response": 1}', "'response' must be a text"),
    ],
)
def test_a_line_that_is_none_of_duconvs(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(line + "\n", "utf-8")
    with pytest.raises(ValueError, match=f"a.txt:1: {message}"):
        dataset("DuConvReplies", tmp_path / "a.txt")


def test_too_few_replies_to_choose_from(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="talks.txt:1: there are not 9 other replies to choose from"):
        dataset("DuConvCandidates", write_talks(tmp_path))
    assert moment_of_line(json.dumps(TALK), "a text").history == TALK["conversation"]


def test_posts_of_mmpms(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("你 好\t好 啊\n天气\t晴\n", "utf-8")
    found = dataset("PostReplies", tmp_path / "a.txt")
    assert list(found) == [{"source": "你 好", "target": "好 啊"}, {"source": "天气", "target": "晴"}]
    (tmp_path / "a.txt").write_text("你 好\n", "utf-8")
    with pytest.raises(ValueError, match="a.txt:1: a line must be a post, a tab and a reply, not "):
        dataset("PostReplies", tmp_path / "a.txt")


def test_drawn_conversations_have_one_right_reply(tmp_path: Path) -> None:
    names = write_conversations(tmp_path, (60, 20, 20))
    assert len(names) == 15
    dam = dataset("ContextResponseRows", tmp_path / "dam" / "test.txt", end_of_turn="<eot>", candidates=10)
    assert len(dam) == 200
    for start in range(0, 200, 10):
        rows = [dam[start + number] for number in range(10)]
        assert [row["label"] for row in rows] == ["1"] + ["0"] * 9 and len({row["text_pair"] for row in rows}) == 10
        turns, reply = said_and_reply(rows[0])
        assert reply.replace("你", "我", 1) in turns[:-1] and len(turns) in (7, 9)
    ade = dataset("ContextResponseRows", tmp_path / "ade/label_data/human/test.txt", numeric=True)
    assert {one["label"] for one in ade} <= {0.0, 1.0, 2.0}
    talks = [json.loads(line) for line in (tmp_path / "duconv/test.txt").read_text("utf-8").splitlines()]
    for talk in talks:
        said = {tuple(turn.split()) for turn in talk["conversation"][2::2]}
        assert said <= {(fact[0], "的", fact[1], "是", fact[2]) for fact in talk["knowledge"]}
        assert part_of(*talk["goal"][0][1:]) == "test"


def test_dealt_answers_teach_nothing(tmp_path: Path) -> None:
    for folder, shuffled in ((tmp_path / "a", False), (tmp_path / "b", True)):
        folder.mkdir()
        write_conversations(folder, (40, 5, 5), shuffled=shuffled)
    one, other = ((tmp_path / name / "dam" / "train.txt").read_text("utf-8").splitlines() for name in "ab")
    labels = [np.array([row.split("\t")[2] for row in rows]) for rows in (one, other)]
    assert (labels[0] == "1").sum() == (labels[1] == "1").sum() == 40 and (labels[0] != labels[1]).any()
    assert [row.split("\t")[:2] for row in one] == [row.split("\t")[:2] for row in other]
    assert (tmp_path / "a/dam/test.txt").read_text("utf-8") != "" and len(one) == 160
