"""Vectors of texts, and what results rest on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from scipy.special import softmax

import core
from core.train.runner.experiment import open_run
from PaddleNLP import export, infer
from PaddleNLP.config import TOOLKIT
from PaddleNLP.explaining.attribution import integrated_gradients
from PaddleNLP.explaining.explainer import Contribution, Explanation, explainer_of
from PaddleNLP.explaining.page import ExplanationPage
from PaddleNLP.readers.features import open_encoder
from PaddleNLP.readers.opening import reader_of

Runs = Callable[[str], Path]
TEXTS = {
    "Classification": "虽然房间很小，但是服务员很热情",
    "MultiLabel": "第3个人很粗鲁而且大声",
    "Regression": ("今天天气很很好", "今天天气好"),
    "TokenClassification": "王小明在南京路。",
}


def test_features_are_the_encoders_vectors(run_of: Runs, tmp_path: Path) -> None:
    run, texts = run_of("Classification"), ["房间很小", "服务员很热情，早餐很难吃", "床很脏"]
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    words = ["--file", str(tmp_path / "texts.txt"), "--batch-size", "2", "--features", str(tmp_path / "one.npy")]
    assert infer.main([str(run), *words, "--token-features", str(tmp_path / "each.npy")]) == 0
    sentences, tokens = np.load(tmp_path / "one.npy"), np.load(tmp_path / "each.npy")
    rows = [json.loads(line) for line in (tmp_path / "each.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["text"] for row in rows] == texts and sentences.shape == (3, 16)
    task, _ = open_run(TOOLKIT, str(run), "best")
    start = 0
    for text, row, sentence in zip(texts, rows, sentences):
        ids = task.tokenizer(text)["input_ids"]
        with core.no_grad():
            sequence, pooled = task.network.ernie(core.to_tensor([ids]))
        np.testing.assert_allclose(sentence, pooled.numpy()[0], atol=1e-5)
        np.testing.assert_allclose(tokens[start : start + len(ids)], sequence.numpy()[0], atol=1e-5)
        assert row["offsets"] == [[0, 0], *([n, n + 1] for n in range(len(text))), [0, 0]]
        start += len(ids)
    assert start == len(tokens) and sentences.dtype == tokens.dtype == np.float32


def test_a_sentence_is_its_first_token_where_no_pooler_was_trained(run_of: Runs) -> None:
    found = open_encoder(run_of("TokenClassification")).predict(["李雷在上海。", "李雷"])
    assert found[0].tokens.shape == (8, 16) and found[1].tokens.shape == (4, 16)
    np.testing.assert_array_equal(found[0].sentence, found[0].tokens[0])


def test_an_export_has_no_features_and_no_explanations(run_of: Runs, tmp_path: Path) -> None:
    folder = str(tmp_path / "exported")
    assert export.main([str(run_of("Classification")), "--output", folder]) == 0
    with pytest.raises(ValueError, match="is an exported folder, which gives a head's results and no vectors: name"):
        infer.main([folder, "好", "--features", str(tmp_path / "a.npy")])
    with pytest.raises(ValueError, match="which computes no gradients; --explain takes the folder of the run"):
        infer.main([folder, "好", "--explain", str(tmp_path / "a.html")])
    (tmp_path / "exported" / "program.json").write_bytes(b"")
    for words in (["--features", str(tmp_path / "a.npy")], ["--explain", str(tmp_path / "a.html")]):
        with pytest.raises(ValueError, match="no program.json that can be read: export it again"):
            infer.main([folder, "好", *words])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--features", "a.npz"], "name a file that ends in .npy, not 'a.npz'"),
        (["--token-features", "a"], "name a file that ends in .npy, not 'a'"),
        (["--features", "a.npy", "--explain", "a.html"], "--features gives none: ask for one of them"),
    ],
)
def test_options_that_do_not_go_together(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        infer.main(["run", "text", *words])
    assert problem in capsys.readouterr().err


def test_integrated_gradients_of_a_polynomial_are_exact() -> None:
    inputs, baseline = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32), np.array([[0.5, 0.0], [0.0, 1.0]], np.float32)
    found = integrated_gradients(lambda x: (x[:, 0] ** 3 * x[:, 1]).sum(axis=1), inputs, baseline, 8, batch_size=3)
    # Along x(t) = b + t (x - b) of a^3 c: the integral of 3 a^2 c da, and of a^3 dc, by hand for each column.
    t = np.linspace(0, 1, 200001)
    a, c = (baseline[row][:, None] + t * (inputs - baseline)[row][:, None] for row in (0, 1))
    slopes = np.stack([(3 * a**2 * c), a**3])
    expected = ((slopes[:, :, 1:] + slopes[:, :, :-1]) / 2).mean(axis=2) * (inputs - baseline)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", TEXTS)
def test_contributions_add_up_to_the_difference_from_the_baseline(name: str, run_of: Runs) -> None:
    text: Any = TEXTS[name]
    task, folder = open_run(TOOLKIT, str(run_of(name)), "best")
    reader = reader_of(task, folder.path)
    result = reader.predict(text)
    explanations = explainer_of(task, reader).explain(text, result)
    record = result.record()
    if name == "Classification":
        expected = {record["label"]: record["score"]}
    elif name == "MultiLabel":
        expected = {label: record["probabilities"][label] for label in record["labels"]}
    elif name == "Regression":
        expected = {"value": record["value"]}
    else:
        expected = {f"{chunk.text}/{chunk.kind}": None for chunk in result.chunks}
    assert expected and [one.name for one in explanations] == list(expected)
    parts = text if isinstance(text, tuple) else (text,)
    for one in explanations:
        if expected[one.name] is not None:
            assert one.result == pytest.approx(expected[one.name], abs=1e-5)
        total = sum(contribution.value for contribution in one.contributions)
        assert total == pytest.approx(one.result - one.baseline, abs=1e-4)
        assert max(abs(contribution.value) for contribution in one.contributions) > 1e-3
        places = [(c.part, c.start, c.end) for c in one.contributions]
        assert places == [(part, n, n + 1) for part, one in enumerate(parts) for n in range(len(one))]


def test_the_baseline_of_a_class_is_its_probability_without_word_vectors(run_of: Runs) -> None:
    task, folder = open_run(TOOLKIT, str(run_of("Classification")), "best")
    reader = reader_of(task, folder.path)
    (one,) = explainer_of(task, reader).explain("房间很小", reader.predict("房间很小"))
    columns = task.tokenizer("房间很小")
    with core.no_grad():
        words = task.network.ernie.word_embeddings(core.to_tensor([columns["input_ids"]])).numpy()
        words[:, 1:-1] = 0
        logits = task.network(core.to_tensor([columns["input_ids"]]), inputs_embeds=core.to_tensor(words)).numpy()[0]
    assert one.baseline == pytest.approx(softmax(logits)[reader.class_names.index(one.name)], abs=1e-6)


def test_what_cannot_be_explained(run_of: Runs) -> None:
    task, folder = open_run(TOOLKIT, str(run_of("QuestionAnswering")), "best")
    with pytest.raises(ValueError, match="results of the task QuestionAnswering cannot be explained; those of class"):
        explainer_of(task, reader_of(task, folder.path))
    task, folder = open_run(TOOLKIT, str(run_of("Classification")), "best")
    reader = reader_of(task, folder.path)
    assert explainer_of(task, reader).explain("", reader.predict("")) == []


def test_the_page_holds_each_text_and_nothing_from_elsewhere(run_of: Runs, tmp_path: Path) -> None:
    page, words = tmp_path / "page.html", ["房间很小", "<script>alert('床')</script>"]
    assert infer.main([str(run_of("Classification")), *words, "--explain", str(page), "--output", str(tmp_path)]) == 0
    markup = page.read_text(encoding="utf-8")
    shown = re.findall(r'<p class="text">(.*)</p>', markup)
    texts = [words[0], "&lt;script&gt;alert(&#x27;床&#x27;)&lt;/script&gt;"]
    assert [re.sub("<[^>]*>", "", one) for one in shown] == texts
    assert "<script" not in markup and not re.search(r"(?:src|href|url)\s*[=(]", markup)
    assert [len(re.findall("<span", one)) >= 4 for one in shown] == [True, True]
    assert len((tmp_path / "predictions.jsonl").read_text().splitlines()) == 2


def test_the_page_escapes_texts_names_and_titles(tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>\"'&\ud800"
    parts = [Contribution(0, 0, 4, 0.5), Contribution(0, 0, 4, 0.25), Contribution(0, 4, len(hostile), -0.5)]
    with open(tmp_path / "page.html", "wb") as stream:
        page = ExplanationPage(stream, hostile)
        page.add(hostile, hostile, [Explanation(hostile, 0.5, 0.25, parts)])
        page.add((hostile, hostile), hostile, [])
        page.finish()
    markup = (tmp_path / "page.html").read_bytes().decode("utf-8")
    assert "<img" not in markup and markup.count("&lt;img src=x onerror=alert(1)&gt;&quot;&#x27;&amp;&#55296;") == 7
    assert 'title="+0.7500">&lt;img</span>' in markup and 'title="-0.5000">' in markup  # two tokens of one place
    assert markup.endswith("</body>\n</html>\n")
