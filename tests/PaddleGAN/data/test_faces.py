"""Drawn faces: the same for the same number, varied, with independent attributes; and the config's way to them."""

from __future__ import annotations

import functools
import itertools
import subprocess
import sys

import numpy as np
import pydantic
import pytest

from core.train.config.table import Component
from core.vision.datasets.face_drawing import draw_face
from core.vision.datasets.face_factors import HAIR_COLORS, Face, draw_factors
from PaddleGAN.data import (
    FACE_ATTRIBUTES,
    FaceOutlines,
    Faces,
    SplitSection,
    UnpairedFaces,
)
from tests.engine import ENGINE


@functools.cache
def factors() -> list[Face]:
    return [draw_factors(0, index) for index in range(3000)]


@functools.cache
def labels() -> np.ndarray:
    return np.array([[face.attributes[name] for name in FACE_ATTRIBUTES] for face in factors()])


def test_a_face_depends_on_seed_and_number_alone() -> None:
    dataset = Faces(4, seed=3)
    first, attributes = dataset[2]
    assert first.shape == (64, 64, 3) and first.dtype == np.uint8
    assert attributes.shape == (9,) and attributes.dtype == np.float32
    dataset[0]
    again, _ = Faces(100, seed=3)[2]
    assert np.array_equal(first, again)
    assert not np.array_equal(first, Faces(4, seed=4)[2][0])
    assert len({Faces(8)[index][0].tobytes() for index in range(8)}) == 8


def test_kept_faces_are_those_that_were_drawn() -> None:
    kept, drawn = Faces(3, 32, keep=True), Faces(3, 32)
    for index in (0, 2, 0, 2):
        (image, attributes), (expected, as_drawn) = kept[index], drawn[index]
        np.testing.assert_array_equal(image, expected)
        np.testing.assert_array_equal(attributes, as_drawn)
        image[:], attributes[:] = 0, 5  # the next time it is whole again


def test_workers_draw_the_same() -> None:
    section = SplitSection(
        dataset=Component(name="Faces", count=6, size=32),
        transforms=[Component(name="ToTensor"), Component(name="Normalize", mean=0.5, std=0.5)],
        batch_size=3,
        shuffle=True,
    )
    dataset = section.build_dataset()
    alone, with_workers = (
        [batch[0].numpy() for batch in section.build_loader(dataset, seed=5, num_workers=count)] for count in (0, 1)
    )
    assert all(np.array_equal(one, other) for one, other in zip(alone, with_workers))
    assert alone[0].shape == (3, 3, 32, 32) and alone[0].min() >= -1 and alone[0].max() <= 1


def test_attributes_are_as_frequent_as_said_and_independent() -> None:
    shares = dict(zip(FACE_ATTRIBUTES, labels().mean(axis=0)))
    expected = {"Bald": 0.3, "Bangs": 0.35, **dict.fromkeys(HAIR_COLORS, 1 / 3)}
    for name in FACE_ATTRIBUTES:
        assert abs(shares[name] - expected.get(name, 0.5)) < 0.03, name
    related = {frozenset(pair) for pair in [("Bald", "Bangs"), *itertools.combinations(HAIR_COLORS, 2)]}
    correlation = np.corrcoef(labels(), rowvar=False)
    for (row, one), (column, other) in itertools.combinations(enumerate(FACE_ATTRIBUTES), 2):
        if {one, other} not in related:
            assert abs(correlation[row, column]) < 0.06, (one, other)


def test_other_factors_are_independent_of_the_attributes() -> None:
    others = np.array(
        [
            [
                *face.center,
                face.half_width,
                *face.background[0],
                *face.shirt,
                face.hair_length,
                face.smile,
                face.eyes[2],
            ]
            for face in factors()
        ]
    )
    assert (others.std(axis=0) > 0.01).all()
    correlation = np.corrcoef(labels(), others, rowvar=False)[: len(FACE_ATTRIBUTES), len(FACE_ATTRIBUTES) :]
    assert np.abs(correlation).max() < 0.07


def test_no_face_contradicts_itself() -> None:
    colors = [FACE_ATTRIBUTES.index(name) for name in HAIR_COLORS]
    assert (labels()[:, colors].sum(axis=1) == 1).all()
    assert not (labels()[:, 0] & labels()[:, 1]).any()


