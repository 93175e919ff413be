"""Tasks of dialogue systems: replies and choices by command, in Python and from exports, a chat, what is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import PaddleNLP
from PaddleNLP import eval as evaluation
from PaddleNLP import export, infer, train
from PaddleNLP.readers.dialogue.replies import Replied, ReplyReader
from tests.PaddleNLP.small import experiment

Runs = Callable[[str], Path]
TALK: dict[str, Any] = {
    "goal": [["START", "李雷", "北京"]],
    "knowledge": [["李雷", "住在", "北京"], ["李雷", "领域", "明星"]],
    "candidate": ["李雷 住在 北京", "李雷 住在 上海"],
}


def line_of(**more: Any) -> str:
    return json.dumps({**TALK, **more}, ensure_ascii=False)


def test_replies_by_command_and_in_a_chat(
    run_of: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of("Reply")
    (tmp_path / "talks.txt").write_text(line_of(history=[]) + "\n", "utf-8")
    found = []
    for name in ("one", "two"):
        words = ["--file", str(tmp_path / "talks.txt"), "--output", str(tmp_path / name)]
        assert infer.main([str(run), *words]) == 0
        found.append((tmp_path / name / "predictions.jsonl").read_text("utf-8"))
    assert found[0] == found[1]  # the same conversation, the same reply
    reader = PaddleNLP.open_reader(run)
    assert isinstance(reader, ReplyReader)
    first = reader.predict(line_of(history=[]))
    assert json.loads(found[0])["reply"] == first.texts[0]
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("他 住 哪里\n\n".encode())))
    assert infer.main([str(run), "--chat", str(tmp_path / "talks.txt")]) == 0
    said = capsys.readouterr().out.splitlines()[-2:]
    second = reader.predict(line_of(history=[first.texts[0], "他 住 哪里"]))
    assert said == [first.describe(), second.describe()]
    assert evaluation.main([str(run)]) == 0
    results = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    assert {"f1", "bleu_1", "bleu_2", "distinct_1", "distinct_2", "right_fact", "exact", "loss"} <= set(results)


def test_a_reply_without_an_end_says_so(run_of: Runs) -> None:
    assert Replied(["a", "a", "b"], [-1.0, -2.0, -3.0], [True, False, False]).describe() == "a | b [no end came]"
    reader: Any = PaddleNLP.open_reader(run_of("Reply"))
    cut = np.array([[[6, 6, 6, 6, 6, 6]]])
    reader.run = lambda arrays: [cut, np.array([[-2.0]]), np.array([[6]]), np.array([[False]])]
    found = reader.predict(line_of(history=[]))
    assert found.ended == [False] and found.describe().endswith(" [no end came]") and len(found.texts[0].split()) == 6


def test_unknown_words_and_texts_without_any_are_read(run_of: Runs) -> None:
    reader: Any = PaddleNLP.open_reader(run_of("Reply"))
    for knowledge, history in (([], []), ([["\U00020000", "?", ""]], ["\U00020000", ""])):
        found = reader.predict(line_of(knowledge=knowledge, history=history))
        assert np.isfinite(found.scores).all()
    chooser: Any = PaddleNLP.open_reader(run_of("KnowledgeSelection"))
    found = chooser.predict(line_of(knowledge=[], history=["\U00020000"], candidate=["", "\U00020000"]))
    assert np.isfinite(found.probabilities).all() and found.place in (0, 1)
    for task, number in (("ResponseSelection", "score"), ("ResponseQuality", "value")):
        judged = PaddleNLP.open_reader(run_of(task)).predict([("\U00020000", "\U00020000"), ("好", "", "\U00020000")])
        assert np.isfinite([getattr(one, number) for one in judged]).all()


def test_the_better_candidate_is_chosen(run_of: Runs, tmp_path: Path) -> None:
    run = run_of("KnowledgeSelection")
    reader = PaddleNLP.open_reader(run)
    chosen = reader.predict(line_of(history=["你 知道 李雷 吗", "他 住 哪里"]))
    assert chosen.place == int(np.argmax(chosen.probabilities)) and chosen.text == TALK["candidate"][chosen.place]
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    other = PaddleNLP.open_reader(tmp_path / "exported").predict(line_of(history=["你 知道 李雷 吗", "他 住 哪里"]))
    assert other.probabilities == pytest.approx(chosen.probabilities, abs=1e-5)
    with pytest.raises(ValueError, match="the conversation has no replies to choose from: give them as 'candidate'"):
        reader.predict(line_of(history=[], candidate=[]))


def test_mmpms_replies_in_its_manners(tmp_path: Path) -> None:
    rows = [f"说 说 {topic}\t{topic} {manner}" for topic in ("天气", "美食") for manner in ("真 好", "不 好")] * 3
    file = experiment("Reply", tmp_path)
    (tmp_path / "posts.txt").write_text("\n".join(rows) + "\n", "utf-8")
    data = "{dataset: {name: PostReplies, path: posts.txt}, batch_size: 6}"
    words = ["network={name: mmpms, emb_dim: 4, hidden_size: 8, mappings: 2}", "train.epochs=1"]
    words += [f"data.{split}={data}" for split in ("train", "valid", "test")]
    assert train.main(["-c", str(file), *(word for one in words for word in ("-o", one))]) == 0
    run = tmp_path / "run"
    found = PaddleNLP.open_reader(run).predict(["说 说 天气", "说 说 美食"])
    assert [len(one.texts) for one in found] == [2, 2] and all(len(text.split()) <= 6 for text in found[0].texts)
    assert evaluation.main([str(run)]) == 0
    results = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    assert 1 <= results["different"] <= 2
    with pytest.raises(ValueError, match="--chat: the network reads no facts; leave out the file"):
        infer.main([str(run), "--chat", str(tmp_path / "posts.txt")])


@pytest.mark.parametrize(
    ("task", "change", "message"),
    [
        ("ResponseSelection", "task.turns=0", "task.turns must be at least 1, not 0"),
        ("ResponseSelection", "data.valid.dataset.candidates=null", "data.valid does not say which candidates belong"),
        (
            "ResponseSelection",
            "data.train.dataset={name: DrawnReviews, count: 8}",
            "data.train has no responses to conv",
        ),
        (
            "ResponseQuality",
            "data.train.dataset.numeric=false",
            "judged.txt:3: the label '2' is none of labels: '0', '1'",
        ),
        (
            "KnowledgeSelection",
            "data.train.dataset.variant=match",
            "data.train has no facts, but the network reads some",
        ),
        ("Reply", "network={name: ernie}", "network.name: ernie does not reply; duconv_generation and mmpms do"),
        ("Reply", "task.max_length=0", "task.max_length is at least 1, got 0"),
        ("Reply", "task.beam_size=5000", "task.beam_size 5000 is wider than the vocabulary of .* tokens; lower it"),
        ("Reply", "task.temperature=-1.0", "task.temperature must be at least 0, not -1.0"),
        (
            "Reply",
            "data.train.dataset={name: DrawnReviews, count: 8}",
            "data.train has no source; dataset.name: DuConvR",
        ),
    ],
)
def test_what_does_not_fit_is_refused(task: str, change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(experiment(task, tmp_path)), "-o", change])


def test_a_chat_needs_what_replies(run_of: Runs) -> None:
    with pytest.raises(ValueError, match="--chat: .* is of a task that does not reply; Reply does"):
        infer.main([str(run_of("KnowledgeSelection")), "--chat"])
    with pytest.raises(
        ValueError, match="--chat: give a file with a line of DuConv, whose goal and facts are spoken of"
    ):
        infer.main([str(run_of("Reply")), "--chat"])
