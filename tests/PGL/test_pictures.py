from __future__ import annotations

import numpy as np

from core.drawing import class_color
from PGL.pictures import MOST_NODES, embedding_picture, plane
from tests.core.drawing.test_sheets import colored


def test_the_plane_is_the_one_in_which_rows_differ_most() -> None:
    rows = np.random.RandomState(0).rand(50, 8) * [0.1, 90, 0.1, 0.1, 0.1, 0.1, 4, 0.1]
    flat = plane(rows, "pca")
    for axis, column in ((0, 1), (1, 6)):
        assert abs(np.corrcoef(flat[:, axis], rows[:, column])[0, 1]) > 0.9
    assert plane(rows[:, :1], "pca").shape == (50, 2) and plane(rows[:3], "tsne").shape == (3, 2)


def test_embeddings_have_the_colours_of_their_classes() -> None:
    labels = np.arange(3 * MOST_NODES) % 4 - 1
    rows = np.eye(4)[labels] + np.random.RandomState(0).rand(len(labels), 4) / 10
    picture = embedding_picture(rows, labels, "gcn on cora")
    assert all(colored(picture, class_color(number)).sum() > 50 for number in (-1, 0, 1, 2))
    assert not colored(picture, class_color(3)).any()
    plain = embedding_picture(rows, None)
    assert colored(plain, class_color(-1)).sum() > 200 and not colored(plain, class_color(0)).any()
