"""Deformable position-sensitive pooling against a plain definition, and its gradients by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError
from core.vision import ops
from tests.core.gradient_check import check_gradients

RANDOM = np.random.default_rng(8)
COUNTS = (2, 1)


def defined(
    x: np.ndarray, boxes: np.ndarray, trans: Any, bins: Any, scale: float, groups: Any, parts: Any, samples: int
) -> np.ndarray:
    _, channels, height, width = x.shape
    left = channels // (groups[0] * groups[1])
    owner = np.repeat(np.arange(len(COUNTS)), COUNTS)
    out = np.zeros((len(boxes), left, *bins))
    for k, c, i, j in np.ndindex(*out.shape):
        x1, y1, x2, y2 = np.floor(boxes[k] + 0.5)
        start = np.array([x1, y1]) * scale - 0.5
        size = np.maximum((np.array([x2, y2]) + 1) * scale - 0.5 - start, 0.1)
        shift = np.zeros(2)
        if trans is not None:
            label = c // (left // (trans.shape[1] // 2))
            shift = 0.1 * trans[k, 2 * label : 2 * label + 2, i * parts[0] // bins[0], j * parts[1] // bins[1]]
        step = size / [bins[1], bins[0]]
        corner = np.array([j, i]) * step + start + shift * size
        group = i * groups[0] // bins[0], j * groups[1] // bins[1]
        plane = x[owner[k], (c * groups[0] + group[0]) * groups[1] + group[1]]
        values = []
        for a, b in np.ndindex(samples, samples):
            z, y = corner + np.array([b, a]) * step / samples
            if -0.5 <= z <= width - 0.5 and -0.5 <= y <= height - 0.5:
                z, y = min(max(z, 0), width - 1), min(max(y, 0), height - 1)
                p, q = int(y), int(z)
                rows, columns = [p, min(p + 1, height - 1)], [q, min(q + 1, width - 1)]
                values.append(np.array([1 - y + p, y - p]) @ plane[np.ix_(rows, columns)] @ [1 - z + q, z - q])
        out[k, c, i, j] = np.mean(values) if values else 0
    return out


X = RANDOM.standard_normal((2, 8, 7, 9))
BOXES = np.array([[3.2, 4.1, 20.7, 18.2], [-4, 2, 12, 30], [10.3, 1.6, 13.1, 2.2]])


@pytest.mark.parametrize("classes", [0, 1, 2])
@pytest.mark.parametrize(("bins", "groups", "parts"), [((4, 2), (2, 2), (2, 1)), ((3, 3), (1, 1), (3, 3))])
def test_values(bins: Any, groups: Any, parts: Any, classes: int) -> None:
    trans = RANDOM.standard_normal((3, 2 * classes, *parts)) if classes else None
    options = (bins, 0.4, groups, parts, 3)
    given = [core.to_tensor(X), core.to_tensor(BOXES), core.to_tensor(COUNTS)]
    moved = None if trans is None else core.to_tensor(trans)
    expected = defined(X, BOXES, trans, *options)
    np.testing.assert_allclose(ops.deformable_psroi_pooling(*given, moved, *options).numpy(), expected, atol=1e-10)
    compiled = to_static(lambda x: ops.deformable_psroi_pooling(x, *given[1:], moved, *options))(given[0])
    np.testing.assert_allclose(compiled.numpy(), expected, atol=1e-10)


def test_gradients() -> None:
    boxes, counts = core.to_tensor(BOXES[:2]), core.to_tensor([1, 1])

    def pool(x: core.Tensor, trans: core.Tensor) -> core.Tensor:
        return ops.deformable_psroi_pooling(x, boxes, counts, trans, 2, 0.3, 1, None, 2)

    check_gradients(pool, X[:, :2, :4, :5], RANDOM.standard_normal((2, 2, 2, 2)))


def test_messages() -> None:
    given = [core.to_tensor(X), core.to_tensor(BOXES), core.to_tensor(COUNTS)]
    with pytest.raises(OperatorError, match="8 channels do not divide into 3 x 3 groups"):
        ops.deformable_psroi_pooling(*given, None, 3, group_size=3)
    with pytest.raises(OperatorError, match=r"trans has the shape \(boxes, 2 \* classes, 3, 3\) .* got \[3, 2, 2, 2\]"):
        ops.deformable_psroi_pooling(*given, core.zeros([3, 2, 2, 2]), 3)
