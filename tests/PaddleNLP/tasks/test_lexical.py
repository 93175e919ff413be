"""Lexical analysis: words and tags by a path, what is measured, dictionaries, tags that are learned in addition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
import PaddleNLP
from core.train import Component
from PaddleNLP import eval as evaluation
from PaddleNLP import export, infer
from PaddleNLP.config import TOOLKIT
from PaddleNLP.data.lines import label_list
from PaddleNLP.data.registry import DATASETS
from PaddleNLP.evaluators.lexical import LexicalEvaluator
from PaddleNLP.lexical.tags import TAGS
from PaddleNLP.models.registry import create_model
from PaddleNLP.tasks.lexical import grown
from PaddleNLP.tools import lexical_dictionaries
from PaddleNLP.word_level import read_words
from tests.PaddleNLP.small import experiment

Runs = Callable[[str], Path]


def test_a_run_finds_what_its_evaluation_says(run_of: Runs, tmp_path: Path) -> None:
    run = run_of("LexicalAnalysis")
    reader = PaddleNLP.open_reader(run)
    sentences = list(DATASETS.build(Component(name="CoNLLDataset", path=str(run.parent / "names.txt"))))
    answers = reader.predict(["".join(sentence["tokens"]) for sentence in sentences])
    right = [own == tag for one, sentence in zip(answers, sentences) for own, tag in zip(one.tags, sentence["tags"])]
    assert evaluation.main([str(run)]) == 0
    found = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    assert found["accuracy"] == pytest.approx(np.mean(right)) and {"f1", "words_f1", "words_recall"} <= set(found)
    assert export.main([str(run)]) == 0
    (tmp_path / "user.dic").write_text("雷在/X\n", encoding="utf-8")
    words = ["--user-dictionary", str(tmp_path / "user.dic"), "--output", str(tmp_path / "out")]
    assert infer.main([str(run / "exported"), "李雷在上海。", *words]) == 0
    line = json.loads((tmp_path / "out" / "predictions.jsonl").read_text())
    assert {"kind": "X", "start": 1, "end": 3, "text": "雷在"} in line["chunks"] and line["segmenter"] == "characters"


def test_lac_gives_words_and_tags(run_of: Runs, tmp_path: Path) -> None:
    run = run_of("LexicalAnalysis")
    lac = PaddleNLP.LAC(run)
    lac.reader.run = lambda arrays: [np.tile(np.arange(8) % 2, (len(arrays["input_ids"]), 4))]
    lac.reader.class_names = ["n-B", "n-I", "O"]
    assert lac.run("甲乙丙丁戊") == [["甲乙", "丙丁", "戊"], ["n", "n", "n"]]
    assert lac.run(["甲", ""]) == [[["甲"], ["n"]], [[], []]]
    lac.mode = "seg"
    (tmp_path / "user.dic").write_text("乙丙/x", encoding="utf-8")
    lac.load_customization(tmp_path / "user.dic")
    assert lac.run("甲乙丙丁戊") == ["甲", "乙丙", "丁", "戊"]
    lac.load_customization(tmp_path / "user.dic", "keep")
    assert lac.run("甲乙丙丁戊") == ["甲乙", "丙丁", "戊"]
    lac.mode, lac.reader.dictionary = "seg", None
    assert lac.run(["\U0001f600\u200d\u0301 ", "  \t"]) == [["\U0001f600\u200d", "\u0301"], []]
    lac.mode = "lac"
    lac.reader.run = lambda arrays: [np.array([[2, 2, 0, 1, 2, 0, 2, 2]])]
    assert lac.run("甲乙 丙丁戊己") == [["甲乙", "丙丁", "戊", "己"], ["O", "n", "O", "n"]]
    with pytest.raises(TypeError, match="a text to tag is a string"):
        lac.run([3])  # type: ignore[list-item]  # as a user may write
    with pytest.raises(ValueError, match="LAC: mode is 'lac' or 'seg', not 'rank'"):
        PaddleNLP.LAC(run, "rank")  # type: ignore[arg-type]  # likewise


def test_unknown_characters_stay_in_their_places(run_of: Runs) -> None:
    words, tags = PaddleNLP.LAC(run_of("LexicalAnalysis")).run("\u2603李\U0001f600 \x01")
    assert "".join(words) == "\u2603李\U0001f600 \x01" and len(tags) == len(words)


def test_another_task_s_run_is_no_lac(run_of: Runs, tmp_path: Path) -> None:
    run = run_of("Similarity")
    with pytest.raises(ValueError, match="LAC: .* is of another task than LexicalAnalysis"):
        PaddleNLP.LAC(run)
    with pytest.raises(ValueError, match="--user-dictionary: .* is of another task than LexicalAnalysis"):
        infer.main([str(run), "a\tb", "--user-dictionary", str(tmp_path / "user.dic")])


@pytest.mark.parametrize(
    ("predicted", "chunks", "words"),
    [
        ([2, 3, 2, 4, 3], (2 / 3, 2 / 3), (1.0, 1.0)),  # ab/v c/v and e/v, of ab/n c/v e/v; d is a word without a tag
        ([0, 2, 2, 4, 2], (2 / 4, 2 / 3), (3 / 5, 3 / 4)),
    ],
)
def test_words_are_judged_whatever_their_tags(predicted: list[int], chunks: Any, words: Any) -> None:
    names = ["n-B", "n-I", "v-B", "v-I", "O"]
    evaluator = LexicalEvaluator([{"tags": ["n-B", "n-I", "v-B", "O", "v-B"]}], names, True)
    evaluator.update([np.array(predicted)], {"index": core.to_tensor([0])})
    found = evaluator.result()
    assert (found["precision"], found["recall"]) == pytest.approx(chunks)
    assert (found["words_precision"], found["words_recall"]) == pytest.approx(words)


@pytest.mark.parametrize("cell", ["fluid", "paddle"])
def test_a_label_table_grows(cell: str) -> None:
    sizes = {"vocab_size": 9, "emb_dim": 4, "units": 3, "cell": cell}
    old, new = (create_model("lac", "crf_token_classification", count, **sizes) for count in (3, 5))
    before = {name: value.numpy() for name, value in old.state_dict().items()}
    fresh = {name: value.numpy().copy() for name, value in new.state_dict().items()}
    found = grown(before, new, 3, "runs/old")
    np.testing.assert_array_equal(found["fc.weight"][:, :3], before["fc.weight"][:, :3])
    np.testing.assert_array_equal(found["fc.weight"][:, 3:5], fresh["fc.weight"][:, 3:5])
    first = 2 if cell == "fluid" else 0
    chain, kept = found["crf.transitions"], before["crf.transitions"]
    np.testing.assert_array_equal(chain[first : first + 3, :3], kept[first : first + 3, :3])
    if cell == "fluid":
        np.testing.assert_array_equal(chain[:2, :3], kept[:2])
    else:
        np.testing.assert_array_equal(chain[-2:, :3], kept[-2:, :3])
        np.testing.assert_array_equal(chain[:3, -2:], kept[:3, -2:])
    own = (slice(first + 3, first + 5), slice(3, 5))
    np.testing.assert_array_equal(chain[own], fresh["crf.transitions"][own])
    np.testing.assert_array_equal(found["lac.word_embeddings.weight"], before["lac.word_embeddings.weight"])
    wide = create_model("lac", "crf_token_classification", 5, **{**sizes, "units": 4})
    with pytest.raises(ValueError, match="task.grows: the network of 'runs/old' is of another size: "):
        grown(before, wide, 3, "runs/old")
    del before["fc.bias"]
    with pytest.raises(ValueError, match="task.grows: 'runs/old' has no weight 'fc.bias': its network is another one"):
        grown(before, new, 3, "runs/old")


def test_a_run_grows_from_another_one(run_of: Runs, tmp_path: Path) -> None:
    run = run_of("LexicalAnalysis")
    config = experiment("LexicalAnalysis", tmp_path)
    names = (tmp_path / "names.txt").read_text(encoding="utf-8").replace("。 O", "。 B-END")
    (tmp_path / "names.txt").write_text(names, encoding="utf-8")
    vocabulary = f"tokenizer={{name: WordLevelTokenizer, segmenter: characters, vocab_file: {run}/tokenizer/vocab.txt}}"
    task = TOOLKIT.build_task(TOOLKIT.load(config, [f"task.grows={run}", vocabulary]))
    network = task.networks["model"]
    assert list(task.class_names) == ["O", "B-LOC", "B-PER", "I-LOC", "I-PER", "B-END"]
    old = PaddleNLP.open_reader(run)
    ids = np.array(old.tokenizer.batch(["李雷在上海。"])["input_ids"], np.int64)
    path = old.run({"input_ids": ids})[0]
    emissions = network.emissions(core.to_tensor(ids)).numpy()
    assert path.shape == emissions.shape[:2] and emissions.shape[2] == 6
    with pytest.raises(FileNotFoundError, match="task.grows: 'nowhere' is not the folder of a run with a best"):
        TOOLKIT.build_task(TOOLKIT.load(config, ["task.grows=nowhere"])).dataset("train")


def test_the_dictionaries_are_lac_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["text_a\tlabel", "\x02".join("你好Ａ") + "\t" + "\x02".join(["v-B", "v-I", "nz-B"]), "好\tv-B"]
    (tmp_path / "train.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ["--texts", str(tmp_path / "train.tsv"), "--most", "3"]
    assert lexical_dictionaries.main([str(tmp_path / "dic"), *words]) == 0
    assert label_list(str(tmp_path / "dic" / "tag.dic")) == TAGS and len(TAGS) == 57
    assert TAGS[:2] == ["n-B", "n-I"] and TAGS[-3:] == ["TIME-B", "TIME-I", "O"]
    assert read_words(tmp_path / "dic" / "word.dic") == {"好": 0, "A": 1, "OOV": 2}
    widths = dict(line.split("\t") for line in (tmp_path / "dic" / "q2b.dic").read_text(encoding="utf-8").splitlines())
    assert widths["Ａ"] == "A" and widths["\u3000"] == " " and len(widths) == 95
    dataset = DATASETS.build(Component(name="LAC", path=str(tmp_path / "train.tsv")))
    assert dataset.labels == TAGS and dataset[1] == {"tokens": ["好"], "tags": ["v-B"]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("好\tzz-B", "a.tsv:1: the label 'zz-B' is none of labels: 'n-B', 'n-I', "),
        ("你\x02好\tv-B", "a.tsv:1: 2 tokens, but 1 tag"),
        ("你\x02好\tv-B\x02n-I", "a.tsv:1: the tag 'n-I' goes on with a chunk of another kind"),
        ("\tv-B", "a.tsv:1: a token or a tag is empty"),
    ],
)
def test_a_row_that_breaks_the_scheme(row: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(row + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        DATASETS.build(Component(name="LAC", path=str(tmp_path / "a.tsv"), bad_tags="refuse"))
