"""The commands end to end on small sets: train, evaluate, infer, export, and an exported folder in place of the run."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import PaddleNLP
from core.train import Component
from PaddleNLP import eval as evaluation
from PaddleNLP import export, infer, train
from PaddleNLP.config import TASKS
from PaddleNLP.data.drawn.reviews import DrawnReviews
from PaddleNLP.data.reading.choices import C3Dataset
from PaddleNLP.data.reading.windows import SQuADDataset
from PaddleNLP.data.registry import DATASETS
from PaddleNLP.data.tagging.relations import RelationDataset
from PaddleNLP.data.tagging.sentences import CoNLLDataset
from PaddleNLP.metrics.chunks import ChunkMetric
from PaddleNLP.metrics.reading import squad_result
from PaddleNLP.metrics.triples import TripleMetric, triple
from tests.PaddleNLP.small import PLACES, SETS, experiment
from tests.sampling import sampled

Runs = Callable[[str], Path]
SILENT = ("Pretraining", "BidirectionalLanguageModel")
"""Tasks that learn what others start from."""


def evaluated(run: Path) -> dict[str, Any]:
    """Evaluate a run on its test split; return the numbers."""
    assert evaluation.main([str(run)]) == 0
    found: dict[str, Any] = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    return found


def test_every_task_has_a_small_set() -> None:
    assert list(TASKS.entries) == [*SETS, "ContinualPretraining"]  # tasks/test_continual.py trains that one


def test_accuracy_is_the_share_of_texts_whose_class_the_reader_gives(run_of: Runs) -> None:
    run = run_of("Classification")
    found, reader, reviews = evaluated(run), PaddleNLP.open_reader(run), DrawnReviews("test", 24)
    answers = reader.predict([review["text"] for review in reviews])
    right = [answer.label == review["label"] for answer, review in zip(answers, reviews)]
    assert found["accuracy"] == pytest.approx(np.mean(right))
    own = [answer.probabilities[review["label"]] for answer, review in zip(answers, reviews)]
    assert found["loss"] == pytest.approx(-np.log(own).mean(), rel=1e-4)
    one = reader.predict(reviews[3]["text"])
    assert one.label == answers[3].label and one.score == pytest.approx(answers[3].score, abs=1e-5)


@pytest.mark.exhaustive
def test_several_labels_count_from_their_own_thresholds(run_of: Runs) -> None:
    run = run_of("MultiLabel")
    answer = PaddleNLP.open_reader(run).predict("第3个人很粗鲁而且大声")
    expected = [name for name, least in (("rude", 0.5), ("loud", 0.4)) if answer.probabilities[name] >= least]
    assert answer.labels == expected
    assert {"micro_f1", "macro_f1", "auc", "exact"} <= set(evaluated(run))


def test_numbers_of_pairs(run_of: Runs) -> None:
    run = run_of("Regression")
    reader = PaddleNLP.open_reader(run)
    values = [reader.predict((f"今天天气{'很' * (n % 5)}好", "今天天气好")).value for n in range(24)]
    truth = np.arange(24) % 5
    assert evaluated(run)["mse"] == pytest.approx(np.mean((np.array(values) - truth) ** 2), rel=1e-4)
    expected = np.corrcoef(values, truth)[0, 1]  # of values that hardly vary yet, so that their rounding shows
    assert evaluated(run)["pearson"] == pytest.approx(expected, abs=1e-4)


def test_candidates_are_ranked_by_the_probability_that_the_reader_gives(run_of: Runs) -> None:
    run = run_of("Ranking")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    rows = list(DATASETS.build(Component(name="DBQA", path=str(run.parent / "candidates.tsv"))))
    places = []
    for start in range(0, len(rows), 3):
        group = rows[start : start + 3]
        right = next(number for number, row in enumerate(group) if row["label"] == "1")
        ranked = reader.rank(group[0]["text"], [row["text_pair"] for row in group])
        assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
        assert all(one.text == group[one.place]["text_pair"] for one in ranked)
        places.append([one.place for one in ranked].index(right) + 1)
    assert found["mrr"] == found["map"] == pytest.approx(np.mean(1 / np.array(places)))
    assert found["recall_at_2"] == pytest.approx(np.mean(np.array(places) <= 2))
    lines = [json.loads(line) for line in (run / "evaluation_test" / "predictions.jsonl").read_text().splitlines()]
    assert sorted(line["rank"] for line in lines if line["label"] == "1") == sorted(places)


def test_entities_have_their_characters(run_of: Runs) -> None:
    run = run_of("TokenClassification")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    sentences = CoNLLDataset(str(run.parent / "names.txt"))
    metric = ChunkMetric(sentences.labels)
    numbers = {name: number for number, name in enumerate(sentences.labels)}
    for sentence in sentences:
        text = "".join(sentence["tokens"])
        answer = reader.predict(text)
        assert all(chunk.text == text[chunk.start : chunk.end] for chunk in answer.chunks)
        rows = [np.array([[numbers[tag] for tag in tags]]) for tags in (answer.tags, sentence["tags"])]
        metric.add(*rows, np.array([len(text)]))
    assert {name: found[name] for name in ("precision", "recall", "f1")} == pytest.approx(metric.result())


def test_a_long_text_is_tagged_in_windows(run_of: Runs) -> None:
    reader = PaddleNLP.open_reader(run_of("TokenClassification"))
    classes, longest = len(reader.class_names), []

    def by_id(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        longest.append(arrays["input_ids"].shape[1])
        return [np.eye(classes)[arrays["input_ids"] % classes]]

    reader.run = by_id
    answer = reader.predict("李雷在上海。 " * 30)
    ids = reader.tokenizer.batch(["李雷在上海。"], add_special_tokens=False)["input_ids"][0]
    assert answer.tags == [reader.class_names[number % classes] for number in ids] * 30
    assert answer.units[:7] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (7, 8)] and max(longest) <= 48


def test_relations_are_those_that_the_reader_finds(run_of: Runs) -> None:
    run = run_of("RelationExtraction")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    metric = TripleMetric()
    for sample in RelationDataset(str(run.parent / "relations.json")):
        answer = reader.predict(sample["text"])
        metric.add(answer.relations, map(triple, sample["relations"]))
        for (subject, kind, other), one in zip(answer.named(), dict.fromkeys(answer.relations)):
            assert answer.describe().count(f"{subject} {kind} {other}") and one.predicate in reader.class_names
    assert {name: found[name] for name in ("precision", "recall", "f1")} == pytest.approx(metric.result())
    written = RelationDataset(str(run / "evaluation_test" / "predictions.jsonl"), labels=reader.class_names)
    assert len(written) == 24
    assert reader.predict("").describe() == "no relation"
    with pytest.raises(TypeError, match="a text to find relations in is a string"):
        reader.predict(("a", "b"))


@pytest.mark.exhaustive
def test_pairs_whose_texts_are_encoded_one_by_one(run_of: Runs) -> None:
    run = run_of("PairClassification")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    rows = list(DATASETS.build(Component(name="DBQA", path=str(run.parent / "candidates.tsv"))))
    answers = reader.predict([(row["text"], row["text_pair"]) for row in rows])
    assert found["accuracy"] == pytest.approx(np.mean([one.label == row["label"] for one, row in zip(answers, rows)]))
    own = [answer.probabilities[row["label"]] for answer, row in zip(answers, rows)]
    assert found["loss"] == pytest.approx(-np.log(own).mean(), rel=1e-4)
    with pytest.raises(TypeError, match="what is to be compared is a tuple of two texts"):
        reader.predict("one")


def test_choices_are_those_that_the_reader_makes(run_of: Runs) -> None:
    run = run_of("MultipleChoice")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    questions = list(C3Dataset(str(run.parent / "choices.json")))
    answers = reader.predict([(one["context"], one["question"], *one["choices"]) for one in questions])
    assert found["accuracy"] == np.mean([one.place == real["label"] for one, real in zip(answers, questions)])
    for one, real in zip(answers, questions):
        assert one.text == real["choices"][one.place] and sum(one.probabilities) == pytest.approx(1)
    joined = reader.predict((questions[1]["context"], "\t".join([questions[1]["question"], *questions[1]["choices"]])))
    assert joined.probabilities == pytest.approx(answers[1].probabilities, abs=1e-5)
    assert reader.predict([]) == []
    with pytest.raises(TypeError, match="a tuple of a text, a question and at least two choices"):
        reader.predict(("a", "b", "c"))


def test_answers_are_those_that_the_scorer_is_given(run_of: Runs) -> None:
    run = run_of("QuestionAnswering")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    questions = SQuADDataset(str(run.parent / "questions.json"))
    answers = reader.predict([(question["question"], question["context"]) for question in questions])
    written = json.loads((run / "evaluation_test" / "predictions.json").read_text())
    for question, answer in zip(questions, answers):
        assert answer.text == question["context"][answer.start : answer.end] == written[question["id"]]
    truth = {question["id"]: question["references"] for question in questions}
    expected = squad_result(truth, written, True)
    assert {name: found[name] for name in ("exact", "f1", "NoAns_f1")} == pytest.approx(
        {name: expected[name] for name in ("exact", "f1", "NoAns_f1")}
    )


@pytest.mark.exhaustive
def test_tasks_that_share_an_encoder_are_each_judged_by_what_its_reader_gives(run_of: Runs) -> None:
    run = run_of("MultiTask")
    found, reader = evaluated(run), PaddleNLP.open_reader(run)
    reviews = list(DrawnReviews("test", 16))
    answers = reader.parts["act"].predict([review["text"] for review in reviews])
    assert found["act_accuracy"] == np.mean([one.label == real["label"] for one, real in zip(answers, reviews)])
    rows = list(DATASETS.build(Component(name="DBQA", path=str(run.parent / "candidates.tsv"))))
    best = []
    for start in range(0, len(rows), 3):
        texts = [row["text_pair"] for row in rows[start : start + 3]]
        best.append(rows[start + reader.parts["match"].rank(rows[start]["text"], texts)[0].place]["label"] == "1")
    assert found["match_recall_at_1"] == pytest.approx(np.mean(best))
    judged = ("act_accuracy", "kind_macro_f1", "match_mrr", "names_f1")
    assert found["mean"] == pytest.approx(np.mean([found[name] for name in judged]))
    written = run / "evaluation_test"
    assert (written / "names" / "predictions.jsonl").is_file() and (written / "act" / "mistakes.txt").is_file()
    one, pair = reader.predict("李雷在上海。"), reader.predict(("李雷在哪里？", "李雷在上海。"))
    assert list(one.parts) == ["act", "kind", "names"] and list(pair.parts) == ["match"]
    assert one.describe() == "; ".join(f"{name}: {part.describe()}" for name, part in one.parts.items())
    with pytest.raises(ValueError, match="read texts or pairs of texts, not both at once"):
        reader.predict(["a", ("b", "c")])
    reader.settings["parts"].pop("match")
    with pytest.raises(ValueError, match="no task of this run reads pairs of texts"):
        reader.predict(("b", "c"))


@pytest.mark.parametrize("task", [SILENT[0], pytest.param(SILENT[1], marks=pytest.mark.exhaustive)])
def test_what_is_pretrained_gives_vectors_and_no_answers(task: str, run_of: Runs, tmp_path: Path) -> None:
    assert infer.main([str(run_of(task)), "李 雷 在", "--features", str(tmp_path / "vectors.npy")]) == 0
    assert np.isfinite(np.load(tmp_path / "vectors.npy")).all()
    with pytest.raises(ValueError, match="its task learns what others start from, and answers nothing; vectors"):
        PaddleNLP.open_reader(run_of(task))


def test_pretraining_judges_the_same_words_each_time(run_of: Runs) -> None:
    run = run_of("Pretraining")
    first = evaluated(run)
    assert first == evaluated(run) and first["perplexity"] == pytest.approx(np.exp(first["loss"]))


@pytest.mark.parametrize("task", sampled([name for name in SETS if name not in SILENT], 5, group=lambda task: None))
def test_an_export_reads_what_the_run_reads(task: str, run_of: Runs, tmp_path: Path) -> None:
    run = run_of(task)
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    texts: list[Any] = ["虽然房间很小，但是服务员很热情", "李雷在上海。", "王"]
    if task in ("QuestionAnswering", "PassageReading", "Regression", "Ranking", "PairClassification", "Similarity"):
        texts = [("李雷在哪里？", text) for text in texts]
    if task == "MultipleChoice":
        texts = [(text, "李雷在哪里？", *PLACES[: 2 + place]) for place, text in enumerate(texts)]
    if task == "DistantRelation":
        texts = [(text, "Ann", "Rome", "PERSON", "CITY") for text in ("Ann now lives in Rome", "In Rome Ann was born")]
    if task in ("ResponseSelection", "ResponseQuality"):
        texts = [("李雷 在 哪里", text) for text in ("在 上海", "不 知道", "")]
    if task in ("KnowledgeSelection", "Reply"):
        talk = {
            "goal": [["START", "李雷", "西湖"]],
            "knowledge": [["李雷", "住在", "西湖"]],
            "candidate": ["好", "李雷 住在 西湖"],
        }
        texts = [json.dumps({**talk, "history": turns}, ensure_ascii=False) for turns in ([], ["他 住 哪里"])]
    if task == "LanguageModel":
        texts = [" ".join(text) for text in texts]
    live = PaddleNLP.open_reader(run).predict(texts)
    exported = PaddleNLP.open_reader(tmp_path / "exported").predict(texts)
    for one, other in zip(map(flat_record, live), map(flat_record, exported)):
        for key, value in one.items():
            if isinstance(value, (float, dict)) or key == "probabilities":
                assert other[key] == pytest.approx(value, abs=1e-4)
            elif key != "others":
                assert other[key] == value


def flat_record(result: Any) -> dict[str, Any]:
    """Return what is written of a result; of several tasks under one key for each value."""
    if not hasattr(result, "parts"):
        return dict(result.record())
    parts = result.record().items()
    return {f"{name} {key}": value for name, record in parts for key, value in record.items()}


def test_a_pretrained_run_is_fine_tuned(run_of: Runs, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = run_of("Pretraining")
    weights = before / "checkpoints" / "best" / "model.safetensors"
    config = experiment("Classification", tmp_path)
    tokenizer = f"tokenizer={{name: ErnieTokenizer, vocab_file: {before}/tokenizer/vocab.txt, max_length: 48}}"
    words = ["-o", tokenizer, "-o", f"network.pretrained={weights}", "-o", "train.epochs=1"]
    assert train.main(["-c", str(config), *words]) == 0
    assert "23 of 25 entries" in caplog.text and "fresh: classifier.weight" in caplog.text


def test_inference_reads_texts_files_and_the_standard_input(
    run_of: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of("Classification")
    (tmp_path / "texts.txt").write_text("服务员很热情\n早餐很难吃\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("床很脏\n".encode())))
    words = ["房间很小", "-", "--file", str(tmp_path / "texts.txt"), "--demo", "2", "--output", str(tmp_path / "out")]
    assert infer.main([str(run), *words]) == 0
    rows = [json.loads(line) for line in (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()]
    texts = [row["text"] for row in rows]
    assert texts[:3] == ["房间很小", "服务员很热情", "早餐很难吃"] and texts[-1] == "床很脏"
    assert len(rows) == 6 and {row["label"] for row in rows} <= {"negative", "positive"}
    assert texts[3:5] == [review["text"] for review in DrawnReviews("test", 24)][:2]
    assert len(capsys.readouterr().out.splitlines()) >= 6


@pytest.mark.parametrize(
    ("line", "message"),
    [(b"\xff", r"byte 1 is not UTF-8; save the file as UTF-8 text"), (b"a\0", r"character 2 is a NUL; this is no")],
)
@pytest.mark.parametrize("way", ["file", "input"])
def test_what_came_before_a_line_that_is_no_text_is_written(
    way: str, line: bytes, message: str, run_of: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "服务员很热情\n早餐很难吃\n".encode() + line + "\n床很脏\n".encode()
    (tmp_path / "texts.txt").write_bytes(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    words = ["--file", str(tmp_path / "texts.txt")] if way == "file" else ["-"]
    with pytest.raises(ValueError, match=rf"({'texts.txt' if way == 'file' else 'standard input'}):3: {message}"):
        infer.main([str(run_of("Classification")), *words, "--output", str(tmp_path / "out")])
    rows = [json.loads(row)["text"] for row in (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()]
    assert rows == ["服务员很热情", "早餐很难吃"]


@pytest.mark.parametrize(
    ("texts", "size", "message"),
    [
        ([("好",)], 32, r"a text to read is a string, or a tuple of two, not \('好',\)"),
        ([("a", "b", "c")], 32, r"a text to read is a string, or a tuple of two, not \('a', 'b', 'c'\)"),
        ([3], 32, "a text to read is a string, or a tuple of two, not 3"),
        (["好"], 0, "batch_size must be a positive whole number, not 0"),
        (["好"], -1, "batch_size must be a positive whole number, not -1"),
        (["好"], "8", "batch_size must be a positive whole number, not '8'"),
    ],
)
def test_what_no_reader_takes(texts: Any, size: Any, message: str, run_of: Runs) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        PaddleNLP.open_reader(run_of("Classification")).predict(texts, size)


@pytest.mark.parametrize(
    ("option", "owner"),
    [
        ("--seed=1", "--continue"),
        ("--temperature=2", "--continue"),
        ("--top-k=3", "--continue"),
        ("--conflict=keep", "--user-dictionary"),
    ],
)
def test_options_without_what_they_belong_to(option: str, owner: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        infer.main(["run", "好", option])
    assert f"error: {option.partition('=')[0]} belongs to {owner}" in capsys.readouterr().err


def test_what_cannot_be_read_is_refused(run_of: Runs) -> None:
    reader = PaddleNLP.open_reader(run_of("Classification"))
    with pytest.raises(TypeError, match="a text to read is a string, or a tuple of two"):
        reader.predict([3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="read texts or pairs of texts, not both at once"):
        reader.predict(["a", ("b", "c")])
    assert reader.predict([]) == []
    assert reader.predict("").label in ("negative", "positive")
    with pytest.raises(TypeError, match="a tuple of a question and a text"):
        PaddleNLP.open_reader(run_of("QuestionAnswering")).predict("where")
