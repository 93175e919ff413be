from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest
from PIL import Image

from core.io.randomness import sample_scope
from core.vision import transforms as T
from core.vision.transforms.auto_augment import OPERATIONS, POLICIES, SIGNED, apply_operation

NOISE = np.random.RandomState(0).randint(0, 256, (61, 80, 3), dtype=np.uint8)
IMAGE = cv2.GaussianBlur(NOISE, (0, 0), 1.5)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_give_what_pillow_gives(name: str) -> None:
    for strength in (-1.0, -0.3, 0.0, 0.5, 1.0) if name in SIGNED else (0.0, 0.3, 1.0):
        ours = apply_operation(IMAGE, name, strength)
        pillow = apply_operation(Image.fromarray(IMAGE), name, strength)
        assert isinstance(pillow, Image.Image)
        assert np.mean(np.abs(ours.astype(int) - np.asarray(pillow)) > 1) < 0.002
    gray = apply_operation(IMAGE[:, :, :1], name, 0.5)
    assert gray.shape == (61, 80, 1)
    np.testing.assert_array_equal(apply_operation(IMAGE[:, :, 0], name, 0.5), gray[:, :, 0])


def test_ranges_of_the_paper() -> None:
    moved = apply_operation(np.full((331, 331), 255, np.uint8), "TranslateX", 1.0, fill=0)
    assert (moved.sum(axis=1) // 255 == 331 - 150).all()
    sheared = apply_operation(np.full((100, 200), 255, np.uint8), "ShearX", 1.0, fill=0)
    assert sheared[50].sum() // 255 == 200 - 15
    assert np.unique(apply_operation(NOISE, "Posterize", 1.0)).tolist() == list(range(0, 256, 16))
    np.testing.assert_array_equal(apply_operation(NOISE, "Solarize", 1.0), 255 - NOISE)
    np.testing.assert_array_equal(apply_operation(NOISE, "Solarize", 0.0), NOISE)
    np.testing.assert_array_equal(apply_operation(NOISE, "Brightness", -1.0), np.trunc(NOISE * np.float32(0.1)))
    np.testing.assert_array_equal(apply_operation(IMAGE, "Rotate", 1.0, fill=128), T.rotate(IMAGE, 30.0, fill=128))


def test_auto_augment_applies_one_pair() -> None:
    for policy, pairs in POLICIES.items():
        assert len(pairs) == 25
        transform = T.AutoAugment(policy)
        seen = Counter()
        for index in range(400):
            with sample_scope(0, 0, index):
                assert transform(IMAGE).shape == IMAGE.shape
            assert len(transform.params) <= 2
            for name, strength in transform.params:
                levels = {level / 9 for pair in pairs for known, _, level in pair if known == name}
                assert abs(strength) in levels
                assert strength >= 0 or name in SIGNED
                seen[name] += 1
        possible = {name for pair in pairs for name, probability, _ in pair if probability > 0.15}
        assert possible <= set(seen)


def test_rand_augment_draws_evenly() -> None:
    transform = T.RandAugment(num_layers=3, magnitude=4)
    seen = Counter()
    signs = Counter()
    for index in range(300):
        with sample_scope(1, 0, index):
            transform(IMAGE[:8, :8])
        assert [abs(strength) for _, strength in transform.params] == [0.4] * 3
        seen.update(name for name, _ in transform.params)
        signs.update(strength > 0 for name, strength in transform.params if name in SIGNED)
    assert set(seen) == set(OPERATIONS)
    assert max(seen.values()) < 2 * min(seen.values())
    assert 0.4 < signs[True] / (signs[True] + signs[False]) < 0.6


def test_bad_values_are_named() -> None:
    with pytest.raises(ValueError, match="AutoAugment: policy must be one of imagenet, cifar10, not 'svhn'"):
        T.AutoAugment("svhn")
    with pytest.raises(ValueError, match="num_layers must be a positive integer, not 0"):
        T.RandAugment(num_layers=0)
    with pytest.raises(ValueError, match="magnitude must lie between 0 and 10, not 11"):
        T.RandAugment(magnitude=11)
    with pytest.raises(ValueError, match="RandAugment: interpolation must be one of"):
        T.RandAugment(interpolation="box")
    with pytest.raises(ValueError, match="augment images of bytes, before ToTensor and Normalize; not float32"):
        T.RandAugment()(IMAGE.astype(np.float32))
