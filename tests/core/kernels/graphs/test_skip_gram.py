"""Skip-gram's windows and its descent, against plain Python, numpy and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from core.kernels.graphs import skip_gram
from core.kernels.graphs.skip_gram import descend, descend_reference
from core.kernels.graphs.skip_gram_windows import windows, windows_reference
from core.kernels.numeric.draws import key_of


def batch(seed: int, nodes: int = 30, count: int = 50, negatives: int = 4) -> tuple[np.ndarray, ...]:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(0, 6, count)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    drawn = (generator.integers(0, nodes, size).astype(np.int32) for size in (count, starts[-1], (count, negatives)))
    centers, contexts, others = drawn
    return centers, starts, contexts, others


def tables(seed: int, nodes: int = 30, size: int = 7) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return tuple(generator.normal(size=(nodes, size)).astype(np.float32) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("block", [1, 8, 1000])
@pytest.mark.parametrize("shared", [False, True])
def test_descent_agrees_with_its_reference(block: int, shared: bool) -> None:
    sources, targets = tables(0)
    targets = sources if shared else targets
    ours = [sources.copy(), targets.copy()]
    plain = [table.astype(np.float64) for table in (sources, targets)]
    if shared:
        ours[1], plain[1] = ours[0], plain[0]
    loss = descend(*ours, *batch(1), 0.05, block)
    expected = descend_reference(*plain, *batch(1), 0.05, block)
    assert loss == pytest.approx(expected, rel=1e-5)
    for mine, theirs in zip(ours, plain):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5)


def test_a_block_moves_against_the_gradient_of_the_loss() -> None:
    centers, starts, contexts, negatives = batch(2)
    before = [table.astype(np.float64) for table in tables(3)]

    def loss(sources: np.ndarray, targets: np.ndarray) -> float:
        total = 0.0
        for i, center in enumerate(centers):
            for context in contexts[starts[i] : starts[i + 1]]:
                total += np.log1p(np.exp(-sources[center] @ targets[context]))
                total += np.log1p(np.exp(targets[negatives[i]] @ sources[center])).sum()
        return total

    after = [table.copy() for table in before]
    assert descend_reference(*after, centers, starts, contexts, negatives, 1.0, len(centers)) == pytest.approx(
        loss(*before)
    )
    for which in range(2):
        gradient = np.zeros_like(before[which])
        for place in np.ndindex(*gradient.shape):
            values = []
            for step in (1e-5, -1e-5):
                moved = [table.copy() for table in before]
                moved[which][place] += step
                values.append(loss(*moved))
            gradient[place] = (values[0] - values[1]) / 2e-5
        np.testing.assert_allclose(before[which] - after[which], gradient, atol=1e-6)


def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for parts in (1, 2, 5):
        monkeypatch.setattr(skip_gram, "number_of_threads", lambda parts=parts: parts)
        sources, targets = tables(4)
        descend(sources, targets, *batch(5, count=300), 0.1, 64)
        results.append((sources, targets))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_windows_agree_with_their_definition() -> None:
    walks = np.random.default_rng(0).integers(0, 9, (6, 8))
    walks[1, 3:] = -1
    walks[2, 1:] = -1
    walks[3, :] = -1
    for radius in (1, 3, 20):
        for ours, plain in zip(windows(walks, radius, key_of(7)), windows_reference(walks, radius, key_of(7))):
            assert ours.dtype == plain.dtype
            np.testing.assert_array_equal(ours, plain)
    centers, starts, contexts = windows(np.array([[4, 5, 6]]), 1, key_of(0))
    assert centers.tolist() == [4, 5, 6] and starts.tolist() == [0, 1, 3, 4] and contexts.tolist() == [5, 4, 6, 5]


def test_windows_reach_each_distance_evenly() -> None:
    walk = np.arange(4001)[None]
    _, starts, _ = windows(walk, 4, key_of(3))
    inner = np.diff(starts)[4:-4] // 2
    counts = np.bincount(inner, minlength=5)[1:]
    assert counts.sum() == len(inner) and ((counts - len(inner) / 4) ** 2 / (len(inner) / 4)).sum() < 16.3  # χ², 0.1 %


def test_no_walks_have_no_windows() -> None:
    centers, starts, contexts = windows(np.zeros((0, 5), np.int64), 2, key_of(0))
    assert len(centers) == len(contexts) == 0 and starts.tolist() == [0]
