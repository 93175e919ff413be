"""The configs are valid, name their own command, build, and say what was published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import core
from core.train.config.schedules import SCHEDULES
from PaddleNLP import train
from PaddleNLP.config import TASKS, TOOLKIT
from PaddleNLP.models.registry import FAMILIES, TRANSLATORS, create_model
from tests.PaddleNLP.small import NETWORK, write_names, write_questions

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "PaddleNLP" / "configs"
FILES = sorted(CONFIGS.rglob("*.yaml"))
SAMPLE = ("classification/xnli_ernie_1.0", "tagging/gsdsimp_pos_bert", "reading/mrqa_ernie_2.0_base_en")
"""Configs that the default run checks; all are checked by the exhaustive one."""

DECAYED = ("dureader_bidaf",)
"""Recipes whose weight decay reaches biases, too, as the official program has it."""

RECIPES = {
    # batch, learning rate, epochs, length
    "classification/chnsenticorp": (24, 5e-5, 10, 256),
    "classification/xnli": (None, 1e-4, 3, 512),
    "matching/lcqmc": (32, 2e-5, 3, 128),
    "matching/bq": (64, 3e-5, 3, 128),
    "matching/dbqa": (64, 2e-5, 3, 512),
    "tagging/msra_ner": (16, 5e-5, 6, 256),
    "reading/cmrc2018": (16, 3e-5, 2, 512),
    "reading/drcd": (16, 5e-5, 2, 512),
    "reading/squad_1.1": (12, 3e-5, 2, 384),
    "reading/mrqa": (32, 3e-5, 2, 512),
}
SCORES = {
    "classification/chnsenticorp": ("94.3", "95.4", "95.5", "95.8"),
    "classification/xnli": ("77.2", "78.4", "79.7", "81.0"),
    "matching/lcqmc": ("87.0", "87.4", "87.9", "87.9"),
    "matching/dbqa": ("80.8", "82.7", "85.3", "85.8"),
    "tagging/msra_ner": ("92.6", "93.8", "93.8", "95.0"),
    "reading/cmrc2018": ("66.3/85.9", "65.1/85.1", "69.1/88.6", "71.5/89.9"),
    "reading/drcd": ("84.9/90.9", "84.0/90.5", "88.0/93.4", "89.0/94.2"),
}
"""Published of BERT, ERNIE 1.0, ERNIE 2.0 base and large."""


def name_of(path: Path) -> str:
    return path.relative_to(CONFIGS).with_suffix("").as_posix()


def thinned(path: Path) -> Any:
    marks = () if name_of(path) in SAMPLE else (pytest.mark.exhaustive,)
    return pytest.param(path, marks=marks, id=name_of(path))


def check_header(path: Path) -> None:
    header = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    command = f"#   python PaddleNLP/train.py -c {path.relative_to(ROOT).as_posix()}"
    commands = [line for line in header if line.startswith("#   python PaddleNLP")]
    assert commands in ([command], [f"{command} --data FOLDER"])
    assert any("https://arxiv.org/abs/" in line for line in header), "the paper"


def check_network(path: Path) -> None:
    config = TOOLKIT.load(path)
    kind = TASKS.resolve(config.task.name)
    heads = {"Pretraining": "pretraining", "MultiTask": "encoder"}
    translates = config.network.name in TRANSLATORS
    given: dict[str, Any] = {"vocab_size": 100} if config.network.name in FAMILIES and not translates else {}
    given.update({key: value for key, value in config.network.arguments.items() if key != "pretrained"})
    with core.LazyGuard():
        head = "encoder" if translates else heads.get(config.task.name, kind.head)
        network = create_model(config.network.name, head, 3, **given)
    if config.task.name in ("LanguageModel", "Reply"):  # networks without heads
        return
    encoder = network if config.task.name == "MultiTask" or translates else network.encoder
    positions = getattr(encoder, "max_length" if translates else "max_position_embeddings", None)
    assert positions is None or config.tokenizer.max_length <= positions
    lengths = {split: config.data.split(split).batching.buckets["length"] for split in config.data.names}
    assert {rule[-1] for rule in lengths.values()} == {config.tokenizer.max_length}


@pytest.mark.parametrize("path", [thinned(path) for path in FILES])
def test_loads_builds_and_names_its_command(path: Path) -> None:
    check_header(path)
    check_network(path)
    config = TOOLKIT.load(path)
    assert Path(config.output).name == path.stem
    assert config.optimizer.decay_norm_and_bias is (path.stem in DECAYED)


def test_each_file_is_named_but_once_and_has_its_header() -> None:
    assert len({path.stem for path in FILES}) == len(FILES)
    for path in FILES:
        check_header(path)


@pytest.mark.parametrize("task", RECIPES)
def test_the_numbers_are_the_published_ones(task: str) -> None:
    batch, rate, epochs, length = RECIPES[task]
    paths = sorted(CONFIGS.glob(f"{task}_*.yaml"))
    for path in paths:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
        split = given["data"]["train"]
        if batch is None:
            assert split["batching"]["tokens"] == 8192
        else:
            assert split["batch_size"] * given["train"].get("accumulate", 1) == batch
        assert given["schedule"]["learning_rate"] == rate
        assert given["train"]["epochs"] == epochs
        assert given["schedule"]["warmup_share"] == 0.1 and given["schedule"]["from_first_step"] is True
        assert given["tokenizer"]["max_length"] == length
    for suffix, score in zip(("bert", "ernie_1.0", "ernie_2.0_base", "ernie_2.0_large"), SCORES.get(task, ())):
        lines = (CONFIGS / f"{task}_{suffix}.yaml").read_text(encoding="utf-8").splitlines()
        assert f" {score} " in next(line for line in lines if line.startswith("# Published"))


@pytest.mark.parametrize(
    ("name", "batch", "rate", "epochs", "published"),
    [
        *(
            (f"senta/chnsenticorp_{net}", 16, 2e-3, 3, f"accuracy {dev} % on the dev part and {test} % on the test")
            for net, dev, test in (
                *(("bow", 89.8, "90.0"), ("cnn", 90.6, 89.9), ("lstm", "90.0", "91.0")),
                *(("gru", "90.0", 89.8), ("bilstm", 88.5, 88.3)),
            )
        ),
        ("senta/emotect_textcnn", 16, 2e-3, 3, "accuracy 91.1 % on chats, 91.0 % on customers' turns, 76.8 % on Weibo"),
        ("reading/dureader_bidaf", 32, 1e-3, 5, "ROUGE-L 47.68 on the dev part and 54.66 on the test part"),
        ("lac/lac_bigru_crf", 100, 1e-3, 10, "precision 88.0 %, recall 88.7 %, F1 88.4 %"),
    ],
)
def test_recipes_of_networks_on_words(name: str, batch: int, rate: float, epochs: int, published: str) -> None:
    text = (CONFIGS / f"{name}.yaml").read_text(encoding="utf-8")
    given = yaml.safe_load(text)
    assert given["data"]["train"]["batch_size"] == batch and given["train"]["epochs"] == epochs
    assert given["schedule"] == {"name": "Constant", "learning_rate": rate} and given["optimizer"]["name"] == "Adam"
    multiples = {"senta_lstm": 30, "senta_gru": 30, "senta_bilstm": 30, "lac": 5}
    assert given["network"].get("emb_lr", 1) == multiples.get(given["network"]["name"], 1)
    assert f"Published: {published}" in text


def test_the_learning_rate_rises_for_a_tenth_and_falls_to_zero_on_the_line_from_the_first_step() -> None:
    config = TOOLKIT.load(CONFIGS / "matching" / "lcqmc_ernie_1.0.yaml")
    schedule = SCHEDULES.build(config.schedule, steps_per_epoch=100, epochs=3)
    rates = []
    for _ in range(301):
        rates.append(float(schedule.get_lr()))
        schedule.step()
    assert rates[:30] == pytest.approx([2e-5 * (step + 1) / 31 for step in range(30)])
    assert rates[30:] == pytest.approx([2e-5 * (1 - step / 300) for step in range(30, 301)], abs=1e-12)


def write_msra(folder: Path) -> None:
    """Write names in the rows of MSRA-NER, which know PER, ORG and LOC."""
    write_names(folder)
    rows = ["text_a\tlabel"]
    for sentence in (folder / "names.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        pairs = [line.split(" ") for line in sentence.split("\n")]
        rows.append("\t".join("\x02".join(column) for column in zip(*pairs)))
    for name in ("train", "dev", "test"):
        (folder / f"{name}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_xnli(folder: Path) -> None:
    """Write pairs in XNLI's files, whose training part writes a label otherwise."""
    for name, header in (
        ("XNLI-MT-1.0/multinli/multinli.train.zh.tsv", ["premise", "hypo", "label"]),
        ("XNLI-1.0/xnli.dev.tsv", ["language", "gold_label", "sentence1", "sentence2"]),
        ("XNLI-1.0/xnli.test.tsv", ["language", "gold_label", "sentence1", "sentence2"]),
    ):
        rows = ["\t".join(header)]
        for number in range(12):
            label = ("entailment", "neutral", "contradiction")[number % 3]
            texts = [f"他今天走了{number}公里。", f"他今天{'没有' * (number % 3)}走路。"]
            if "premise" in header:
                rows.append("\t".join([*texts, label.replace("contradiction", "contradictory")]))
            else:
                rows.append("\t".join(["zh", label, *texts]))
                rows.append("\t".join(["en", label, "He walks.", "He sleeps."]))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_drcd(folder: Path) -> None:
    """Write questions in SQuAD's layout, each with an answer."""
    write_questions(folder)
    content = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    content["data"][0]["paragraphs"] = content["data"][0]["paragraphs"][1:]
    for name in ("train", "dev", "test"):
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "write", "score"),
    [
        ("tagging/msra_ner_ernie_1.0", write_msra, "f1"),
        pytest.param("classification/xnli_ernie_1.0", write_xnli, "accuracy", marks=pytest.mark.exhaustive),
        pytest.param("reading/drcd_ernie_1.0", write_drcd, "f1", marks=pytest.mark.exhaustive),
    ],
)
def test_a_recipe_runs_on_the_official_layout(name: str, write: Any, score: str, tmp_path: Path) -> None:
    write(tmp_path)
    config = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
    config["network"] = {**NETWORK, "max_position_embeddings": 512}
    config["tokenizer"] = {"name": "ErnieTokenizer", "learn": 300, "max_length": config["tokenizer"]["max_length"]}
    config["train"] = {"epochs": 1, "tensorboard": False, "compiled": False}
    config["output"] = str(tmp_path / "run")
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    assert train.main(["-c", str(file), "--data", str(tmp_path)]) == 0
    results = json.loads((tmp_path / "run" / "results.json").read_text())["results"]
    assert set(results) == {"valid", "test"} and 0 <= results["test"][score] <= 100
