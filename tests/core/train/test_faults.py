"""What can go wrong outside a run: its folder, its disk, other runs, signals."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import pytest

import core
from core.train import (
    Callback,
    EarlyStop,
    NonFiniteLossError,
    OutputError,
    RunFolder,
    Trainer,
    TrainingInterrupted,
    read_metrics,
)
from core.train.checkpoints import store as checkpoint
from core.train.checkpoints.store import CheckpointStore
from tests.core.train.regression import Regression, SquaredError, assert_same_weights, trainer_for

ROOT = Path(__file__).resolve().parents[3]


class FullDisk(Callback):
    """Lets the disk be full from the end of an epoch on."""

    def __init__(self, patch: pytest.MonkeyPatch, name: str) -> None:
        self.patch = patch
        self.name = name

    def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        if trainer.progress.epoch == 3:

            def full(*arguments: Any, **options: Any) -> None:
                raise OSError(errno.ENOSPC, "No space left on device")

            self.patch.setattr(self.name, full)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("core.train.checkpoints.state_files.write_safetensors", "checkpoints/step_00000012"),
        ("os.fsync", "checkpoints/step_00000012"),
        ("core.train.logs.run_log._write_whole", "metrics.jsonl"),
    ],
)
def test_a_full_disk_leaves_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, what: str
) -> None:
    whole = Regression()
    trainer_for(whole, tmp_path / "whole").fit()
    with monkeypatch.context() as patch, pytest.raises(OutputError) as caught:
        trainer_for(Regression(), tmp_path / "run", [FullDisk(patch, name)]).fit()
    run = tmp_path / "run"
    assert str(caught.value) == (
        f"cannot write '{run}/{what}': No space left on device; the last good checkpoint is "
        f"{run}/checkpoints/step_00000008; when there is room, continue with --resume {run}"
    )
    left = {path.name for path in (run / "checkpoints").iterdir()} - {"best", "newest"}
    assert left <= {"step_00000004", "step_00000008"}
    again = Regression()
    trainer = trainer_for(again, run, resume=True)
    assert trainer.resume() and trainer.progress.step == 8
    trainer.fit()
    assert_same_weights(whole.network, again.network)


def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """The system's own limit, met in the middle of a file."""

    class Limit(Callback):
        def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            if trainer.progress.epoch == 2:
                resource.setrlimit(resource.RLIMIT_FSIZE, (1500, limits[1]))

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(OutputError, match=r"step_00000008': .*the last good checkpoint is .*step_00000004; when"):
            trainer_for(Regression(splits=["train"], width=500), tmp_path / "run", [Limit()]).fit()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    left = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert left == ["best", "newest", "step_00000004"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot make a folder for the run at '.*file/run': File exists; choose"):
        RunFolder.create(tmp_path / "file" / "run")
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    program = (
        f"import os, sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from core.train.logs.run_folder import RunFolder\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        f"try: RunFolder.create({str(locked / 'run')!r})\n"
        "except OSError as error: print(error)\n"
        f"try: RunFolder({str(locked)!r}).claim()\n"
        "except OSError as error: print(error)"
    )
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"cannot make a folder for the run at '{locked}/run': Permission denied; choose another output folder",
        f"cannot write '{locked}': Permission denied",
    ]


