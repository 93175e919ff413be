"""The drawn scenes of people: what is said of their faces is true of the pixels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from core.vision.datasets.face_drawing import cut_out, draw_face, face_box
from core.vision.datasets.face_factors import draw_factors
from PaddleDetection.data.face_scenes import FaceScenes


def test_a_cut_out_on_a_colour_is_the_picture_on_it() -> None:
    face = dataclasses.replace(draw_factors(3, 1), background=((0.2, 0.6, 0.4),) * 2, lights=())
    color, cover = cut_out(face, 48)
    assert cover.min() == 0 and cover.max() == 1 and cover.shape == (48, 48, 1)
    ground = np.array([51, 153, 102], np.float32)
    np.testing.assert_allclose(color + (1 - cover) * ground, draw_face(face, 48), atol=2.5)


def test_the_box_holds_the_face() -> None:
    face = draw_factors(0, 5, {"Bald": False, "Pale_Skin": True})
    image = draw_face(face, 200).astype(int)
    skin = np.abs(image - np.array(face.skin) * 255).max(2) < 4
    left, top, right, bottom = (round(share * 200) for share in face_box(face))
    rows, columns = np.nonzero(skin[: bottom + 2])
    assert abs(columns.min() - left) <= 12 and abs(columns.max() - right) <= 12  # ears are darker
    assert abs(rows.max() - bottom) <= 3 and rows.min() >= top


def test_scenes() -> None:
    scenes = FaceScenes("valid", count=12, size=96, most=4)
    counts = set()
    for index in range(12):
        sample = scenes[index]
        boxes = sample["gt_bbox"]
        assert sample["image"].shape == (96, 96, 3) and sample["image"].dtype == np.uint8
        assert boxes.dtype == np.float32 and boxes.min() >= 0 and boxes.max() <= 96
        sides = boxes[:, 2:] - boxes[:, :2]
        np.testing.assert_allclose(sides[:, 1] / sides[:, 0], 1.3, rtol=1e-3)
        assert 0.09 * 96 < sides[:, 0].min() and sides[:, 0].max() < 0.46 * 96
        assert len(boxes) == len(sample["gt_class"]) == len(sample["difficult"])
        counts.add(len(boxes))
    assert counts == {1, 2, 3, 4}
    assert FaceScenes("valid", 3, 96, 4)[2]["image"].tobytes() == scenes[2]["image"].tobytes()
    assert FaceScenes("test", 3, 96, 4)[2]["image"].tobytes() != scenes[2]["image"].tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "trian"}, "split must be one of train, valid, test, not 'trian'"),
        ({"count": 0}, "count must be at least 1, not 0"),
        ({"size": 32}, "size must be at least 64, not 32"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"FaceScenes: {message}"):
        FaceScenes(**arguments)
    with pytest.raises(IndexError, match="FaceScenes has 1 scenes, no number 1"):
        FaceScenes(count=1).sample(1)
