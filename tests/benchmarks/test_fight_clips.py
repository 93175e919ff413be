"""What the comparison with PyTorch on clips of cameras rests on: each fold, the same batches, the interval."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.PaddleVideo import fight_clips
from PaddleVideo.config import TOOLKIT
from tests.core.vision.video_files import drawn_frames, write_video


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten clips, whose numbers do not follow each other, as pictures; another number of frames in each class."""
    folder = tmp_path_factory.mktemp("clips")
    for name, count in (("noFight", 8), ("fight", 9)):
        (folder / name).mkdir()
        for number in range(5):
            write_video(folder / name / f"{name}{2 * number}.mp4", list(drawn_frames(count, 128, 136)))
    return fight_clips.written_down(folder, folder / "work")


def test_every_run_has_its_config_and_a_name_of_its_own() -> None:
    assert len({run.name for run in fight_clips.RUNS}) == len(fight_clips.RUNS) == 30
    assert all((fight_clips.CONFIGS / f"fight_clips_{run.network}.yaml").exists() for run in fight_clips.RUNS)


def test_folds_hold_each_clip_once(frames: Path) -> None:
    tested = []
    for fold in range(5):
        lists = [(frames / f"{split}_{fold}.txt").read_text().splitlines() for split in ("train", "test")]
        assert len(lists[0]) == 8 and len(lists[1]) == 2 and not set(lists[0]) & set(lists[1])
        tested += lists[1]
    assert sorted(tested) == sorted(
        [*(f"noFight/noFight{2 * n} 8 0" for n in range(5)), *(f"fight/fight{2 * n} 9 1" for n in range(5))]
    )


def test_the_recorded_batches_are_those_of_the_training(frames: Path, tmp_path: Path) -> None:
    run = fight_clips.Run("tsm", False, 1)
    given = [*fight_clips.changes(run, frames), "train.epochs=1", "data.train.batch_size=4", "network.width=8"]
    fight_clips.record(run, tmp_path, given)
    clips, labels = np.load(tmp_path / "clips.npy"), np.load(tmp_path / "labels.npy")
    assert clips.shape == (2, 4, 8, 3, 112, 112) and labels.shape == (2, 4) and clips.dtype == np.float16
    section = TOOLKIT.load(fight_clips.CONFIGS / "fight_clips_tsm.yaml", given).data.train
    loader = section.build_loader(section.build_dataset(str(frames)), seed=0)
    for number, (batch, truth) in enumerate(loader.batches()):
        np.testing.assert_allclose(clips[number], batch.numpy(), atol=2e-3)
        np.testing.assert_array_equal(labels[number], truth.numpy().reshape(-1))


def test_the_interval_is_wilsons() -> None:
    right, count, z = 45, 60, 1.959964
    middle = (right / count + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * math.sqrt(right / count * (1 - right / count) / count + z**2 / (4 * count**2))
    rows = [{"right": 20, "clips": 30}, {"right": 25, "clips": 30}]
    assert fight_clips.describe(rows) == f"45 of 60, 75.0% ({middle - half:.1%} to {middle + half:.1%})"
    assert fight_clips.describe([]) == ""
