"""Labels of features: what is trained, judged and written, and data that does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from PaddleVideo import infer, train
from PaddleVideo.config import TOOLKIT
from PaddleVideo.data.drawn_topics import DrawnTopics

SMALL = {"class_num": 6, "max_frames": 12, "feature_dims": [16, 8]}


def written(folder: Path, **changes: Any) -> Path:
    """Write a config of a linear model into a folder; return its path."""
    config = {
        "output": str(folder / "run"),
        "task": {"name": "Tagging"},
        "network": {"name": "mean_logistic", "class_num": 6, "feature_dims": [16, 8]},
        "data": {
            split: {"dataset": {"name": "DrawnTopics", "split": split, "count": 24, **SMALL}, "batch_size": 8}
            for split in ("train", "test")
        },
        "optimizer": {"name": "Adam"},
        "schedule": {"name": "Constant", "learning_rate": 0.01},
        "train": {"epochs": 1, "compiled": False},
        **changes,
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def test_the_numbers_are_those_of_the_written_predictions(tmp_path: Path) -> None:
    assert train.main(["-c", str(written(tmp_path))]) == 0
    run = tmp_path / "run"
    numbers = json.loads((run / "results.json").read_text())["results"]["test"]
    assert set(numbers) == {"hit_at_one", "perr", "gap"} and 0.2 < numbers["gap"] < 1
    from PaddleVideo import eval as eval_command

    assert eval_command.main([str(run)]) == 0
    rows = [json.loads(line) for line in (run / "evaluation_test" / "predictions.jsonl").read_text().splitlines()]
    data = DrawnTopics("test", 24, **SMALL)  # type: ignore[arg-type]  # of several types
    hits = [data[row["index"]][3][row["labels"][0]] for row in rows]
    assert len(rows) == 24 and np.mean(hits) == pytest.approx(numbers["hit_at_one"])
    with pytest.raises(ValueError, match="is a run of the task Tagging, which takes no videos"):
        infer.main([str(run), "--demo", "1"])


def test_the_loss_is_that_of_the_network(tmp_path: Path) -> None:
    task = TOOLKIT.build_task(TOOLKIT.load(written(tmp_path)))
    batch = next(iter(task.loader("train")))
    loss, values = task.loss(*batch)
    rgb, audio, frames, labels = (field.numpy() for field in batch)
    weight, bias = (getattr(task.network.fc, name).numpy() for name in ("weight", "bias"))
    both = np.concatenate([rgb, audio], axis=2) * (4 / 255) + 4 / 512 - 2
    mask = np.arange(both.shape[1]) < frames[:, None]
    logits = (both * mask[:, :, None]).sum(1) / frames[:, None] @ weight + bias
    expected = (np.log1p(np.exp(logits)) - labels * logits).sum(1).mean()
    np.testing.assert_allclose(loss.numpy(), expected, rtol=1e-4)
    assert values["hit_at_one"].item() == pytest.approx(np.mean(labels[np.arange(8), logits.argmax(1)]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": {"name": "tsn_r18", "class_num": 6}}, "task Tagging takes a network of features, such as"),
        (
            {"network": {"name": "mean_logistic", "class_num": 7, "feature_dims": [16, 8]}},
            "data.train has 6 labels, but network.class_num is 7",
        ),
        (
            {"network": {"name": "mean_logistic", "class_num": 6, "feature_dims": [16, 9]}},
            r"data.train has features \[16, 8\], but network.feature_dims is \[16, 9\]",
        ),
        ({"expect": {"at_least": {"gab": 1.0}}}, "gab"),
        (
            {"data": {"train": {"dataset": {"name": "MovingDigits"}, "batch_size": 2}}},
            "data.train: task Tagging takes features, such as those of YouTube8M, not MovingDigits",
        ),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(written(tmp_path, **changes))])
