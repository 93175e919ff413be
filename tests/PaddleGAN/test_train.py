"""The training command: what it writes, that it resumes bit for bit, and what it refuses."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import core
from core.drawing.sheets import GAP, layout
from core.optimizer import ExponentialMovingAverage
from core.train import Callback, NonFiniteLossError, TrainingInterrupted, read_metrics
from core.train.logs.announcement import average_line
from core.train.runner import training
from core.weights.formats.safetensors_file import read_safetensors
from PaddleGAN import train
from tests.PaddleGAN.small_runs import AVERAGED, DCGAN, WGAN, options, trained


def test_training_writes_the_whole_folder(dcgan_run: Path) -> None:
    run = dcgan_run
    assert {path.name for path in run.iterdir()} == {
        "config.yaml", "metrics.jsonl", "learning_curve.png", "checkpoints", "results.json", "samples", "run.lock",
    }  # fmt: skip
    assert sorted(path.name for path in (run / "samples").iterdir()) == [
        f"epoch_{epoch:04d}.png" for epoch in (0, 2, 3)
    ]
    sheets = [cv2.imread(str(path)) for path in sorted((run / "samples").iterdir())]
    end = layout(28, 28, 3, 3, False, (), True).box(2, 2)
    assert {sheet.shape for sheet in sheets} == {(end[0].stop + GAP, end[1].stop + GAP, 3)}
    assert np.abs(sheets[0].astype(float) - sheets[2]).max() > 1
    last = run / "checkpoints" / "step_00000012"
    assert {path.name for path in last.glob("*.trained.safetensors")} == {"generator.trained.safetensors"}
    rows = read_metrics(run / "metrics.jsonl")
    assert [row["split"] for row in rows] == ["train"] * 3 + ["test"]
    assert {"discriminator_loss", "generator_loss", "discriminator_real", "discriminator_fake"} <= set(rows[0])
    assert json.loads((run / "results.json").read_text())["results"]["test"]["fid"] == rows[-1]["fid"]


class Stop(Callback):
    """Sends Ctrl-C before a step."""

    def on_step_begin(self, trainer: Any) -> None:
        if trainer.progress.step == 6:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    "config", ["fashion_mnist_dcgan", pytest.param("fashion_mnist_wgan_gp", marks=pytest.mark.exhaustive)]
)
def test_an_interrupted_run_resumes_bit_for_bit(
    config: str,
    dcgan_run: Path,
    blobs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, changes, parts = dcgan_run, (*DCGAN, *AVERAGED), tmp_path / "parts"
    if config == "fashion_mnist_wgan_gp":
        changes = (*WGAN, "task.critic_steps=2", "data.test=null", "train.compiled=false")
        whole = trained(config, blobs, tmp_path / "whole", *changes)
    trainer = training.Trainer
    with monkeypatch.context() as patch:
        patch.setattr(training, "Trainer", lambda *given, **named: trainer(*given, callbacks=[Stop()], **named))
        with pytest.raises(TrainingInterrupted, match="interrupted after step 7"):
            train.main(options(config, blobs, parts, *changes))
    capsys.readouterr()
    assert train.main(["--resume", str(parts)]) == 0
    output = capsys.readouterr().out
    if config == "fashion_mnist_dcgan":
        assert "UnconditionalGAN: DCGenerator28 against DCDiscriminator28\ndata: 24 train, 12 test (Fashion" in output
        assert "fid and kid by the features of a classifier of 3 classes, trained here on 24 real images" in output
        assert "lags behind them by a tenth of the steps taken, at most by 9\n" in output
    assert "infer.py samples" in output and "infer.py interpolate" in output
    checkpoint = Path("checkpoints", "step_00000012")
    files = sorted(path.name for path in (whole / checkpoint).iterdir())
    assert files == sorted(path.name for path in (parts / checkpoint).iterdir()) and len(files) >= 7
    for name in files:
        if name.endswith(".safetensors"):
            one, two = (read_safetensors(run / checkpoint / name) for run in (whole, parts))
            assert one.keys() == two.keys()
            for key in one:
                np.testing.assert_array_equal(one[key], two[key], err_msg=f"{name}: {key}")
    for sheet in (whole / "samples").iterdir():
        assert sheet.read_bytes() == (parts / "samples" / sheet.name).read_bytes(), sheet.name
    numbers = [
        [{key: row[key] for key in row if key not in ("seconds", "samples_per_second", "time")} for row in rows]
        for rows in (read_metrics(whole / "metrics.jsonl"), read_metrics(parts / "metrics.jsonl"))
    ]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize(("decay", "steps", "lag"), [(0.999, 300, 30), (0.999, 60, 6), (0.9, 300, 9)])
def test_the_average_lags_by_a_tenth_of_the_steps_taken(decay: float, steps: int, lag: int) -> None:
    weight = core.zeros([1])
    average = ExponentialMovingAverage([weight], decay)
    for step in range(1, steps + 1):
        weight.set_value(np.array([step], np.float32))
        average.update()
    with average.apply():
        assert steps - float(weight) == pytest.approx(lag, abs=1)
    assert average_line(decay).endswith(f"at most by {round(decay / (1 - decay))}")


def test_a_critic_that_is_no_number_is_stopped_and_named(blobs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    wild = "discriminator.schedule={name: Piecewise, learning_rate: 0.001, decay_epochs: [1], factor: 1.0e+33}"
    with pytest.raises(NonFiniteLossError) as stopped:
        train.main(options("fashion_mnist_wgan_gp", blobs, run, *WGAN, "task.critic_steps=3", "data.test=null", wild))
    message = str(stopped.value)
    assert message.startswith("the loss of phase 'critic' is ") and "(learning rate 1e+30)" in message
    assert f"the last good checkpoint is {run}/checkpoints/step_00000004" in message
    assert f"{run}/samples/diverged.png shows the samples of this moment" in message and "\n" not in message
    assert (
        cv2.imread(str(run / "samples" / "diverged.png")).shape
        == cv2.imread(str(run / "samples" / "epoch_0001.png")).shape
    )
    assert all(np.isfinite(array).all() for array in read_safetensors(
        run / "checkpoints" / "step_00000004" / "discriminator.safetensors"
    ).values())  # fmt: skip


@pytest.mark.parametrize(
    ("config", "changes", "message"),
    [
        (
            "fashion_mnist_wgan_gp",
            (*WGAN, "task.critic_steps=5"),
            "the generator would learn once in 5 steps, and an epoch has 4: it would not be trained; choose a "
            "ratio from 1 to",
        ),
        ("fashion_mnist_wgan_gp", (*WGAN, "task.critic_steps=0"), "choose a ratio from 1 to 4"),
        ("fashion_mnist_wgan_gp", (*WGAN, "task.clip=0.01"), "a positive clip and penalty: null, not 10.0 and 0.01"),
        ("fashion_mnist_dcgan", (*DCGAN, "task.gan_mode=wgan"), "take the task WassersteinGAN"),
        ("fashion_mnist_dcgan", (*DCGAN, "task.gan_mode=lsgang"), "gan_mode must be one of vanilla"),
        (
            "fashion_mnist_dcgan",
            ("generator.network={name: resnet_9block, input_nc: 3, output_nc: 3}",),
            "UnconditionalGAN trains the generators DCGenerator28, DCGenerator, DeepConvGenerator, not resnet_9block",
        ),
        ("fashion_mnist_dcgan", (*DCGAN, "data.train.batch_size=25"), "the train split has no full batch"),
        ("fashion_mnist_dcgan", (*DCGAN, "generator.network.ngf=0"), "generator.network: DCGenerator28: ngf must be"),
        (
            "fashion_mnist_dcgan",
            (*DCGAN, "generator.optimizer.groups=[{parameters: [convs.*], frozen: true}]"),
            r"generator.optimizer.groups.0.parameters: 'convs.\*' fits no parameter; the nearest",
        ),
        (
            "fashion_mnist_dcgan",
            (*DCGAN, "discriminator.optimizer.groups=[{parameters: ['*'], frozen: true}]"),
            "discriminator.optimizer.groups: all parameters are frozen, so that there is nothing to train",
        ),
        (
            "fashion_mnist_dcgan",
            (*DCGAN, "discriminator.optimizer.clip={norm: 1, value: 2}"),
            "discriminator.optimizer.clip: .*give one of norm, norm_of_each, value, not norm and value",
        ),
        (
            "fashion_mnist_dcgan",
            (*DCGAN, "generator.optimizer.clip={norms: 1}"),
            "unknown key 'generator.optimizer.clip.norms'; the nearest valid key is 'generator.optimizer.clip.norm'",
        ),
        (
            "fashion_mnist_dcgan",
            (*DCGAN, "generator.schedule={name: Piecewise, learning_rate: 0.1, decay_epochs: [2, 1]}"),
            "generator.schedule: ",
        ),
        ("fashion_mnist_dcgan", (*DCGAN, "data.root=nowhere"), "data.root: no folder .*nowhere.*--data FOLDER"),
    ],
)
def test_what_cannot_work_is_refused(
    config: str, changes: tuple[str, ...], message: str, blobs: Path, tmp_path: Path
) -> None:
    with pytest.raises((ValueError, OSError), match=message) as refused:
        train.main(options(config, blobs, tmp_path / "run", *changes))
    assert "\n" not in str(refused.value)


def test_keys_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["--keys"]) == 0
    output = capsys.readouterr().out
    for line in (
        "generator.schedule (a name with its arguments; required): of the learning rate, with learning_rate; of Const",
        "generator.optimizer.groups.NUMBER.frozen (true or false; default False)",
        "discriminator.optimizer.clip.norm (number or null; default None)",
        "expect.near.NAME.tolerance (number; required)",
        "task: {name: WassersteinGAN, critic_steps: 5, penalty: 10.0, clip: null}",
        'discriminator.network: {name: WGANCritic, input_nc: 3, ndf: 64, image_size: 64, norm_type: "layer", pre',
        "data.train.dataset: {name: Faces, count: integer, size: 64, seed: 0, attributes: null, fixed: null, keep: ",
    ):
        assert line in output, line
