"""Pictures from a trained run: samples, classes, ways between images; and what the command refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

import core
from core.drawing.sheets import GAP, layout
from core.train.checkpoints.store import load_network
from PaddleGAN import create_generator, export, infer
from PaddleGAN import eval as eval_command
from PaddleGAN.tasks.noise import along_the_sphere


def expected(run: Path, noise: np.ndarray, classes: list[int]) -> np.ndarray:
    """Return what the run's conditional generator makes, uint8 (N, 28, 28)."""
    generator = create_generator("CGANGenerator", input_nz=6, n_class=3, ngf=2)
    load_network(run / "checkpoints" / "step_00000012", "generator", generator)
    generator.eval()
    images = generator(core.to_tensor(noise), core.to_tensor(np.array(classes))).numpy()
    return np.rint((images[:, 0] + 1) * 127.5).astype(np.uint8)


def test_samples_come_from_the_noise_of_the_seed(cgan_run: Path, tmp_path: Path) -> None:
    words = ["samples", str(cgan_run), "--count", "5", "--seed", "3", "--class", "2", "0", "--each"]
    assert infer.main([*words, "--output", str(tmp_path)]) == 0
    noise = np.random.default_rng(3).standard_normal((5, 6), np.float32)
    wanted = expected(cgan_run, noise, [2, 0, 2, 0, 2])
    for number in range(5):
        np.testing.assert_array_equal(cv2.imread(str(tmp_path / f"{number:05d}.png"), 0), wanted[number])
    sheet = cv2.imread(str(tmp_path / "samples.png"), 0)
    place = layout(28, 28, 2, 3, False, ["2 Pullover", "0 T-shirt/top"], True)  # a row for each class
    assert place.factor == 4 and place.left > 60
    for row, column, number in ((0, 0, 0), (0, 1, 2), (0, 2, 4), (1, 0, 1), (1, 1, 3)):
        np.testing.assert_array_equal(place.picture(sheet, row, column), wanted[number])
    assert (place.picture(sheet, 1, 2) == 255).all()


def test_a_way_begins_and_ends_at_images_and_keeps_its_class(cgan_run: Path, tmp_path: Path) -> None:
    words = ["interpolate", str(cgan_run), "--rows", "2", "--steps", "4", "--seed", "1"]
    assert infer.main([*words, "--output", str(tmp_path)]) == 0
    ends = np.random.default_rng(1).standard_normal((4, 6), np.float32)
    wanted = expected(cgan_run, ends, [0, 1, 0, 1])
    sheet = cv2.imread(str(tmp_path / "interpolate.png"), 0)
    place = layout(28, 28, 2, 4, True, ["0 T-shirt/top", "1 Trouser"], True)
    assert sheet.shape == tuple(part.stop + GAP for part in place.box(1, 3))
    for number, (row, column) in enumerate(((0, 0), (1, 0), (0, 3), (1, 3))):
        found = place.picture(sheet, row, column).astype(int)
        assert np.abs(found - wanted[number]).max() <= 1


def test_ways_between_noises_keep_their_length() -> None:
    way = along_the_sphere(np.array([3.0, 0.0], np.float32), np.array([0.0, 3.0], np.float32), 4)
    angles = np.array([0, 30, 60, 90]) * np.pi / 180
    np.testing.assert_allclose(way, 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1), atol=1e-6)
    still = along_the_sphere(np.array([1.0, 2.0], np.float32), np.array([1.0, 2.0], np.float32), 3)
    np.testing.assert_allclose(still, [[1, 2]] * 3, rtol=1e-6)


def test_unconditional_samples_are_the_training_sheet(dcgan_run: Path, tmp_path: Path) -> None:
    assert infer.main(["samples", str(dcgan_run), "--count", "9", "--output", str(tmp_path)]) == 0
    sheet = cv2.imread(str(tmp_path / "samples.png"))
    np.testing.assert_array_equal(sheet, cv2.imread(str(dcgan_run / "samples" / "epoch_0003.png")))


def test_images_from_noise_need_no_data(blobs: Path, cgan_run: Path, tmp_path: Path) -> None:
    """A run that moved to another machine draws, and is exported, without the data that it learned from."""
    run = tmp_path / "run"
    shutil.copytree(cgan_run, run, symlinks=True)
    config = (run / "config.yaml").read_text(encoding="utf-8")
    assert str(blobs) in config
    (run / "config.yaml").write_text(config.replace(str(blobs), str(tmp_path / "away")), encoding="utf-8")
    for given, target in ((cgan_run, tmp_path / "with"), (run, tmp_path / "without")):
        assert infer.main(["samples", str(given), "--count", "5", "--seed", "3", "--output", str(target)]) == 0
    drawn = [(tmp_path / kind / "samples.png").read_bytes() for kind in ("with", "without")]
    assert drawn[0] == drawn[1]
    assert export.main([str(run)]) == 0
    assert core.jit.Predictor(run / "exported").run([np.zeros((2, 6), np.float32), np.array([0, 1])]).shape[0] == 2
    with pytest.raises(NotADirectoryError, match="data.root: no folder '.*away'; say where .* with --data FOLDER"):
        eval_command.main([str(run)])


def test_what_is_refused(dcgan_run: Path, cgan_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="there is no class 3; the generator knows 0 to 2"):
        infer.main(["samples", str(cgan_run), "--class", "3"])
    with pytest.raises(ValueError, match="UnconditionalGAN has no classes; leave out --class"):
        infer.main(["samples", str(dcgan_run), "--class", "0"])
    with pytest.raises(
        FileNotFoundError, match="holds no checkpoint 'step_1'; there are best, newest, step_00000008, st"
    ):
        infer.main(["samples", str(dcgan_run), "--checkpoint", "step_1"])
    for words, message in (
        ([], "the following arguments are required: MODE"),
        (["samples"], "the following arguments are required: RUN"),
        (["samples", "run", "--count", "0"], "--count: '0' is no positive integer"),
    ):
        with pytest.raises(SystemExit):
            infer.main(words)
        assert message in capsys.readouterr().err
