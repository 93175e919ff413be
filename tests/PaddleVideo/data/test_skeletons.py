"""Skeletons: files as the official kits write them, drawn figures, and what is wrong with files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io.randomness import sample_scope
from PaddleVideo.data.drawn_figures import MOTIONS, DrawnFigures, poses, standing
from PaddleVideo.data.skeletons import BONES, SkeletonFile, centred, drawn
from PaddleVideo.models.skeletons.graphs import layout

ARRAY = np.random.RandomState(0).randn(4, 3, 10, 25, 2).astype(np.float32)


NAMED = (["a", "b", "c", "d"], [0, 1, 2, 1])


def written(folder: Path, labels: Any = NAMED, array: np.ndarray = ARRAY) -> tuple[str, str]:
    np.save(folder / "data.npy", array)
    (folder / "label.pkl").write_bytes(pickle.dumps(labels, protocol=2))
    return str(folder / "data.npy"), str(folder / "label.pkl")


def test_arrays_and_labels_in_two_files(tmp_path: Path) -> None:
    paths = written(tmp_path)
    data = SkeletonFile(*paths, class_num=3)
    np.testing.assert_array_equal(data[2][0], ARRAY[2])
    assert [data.label(index) for index in range(len(data))] == [0, 1, 2, 1]
    np.save(tmp_path / "label.npy", np.array([2, 2, 0, 0]))
    assert SkeletonFile(paths[0], str(tmp_path / "label.npy"), class_num=3)[0][1] == 2


def test_sequences_are_cut_or_begin_anew(tmp_path: Path) -> None:
    paths = written(tmp_path)
    np.testing.assert_array_equal(SkeletonFile(*paths, class_num=3, frames=4)[0][0], ARRAY[0][:, 3:7])
    np.testing.assert_array_equal(SkeletonFile(*paths, class_num=3, frames=13)[0][0][:, 10:], ARRAY[0][:, :3])
    starts, data = set(), SkeletonFile(*paths, class_num=3, frames=8, random=True)
    for index in range(30):
        with sample_scope(0, 0, index):
            starts.add(np.flatnonzero((ARRAY[0][0] == data[0][0][0, 0]).all(axis=(1, 2)))[0])
    assert starts == {0, 1, 2}


@pytest.mark.parametrize(
    ("labels", "array", "message"),
    [
        ([0, 1], ARRAY, "label.pkl' should hold 4 class numbers, as '.*data.npy' has samples"),
        (["a"] * 4, ARRAY, "label.pkl' should hold 4 class numbers"),
        ([0, 1, 2, 3], ARRAY, "label.pkl' has class number 3, which is none of 3"),
        ([0, 1, 2, 1], ARRAY[0], r"data.npy' should hold floats \(samples, coordinates, frames, joints, persons\)"),
        ([0, 1, 2, 1], ARRAY * np.nan, "skeleton 0 should be .*, not with numbers that are not finite"),
        ([0, 1, 2, 1], np.array([object()]), "data.npy' is no .npy file of numbers: "),
    ],
)
def test_files_that_hold_something_else(labels: Any, array: np.ndarray, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        SkeletonFile(*written(tmp_path, labels, array), class_num=3)[0]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file of skeletons 'none.npy'"):
        SkeletonFile("none.npy", "none.pkl", class_num=3)
    with pytest.raises(ValueError, match="SkeletonFile: frames must be at least 1, not 0"):
        SkeletonFile(*written(tmp_path), class_num=3, frames=0)


def test_bones_are_those_of_the_networks_graph() -> None:
    assert {frozenset(bone) for bone in BONES} == {frozenset(bone) for bone in layout("ntu-rgb+d").bones}


def test_figures_do_what_they_are_called() -> None:
    moments = np.array([0.0, 1.0])
    up, down = poses(0, moments)[1], standing()
    assert up[[7, 11], 1].min() > down[3, 1] > down[[7, 11], 1].max()  # hands above the head
    sat = poses(1, moments)[1]
    assert sat[0, 1] < 0.7 < down[0, 1] and sat[15].tolist() == down[15].tolist()
    turned = poses(2, moments)[1]
    np.testing.assert_allclose(np.linalg.norm(turned[:, [0, 2]], axis=1), np.linalg.norm(down[:, [0, 2]], axis=1))
    folded, spread = poses(3, moments)
    assert abs(folded[7, 0] - folded[11, 0]) < 0.6 < spread[7, 0] - spread[11, 0]
    for kind in range(3):
        np.testing.assert_allclose(poses(kind, moments)[0], down, atol=1e-12)


def test_drawn_figures_are_seeded_and_their_motions_pairs() -> None:
    data = DrawnFigures("test", count=40)
    whole = data.skeleton(8)
    np.testing.assert_array_equal(whole, data.skeleton(8))
    assert whole.shape == (3, 32, 25, 2) and whole.dtype == np.float32 and len(MOTIONS) == 8
    raised, lowered = (data.skeleton(index)[1, :, [7, 11], 0] for index in (0, 1))
    assert raised[:, -1].max() > raised[:, 0].max() + 0.5 and lowered[:, 0].max() > lowered[:, -1].max() + 0.5
    persons = [bool(data.skeleton(index)[..., 1].any()) for index in range(40)]
    missing = [(~data.skeleton(index)[..., 0].any(axis=(0, 1))).sum() for index in range(40)]
    assert 8 < sum(persons) < 32 and set(missing) == {0, 1, 2, 3}
    assert not np.array_equal(DrawnFigures("train").skeleton(0), DrawnFigures("test").skeleton(0))
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'none'"):
        DrawnFigures("none")


def test_the_first_person_can_be_moved_to_the_origin() -> None:
    skeleton = np.zeros((3, 2, 3, 2), np.float32)
    skeleton[:, :, :2, 0] = np.arange(1, 13).reshape(3, 2, 2)  # the third joint is missing, and so is
    skeleton[0, 0, 1, 1] = 5  # the second person, but for one joint
    moved = centred(skeleton)
    expected = np.arange(1, 5).reshape(2, 2) - 2.5
    np.testing.assert_array_equal(moved[:, :, :2, 0], np.stack([expected] * 3))
    np.testing.assert_array_equal(moved[:, 0, 1, 1], [2.5, -6.5, -10.5])
    assert not moved[:, :, 2].any() and np.count_nonzero(moved[..., 1]) == 3 and moved.dtype == np.float32
    nobody = np.zeros((3, 2, 3, 2), np.float32)
    np.testing.assert_array_equal(centred(nobody), nobody)
    whole, _ = DrawnFigures("test", centred=True)[3]
    np.testing.assert_array_equal(whole, centred(DrawnFigures("test").skeleton(3)))


def test_a_picture_of_a_figure() -> None:
    picture = drawn(DrawnFigures("test").skeleton(0))
    assert picture.shape == (96, 6 * 96, 3) and (picture.reshape(96, 6, 96, 3) < 255).any(axis=(0, 2, 3)).all()
    assert drawn(np.zeros((3, 2, 5, 1), np.float32)).shape == (96, 2 * 96, 3)
