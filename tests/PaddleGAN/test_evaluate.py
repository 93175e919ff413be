"""The evaluation command: its numbers against the images that they belong to, and what a config expects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.train import ConfigError, load_config
from core.train.checkpoints.store import load_network
from core.train.runner.expectation import digits, meets_expectation
from PaddleGAN import create_generator
from PaddleGAN import eval as eval_command
from PaddleGAN.config import GANConfig
from PaddleGAN.data import FashionMNIST
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.fid import frechet_distance
from PaddleGAN.tasks.noise import Labelled
from tests.PaddleGAN.small_runs import CGAN, CONFIGS


def to_numbers(image: np.ndarray) -> np.ndarray:
    return image.transpose(2, 0, 1).astype(np.float32) / np.float32(127.5) - 1


@pytest.mark.exhaustive
def test_the_numbers_are_those_of_images_from_each_samples_noise(cgan_run: Path, blobs: Path) -> None:
    assert eval_command.main([str(cgan_run)]) == 0
    stored = json.loads((cgan_run / "evaluation_test" / "results.json").read_text())
    assert stored["test"] == json.loads((cgan_run / "results.json").read_text())["results"]["test"]
    generator = create_generator("CGANGenerator", input_nz=6, n_class=3, ngf=2)
    load_network(cgan_run / "checkpoints" / "step_00000012", "generator", generator)
    generator.eval()
    files = [
        str(blobs / f"{part}-{kind}-ubyte.gz") for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")
    ]
    train_images, test_images = FashionMNIST(*files[:2], transform=to_numbers), FashionMNIST(*files[2:], mode="test")
    noise = [np.random.default_rng([0, index]).standard_normal((84, 6), np.float32) for index in range(12)]
    labels = np.arange(12) % 3
    asked = np.repeat(labels, 84)  # a thousand images at least, as many for each real one
    made = generator(core.to_tensor(np.concatenate(noise)), core.to_tensor(asked)).numpy()
    judge = Classifier(Labelled(train_images), 3, epochs=40, seed=0)
    real = np.stack([to_numbers(test_images[index][0]) for index in range(12)])
    parts = [judge.features(images).astype(np.float64) for images in (made, real)]
    statistics = [(part.mean(axis=0), np.cov(part, rowvar=False)) for part in parts]
    assert stored["test"]["fid"] == pytest.approx(frechet_distance(*statistics[0], *statistics[1]), rel=1e-3)
    assert stored["test"]["agreement"] == pytest.approx((judge.predict(made) == asked).mean())
    assert stored["test"]["agreement_of_real"] == (judge.predict(real) == labels).mean()
    assert stored["remarks"] == [
        "fid and kid by the features of a classifier of 3 classes, trained here on 24 real images",
        "agreement: a classifier of 3 classes, trained here on 24 real images sees the class asked for",
    ]


def expecting(**wanted: Any) -> Any:
    changes = [*CGAN, f"expect={json.dumps(wanted)}"]
    return load_config(GANConfig, CONFIGS / "fashion_mnist_cgan.yaml", changes).expect


def test_expectations(capsys: pytest.CaptureFixture[str]) -> None:
    results = {"test": {"fid": 5.0, "kid": 0.25, "agreement": 0.5}}
    assert not meets_expectation(expecting(at_least={"agreement": 0.5}, at_most={"fid": 5.5, "kid": 0.2}), results)
    assert capsys.readouterr().out.splitlines() == [
        "test agreement 0.5000, expected at least 0.5000: as expected",
        "test fid 5.0000, expected at most 5.5000: as expected",
        "test kid 0.2500, expected at most 0.2000: ABOVE what the config expects",
    ]
    assert meets_expectation(expecting(at_most={"fid": 5.0}), results)
    assert meets_expectation(expecting(split="valid", at_most={"fid": 0.0}), results)
    with pytest.raises(ValueError, match="expect.at_most: the evaluation gives fid, kid, agreement, not 'fids'"):
        meets_expectation(expecting(at_most={"fids": 1.0}), results)


def test_a_number_may_be_expected_near_another(capsys: pytest.CaptureFixture[str]) -> None:
    results = {"test": {"fid": 5.0, "kid": 0.25}}
    assert meets_expectation(expecting(near={"kid": {"value": 0.3, "tolerance": 0.05}}), results)
    assert not meets_expectation(expecting(near={"fid": {"value": 5.5, "tolerance": 0.4}}), results)
    assert capsys.readouterr().out.splitlines() == [
        "test kid 0.2500, expected 0.3000 within 0.0500: as expected",
        "test fid 5.0000, expected 5.5000 within 0.4000: DRIFTED from what the config expects",
    ]
    with pytest.raises(ConfigError, match="unknown key 'expect.near.fid.tol'; the nearest valid key is '.*tolerance'"):
        expecting(near={"fid": {"value": 5.5, "tol": 0.4}})


def test_a_missed_expectation_is_the_commands_exit_code(cgan_run: Path) -> None:
    assert eval_command.main([str(cgan_run), "-o", "expect={at_most: {fid: -1.0}}"]) == 1
    with pytest.raises(ValueError, match="the config has no data.valid; it has train, test"):
        eval_command.main([str(cgan_run), "--split", "valid"])


def test_a_config_is_evaluated_without_a_run(
    blobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its networks are as they begin; the test split is seen as a run sees it."""
    monkeypatch.chdir(tmp_path)
    near = "{near: {fid: {value: -1.0, tolerance: 0.5}}}"
    words = ["-c", str(CONFIGS / "fashion_mnist_cgan.yaml"), "--data", str(blobs)]
    words += [word for change in (*CGAN, f"expect={near}") for word in ("-o", change)]
    assert eval_command.main(words) == 1
    output = capsys.readouterr().out
    numbers = json.loads((tmp_path / "runs" / "evaluation" / "results.json").read_text())["test"]
    assert output.startswith(f"test: fid {digits(numbers['fid'])}, kid ")
    drifted = "expected -1.0000 within 0.5000: DRIFTED from what the config expects"
    assert f"fid {digits(numbers['fid'])}, {drifted}" in output
    assert "wrote runs/evaluation/results.json" in output and numbers["agreement_of_real"] == 1.0
    with pytest.raises(SystemExit):
        eval_command.main([*words, "runs/cgan"])
    assert "give either the folder of a run or a config with -c" in capsys.readouterr().err


def test_labels_of_any_kind_become_classes() -> None:
    attributes = [(np.zeros((1, 16, 16)), np.array(row, np.float32)) for row in ([0, 1], [1, 1], [0, 1], [0, 0])]
    mixed = Labelled(attributes)
    assert [mixed[index][1] for index in range(4)] == [1, 2, 1, 0] and mixed.class_num == 3
    numbered = Labelled([(np.zeros((1, 16, 16)), label) for label in (4, 0, 2)])
    assert [numbered[index][1] for index in range(3)] == [4, 0, 2] and numbered.class_num == 5
    with pytest.raises(
        ValueError, match="FID and KID need features: put the weights of Inception-v3 at .* or take images"
    ):
        Labelled([np.zeros((1, 16, 16))])
