"""Pix2Pix: its losses and its evaluation by numpy, a whole run, and pairs that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.drawing.sheets import GAP, layout
from core.vision.image import read_image, write_image
from PaddleGAN import export, infer, train
from PaddleGAN.tasks.paired_translation import PairEvaluator
from tests.PaddleGAN.tasks.translations import batch_of, paired_config, task_of, write_pictures

SMALL = (
    "{name: Pix2Pix}",
    "{name: UnetGenerator, num_downs: 5, ngf: 2, norm_type: instance}",
    "{name: NLayerDiscriminator, ndf: 2, n_layers: 1}",
)


def test_both_losses(tmp_path: Path) -> None:
    task = task_of(paired_config(tmp_path, *SMALL), "task.lambda_l1=7.0")
    images, targets = batch_of(task)
    made = task.generator(images)
    real, fake = (task.discriminator(core.concat([images, answers], 1)).numpy() for answers in (targets, made))
    loss, values = task.discriminator_loss(images, targets)
    expected = (np.logaddexp(0, -real).mean() + np.logaddexp(0, fake).mean()) / 2
    assert float(loss) == pytest.approx(expected, rel=1e-5)
    assert float(values["fake"]) == pytest.approx(fake.mean(), rel=1e-4, abs=1e-7)
    loss, values = task.generator_loss(images, targets)
    distance = np.abs(made.numpy() - targets.numpy()).mean()
    assert float(values["l1"]) == pytest.approx(distance, rel=1e-5)
    assert float(loss) == pytest.approx(np.logaddexp(0, -fake).mean() + 7 * distance, rel=1e-5)
    loss.backward()
    assert all(parameter.grad is not None for parameter in task.phases(3, 1)[1].parameters)


def test_an_evaluation_stands_beside_the_input_and_the_mean_target(tmp_path: Path) -> None:
    task = task_of(paired_config(tmp_path, *SMALL), "data.train.dataset.root=test")
    images, targets = batch_of(task, count=3)
    mean = task.mean_target("test")
    np.testing.assert_allclose(mean, targets.numpy().mean(axis=0), atol=1e-6)
    evaluator = PairEvaluator(mean)
    evaluator.update([targets.numpy() * 0.9], [images, targets])
    found, wanted = evaluator.result(), targets.numpy().astype(np.float64)
    for name, answers in (("", wanted * 0.9), ("input_", images.numpy()), ("mean_", mean[None])):
        squares = ((answers - wanted) ** 2).mean(axis=(1, 2, 3))
        assert found[f"{name}psnr"] == pytest.approx((10 * np.log10(4 / squares)).mean(), rel=1e-5)
        assert found[f"{name}l1"] == pytest.approx(np.abs(answers - wanted).mean(), rel=1e-5)
    assert found["ssim"] > 0.9 > found["input_ssim"]
    other = PairEvaluator(mean)
    other.update([targets.numpy()], [images[:, :1], targets])
    assert "input_psnr" not in other.result() and other.result()["l1"] == 0


def test_a_run_translates_and_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = paired_config(tmp_path, *SMALL)
    assert train.main(["-c", str(config), "-o", "task.lambda_l1=100.0"]) == 0
    run = tmp_path / "run"
    numbers = json.loads((run / "results.json").read_text("utf-8"))["results"]["test"]
    assert {"psnr", "ssim", "l1", "input_psnr", "mean_l1"} <= set(numbers)
    sheet = read_image(run / "samples" / "epoch_0003.png")
    place = layout(32, 32, 2, 3, True, (), False)
    assert place.factor == 3 and sheet.shape[:2] == tuple(part.stop + GAP for part in place.box(1, 2))
    pair = read_image(tmp_path / "test" / "50.png")
    np.testing.assert_array_equal(place.picture(sheet, 0, 0), pair[:, :32])
    np.testing.assert_array_equal(place.picture(sheet, 0, 2), pair[:, 32:])
    photographs = write_pictures(tmp_path / "mine" / "new", 1, 32, first=90).parent
    words = [str(run), "--images", str(photographs), "--output", str(tmp_path / "made")]
    assert infer.main(["translate", *words]) == 0
    assert {path.name for path in (tmp_path / "made").iterdir()} == {"side_by_side.png", "new_90.png"}
    both = read_image(tmp_path / "made" / "side_by_side.png")
    place = layout(32, 32, 1, 2, True, ["new_90"], False)
    np.testing.assert_array_equal(place.picture(both, 0, 1), read_image(tmp_path / "made" / "new_90.png"))
    assert export.main([str(run), "--output", str(tmp_path / "program")]) == 0
    image = read_image(photographs / "new" / "90.png").transpose(2, 0, 1)[None] / np.float32(127.5) - 1
    made = core.jit.Predictor(str(tmp_path / "program")).run(image.astype(np.float32))
    shown = np.rint((made[0].transpose(1, 2, 0) + 1) * 127.5)
    assert np.abs(shown - read_image(tmp_path / "made" / "new_90.png")).max() <= 1
    assert infer.main(["translate", str(run), "--count", "2"]) == 0
    assert (run / "translate" / "00001.png").is_file() and not (run / "translate" / "00002.png").exists()
    with pytest.raises(ValueError, match="Pix2Pix learns AtoB, not BtoA; for a pair the direction of the data set"):
        infer.main(["translate", str(run), "--direction", "BtoA"])
    write_pictures(tmp_path / "mine" / "new", 1, 64, first=91)
    with pytest.raises(ValueError, match=r"91.png' and .*90.png' come out of data.test.transforms at 64x32 and 32x32"):
        infer.main(["translate", *words])


def test_own_pictures_that_are_broken_are_named_and_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = paired_config(tmp_path, *SMALL)
    assert train.main(["-c", str(config), "-o", "train.epochs=1", "-o", "data.test.batch_size=3"]) == 0
    mine = write_pictures(tmp_path / "mine", 3, 32, first=90)
    broken, odd = mine / "91.png", write_pictures(tmp_path / "odd", 1, 33, height=33) / "00.png"
    broken.write_bytes(broken.read_bytes()[:200])
    capsys.readouterr()
    words = ["translate", str(tmp_path / "run"), "--output", str(tmp_path / "made"), "--images"]
    assert infer.main([*words, str(mine)]) == 1
    output = capsys.readouterr()
    files = "side_by_side.png, 90.png, 92.png; 1 of the images could not be used"
    assert output.out.endswith(f"wrote to {tmp_path / 'made'}: {files}\n")
    assert output.err.startswith("error: ") and str(broken) in output.err and output.err.count("\n") == 1
    both, place = read_image(tmp_path / "made" / "side_by_side.png"), layout(32, 32, 2, 2, True, ["90", "92"], False)
    np.testing.assert_array_equal(place.picture(both, 1, 0), read_image(mine / "92.png"))
    assert both.shape[0] == place.box(1, 0)[0].stop + GAP

    assert infer.main([*words, str(mine / "92.png"), str(mine / "9[02].png"), "--count", "2"]) == 0  # files, a pattern
    assert "side_by_side.png, 92.png, 90.png\n" in capsys.readouterr().out
    with pytest.raises(ValueError, match="^none of the 1 images could be used$"):
        infer.main([*words, str(odd)])  # read well, but the network cannot take it
    assert f"error: {odd}: UnetGenerator takes images whose height and width" in capsys.readouterr().err
    with pytest.raises(FileNotFoundError, match="no image file '.*gone.png'"):
        infer.main([*words, str(mine / "gone.png")])


@pytest.mark.exhaustive
def test_one_pair_and_grey_pictures_are_enough(tmp_path: Path) -> None:
    config = paired_config(tmp_path, *SMALL, count=1)
    grey = np.random.RandomState(0).randint(0, 256, (36, 72)).astype(np.uint8)
    write_image(tmp_path / "train" / "00.png", grey)
    assert train.main(["-c", str(config), "-o", "train.epochs=1", "-o", "train.compiled=false"]) == 0


def test_pairs_that_are_none(tmp_path: Path) -> None:
    config = paired_config(tmp_path, *SMALL)
    with pytest.raises(ValueError, match="data.train: Pix2Pix learns from two images, float32"):
        task_of(config, "data.train.dataset={name: Faces, count: 4}", "data.test=null").facts()
    with pytest.raises(ValueError, match="data.train: Pix2Pix learns from two images, float32"):
        task_of(config, "data.train.transforms=[]").facts()
    with pytest.raises(
        ValueError, match=r"data.test: the networks cannot take images of 3 x 32 x 32 .* multiples of 64"
    ):
        task_of(
            config, "generator.network.num_downs=6", "data.train=${data.test}".replace("${data.test}", TEST)
        ).facts()
    write_pictures(tmp_path / "train", 1, 60, 30)
    with pytest.raises(ValueError, match=r"00.png.*smaller"):
        task_of(config).facts()


TEST = (
    "{dataset: {name: PairedDataset, root: test}, transforms: [{name: Resize, size: [64, 64]}, {name: ToTensor}, "
    "{name: Normalize, mean: 0.5, std: 0.5}], batch_size: 1}"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.lambda_l1=-1.0", "task.lambda_l1 must not be negative, not -1.0"),
        ("task.gan_mode=wgan", "task.gan_mode: Pix2Pix has no gradient penalty; choose another loss"),
        ("generator.network={name: DCGenerator}", "Pix2Pix trains the generators UnetGenerator, .*, not DCGenerator"),
        (
            "discriminator.network.input_nc=6",
            "discriminator.network.input_nc follows from the data, as 6; leave it out",
        ),
    ],
)
def test_settings_that_cannot_be(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        task_of(paired_config(tmp_path, *SMALL), change)
