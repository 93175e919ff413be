"""What a config, a data set, or a folder cannot be, each in one line that says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

import PaddleNLP
from core.train.config.schema import ConfigError
from PaddleNLP import train
from PaddleNLP.config import TOOLKIT
from PaddleNLP.tokenizing import restored
from tests.PaddleNLP.small import SETS, experiment, write_labels

CASES = {
    "tokens than rows": (
        "Classification",
        ["network.vocab_size=20"],
        r"the tokeniser has \d+ tokens, but ernie has 20 rows; set network.vocab_size",
    ),
    "long texts": (
        "Classification",
        ["tokenizer.max_length=100", "network.max_position_embeddings=64"],
        "tokenizer.max_length is 100, but ernie takes 64 tokens; lower it, or set network.max_position_embeddings",
    ),
    "short buckets": (
        "Classification",
        ["data.train.batching.buckets=[8]"],
        r"^data.train: LengthBucketSampler: sample \d+ has the length \d+, and the last bucket is 8; add a bucket",
    ),
    "buckets of another size": (
        "Classification",
        ["data.train.batching.buckets={objects: [8]}"],
        "^data.train: Collate: no field has a size 'objects'; the fields have 'length'$",
    ),
    "no room for texts": (
        "Classification",
        ["tokenizer.max_length=2"],
        "^tokenizer.max_length 2 leaves no room for a text beside 2 special tokens; raise it$",
    ),
    "positions that RoBERTa keeps": (
        "Classification",
        ["network.name=roberta", "network.max_position_embeddings=48"],
        "tokenizer.max_length is 48, but roberta takes 47 tokens",
    ),
    "no such number": (
        "MultiLabel",
        ["expect={at_least: {accuracy: 0.5}}"],
        "expect.at_least: the evaluation gives micro_f1, macro_f1, exact, auc, not 'accuracy'$",
    ),
    "no probability": (
        "MultiLabel",
        ["task.thresholds=[0.5, 2.0]"],
        r"task.thresholds are probabilities, between 0 and 1, not 2\.0",
    ),
    "thresholds": (
        "MultiLabel",
        ["task.thresholds=[0.5]"],
        "task.thresholds has 1 number for 2 labels; give one for each",
    ),
    "one class a sample": (
        "MultiLabel",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "data.train has one class a sample; task.name: Classification learns that",
    ),
    "classes for numbers": (
        "Regression",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "data.train has classes, not numbers; task.name: Classification learns those",
    ),
    "candidates without groups": (
        "Ranking",
        ["data.valid.dataset={name: LCQMC, path: pairs.tsv}"],
        "data.valid does not say which candidates belong together: give dataset.group, the column that does, or",
    ),
    "candidates of three classes": (
        "Ranking",
        ["data.train.dataset={name: DBQA, path: candidates.tsv, labels: ['0', '1', '2']}"],
        "data.train must have two classes, of wrong and of right candidates, not 0, 1, 2",
    ),
    "ranks": ("Ranking", ["task.recall_at=[0]"], "task.recall_at must hold numbers from 1 on, not 0"),
    "tasks without data": (
        "MultiTask",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "data.train must be SeveralDatasets with the parts act, kind, match, names, not one data set",
    ),
    "a part of another kind": (
        "MultiTask",
        ["data.train.dataset.parts.kind={name: DrawnReviews, count: 8}"],
        "kind: data.train has one class a sample; task.name: Classification learns that",
    ),
    "no parts": (
        "MultiTask",
        ["data.train.dataset={name: SeveralDatasets, parts: {}}"],
        "SeveralDatasets: there are no parts; name a data set for each task",
    ),
    "no tasks": ("MultiTask", ["task.parts={}"], "task.parts is empty: name the tasks that are to be learned together"),
    "a task of windows": (
        "MultiTask",
        ["task.parts.act={name: QuestionAnswering}"],
        "task.parts.act: QuestionAnswering cannot share an encoder with other tasks",
    ),
    "another class": (
        "Classification",
        ["data.valid.dataset={name: TableDataset, path: other.tsv, columns: [text, label]}"],
        "data.valid has the class 'odd', which the network is not trained on; it knows 'negative, positive",
    ),
    "room for a text": (
        "QuestionAnswering",
        ["tokenizer.max_length=8"],
        "raise tokenizer.max_length, or lower task.max_question",
    ),
    "a threshold of marks": (
        "RelationExtraction",
        ["task.threshold=1.0"],
        "task.threshold must be between 0 and 1, not 1.0",
    ),
    "no relations": (
        "RelationExtraction",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "data.train has no relations; dataset.name: RelationDataset reads some",
    ),
    "no choices": (
        "MultipleChoice",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "data.train has no choices; dataset.name: C3Dataset reads some",
    ),
    "several labels for one class": (
        "Classification",
        ["data.train.dataset={name: TableDataset, path: labels.csv, multi_label: [rude, loud], separator: ','}"],
        "^data.train has several labels a sample, not a class; task.name: MultiLabel learns that$",
    ),
    "numbers for classes": (
        "Classification",
        ["data.train.dataset={name: TableDataset, path: numbers.tsv, columns: [text, n], label: n, numeric: true}"],
        "^data.train has a number a sample, not a class; task.name: Regression learns that$",
    ),
    "texts for tags": (
        "TokenClassification",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "^data.train.dataset: TokenClassification takes samples with tokens, tags, and these have text, label; choose",
    ),
    "texts for questions": (
        "QuestionAnswering",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "^data.train.dataset: QuestionAnswering takes samples with question, context, answers, and these have text, la",
    ),
    "no pairs": (
        "PairClassification",
        ["data.train.dataset={name: DrawnReviews, count: 8}"],
        "data.train has no pairs of texts; task.name: Classification learns single ones",
    ),
    "share": ("Pretraining", ["task.share=1.5"], "task.share must be between 0 and 1, not 1.5"),
}


@pytest.mark.parametrize("case", list(CASES))
def test_what_does_not_fit_is_refused_before_a_run_begins(case: str, tmp_path: Path) -> None:
    task, changes, message = CASES[case]
    config = experiment(task, tmp_path)
    (tmp_path / "other.tsv").write_text("很好\todd\n", encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("很好\t好\t1\n", encoding="utf-8")
    (tmp_path / "numbers.tsv").write_text("很好\t3\n", encoding="utf-8")
    write_labels(tmp_path)
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(config), *(word for change in changes for word in ("-o", change))])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("task", sorted(SETS))
def test_data_of_another_task_is_refused_in_words(task: str, tmp_path: Path) -> None:
    file = experiment(task, tmp_path)
    config = TOOLKIT.load(file)
    for other in sorted(set(SETS) - {task}):
        data = TOOLKIT.load(experiment(other, tmp_path)).data
        try:
            built = TOOLKIT.build_task(config.model_copy(update={"data": data}))
            _ = built.networks
            for split in ("train", "valid"):
                built.fields(split)
                built.evaluator(split)
        except ValueError as error:
            assert str(error).startswith(("data.", "task ")) or "task.name" in str(error), (other, str(error))


@pytest.mark.parametrize(
    "section, message",
    [
        ("{name: ErnieTokenizer}", "name the files of ErnieTokenizer, or learn a vocabulary of the training texts"),
        ("{name: ErnieTokenizer, learn: 9, vocab_file: v.txt}", "give learn, or the file vocab_file, not both"),
        ("{name: GPTTokenizer, learn: 9}", "WordLevelTokenizer, SubwordTokenizer, not with GPTTokenizer"),
        ("{name: ErnieTokenizer, learn: 9, pretrained: ernie-1.0}", "give learn, or pretrained, not both"),
        ("{name: ErnieTokenizer, pretrained: ernie-1.0, vocab_file: v}", "give pretrained, or the file vocab_file"),
        ("{name: BertTokenizer, pretrained: ernie-1.0}", "the tokenizer of ernie-1.0 is a ErnieTokenizer, not a Bert"),
        ("{name: BertTokenizer, pretrained: bert-big}", "no tokenizer is published for 'bert-big'"),
    ],
)
def test_a_tokeniser_has_one_vocabulary(section: str, message: str, tmp_path: Path) -> None:
    config = experiment("Classification", tmp_path)
    with pytest.raises(ConfigError, match=message):
        TOOLKIT.load(config, [f"tokenizer={section}"])


@pytest.mark.parametrize(
    "record, message",
    [
        (3, "it holds no tokeniser"),
        ({"name": "ErnieTokenizer", "files": {"vocab.txt": 3}}, "it holds no tokeniser"),
        ({"name": "ErnieTokenizer", "files": {"../vocab.txt": ""}}, "a tokeniser's file is named '../vocab.txt'"),
        ({"name": "os", "files": {}}, "unknown tokenizer 'os'"),
    ],
)
def test_a_record_of_a_tokeniser_is_checked(record: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        restored(record)


def test_a_folder_that_is_no_run(tmp_path: Path, run_of: Callable[[str], Path]) -> None:
    with pytest.raises(FileNotFoundError):
        PaddleNLP.open_reader(tmp_path)
    run = run_of("Classification")
    (run / "tokenizer").rename(run / "away")
    try:
        with pytest.raises(FileNotFoundError, match="tokenizer_config.json' is missing: the run's folder is not whole"):
            PaddleNLP.open_reader(run)
    finally:
        (run / "away").rename(run / "tokenizer")
