"""CycleGAN: its losses by numpy, its pools through a stop and a resume, its evaluation against true counterparts."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.drawing.sheets import GAP, layout
from core.train import Callback, TrainingInterrupted
from core.train.runner import training
from core.vision.image import read_image
from core.weights.formats.safetensors_file import read_safetensors
from PaddleGAN import infer, train
from PaddleGAN.data import FACE_ATTRIBUTES, UnpairedFaces
from PaddleGAN.metrics import measure_attributes
from PaddleGAN.pool import ImagePool
from PaddleGAN.tasks.unpaired import UnpairedEvaluator, WithCounterparts
from tests.PaddleGAN.tasks.translations import batch_of, task_of, unpaired_config

SMALL = (
    "{name: CycleGAN, pool_size: 3}",
    "{name: ResnetGenerator, n_blocks: 1, ngf: 2}",
    "{name: NLayerDiscriminator, ndf: 2, n_layers: 1}",
)
BLACK, BLOND = {"Black_Hair": True, "Bald": False}, {"Blond_Hair": True}


def test_all_losses(tmp_path: Path) -> None:
    task = task_of(unpaired_config(tmp_path, *SMALL), "task.lambda_a=3.0", "task.lambda_b=5.0")
    a, b = batch_of(task)
    made_b, made_a = task.a_to_b(a), task.b_to_a(b)

    def apart(one: Any, other: Any) -> float:
        return float(np.abs(one.numpy() - other.numpy()).mean())

    adversarial = sum(
        float(((judge(made).numpy() - 1) ** 2).mean())
        for judge, made in ((task.judge_a, made_a), (task.judge_b, made_b))
    )
    cycles = apart(task.b_to_a(made_b), a), apart(task.a_to_b(made_a), b)
    kept = apart(task.b_to_a(a), a), apart(task.a_to_b(b), b)
    loss, values = task.generators_loss(a, b)
    expected = adversarial + 3 * cycles[0] + 5 * cycles[1] + 1.5 * kept[0] + 2.5 * kept[1]
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    assert float(values["cycle"]) == pytest.approx(sum(cycles), rel=1e-4)
    np.testing.assert_array_equal(values["made_b"].numpy(), made_b.numpy())
    loss, values = task.discriminators_loss(a, b, made_a, made_b)
    halves = [
        float(((judge(real).numpy() - 1) ** 2).mean() + (judge(made).numpy() ** 2).mean()) / 2
        for judge, real, made in ((task.judge_a, a, made_a), (task.judge_b, b, made_b))
    ]
    assert float(loss) == pytest.approx(sum(halves), rel=1e-4)
    assert [float(values[kind]) for kind in "ab"] == pytest.approx(halves, rel=1e-4)
    task = task_of(unpaired_config(tmp_path, *SMALL), "task.lambda_identity=0.0")
    assert "identity" not in task.generators_loss(a, b)[1]


def test_the_discriminators_see_what_the_pools_give(tmp_path: Path) -> None:
    task = task_of(unpaired_config(tmp_path, *SMALL))
    pools = ImagePool(3, 0), ImagePool(3, 1)
    for step in range(4):
        made = [np.full((2, 3, 4, 4), 10 * step + number, np.float32) for number in range(2)]
        given = {"made_a": core.to_tensor(made[0]), "made_b": core.to_tensor(made[1])}
        fields = task.from_pools(["A", "B"], given)
        assert fields[:2] == ["A", "B"]
        for field, pool, images in zip(fields[2:], pools, made):
            np.testing.assert_array_equal(field.numpy(), pool.query(images))
    names = [list(phase.provides) for phase in task.phases(3, 1)]
    assert names == [["made_a", "made_b"], []]


class Stop(Callback):
    """Sends the signal of a terminal's Ctrl-C at a step."""

    def on_step_begin(self, trainer: Any) -> None:
        if trainer.progress.step == 4:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.exhaustive