def test_two_runs_into_one_folder(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run").config.write_text("{}")
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from core.train.logs.run_folder import RunFolder\n"
        f"folder = RunFolder({str(tmp_path / 'run')!r}); folder.claim(); print('claimed', flush=True); input()"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "claimed\n"
    message = rf"another run \(process {other.pid}\) writes into '.*run'; wait until it ends"
    for start in ("fit", "resume"):
        with pytest.raises(BlockingIOError, match=message):
            getattr(trainer_for(Regression(), tmp_path / "run", resume=True), start)()
    other.kill()
    other.communicate()
    trainer_for(Regression(splits=["train"]), tmp_path / "run", resume=True, epochs=1).fit()


def test_new_runs_at_the_same_moment_get_folders_of_their_own(tmp_path: Path) -> None:
    folders = [RunFolder.create(tmp_path / "run") for _ in range(3)]
    assert [folder.path.name for folder in folders] == ["run", "run-2", "run-3"]
    del folders[0]  # it wrote nothing, so its place is free again
    assert RunFolder.create(tmp_path / "run").path.name == "run"


def test_interrupted_while_evaluating(tmp_path: Path) -> None:
    class Interrupting(SquaredError):
        def update(self, outputs: Sequence[Any], batch: Sequence[Any]) -> None:
            super().update(outputs, batch)
            if passes == [2]:
                os.kill(os.getpid(), signal.SIGINT)

    class Evaluated(Regression):
        def evaluator(self, split: str) -> SquaredError:
            passes[0] += 1
            return Interrupting()

    class Count(Callback):
        epochs = 0

        def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            self.epochs += 1

        def state_dict(self) -> dict[str, Any]:
            return {"epochs": self.epochs}

        def set_state_dict(self, state: Mapping[str, Any]) -> None:
            self.epochs = state["epochs"]

    passes = [-99]
    whole = Evaluated(dropout=0.5)
    trainer_for(whole, tmp_path / "whole").fit()
    passes[0] = 0
    with pytest.raises(TrainingInterrupted, match="interrupted after step 8; saved .*step_00000008; continue with"):
        trainer_for(Evaluated(dropout=0.5), tmp_path / "run", [Count()]).fit()
    again, count = Evaluated(dropout=0.5), Count()
    trainer = trainer_for(again, tmp_path / "run", [count], resume=True)
    trainer.resume()
    assert (trainer.progress.epoch, trainer.progress.step_in_epoch, count.epochs) == (1, 4, 1)
    trainer.fit()
    assert count.epochs == 4
    assert_same_weights(whole.network, again.network)
    times = ("seconds", "samples_per_second")
    rows = [
        [{key: value for key, value in row.items() if key not in times} for row in read_metrics(run / "metrics.jsonl")]
        for run in (tmp_path / "whole", tmp_path / "run")
    ]
    assert rows[0] == rows[1]


def test_a_checkpoint_is_replaced_without_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the two renames that replace a checkpoint of the same step, the old one comes back."""
    network = core.nn.Linear(1, 1)
    store = CheckpointStore(tmp_path)
    store.save(checkpoint.Progress(step=3, step_in_epoch=3), {"model": network}, {})
    renamed = os.rename

    def killed(source: Any, target: Any) -> None:
        renamed(source, target)
        if str(target).endswith(".replaced"):
            raise KeyboardInterrupt

    monkeypatch.setattr("os.rename", killed)
    with pytest.raises(KeyboardInterrupt):
        store.save(checkpoint.Progress(step=3, epoch=1), {"model": network}, {})
    monkeypatch.undo()
    assert store.newest() is None
    store.clean()
    newest = store.newest()
    assert newest is not None and checkpoint.load_progress(newest).step_in_epoch == 3
    store.save(checkpoint.Progress(step=3, epoch=1), {"model": network}, {})
    left = sorted(path.name for path in tmp_path.iterdir())
    assert checkpoint.load_progress(newest).epoch == 1 and left == ["best", "newest", newest.name]


class After(Callback):
    """Does something after an epoch."""

    def __init__(self, epoch: int, action: Callable[[Trainer], object]) -> None:
        self.epoch = epoch
        self.action = action

    def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        if trainer.progress.epoch == self.epoch:
            self.action(trainer)


@pytest.mark.parametrize("put_back", [False, True])
def test_a_run_folder_that_is_deleted_during_training(tmp_path: Path, put_back: bool) -> None:
    run = tmp_path / "run"

    def delete(trainer: Trainer) -> None:
        shutil.rmtree(run)
        if put_back:
            RunFolder.create(run)

    with pytest.raises(OutputError) as caught:
        trainer_for(Regression(), run, [After(2, delete)]).fit()
    assert str(caught.value) == (
        f"the run's folder '{run}' was deleted during training, so nothing can be saved; train again"
    )


def test_what_a_killed_process_left_at_the_top_of_a_run_goes_when_it_is_continued(tmp_path: Path) -> None:
    run = tmp_path / "run"
    trainer_for(Regression(), run).fit()
    for name in (".config.yaml.k3j2h1.tmp", ".metrics.jsonl.a1b2c3.tmp", ".keep"):
        (run / name).write_text("half")
    (run / ".exported.x.tmp").mkdir()  # another command may be writing it
    again = trainer_for(Regression(), run, resume=True)
    again.resume()
    assert sorted(path.name for path in run.glob(".*")) == [".exported.x.tmp", ".keep"]


def test_damaged_progress_is_named(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text('{"format": 2, "epo')
    with pytest.raises(ValueError, match="progress.json' is damaged; continue from another checkpoint by deleting"):
        checkpoint.load_progress(tmp_path)
    (tmp_path / "progress.json").write_text('{"format": 2, "epos": 1}')
    with pytest.raises(ValueError, match="has the unknown entry 'epos'; it was written by another version"):
        checkpoint.load_progress(tmp_path)


def test_weights_that_are_not_finite_are_never_saved(tmp_path: Path) -> None:
    """The loss of the last step was finite, its gradient was not."""

    class Spoil(Callback):
        def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            if trainer.progress.epoch == 2:
                weight = trainer.task.networks["model"][0].weight
                weight.set_value(weight.numpy() * float("nan"))

    task = Regression(splits=["train"])
    with pytest.raises(
        NonFiniteLossError,
        match=r"the weight '0.weight' is infinite or not a number after step 7 \(learning rate 0.05\); "
        r"the last good checkpoint is .*step_00000004; lower the learning rate",
    ):
        trainer_for(task, tmp_path / "run", [Spoil()]).fit()


def test_early_stop_holds_after_resuming(tmp_path: Path) -> None:
    trainer_for(Regression(rate=0.0), tmp_path / "run", epochs=9, early_stop=2).fit()
    trainer = trainer_for(Regression(rate=0.0), tmp_path / "run", resume=True, epochs=9, early_stop=2)
    trainer.resume()
    trainer.fit()
    assert trainer.progress.epoch == 3
    with pytest.raises(ValueError, match="patience must be positive, not 0"):
        EarlyStop(0)


def test_a_trainer_without_a_folder_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    task = Regression()
    trainer = Trainer(task, trainer_for(task, tmp_path / "run").options, None)
    trainer.console.quiet = True
    assert trainer.fit().results == {}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    with pytest.raises(ValueError, match="a Trainer without a folder has nothing to resume from"):
        trainer.resume()


def test_ctrl_c_of_a_command_saves_and_leaves_with_130(tmp_path: Path) -> None:
    config = ROOT / "PaddleClas" / "configs" / "digits_lenet.yaml"
    command = [sys.executable, str(ROOT / "PaddleClas" / "train.py"), "-c", str(config), "-o", "train.epochs=9999",
               "-o", f"output={tmp_path / 'run'}", "-o", "data.train.batch_size=600"]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while not process.stdout.readline().startswith("epoch "):
        assert process.poll() is None, process.communicate()[1]
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)[1].splitlines()[-1]
    assert process.returncode == 130
    newest = CheckpointStore(tmp_path / "run" / "checkpoints").newest()
    step = checkpoint.load_progress(newest).step if newest is not None else 0
    assert output == (f"interrupted after step {step}; saved {newest}; continue with --resume {tmp_path / 'run'}")