@pytest.mark.parametrize("name", FACE_ATTRIBUTES)
def test_what_is_fixed_changes_nothing_else(name: str) -> None:
    for index in range(20):
        with_it, without = (draw_factors(1, index, {name: value}) for value in (True, False))
        assert with_it.attributes[name] and not without.attributes[name]
        assert (with_it.center, with_it.background, with_it.shirt) == (
            without.center,
            without.background,
            without.shirt,
        )
        differing = {key for key in FACE_ATTRIBUTES if with_it.attributes[key] != without.attributes[key]}
        allowed = (
            {"Bald", "Bangs"} if name in ("Bald", "Bangs") else set(HAIR_COLORS) if name in HAIR_COLORS else {name}
        )
        assert name in differing and differing <= allowed


def test_an_edit_changes_only_its_place() -> None:
    face = draw_factors(0, 0, {"Eyeglasses": False, "Mustache": False})
    worn = draw_factors(0, 0, {"Eyeglasses": True, "Mustache": False})
    changed = (draw_face(face, 64) != draw_face(worn, 64)).any(axis=2)
    rows = np.flatnonzero(changed.any(axis=1)) / 64
    eyes = face.center[1] - 0.08 * face.half_width
    assert (
        changed.sum() > 60 and rows.min() > eyes - 0.4 * face.half_width and rows.max() < eyes + 0.5 * face.half_width
    )


def test_outlines_are_lines_of_the_same_face() -> None:
    outline, face = FaceOutlines(5, size=96)[1]
    assert outline.shape == face.shape == (96, 96, 3)
    assert (outline == outline[:, :, :1]).mean() > 0.9 and (outline > 200).mean() > 0.6 and outline.min() < 60
    assert np.array_equal(face, Faces(5, size=96)[1][0])
    turned = FaceOutlines(5, size=96, direction="BtoA")[1]
    assert np.array_equal(turned[0], face) and np.array_equal(turned[1], outline)


def test_unpaired_faces_are_of_their_kinds() -> None:
    dataset = UnpairedFaces(3, a={"Black_Hair": True}, b={"Blond_Hair": True, "Bald": False})
    first, second = dataset[2]
    assert np.array_equal(first, draw_face(draw_factors(0, 4, {"Black_Hair": True}), 64))
    assert np.array_equal(second, draw_face(draw_factors(0, 5, {"Blond_Hair": True, "Bald": False}), 64))


def test_chosen_attributes_come_in_their_order() -> None:
    attributes = Faces(5, attributes=["Mustache", "Bald"], fixed={"Mustache": True, "Bald": False})[0][1]
    assert attributes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": 0}, "Faces: count must be positive, size at least 32 and seed not negative; not 0, 64, 0"),
        ({"size": 16}, "not 3, 16, 0"),
        ({"seed": -1}, "not 3, 64, -1"),
        ({"attributes": ["Glasses"]}, "Faces: no attribute 'Glasses'; the nearest is 'Eyeglasses'"),
        ({"fixed": {"Wings": True}}, "drawn faces have no attribute 'Wings'; they have Bald, Bangs"),
        ({"fixed": {"Bald": True, "Bangs": True}}, "cannot have Bald and Bangs; drop one of them"),
        ({"fixed": {"Black_Hair": True, "Brown_Hair": True}}, "cannot have Black_Hair and Brown_Hair"),
        (
            {"fixed": dict.fromkeys(HAIR_COLORS, False)},
            "has one of Black_Hair, Blond_Hair, Brown_Hair; leave one of them",
        ),
    ],
)
def test_refusals(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Faces(**{"count": 3, **arguments})


def test_no_sample_beyond_the_last() -> None:
    for dataset in (Faces(2), FaceOutlines(2), UnpairedFaces(2, {}, {})):
        with pytest.raises(IndexError, match=f"sample 2 is outside a {type(dataset).__name__} of 2 samples"):
            dataset[2]


def test_a_config_names_data_sets_and_their_arguments() -> None:
    with pytest.raises(pydantic.ValidationError, match="unknown data set 'Face'; the nearest is 'Faces'"):
        SplitSection(dataset={"name": "Face"}, transforms=[], batch_size=1)
    with pytest.raises(pydantic.ValidationError, match="UnpairedFaces needs the argument 'b'"):
        SplitSection(dataset={"name": "UnpairedFaces", "count": 2, "a": {}}, transforms=[], batch_size=1)


def test_reading_loads_no_engine() -> None:
    code = f"import sys, PaddleGAN.data, PaddleGAN.metrics, PaddleGAN.pool; assert '{ENGINE}' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
