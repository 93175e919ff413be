"""Batch normalisation as a part of the layer before it: the same results, and left alone where it is not safe."""

from __future__ import annotations

import numpy as np

import core
from core import nn
from core.quantization.folding import fold_batch_normalization
from core.static import InputSpec


def trained(layer: nn.Layer) -> nn.Layer:
    stream = np.random.RandomState(0)
    for name, tensor in layer.state_dict().items():
        tensor.set_value((stream.rand(*tensor.shape) + (0.5 if "variance" in name else -0.3)).astype(np.float32))
    layer.eval()
    return layer


class Block(nn.Layer):
    """Normalisations that can become a part of the layer before, and some that cannot."""

    def __init__(self):
        super().__init__()
        self.inside = nn.Sequential(nn.Conv2D(2, 4, 3, bias_attr=False), nn.BatchNorm2D(4), nn.ReLU())
        self.plain, self.plain_norm = nn.Conv2D(4, 4, 1), nn.BatchNorm2D(4, weight_attr=False, bias_attr=False)
        self.twice, self.twice_norm = nn.Conv2D(4, 4, 1), nn.BatchNorm2D(4)
        self.read, self.read_norm = nn.Conv2D(4, 4, 1), nn.BatchNorm2D(4)
        self.sum_norm = nn.BatchNorm2D(4)
        self.last, self.last_norm = nn.Linear(4, 3), nn.BatchNorm1D(3)

    def forward(self, x):
        x = self.plain_norm(self.plain(self.inside(x)))
        x = self.twice_norm(self.twice(self.twice_norm(self.twice(x))))
        read = self.read(x)
        x = self.sum_norm(self.read_norm(read) + read)
        return self.last_norm(self.last(x.mean([2, 3])))


def test_what_is_folded_gives_the_same_results() -> None:
    block = trained(Block())
    x = core.to_tensor(np.random.RandomState(1).randn(3, 2, 6, 6).astype(np.float32))
    wanted = block(x).numpy()
    gone = fold_batch_normalization(block, [InputSpec([None, 2, 6, 6])])
    assert gone == ["inside.1", "last_norm"] and type(block.inside[1]) is type(block.last_norm) is nn.Identity
    left = (block.plain_norm, block.twice_norm, block.read_norm, block.sum_norm)
    assert {type(layer) for layer in left} == {nn.BatchNorm2D}
    np.testing.assert_allclose(block(x).numpy(), wanted, rtol=1e-4, atol=1e-5)
    assert fold_batch_normalization(block, [InputSpec([None, 2, 6, 6])]) == []


def test_the_factor_by_hand() -> None:
    made = nn.Sequential(nn.Linear(1, 2, bias_attr=False), nn.BatchNorm1D(2, epsilon=0.0))
    for key, values in (("weight", [3, 5]), ("bias", [0.5, 1]), ("_mean", [2, 0]), ("_variance", [4, 25])):
        getattr(made[1], key).set_value(np.float32(values))
    made[0].weight.set_value(np.float32([[8, 10]]))
    made.eval()
    assert fold_batch_normalization(core.jit.to_static(made), [InputSpec([None, 1])]) == ["1"]
    assert made[0].weight.tolist() == [[12, 10]] and made[0].bias.tolist() == [-2.5, 1]


def test_functions_without_a_layer_are_left_alone() -> None:
    made = trained(nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1D(2)))
    assert fold_batch_normalization(lambda x: made(x), [InputSpec([None, 1])]) == []
