"""Tables of positions that start as sinusoids."""

import math

import numpy as np
import pytest

from PaddleNLP.models.ernie import ErnieModel
from PaddleNLP.models.sinusoids import Sinusoids

SMALL = {"vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}


def test_table():
    table = Sinusoids(0.5).sample((3, 4), np.dtype(np.float32))
    expected = [[trig(row * speed) for speed in (1, 0.01) for trig in (math.sin, math.cos)] for row in range(3)]
    np.testing.assert_allclose(table, 0.5 * math.sqrt(2) * np.array(expected), atol=1e-6)
    assert math.isclose(np.square(table).mean(), 0.25, rel_tol=1e-6)


def test_one_matrix_finds_the_next_row():
    table = Sinusoids(1.0).sample((50, 16), np.dtype(np.float64))
    matrix = np.linalg.lstsq(table[:20], table[1:21], rcond=None)[0]
    np.testing.assert_allclose(table[:-1] @ matrix, table[1:], atol=1e-6)


def test_encoder_starts_with_them():
    plain, encoder = (ErnieModel(**SMALL, sinusoidal_positions=wanted) for wanted in (False, True))
    positions = encoder.embeddings.position_embeddings.weight
    assert np.array_equal(positions.numpy(), Sinusoids(0.02).sample((512, 8), np.dtype(np.float32)))
    assert not positions.stop_gradient
    assert encoder.state_dict().keys() == plain.state_dict().keys()


def test_odd_sizes_are_refused():
    with pytest.raises(ValueError, match=r"of shape \[3, 5\] is no table with an even number .* choose an even hidden"):
        Sinusoids(1.0).sample((3, 5), np.dtype(np.float32))
