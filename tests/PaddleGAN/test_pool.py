"""The image pool: new images until it is full, then old ones half of the time, and the same again after a restart."""

from __future__ import annotations

import numpy as np
import pytest

import core
from PaddleGAN.pool import ImagePool


def batch(first: int, count: int) -> np.ndarray:
    return np.arange(first, first + count, dtype=np.float32).reshape(-1, 1, 1, 1) * np.ones((1, 1, 2, 2), np.float32)


def numbers(images: np.ndarray) -> list[int]:
    return images[:, 0, 0, 0].astype(int).tolist()


def test_a_pool_that_is_not_full_gives_new_images_back() -> None:
    pool = ImagePool(5)
    assert numbers(pool.query(batch(0, 3))) == [0, 1, 2]
    assert numbers(np.stack(pool.images)) == [0, 1, 2]


def test_a_full_pool_exchanges_half_of_the_images() -> None:
    pool = ImagePool(50, seed=1)
    pool.query(batch(0, 50))
    known, old = set(range(50)), 0
    for step in range(200):
        new = range(50 + 4 * step, 54 + 4 * step)
        given = numbers(pool.query(batch(new[0], 4)))
        old += sum(number not in new for number in given)
        known |= set(new)
        assert known >= set(given)
        # nothing is in two places: what was given is no longer kept, but for new ones that came and went at once
        assert len(set(numbers(np.stack(pool.images)))) == 50
    assert abs(old / 800 - 0.5) < 0.06


def test_a_pool_continues_from_its_state() -> None:
    one = ImagePool(4, seed=7)
    for step in range(5):
        one.query(batch(10 * step, 2))
    state = {name: core.to_tensor(value) for name, value in one.state_dict().items()}
    other = ImagePool(4, seed=7)
    other.set_state_dict(state)
    for step in range(5, 15):
        assert np.array_equal(one.query(batch(10 * step, 2)), other.query(batch(10 * step, 2)))
    empty = ImagePool(4)
    empty.set_state_dict(ImagePool(4).state_dict())
    assert empty.images == [] and empty.queries == 0


def test_tensors_stay_tensors_and_arrays_are_not_touched() -> None:
    pool = ImagePool(1)
    images = batch(1, 1)
    pool.query(images)
    images[:] = 9
    assert numbers(np.stack(pool.images)) == [1]
    given = pool.query(core.to_tensor(batch(2, 1)))
    assert isinstance(given, core.Tensor) and list(given.shape) == [1, 1, 2, 2]


def test_a_pool_of_no_images_gives_each_back() -> None:
    pool = ImagePool(0)
    assert numbers(pool.query(batch(3, 4))) == [3, 4, 5, 6] and pool.images == []


def test_refusals() -> None:
    with pytest.raises(ValueError, match="ImagePool: size and seed must not be negative, not -1 and 0"):
        ImagePool(-1)
    pool = ImagePool(4)
    pool.query(batch(0, 4))
    with pytest.raises(ValueError, match=r"images of shape \(1, 3, 3\) came after those of \(1, 2, 2\)"):
        pool.query(np.zeros((1, 1, 3, 3), np.float32))
    with pytest.raises(ValueError, match="the state holds 4 images, this pool keeps only 3"):
        ImagePool(3).set_state_dict(pool.state_dict())
