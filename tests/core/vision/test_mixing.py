from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.io import DataLoader, TensorDataset, default_collate_fn
from core.io.randomness import sample_scope
from core.vision import transforms as T

CHANNELS, ROWS, COLUMNS = 3, 12, 10
# Sample i holds the value i everywhere and has label i.
BATCH = [(np.full((CHANNELS, ROWS, COLUMNS), i, np.float32), i) for i in range(4)]


def test_mixup_is_one_weighted_mean() -> None:
    weights = []
    for index in range(30):
        with sample_scope(0, 0, index):
            mixed = T.Mixup(class_num=4, alpha=0.5)(BATCH)
        for image, shares in mixed:
            assert shares.dtype == np.float32 and shares.sum() == pytest.approx(1)
            np.testing.assert_allclose(image, (shares * np.arange(4)).sum(), rtol=1e-5)
        weights += [float(shares[i]) for i, (_, shares) in enumerate(mixed)]
    inner = [weight for weight in weights if 0.01 < weight < 0.99]
    assert min(inner) < 0.3 and max(inner) > 0.7


def test_cutmix_pastes_a_rectangle() -> None:
    sizes = set()
    for index in range(40):
        with sample_scope(0, 0, index):
            mixed = T.CutMix(class_num=4)(BATCH)
        for own, (image, shares) in enumerate(mixed):
            pasted = image[0] != own
            rows, columns = np.flatnonzero(pasted.any(axis=1)), np.flatnonzero(pasted.any(axis=0))
            assert pasted.sum() == len(rows) * len(columns)
            assert shares[own] == pytest.approx(1 - pasted.mean(), abs=1e-6)
            if pasted.any():
                other = int(image[0][pasted][0])
                assert (image[:, pasted] == other).all() and shares[other] == pytest.approx(pasted.mean(), abs=1e-6)
                sizes.add(int(pasted.sum()))
    assert len(sizes) > 8
    assert all((image == i).all() for i, (image, _) in enumerate(BATCH))  # the batch itself is not changed


def test_layouts_types_and_collation() -> None:
    last = [(np.full((ROWS, COLUMNS, 3), 100 * i, np.uint8), i) for i in range(3)]
    with sample_scope(5, 0, 0):
        first = T.CutMix(4)([(image.transpose(2, 0, 1), label) for image, label in last])
    with sample_scope(5, 0, 0):
        mixed = T.CutMix(4, data_format="HWC")(last)
    for (image, shares), (turned, same) in zip(mixed, first):
        np.testing.assert_array_equal(image.transpose(2, 0, 1), turned)
        np.testing.assert_array_equal(shares, same)
    assert T.Mixup(4)(last)[0][0].dtype == np.uint8
    images, labels = T.Compose([T.Mixup(4), default_collate_fn])(BATCH)
    assert images.shape == (4, CHANNELS, ROWS, COLUMNS) and labels.shape == (4, 4)


@pytest.mark.parametrize("data_format", ["CHW", "HWC"])
@pytest.mark.parametrize("kind", [T.Mixup, T.CutMix])
def test_all_frames_of_a_clip_are_mixed_alike(kind: Any, data_format: str) -> None:
    options = {"data_format": data_format} if kind is T.CutMix else {}
    frames = [(image if data_format == "CHW" else image.transpose(1, 2, 0), label) for image, label in BATCH]
    with sample_scope(3, 0, 0):
        expected = kind(4, **options)(frames)
    with sample_scope(3, 0, 0):
        clips = kind(4, **options)([(np.stack([image] * 5), label) for image, label in frames])
    for (clip, shares), (image, same) in zip(clips, expected):
        np.testing.assert_array_equal(clip, np.stack([image] * 5))
        np.testing.assert_array_equal(shares, same)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: T.Mixup(0), "Mixup: class_num must be a positive integer, not 0"),
        (lambda: T.CutMix(3, alpha=0), "CutMix: alpha must be positive, not 0"),
        (lambda: T.CutMix(3, data_format="NCHW"), "data_format must be 'CHW' or 'HWC', not 'NCHW'"),
        (lambda: T.Mixup(3)(BATCH), "Mixup: label 3 of sample 3 is none of 3 classes"),
        (lambda: T.Mixup(3)([(np.zeros((1, 2, 2)), 0), (np.zeros((1, 2, 3)), 0)]), "need one shape of three axes"),
    ],
)
def test_bad_values_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_seeded_loader_mixes_alike_for_any_number_of_workers() -> None:
    dataset = TensorDataset([np.stack([image for image, _ in BATCH] * 4), np.arange(16) % 4])
    collate = T.Compose([T.Mixup(class_num=4), default_collate_fn])
    epochs = []
    for workers in (0, 0, 2):
        loader = DataLoader(dataset, batch_size=4, shuffle=True, seed=0, num_workers=workers, collate_fn=collate)
        epochs.append([[part.numpy() for part in batch] for batch in loader])
    for batch, again, elsewhere in zip(*epochs):
        for part, same, also in zip(batch, again, elsewhere):
            np.testing.assert_array_equal(part, same)
            np.testing.assert_array_equal(part, also)
    drawn = [sorted({float(share) for share in shares.ravel() if 0 < share < 1}) for _, shares in epochs[0]]
    assert len({tuple(shares) for shares in drawn}) > 2  # each batch draws its own