def test_an_interrupted_run_resumes_bit_for_bit_with_its_pools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = str(unpaired_config(tmp_path, *SMALL))
    words = ["-c", config, "-o", "data.test=null", "-o", "train.compiled=false", "-o", f"output={tmp_path / 'whole'}"]
    assert train.main(words) == 0
    trainer = training.Trainer
    with monkeypatch.context() as patch:
        patch.setattr(training, "Trainer", lambda *given, **named: trainer(*given, callbacks=[Stop()], **named))
        with pytest.raises(TrainingInterrupted):
            train.main([*words[:-1], f"output={tmp_path / 'parts'}"])
    assert train.main(["--resume", str(tmp_path / "parts")]) == 0
    ends = [tmp_path / run / "checkpoints" / "step_00000009" for run in ("whole", "parts")]
    compared = 0
    for path in ends[0].glob("*.safetensors"):
        one, two = read_safetensors(path), read_safetensors(ends[1] / path.name)
        assert one.keys() == two.keys()
        for key in one:
            np.testing.assert_array_equal(one[key], two[key], err_msg=f"{path.name}: {key}")
            compared += one[key].shape == (3, 3, 32, 32)
    assert compared == 2  # both pools, of three images each
    sheet = read_image(ends[0].parents[1] / "samples" / "epoch_0003.png")
    place = layout(32, 32, 2, 4, True, (), False)
    assert sheet.shape[:2] == tuple(part.stop + GAP for part in place.box(1, 3))
    assert any(
        np.array_equal(place.picture(sheet, 0, 2), read_image(path)) for path in (tmp_path / "trainB").iterdir()
    )
    assert infer.main(["translate", str(tmp_path / "whole"), "--direction", "BtoA", "--count", "1"]) == 0
    made = read_image(tmp_path / "whole" / "translate" / "00000.png")
    np.testing.assert_array_equal(made, place.picture(sheet, 0, 3))


def test_lists_of_unequal_lengths_and_one_image(tmp_path: Path) -> None:
    config = str(unpaired_config(tmp_path, *SMALL, a=1, b=3))
    words = ["-c", config, "-o", "train.epochs=1", "-o", "data.test=null"]
    assert train.main(words) == 0
    assert (tmp_path / "run" / "samples" / "epoch_0001.png").is_file()


def test_an_evaluation_knows_the_true_counterparts() -> None:
    faces = UnpairedFaces(6, BLACK, BLOND, size=64, seed=1)
    samples = WithCounterparts(faces)
    assert len(samples) == 6
    images = [
        np.stack(field).transpose(0, 3, 1, 2) / np.float32(127.5) - 1
        for field in zip(*map(samples.__getitem__, range(6)))
    ]
    for given, turned, hair in ((images[0], images[2], "Blond_Hair"), (images[1], images[3], "Black_Hair")):
        before, after = measure_attributes(given), measure_attributes(turned)
        assert after[:, FACE_ATTRIBUTES.index(hair)].all()
        other = [
            n
            for n, name in enumerate(FACE_ATTRIBUTES)
            if name not in ("Black_Hair", "Blond_Hair", "Brown_Hair", "Bald")
        ]
        np.testing.assert_array_equal(before[:, other], after[:, other])
    evaluator = UnpairedEvaluator(lambda pictures: np.asarray(pictures).mean(axis=(2, 3)))
    evaluator.update([images[2] * 0.99, images[3] * 0.99], [core.to_tensor(image) for image in images])
    numbers = evaluator.result()
    squares = [((image * 0.01) ** 2).mean(axis=(1, 2, 3)) for image in images[2:]]
    assert numbers["psnr"] == pytest.approx(10 * np.log10(4 / np.concatenate(squares)).mean(), rel=1e-3)
    assert numbers["editing_accuracy"] == 1 and numbers["attributes_kept"] == 1
    assert numbers["psnr"] > numbers["input_psnr"]
    assert numbers["fid"] == pytest.approx((numbers["fid_a"] + numbers["fid_b"]) / 2)


def test_counterparts_of_other_kinds() -> None:
    glasses = UnpairedFaces(3, {"Eyeglasses": True, "Bald": True}, {"Eyeglasses": False, "Bangs": True}, size=64)
    turned = measure_attributes(np.stack([glasses.counterparts(index)[0] for index in range(3)]))
    assert not turned[:, FACE_ATTRIBUTES.index("Eyeglasses")].any() and turned[:, FACE_ATTRIBUTES.index("Bangs")].all()
    colors = UnpairedFaces(3, {"Black_Hair": True, "Bald": False}, {"Black_Hair": False, "Bald": False}, size=64)
    turned = measure_attributes(np.stack([colors.counterparts(index)[0] for index in range(3)]))
    assert not turned[:, FACE_ATTRIBUTES.index("Black_Hair")].any()
    with pytest.raises(IndexError, match="sample 3 is outside a UnpairedFaces of 3 samples"):
        colors.counterparts(3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.pool_size=-1", "task.pool_size must not be negative, not -1"),
        ("task.lambda_b=-1.0", "task.lambda_b must not be negative, not -1.0"),
        ("task.gan_mode=wgangp", "task.gan_mode: CycleGAN has no gradient penalty; choose another loss"),
        ("generator.network.output_nc=1", "CycleGAN goes both ways, so input_nc 3 and output_nc 1 must be the same"),
    ],
)
def test_settings_that_cannot_be(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        task_of(unpaired_config(tmp_path, *SMALL), change)
