"""The four commands end to end, on small sets that are learned in a second."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.train import Callback, NonFiniteLossError, TrainingInterrupted, load_config, read_metrics
from core.train.runner import training
from core.weights.formats.safetensors_file import read_safetensors
from PGL import eval as eval_command
from PGL import export, infer, train
from PGL.config import TASKS, GraphConfig
from PGL.data import CoraDataset
from tests.PGL.small_sets import NODES, write_blog_catalog, write_cora, write_triples

CONFIGS = Path(__file__).resolve().parents[2] / "PGL" / "configs"


def options(config: str, data: Path, output: Path, *changes: str) -> list[str]:
    """Return the words of a training command."""
    wanted = [f"output={output}", "train.tensorboard=false", *changes]
    words = ["-c", str(CONFIGS / f"{config}.yaml"), "--data", str(data)]
    return [*words, *(word for change in wanted for word in ("-o", change))]


HALF = ("expect.at_least={accuracy: 0.5}",)
SHORT = ("train.epochs=4", "task.passes_per_epoch=5", *HALF)


@pytest.fixture(scope="module")
def cora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cora(tmp_path_factory.mktemp("data") / "cora")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, cora: Path) -> Path:
    output = tmp_path_factory.mktemp("runs") / "gcn"
    assert train.main(options("cora_gcn", cora, output, *SHORT)) == 0
    return output


def test_training_writes_the_whole_folder(run: Path) -> None:
    assert {path.name for path in run.iterdir()} >= {
        "config.yaml", "metrics.jsonl", "learning_curve.png", "checkpoints", "results.json",
    }  # fmt: skip
    rows = read_metrics(run / "metrics.jsonl")
    assert [row["split"] for row in rows] == ["train", "valid"] * 4 + ["test"]
    assert rows[-1]["accuracy"] == json.loads((run / "results.json").read_text())["results"]["test"]["accuracy"] > 0.5


def test_evaluation_repeats_the_result(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval_command.main([str(run)]) == 0
    expected = json.loads((run / "results.json").read_text())["results"]["test"]
    output = capsys.readouterr().out
    assert f"test: accuracy {expected['accuracy']:.4f}" in output and "expected at least 0.5000: as expected" in output
    assert json.loads((run / "evaluation_test" / "results.json").read_text())["test"] == expected
    assert eval_command.main([str(run), "-o", "expect.value=1.1"]) == 1
    assert "BELOW what the config expects" in capsys.readouterr().out


def test_inference_writes_rows_a_picture_and_neighbours(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert infer.main([str(run), "--near", "0", "7", "--top", "4", "--output", str(tmp_path)]) == 0
    rows, classes = np.load(tmp_path / "embeddings.npy"), np.load(tmp_path / "classes.npy")
    assert rows.shape == (NODES, 3) and (classes == rows.argmax(axis=1)).all()
    assert (tmp_path / "embeddings.png").read_bytes()[:4] == b"\x89PNG"
    records = json.loads((tmp_path / "nearest.json").read_text())
    assert [record["node"] for record in records] == [0, 7]
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = units @ units[7]
    cosines[7] = -2
    best = [one["node"] for one in records[1]["near"]]
    np.testing.assert_allclose(sorted(cosines[best])[::-1], np.sort(cosines)[::-1][:4], rtol=1e-6)
    assert "0: " in capsys.readouterr().out
    with pytest.raises(ValueError, match=f"there is no node '{NODES}'; there are {NODES}, numbered from 0"):
        infer.main([str(run), "--near", str(NODES), "--output", str(tmp_path)])


def test_the_exported_program_gives_the_same_logits(run: Path, cora: Path, tmp_path: Path) -> None:
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    infer.main([str(run), "--picture", "none", "--output", str(tmp_path)])
    graph = CoraDataset(root=str(cora)).graph
    arrays = [tensor.numpy() for rows in graph.tensor(inplace=False).connections() for tensor in rows]
    logits = core.jit.Predictor(tmp_path / "exported").run([graph.node_feat["words"], *arrays])
    np.testing.assert_allclose(logits, np.load(tmp_path / "embeddings.npy"), rtol=1e-5, atol=1e-6)


def weights(run: Path) -> dict[str, np.ndarray]:
    return read_safetensors(max(run.glob("checkpoints/step_*")) / "model.safetensors")


class Stop(Callback):
    """Sends Ctrl-C before a step."""

    def on_step_begin(self, trainer: Any) -> None:
        if trainer.progress.step == 7:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("config", "write", "changes"),
    [
        ("cora_gcn", write_cora, SHORT),
        pytest.param(
            "blogcatalog_deepwalk",
            write_blog_catalog,
            ("task.batch_size=20", "train.epochs=4", "expect=null"),
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_an_interrupted_run_resumes_bit_for_bit(
    config: str, write: Any, changes: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "data")
    train.main(options(config, data, tmp_path / "whole", *changes))
    trainer = training.Trainer
    with monkeypatch.context() as patch:
        patch.setattr(training, "Trainer", lambda *given, **named: trainer(*given, callbacks=[Stop()], **named))
        with pytest.raises(TrainingInterrupted, match="interrupted after step 8"):
            train.main(options(config, data, tmp_path / "parts", *changes))
    assert train.main(["--resume", str(tmp_path / "parts")]) == 0
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert list(whole) == list(parts)
    for name in whole:
        np.testing.assert_array_equal(whole[name], parts[name], err_msg=name)


def test_walks_and_links_are_learnt(tmp_path: Path) -> None:
    for config, write, changes, metric in (
        ("blogcatalog_deepwalk", write_blog_catalog, ("task.batch_size=60", "train.epochs=20"), "macro_f1"),
        ("umls_rotate", write_triples, ("task.batch_size=28", "train.epochs=150", "task.negatives=6"), "mrr"),
    ):
        output = tmp_path / config
        extra = ("network.embedding_size=16", "train.evaluate_every=50", f"expect.at_least={{{metric}: 0.4}}")
        learned = train.main(options(config, write(tmp_path / "data" / config), output, *changes, *extra))
        numbers = json.loads((output / "results.json").read_text())["results"]["test"]
        assert learned == 0 and numbers[metric] > 0.4, numbers
    near = ["--near", "h3", "--top", "2", "--picture", "tsne"]
    assert infer.main([str(tmp_path / "umls_rotate"), *near]) == 0
    record = json.loads((tmp_path / "umls_rotate" / "embeddings" / "nearest.json").read_text())[0]
    assert record["node"] == "h3" and len(record["near"]) == 2 and record["near"][0]["node"].startswith("h")
    with pytest.raises(ValueError, match="no node 'h33'; .* of which the nearest is 'h3'"):
        infer.main([str(tmp_path / "umls_rotate"), "--near", "h33"])
    for config in ("blogcatalog_deepwalk", "umls_rotate"):
        assert export.main([str(tmp_path / config)]) == 0
    nodes = np.array([5, 0, 5])
    rows = core.jit.Predictor(tmp_path / "blogcatalog_deepwalk" / "exported").run(nodes)
    np.testing.assert_array_equal(rows, weights(tmp_path / "blogcatalog_deepwalk")["embedding"][nodes])


def test_sampled_neighbourhoods_are_learnt(cora: Path, tmp_path: Path) -> None:
    changes = ("train.epochs=5", "task.samples=[5,5]", "network.hidden_size=8", "task.batch_size=8", *HALF)
    assert train.main(options("cora_graphsage", cora, tmp_path / "run", *changes)) == 0
    assert eval_command.main([str(tmp_path / "run"), "--split", "valid"]) == 0
    assert infer.main([str(tmp_path / "run"), "--picture", "none"]) == 0
    assert np.load(tmp_path / "run" / "embeddings" / "embeddings.npy").shape == (NODES, 3)


@pytest.mark.parametrize("config", ["cora_gcn", "cora_graphsage", "cora_unimp"])
def test_features_that_are_no_numbers_are_refused(config: str, tmp_path: Path) -> None:
    data = write_cora(tmp_path / "data", np.nan)
    with pytest.raises(ValueError, match=r"data: feature 0 of node 0 is nan \(\d+ like it\); correct the data"):
        train.main(options(config, data, tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("config", "write", "change"),
    [
        ("cora_gcn", write_cora, "schedule.learning_rate=1e30"),
        ("blogcatalog_deepwalk", write_blog_catalog, "schedule.learning_rate=1e30"),
    ],
)
def test_a_loss_that_is_no_number_stops_training(config: str, write: Any, change: str, tmp_path: Path) -> None:
    words = options(config, write(tmp_path / "data"), tmp_path / "run", change, "train.epochs=2")
    with pytest.raises(NonFiniteLossError, match=r"(loss of phase|the weight) .* is .*; lower the learning"):
        train.main(words)


def test_mistakes_are_named(run: Path, cora: Path, tmp_path: Path) -> None:
    def refused(message: str, config: str, *changes: str, data: Path = cora, kind: Any = ValueError) -> None:
        with pytest.raises(kind, match=message):
            train.main(options(config, data, tmp_path / "run", *changes))

    refused("the nearest valid key is 'train.epochs'", "cora_gcn", "train.epoch=1")
    refused("the nearest valid key is 'network.hidden_size'", "cora_gcn", "network.hidden=1")
    refused("unknown model 'GATT'; the nearest is 'GAT'", "cora_gcn", "network.name=GATT")
    refused("NodeClassification trains GCN, .*, not network.name: DeepWalk", "cora_gcn", "network={name: DeepWalk}")
    refused("task.passes_per_epoch must be positive, not 0", "cora_gcn", "task.passes_per_epoch=0")
    refused(r"optimizer.groups.0.parameters: 'gcn.\*' fits no parameter; the nearest are gcns", "cora_gcn",
            "optimizer.groups=[{parameters: [gcn.*], weight_decay: 0.1}]")  # fmt: skip
    blog = write_blog_catalog(tmp_path / "blog")
    for change in ("name=Adam", "weight_decay=0.1", "clip={norm: 1}"):
        refused("optimizer: skip-gram .* make it {name: SGD}", "blogcatalog_deepwalk", f"optimizer.{change}", data=blog)
    refused("task.samples: 2 convolutions need as many numbers", "cora_graphsage", "task.samples=[3]")
    refused("batch_size must be positive and samples a number", "cora_graphsage", "task.samples=[3,0]")
    refused("no folder .*nowhere'; say where the data is with --data", "cora_gcn", data=tmp_path / "nowhere",
            kind=NotADirectoryError)  # fmt: skip
    large = 99999999999
    refused("GCN: num_layers must be less than or equal to 1000, not 99999999999", "cora_gcn",
            f"network.num_layers={large}")  # fmt: skip
    refused("network: the parameter .* has .* elements; the engine's limit", "cora_gcn", f"network.hidden_size={large}")
    refused("lacks ind.cora.allx", "cora_gcn", data=tmp_path, kind=FileNotFoundError)
    refused("batch_size and negatives must be positive", "umls_rotate", "task.negatives=0",
            data=write_triples(tmp_path / "clock"))  # fmt: skip
    refused("network: RotatE: embedding_size and gamma must be positive", "umls_rotate", "network.gamma=-1.0",
            data=tmp_path / "clock")  # fmt: skip
    assert not (tmp_path / "run").exists()
    with pytest.raises(FileNotFoundError, match="holds no checkpoint 'step_9'; there are best, newest, step_"):
        eval_command.main([str(run), "--checkpoint", "step_9"])
    with pytest.raises(FileNotFoundError, match="is not the folder of a run: it has no config.yaml"):
        infer.main([str(tmp_path)])
    with pytest.raises(ValueError, match="NodeClassification has no split 'train' to evaluate; it has valid, test"):
        eval_command.main([str(run), "--split", "train"])
    with pytest.raises(ValueError, match="expect.at_least: the evaluation gives accuracy, .*, not 'speed'"):
        eval_command.main([str(run), "-o", "expect.at_least.speed=1"])


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        (train, [], "give a config with -c, or a run with --resume"),
        (infer, ["run", "--top", "0"], "argument --top: '0' is no positive integer"),
    ],
)
def test_usage_mistakes(command: Any, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        command.main(arguments)
    assert left.value.code == 2 and message in capsys.readouterr().err


def test_every_key_task_model_and_data_set_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["--keys"]) == 0
    output = capsys.readouterr().out
    assert "train.epochs (integer or null; default None)" in output
    assert "network: {name: GCN, num_layers: 1, hidden_size: 16, dropout: 0.5}" in output
    assert all(f"task: {{name: {name}" in output for name in TASKS.entries)


@pytest.mark.parametrize("config", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_config_is_valid_and_says_its_command(config: Path) -> None:
    checked = load_config(GraphConfig, config)
    assert checked.output == f"runs/{config.stem}"
    assert f"python PGL/train.py -c PGL/configs/{config.name}" in config.read_text(encoding="utf-8")
