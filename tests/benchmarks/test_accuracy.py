"""What the comparison of accuracies rests on: both sides see the same pictures, learning rates and recipe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.PaddleClas import accuracy
from benchmarks.PaddleClas.accuracy_sides import CONFIGS, Recording, Run, _learning_rate, our_steps, record
from benchmarks.PaddleClas.patches import SIZE, chosen_patches, write_patches
from core.train import load_config
from core.train.config.schedules import SCHEDULES, Component
from PaddleClas.config import ClassificationConfig
from PaddleClas.task import ClassificationTask


def test_patches_are_of_the_class_that_covers_most_of_them_and_enough() -> None:
    mask = np.full((SIZE, SIZE + 40), 11, np.uint8)  # unlabelled
    mask[:, :60] = 3  # road: 60 of 112 columns of the first patch, 20 of the second
    mask[:50, 60:] = 0  # sky: 50/112 of 92/112 of the second
    assert chosen_patches(mask) == [(0, 0, "road")]
    mask[:56, 60:] = 0  # now half of those columns
    assert chosen_patches(mask) == [(0, 0, "road"), (40, 0, "sky")]


def test_patches_become_folders_of_classes(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    picture = generator.integers(0, 256, (SIZE, SIZE, 3), np.uint8)
    for split, number in (("train", 5), ("val", 8)):
        for folder in (split, f"{split}annot"):
            (tmp_path / folder).mkdir()
        Image.fromarray(picture).save(tmp_path / split / "scene.png")
        Image.fromarray(np.full((SIZE, SIZE), number, np.uint8)).save(tmp_path / f"{split}annot" / "scene.png")
    assert write_patches(tmp_path, tmp_path / "out") == {"train": 1, "val": 1}
    with Image.open(tmp_path / "out" / "train" / "tree" / "scene_00.png") as patch:
        np.testing.assert_array_equal(np.asarray(patch), picture)
    assert (tmp_path / "out" / "val" / "car" / "scene_00.png").exists()


def test_a_recording_gives_the_batches_of_the_loader_again(tmp_path: Path) -> None:
    config = load_config(ClassificationConfig, CONFIGS / "digits_lenet.yaml")
    config.data.train.share = [0, 0.1]
    config.data.train.batch_size = 50
    config.data.train.drop_last = False
    loader = ClassificationTask(config).loader("train")
    assert loader is not None
    record(loader, 2, tmp_path / "batches")
    recording = Recording(tmp_path / "batches", lambda array: array)
    assert len(recording) == len(loader) == 3
    for epoch in (1, 0):
        loader.set_epoch(epoch)
        recording.set_epoch(epoch)
        pairs = list(zip(loader.batches(), recording.batches()))
        assert [len(labels) for _, (_, labels) in pairs] == [len(batch[1]) for batch in loader.batches()]
        for batch, arrays in pairs:
            for tensor, array in zip(batch, arrays):
                np.testing.assert_array_equal(tensor.numpy().reshape(array.shape), array)


def test_pytorchs_side_has_the_learning_rates_of_our_schedule() -> None:
    chosen = {"name": "Cosine", "learning_rate": 0.05, "warmup_epochs": 2}
    schedule = SCHEDULES.build(Component.model_validate(chosen), steps_per_epoch=7, epochs=6)
    rate = _learning_rate(chosen, steps_per_epoch=7, epochs=6)
    for step in range(42):
        assert rate(step) == pytest.approx(schedule(), rel=1e-6, abs=1e-9)
        schedule.step()


def test_a_schedule_that_pytorchs_side_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="the PyTorch side has one schedule: Cosine of learning_rate"):
        _learning_rate({"name": "Linear", "learning_rate": 0.1}, 1, 1)


def test_our_side_trains_on_what_it_recorded_and_leaves_weights_to_start_from(tmp_path: Path) -> None:
    overrides = ("train.epochs=1", "data.train.share=[0, 0.2]", "data.test.share=[0, 0.1]")
    fresh = Run("digits", "digits_lenet", str(tmp_path), overrides, None, 3)
    tuned = fresh._replace(name="again", start=fresh.key)
    steps = our_steps([fresh, tuned], str(tmp_path))
    first, second = (steps[run.key]() for run in (fresh, tuned))
    labels = np.load(tmp_path / "batches" / "digits_lenet 3 train" / "labels.npy")
    assert len(first["losses"]) == len(second["losses"]) == -(-labels.shape[1] // 64)
    assert second["losses"][0] < first["losses"][0]  # the same batch, by weights that have seen it


def test_the_table_has_means_and_deviations() -> None:
    rows = [
        {
            "experiment": "sample",
            "seed": seed,
            "first_steps_apart": 10.0**-seed,
            "ours": {"accuracy": ours, "seconds": 1.0 + seed},
            "pytorch": {"accuracy": 0.5, "seconds": 4.0},
        }
        for seed, ours in enumerate((0.4, 0.5, 0.6))
    ]
    (line,) = accuracy.table(rows)[1:]
    assert line.split() == "sample 3 50.0 ± 10.0 50.0 ± 0.0 2.0 4.0 1e+00".split()


def test_runs_come_after_what_they_start_from() -> None:
    runs = accuracy.experiments(Path("data"), Path("work"), [0, 1])
    keys = [run.key for run in runs]
    assert len(set(keys)) == len(keys) == 10
    assert all(run.start is None or keys.index(run.start) < keys.index(run.key) for run in runs)


def test_the_log_has_six_digits() -> None:
    row = {"seed": 1234567, "ours": {"accuracy": 2 / 3}, "experiment": "sample"}
    assert accuracy.rounded(row) == {"seed": 1234567, "ours": {"accuracy": 0.666667}, "experiment": "sample"}
