"""What all adversarial tasks share: networks, data, phases, sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from core.train import Callback, load_config
from PaddleGAN.config import GANConfig
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.base import AdversarialTask, write_sheet
from tests.PaddleGAN.small_runs import CONFIGS, DCGAN, write_blobs


class Twins(AdversarialTask):
    """Two generators of one section against one discriminator."""

    generators = ("DCGenerator28",)
    discriminators = ("DCDiscriminator28",)

    def __init__(self, config: GANConfig, **provided: Any) -> None:
        super().__init__(config)
        self.first, self.second = self.add_generator("first"), self.add_generator("second", **provided)
        self.add_discriminator()
        self.modes_seen: list[bool] = []

    phases = predict = evaluator = None  # type: ignore[assignment]

    def sheet(self) -> np.ndarray:
        self.modes_seen = [network.training for network in self.networks.values()]
        return np.full((4, 6, 3), 7, np.uint8)


def config_for(*changes: str) -> GANConfig:
    return load_config(GANConfig, CONFIGS / "fashion_mnist_dcgan.yaml", [*DCGAN, *changes])


def test_networks_have_names_and_generators_are_averaged() -> None:
    task = Twins(config_for())
    assert list(task.networks) == ["first", "second", "discriminator"] and task.averaged == ["first", "second"]
    assert task.first is not task.second and task.first.input_nz == 6
    with pytest.raises(ValueError, match="generator.network.ngf follows from the data, as 4; leave it out"):
        Twins(config_for(), ngf=4)
    with pytest.raises(ValueError, match="generator.network: .*DCGenerator28.*'height'"):
        Twins(config_for(), height=4)


def test_a_phase_moves_the_networks_asked_for_by_its_sections_rates() -> None:
    changes = ("generator.schedule={name: Linear, learning_rate: 0.01}", "generator.optimizer={name: SGD}")
    task = Twins(config_for(*changes))
    phase = task.phase(
        "both", lambda *fields: None, ["first", "second"], task.config.generator, 4, 2, period=2, provides=("made",)
    )
    learned = [p for network in (task.first, task.second) for p in network.parameters() if not p.stop_gradient]
    assert len(phase.parameters) == len(learned) == 24 and all(
        map(lambda one, two: one is two, phase.parameters, learned)
    )
    assert (phase.period, phase.provides, type(phase.optimizer).__name__) == (2, ("made",), "SGD")
    rates = []
    for _ in range(5):
        rates.append(phase.optimizer.get_lr())
        phase.schedule.step()  # type: ignore[union-attr]
    np.testing.assert_allclose(rates, [0.01, 0.0075, 0.005, 0.0025, 0.0], atol=1e-9)  # 4 steps of its own in all
    for period in (0, 5):
        with pytest.raises(ValueError, match=f"the first would learn once in {period} steps, and an epoch has 4: it"):
            task.phase("slow", lambda *fields: None, ["first"], task.config.generator, 4, 2, period=period)


def test_data_is_read_once_and_only_where_asked_for(tmp_path: Path) -> None:
    task = Twins(config_for(f"data.root={write_blobs(tmp_path)}"))
    assert task.splits == ["train", "test"] and task.dataset("train") is task.dataset("train")
    assert task.loader("valid") is None and len(task.loader("test")) == 1  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the config has no data.valid; it has train, test"):
        task.dataset("valid")
    away = Twins(config_for(f"data.root={tmp_path / 'away'}"))
    with pytest.raises(NotADirectoryError, match="data.root: no folder .*away'; say where the data is with --data"):
        away.facts()


def test_sheets_are_drawn_in_evaluation_mode(tmp_path: Path) -> None:
    task = Twins(config_for())
    write_sheet(task, tmp_path / "below" / "sheet.png")
    assert task.modes_seen == [False, False, False]
    assert all(network.training for network in task.networks.values())
    assert (cv2.imread(str(tmp_path / "below" / "sheet.png")) == 7).all()
    (callback,) = task.callbacks()
    assert isinstance(callback, Callback) and callback.state_dict() == {}


def test_pictures_on_a_sheet() -> None:
    images = np.array([[-1.0, 1.0], [0.0, 9.0], [np.nan, -np.inf]], np.float32).reshape(3, 1, 1, 2)
    pictures = as_bytes(images)
    assert pictures.shape == (3, 1, 2, 3)
    np.testing.assert_array_equal(pictures[:, 0, :, 1], [[0, 255], [128, 255], [128, 0]])
    assert pictures.dtype == np.uint8
