"""Which edits are asked for, who judges them, and what is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from PaddleGAN.data import Faces
from PaddleGAN.metrics import measure_attributes
from PaddleGAN.tasks import attribute_editing_evaluation as evaluation

NAMES = ("Bald", "Bangs", "Black_Hair", "Blond_Hair", "Brown_Hair", "Eyeglasses")


class Photographs:
    """Pictures that are no drawn ones: bright in the half, or halves, that their two attributes name."""

    attribute_names = ("Black_Hair", "Eyeglasses")

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        image = np.random.RandomState(index).uniform(-1, -0.5, (3, 16, 16)).astype(np.float32)
        attributes = np.array([index % 2, index // 2 % 2], np.float32)
        image[:, :, :8] += attributes[0]
        image[:, 1::2, 8:] += attributes[1]
        return image, attributes

    def __len__(self) -> int:
        return 96


def test_an_edit_takes_away_what_contradicts_it() -> None:
    blond_with_bangs = np.array([[0, 1, 0, 1, 0, 0]], np.float32)
    expected = np.array([
        [1, 0, 0, 1, 0, 0],  # bald: no bangs
        [0, 0, 0, 1, 0, 0],
        [0, 1, 1, 0, 0, 0],  # another color of hair
        [0, 1, 0, 0, 0, 0],  # none
        [0, 1, 0, 0, 1, 0],
        [0, 1, 0, 1, 0, 1],
    ], np.float32)  # fmt: skip
    np.testing.assert_array_equal(evaluation.edits(blond_with_bangs, NAMES)[0], expected)
    expected[3] = blond_with_bangs  # a drawn face has a color of hair
    image, attributes, wanted = next(
        sample
        for sample in (evaluation.WithEdits(Faces(64, 32, attributes=list(NAMES)))[index] for index in range(64))
        if np.array_equal(sample[1], blond_with_bangs[0])
    )
    np.testing.assert_array_equal(wanted, expected)
    photographs = evaluation.WithEdits(Photographs())
    np.testing.assert_array_equal(photographs[1][2], [[0, 0], [1, 1]])
    assert len(photographs) == 96


def test_edits_and_what_is_kept_are_counted() -> None:
    attributes = np.array([[0, 0], [1, 0]], np.float32)
    wanted = np.array([[[1, 0], [0, 1]], [[1, 0], [1, 1]]], np.float32)  # the second image's first edit is no change
    output = {
        0.0: attributes > 0.5,
        0.1: np.array([[True, True]]),  # the first edit of the first image: done, but the other not kept
        0.2: np.array([[False, True], [True, False]]),  # the second edit: done and kept; not done and kept
    }
    judge = evaluation.Judge(lambda images: output[round(float(images[0, 0, 0, 0]), 1)], "a table")
    evaluator = evaluation.EditingEvaluator(("Bald", "Bangs"), judge)
    images = np.zeros((2, 3, 16, 16), np.float32)
    outputs = [images + 0.1, images + 0.1, images + 0.2]
    evaluator.update(outputs, [core.to_tensor(array) for array in (images, attributes, wanted)])
    numbers = evaluator.result()
    np.testing.assert_allclose(numbers["editing_accuracy"], 2 / 3)
    np.testing.assert_allclose(numbers["attributes_kept"], 2 / 3)
    np.testing.assert_allclose([numbers["edited_Bald"], numbers["edited_Bangs"]], [1, 1 / 2])
    np.testing.assert_allclose(numbers["psnr"], 20 * np.log10(255 / 12.75), rtol=1e-5)
    assert numbers["judge_accuracy"] == 1 and 0 < numbers["ssim"] < 1


def test_drawn_faces_are_judged_by_a_program() -> None:
    faces = Faces(6, 48, attributes=["Eyeglasses", "Bangs"])
    judge = evaluation.choose_judge(faces, 0)
    images = np.stack([faces[index][0] for index in range(6)]).transpose(0, 3, 1, 2) / np.float32(127.5) - 1
    np.testing.assert_array_equal(judge(images), measure_attributes(images)[:, [5, 1]])
    assert judge.description == "a program that measures drawn faces"


def test_other_images_are_judged_by_a_classifier_that_learns_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "JUDGED", 64)
    samples: Any = Photographs()
    judge = evaluation.choose_judge(samples, 0)
    assert judge.description == "a classifier, trained here on 64 Photographs images"
    unseen = [samples[index] for index in range(64, 96)]
    right = judge(np.stack([image for image, _ in unseen])) == np.stack([attributes for _, attributes in unseen])
    assert right.mean() >= 0.95
