"""The test of faces at many sizes, and the vote, against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.config import TOOLKIT, EvaluateSection
from PaddleDetection.face_views import FaceViews, views_of, vote
from tests.parity.PaddleDetection import face_cases as cases

ROOT = Path(__file__).parents[2]
OFFICIAL = ROOT / "tests" / "parity" / "PaddleDetection" / "references" / "faces.npz"


@pytest.mark.parametrize("number", range(len(cases.SIZES)))
def test_views_as_the_official_ones(number: int) -> None:
    flags = {None: [1, 1, 1], True: [0, 1, 1], False: [1, 1, 0]}  # of faces of 20, 60 and 120 pixels
    found = [[view.scale, view.flip, *flags[view.large]] for view in views_of(*cases.SIZES[number])]
    with np.load(OFFICIAL) as official:
        np.testing.assert_allclose(np.array(found, float), official[f"views {number}"], rtol=1e-12)


def test_vote_as_the_official_one() -> None:
    rows = cases.detections()
    found = vote(np.concatenate([rows, [[-1, 0.9, 0, 0, 50, 50]]]))
    with np.load(OFFICIAL) as official:
        wanted = official["voted"]
    assert len(found) == len(wanted) > 4
    np.testing.assert_allclose(found[:, 2:], wanted[:, :4], rtol=1e-5)
    np.testing.assert_allclose(found[:, 1], wanted[:, 4], rtol=1e-6)


def test_votes_by_hand() -> None:
    pair = [[0, 0.75, 0, 0, 10, 10], [0, 0.25, 4, 0, 14, 10]]
    alone = [0, 0.9, 100, 100, 110, 110]
    assert vote(np.array([*pair, alone])).tolist() == [[0, 0.75, 1, 0, 11, 10]]
    last = [0, 0.125, 100, 100, 110, 110]
    assert vote(np.array([*pair, last])).tolist() == [[0, 0.75, 1, 0, 11, 10], last]
    assert vote(np.zeros((0, 6))).shape == (0, 6)
    assert vote(np.array([pair[0]] * 2), least=0.8).shape == (0, 6)
    assert vote(np.array([[0, 0.5, 9, 9, 3, 3]] * 2)).shape == (1, 6)  # inverted boxes do not hang it


class Corner(nn.Layer):
    """Finds in each image one face: its lower right quarter, in pixels of the original."""

    num_classes, divisor = 1, 1

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> Any:
        self.seen.append(image.shape[2:])
        height, width = (im_shape / scale_factor)[0].numpy()
        row = [0.0, 0.5, width / 2, height / 2, width, height]
        return core.to_tensor([[row, [-1.0, 0, 0, 0, 0, 0]]]), core.to_tensor([1])


def test_all_views_of_an_image() -> None:
    network = Corner()
    image = core.zeros([1, 3, 100, 160])
    rows, counts = FaceViews(network)(image, core.to_tensor([[100.0, 160.0]]), core.ones([1, 2]))
    views = views_of(100, 160)
    assert network.seen == [[round(100 * view.scale), round(160 * view.scale)] for view in views]
    assert counts.tolist() == [2 * len(views)] and rows.shape == [1, 2 * len(views), 6]
    first = rows.numpy()[0, ::2]
    flipped = [view.flip for view in views]
    np.testing.assert_allclose(first[:, 2], np.where(flipped, 0, 80), atol=1e-3)
    np.testing.assert_allclose(first[:, 5], 100, rtol=1e-5)
    assert (first[:, 0] == 0).all()  # 80 x 50 pixels: one side is over 30, one below 100
    assert vote(rows.numpy()[0]).round(3).tolist()[0] == [0, 0.5, 80, 50, 160, 100]


def test_own_sizes_beside_those_of_faces_are_refused() -> None:
    with pytest.raises(ValueError, match="face_views has sizes and mirror images of its own: leave out scales"):
        EvaluateSection(face_views=True, flip=True)


def test_an_evaluation_looks_so_where_its_config_asks_for_it() -> None:
    config = TOOLKIT.load(ROOT / "PaddleDetection" / "configs" / "faces_blazeface.yaml", ["evaluate.face_views=true"])
    with core.LazyGuard():
        task = TOOLKIT.build_task(config)
    task.begin_evaluation()
    assert isinstance(task.detect, FaceViews)
    rows = np.array([[[0, 0.75, 0, 0, 10, 10], [-1, 0.9, 0, 0, 10, 10], [0, 0.25, 4, 0, 14, 10]]], np.float32)
    sizes = np.full((1, 2), 96, np.float32), np.ones((1, 2), np.float32)
    (found,) = task.post_process([*sizes, rows, np.array([3])], None)
    assert found.rows.tolist() == [[0, 0.75, 1, 0, 11, 10]]
