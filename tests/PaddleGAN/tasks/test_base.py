"""What all adversarial tasks share: networks, data, phases, sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from core.train import Callback, load_config
from PaddleGAN.config import GANConfig
from PaddleGAN.pictures import GAP, LINE, LONGEST, as_bytes, grid, layout, sheet
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
        "both", lambda *fields: None, ["first", "second"], task.config.generator, 4, 2, period=2, gives=("made",)
    )
    learnt = [p for network in (task.first, task.second) for p in network.parameters() if not p.stop_gradient]
    assert len(phase.parameters) == len(learnt) == 24 and all(
        map(lambda one, two: one is two, phase.parameters, learnt)
    )
    assert (phase.period, phase.gives, type(phase.optimizer).__name__) == (2, ("made",), "SGD")
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
    with pytest.raises(ValueError, match="data: the config has no split 'valid'; it has train, test"):
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


def test_small_pictures_are_enlarged_by_whole_factors() -> None:
    pictures = np.random.RandomState(0).randint(0, 255, (3, 28, 30, 3)).astype(np.uint8)
    whole, place = grid(pictures), layout(28, 30, 2, 2, False, (), False)
    assert place == (28, 30, 4, 0, 0)
    assert whole.shape == (2 * (4 * 28 + GAP) + GAP, 2 * (4 * 30 + GAP) + GAP, 3)
    for number, (row, column) in enumerate(((0, 0), (0, 1), (1, 0))):
        enlarged = whole[place.box(row, column)]
        np.testing.assert_array_equal(enlarged, np.kron(pictures[number], np.ones((4, 4, 1), np.uint8)))
        np.testing.assert_array_equal(place.picture(whole, row, column), pictures[number])
    assert (whole[place.box(1, 1)] == 255).all() and (whole[:GAP] == 255).all()
    assert grid(pictures, across=3).shape[:2] == tuple(part.stop + GAP for part in place.box(0, 2))
    uneven = sheet([[pictures[0]], [pictures[0], pictures[1]]], background=9)
    assert (uneven[place.box(0, 1)] == 9).all()
    factors = {side: layout(side, 2 * side, 1, 1, False, (), False).factor for side in (1, 32, 64, 95, 96, 300)}
    assert factors == {1: 96, 32: 3, 64: 2, 95: 2, 96: 1, 300: 1}
    assert layout(28, 28, 100, 100, False, (), False).factor == 2  # not beyond 8,192 pixels


def test_columns_rows_and_the_sheet_are_labelled() -> None:
    pictures = [[np.full((32, 32, 3), 128, np.uint8)] * 2] * 2
    labels = {"columns": ["input", "output"], "names": ["a file", "another"], "title": "from noise, seed 0"}
    whole = sheet(pictures, **labels)
    place = layout(32, 32, 2, 2, True, labels["names"], True)
    assert place.top == 2 * LINE and place.left > 40
    bare = sheet(pictures)
    np.testing.assert_array_equal(whole[place.top :, place.left :], bare)
    spots = {
        "title": whole[:LINE, place.left :],
        **{f"column {number}": whole[LINE : 2 * LINE, place.box(0, number)[1]] for number in range(2)},
        **{f"row {number}": whole[place.box(number, 0)[0], : place.left] for number in range(2)},
    }
    for name, spot in spots.items():
        assert (spot < 100).any() and (spot[:, 0] == 255).all(), name
    for key, spot in (("columns", "column 0"), ("names", "row 1"), ("title", "title")):
        others = {**labels, key: "" if key == "title" else ["other", "words"]}
        place = layout(32, 32, 2, 2, True, others["names"], bool(others["title"]))
        assert not np.array_equal(sheet(pictures, **others), whole), spot


def test_labels_that_do_not_fit_are_cut() -> None:
    pictures = [[np.zeros((96, 96, 3), np.uint8)]]
    long, longer = ("\n" + "a very long name " * count for count in (20, 30))
    for key in ("columns", "names"):
        one, other = sheet(pictures, **{key: [long]}), sheet(pictures, **{key: [longer]})
        np.testing.assert_array_equal(one, other)  # what is cut off is not seen
        assert one.shape[1] <= LONGEST + 96 + 2 * GAP
    strange = sheet(pictures, names=["\udcff\n\x07"])  # a file's name may be made of any bytes
    assert (strange[:, : layout(96, 96, 1, 1, False, ["\udcff\n\x07"], False).left] < 100).any()
    short = sheet(pictures, names=["x"])
    assert short.shape[1] < sheet(pictures, names=[long]).shape[1]
