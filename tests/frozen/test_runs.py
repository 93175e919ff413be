"""Runs that were stopped before the toolkits got one runner go on, evaluate, predict and export as they did then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.drawing import learning_curve
from core.train import recorder
from tests.frozen.asking import Asked, predicted
from tests.frozen.cases import CASES
from tests.frozen.loading import OLD_KEYS_WARN, RENAMED
from tests.frozen.store import RUNS, unpack
from tests.walks.cases import write_photos

EVALUATED = 1e-5
"""How far what stored weights give may be off, as a share: that much another order of additions makes."""
TRAINED = 1e-4
"""How far what training gives may be off: each step multiplies what rounding, with other threads, made of the last.

No stored network has biases in front of a normalisation: their gradients are rounding alone, which Adam makes steps of.
"""
LOOSE = {"PaddleGAN_dcgan": 1e-2}
"""Runs whose evaluation trains a classifier of its own first, for which rounding matters more: 5e-4 was measured."""
SAMPLE = {"PaddleClas_middle", "PGL_gcn", "PaddleGAN_pix2pix"}
"""Runs of which the default tests ask everything."""

DRAWN = {"PGL_gcn", "PaddleClas_teacher", "PaddleGAN_dcgan"}
"""Runs whose learning curves are drawn: one of each toolkit, of which the default tests take the smallest."""


def everywhere(*also: str) -> list[Any]:
    """Return the runs, of which the default tests take a sample."""
    chosen = SAMPLE | set(also)
    return [pytest.param(name, marks=() if name in chosen else pytest.mark.exhaustive) for name in CASES]


class Stored(Asked):
    """A stored run, unpacked, and the numbers and arrays that it gave when it was stored."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, case = name, CASES[name]
        data = None if case.write is None else case.write(folder / "data")
        photos = write_photos(folder / "photos", classes=1, count=3) / "class_0"
        super().__init__(case, unpack(RUNS / f"{name}.tar.gz", folder / "stored"), data, photos)
        self.numbers = json.loads((RUNS / f"{name}.json").read_text(encoding="utf-8"))
        with np.load(RUNS / f"{name}.npz") as arrays:
            self.arrays = {key: arrays[key] for key in arrays.files}

    def starting_with(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the stored arrays of a kind, in order, by what follows in their names."""
        found = {key: array for key, array in self.arrays.items() if key.startswith(prefix)}
        return {key[len(prefix) :]: found[key] for key in sorted(found)}

    def check_program(self, exported: Path) -> None:
        """Check that an exported program gives the stored outputs for the stored inputs."""
        outputs = self.starting_with("output_")
        found = predicted(exported, list(self.starting_with("input_").values()))
        assert len(found) == len(outputs) > 0
        for array, wanted in zip(found, outputs.values()):
            close(array, wanted, EVALUATED)


def close(found: Any, wanted: Any, share: float) -> None:
    """Check that arrays differ by at most a share of the largest number."""
    wanted = np.asarray(wanted, np.float64)
    assert np.shape(found) == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=0, atol=share * max(1.0, np.abs(wanted).max(initial=0)))


def same(found: Any, wanted: Any, share: float, place: str = "") -> None:
    """Check nested dicts of numbers: those of then are there, and differ by at most a share."""
    if isinstance(wanted, dict):
        assert set(wanted) <= set(found), place
        for key, value in wanted.items():
            same(found[key], value, share, f"{place}/{key}")
    elif wanted is None:
        assert found is None, place
    else:
        np.testing.assert_allclose(found, wanted, rtol=share, atol=share, err_msg=place)


@pytest.fixture
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Stored:
    """A stored run."""
    return Stored(request.param, tmp_path)


@pytest.mark.parametrize("stored", list(CASES), indirect=True)
def test_a_run_lies_there_as_it_was_stopped(stored: Stored) -> None:
    folders = sorted(path.name for path in (stored.run / "checkpoints").iterdir() if not path.is_symlink())
    links = {path.name: path.readlink().name for path in (stored.run / "checkpoints").iterdir() if path.is_symlink()}
    assert set(links) == {"best", "newest"} and links["newest"] == folders[-1] and links["best"] in folders
    progress = json.loads((stored.run / "checkpoints" / "newest" / "progress.json").read_text(encoding="utf-8"))
    assert (progress["step_in_epoch"] > 0) is (stored.case.stop[0] == "step")


@pytest.mark.parametrize("stored", everywhere("PaddleClas_epoch", "PGL_gcnii"), indirect=True)
def test_it_is_trained_to_its_end(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    if stored.name in DRAWN:
        monkeypatch.setattr(recorder, "learning_curve", learning_curve)
    found = stored.resumed()
    check_output(stored)
    judged = LOOSE.get(stored.name, TRAINED)
    for row, numbers in stored.numbers["resumed"]["metrics"].items():
        same(found["metrics"][row], numbers, judged if row.startswith("test") else TRAINED, row)
    same(found["results"], stored.numbers["resumed"]["results"], judged)
    for file, tensors in stored.numbers["resumed"]["weights"].items():
        if ".optimizer." not in file:  # how an optimizer's state is stored may change, what is trained may not
            assert set(found["weights"][file]) == set(tensors)
        for tensor in set(tensors) & set(found["weights"][file]):
            size, order = tensors[tensor]
            margin = TRAINED * max(size, 1e-2)
            np.testing.assert_allclose(found["weights"][file][tensor], (size, order), 0, margin, err_msg=tensor)


def check_output(stored: Stored) -> None:
    """Check what training says of the stored config: what the command line changed, and at most one warning."""
    given = bool(stored.data) + stored.case.teacher
    changed = stored.output.partition("changed since the run began:\n")[2].splitlines()
    assert [line.startswith("  ") for line in changed[: given + 1]] == [True] * given + [False] * bool(given)
    names = RENAMED[stored.case.toolkit]
    warned = [line for line in stored.output.splitlines() if line.startswith("warning: ")]
    wanted = [f"{names[0]} -> {names[1]}"] if OLD_KEYS_WARN[stored.case.toolkit] and names is not None else []
    assert len(warned) == len(wanted) and all(part in line for part, line in zip(wanted, warned))


OVERRIDDEN = {
    "PaddleClas_middle": ("expect.accuracy=9.0", "train.epochs=3", "decay_norm_and_bias=true"),
    "PGL_gcn": ("expect.value=9.0", "model.dropout=0.25"),
    "PaddleGAN_pix2pix": ("expect.at_least.psnr=99.0", "task.gan_mode=lsgan"),
}
"""Changes of a stored run's config under the keys of then; the expectation cannot be met."""


@pytest.mark.parametrize("stored", list(OVERRIDDEN), indirect=True)
def test_old_keys_change_a_stored_config(stored: Stored) -> None:
    words = [word for change in OVERRIDDEN[stored.name] for word in ("-o", change)]
    target = stored.folder / "evaluated"
    stored.command("eval", stored.run, *stored.data, *words, "--output", target, expected=1)
    assert "test" in json.loads((target / "results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("stored", everywhere(), indirect=True)
def test_it_is_evaluated(stored: Stored) -> None:
    same(stored.evaluated(), stored.numbers["evaluated"], LOOSE.get(stored.name, EVALUATED))


@pytest.mark.parametrize("stored", everywhere(), indirect=True)
def test_it_predicts(stored: Stored) -> None:
    found, wanted = stored.inferred(), stored.starting_with("inferred_")
    assert set(found) == set(wanted)
    for key, array in wanted.items():
        close(found[key], array, EVALUATED if key != "mean_colours" else 1e-2)


@pytest.mark.parametrize("stored", everywhere(), indirect=True)
def test_it_is_exported(stored: Stored) -> None:
    stored.check_program(stored.export())


@pytest.mark.parametrize("stored", list(CASES), indirect=True)
def test_what_was_exported_gives_the_same(stored: Stored) -> None:
    stored.check_program(stored.folder / "exported")


@pytest.mark.parametrize("stored", ["PaddleClas_middle"], indirect=True)
def test_what_was_exported_classifies_pictures(stored: Stored) -> None:
    found, wanted = stored.inferred_by_export(), stored.starting_with("inferred_")
    np.testing.assert_array_equal(found["classes"], wanted["classes"])
    close(found["probabilities"], wanted["probabilities"], EVALUATED)
