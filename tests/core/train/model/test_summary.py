"""The tables and numbers are those that Paddle 2.6.2 prints for the same networks."""

from __future__ import annotations

from typing import Any

import pytest

import core
import PaddleClas
from core import nn
from core.train.model.flops import flops
from core.train.model.summary import summary


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1, bias_attr=False),
            nn.BatchNorm2D(6),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.AdaptiveAvgPool2D(2),
        )
        self.fc = nn.Linear(24, 10)
        self.fc.weight.stop_gradient = True

    def forward(self, images: Any) -> Any:
        return self.fc(core.flatten(self.features(images), 1))


# fmt: off
NET = """\
-------------------------------------------------------------------------------
   Layer (type)         Input Shape          Output Shape         Param #
===============================================================================
     Conv2D-1         [[2, 1, 28, 28]]      [2, 6, 28, 28]          54
   BatchNorm2D-1      [[2, 6, 28, 28]]      [2, 6, 28, 28]          24
      ReLU-1          [[2, 6, 28, 28]]      [2, 6, 28, 28]           0
    MaxPool2D-1       [[2, 6, 28, 28]]      [2, 6, 14, 14]           0
AdaptiveAvgPool2D-1   [[2, 6, 14, 14]]       [2, 6, 2, 2]            0
     Linear-1            [[2, 24]]             [2, 10]              250
===============================================================================
Total params: 328
Trainable params: 76
Non-trainable params: 252
-------------------------------------------------------------------------------
Input size (MB): 0.01
Forward/backward pass size (MB): 0.23
Params size (MB): 0.00
Estimated Total Size (MB): 0.24
-------------------------------------------------------------------------------
"""
LSTM = """\
------------------------------------------------------------------------------------------
 Layer (type)       Input Shape                 Output Shape                 Param #
==========================================================================================
    LSTM-1          [[2, 3, 4]]      [[2, 3, 5], [[1, 2, 5], [1, 2, 5]]]       220
"""
DETAIL = """\
+-----------------------+----------------+----------------+--------+-------+
|       Layer Name      |  Input Shape   |  Output Shape  | Params | Flops |
+-----------------------+----------------+----------------+--------+-------+
|        conv2d_0       | [2, 1, 28, 28] | [2, 6, 28, 28] |   54   | 84672 |
|     batch_norm2d_0    | [2, 6, 28, 28] | [2, 6, 28, 28] |   24   | 18816 |
|        re_lu_0        | [2, 6, 28, 28] | [2, 6, 28, 28] |   0    |   0   |
|      max_pool2d_0     | [2, 6, 28, 28] | [2, 6, 14, 14] |   0    |   0   |
| adaptive_avg_pool2d_0 | [2, 6, 14, 14] |  [2, 6, 2, 2]  |   0    |  2400 |
|        linear_0       |    [2, 24]     |    [2, 10]     |  250   |  480  |
+-----------------------+----------------+----------------+--------+-------+
"""
# fmt: on


def words(text: str) -> list[list[str]]:
    """Return the words of each line: how a cell of odd room is centred is the table's own."""
    return [line.split() for line in text.splitlines() if line.strip()]


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    net = Net()
    net.train()
    assert summary(net, (2, 1, 28, 28)) == {"total_params": 328, "trainable_params": 76}
    output = capsys.readouterr().out
    assert [line.rstrip() for line in output.splitlines()] == [*NET.splitlines(), ""]
    assert net.training and net.features[1].training
    assert summary(net, input=core.ones([2, 1, 28, 28])) == {"total_params": 328, "trainable_params": 76}
    assert capsys.readouterr().out == output


def test_several_inputs_recurrent_layers_and_open_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    class Two(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Linear(3, 4)
            self.e = nn.Embedding(10, 4)

        def forward(self, x: Any, i: Any) -> Any:
            return self.a(x) + self.e(i).sum(1)

    expected = {"total_params": 56, "trainable_params": 56}
    assert summary(Two(), [(2, 3), (2, 5)], dtypes=["float32", "int64"]) == expected
    assert "[[2, 5]]            [2, 5, 4]             40" in capsys.readouterr().out
    named = {"x": core.ones([2, 3]), "i": core.zeros([2, 5], "int64")}
    assert summary(Two(), input=named) == expected
    capsys.readouterr()
    assert summary(nn.LSTM(4, 5), (2, 3, 4)) == {"total_params": 220, "trainable_params": 220}
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()][:4] == LSTM.splitlines()
    spec = core.static.InputSpec([None, 3])
    assert summary(nn.Linear(3, 4), spec) == summary(nn.Linear(3, 4), (None, 3))
    assert "[[1, 3]]" in capsys.readouterr().out


def test_shared_and_own_parameters_count_once(capsys: pytest.CaptureFixture[str]) -> None:
    class Shared(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.scale = self.create_parameter([3])
            self.inner = nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return self.inner(self.inner(x * self.scale))

    assert summary(Shared(), (1, 3)) == {"total_params": 15, "trainable_params": 15}
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip().startswith("Linear")]
    assert [row[-1] for row in rows] == ["12", "0"]


@pytest.mark.parametrize(
    ("size", "dtypes", "message"),
    [
        (None, None, "give input_size, such as"),
        ((1, 0), None, r"sizes must be positive integers, None or -1, not \(1, 0\)"),
        ([(1, 2)], ["float32", "int64"], "2 dtypes do not fit 1 inputs"),
    ],
)
def test_mistakes_in_summary_are_named(size: Any, dtypes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        summary(nn.Linear(2, 2), size, dtypes)


def test_flops_of_a_small_net_by_layer(capsys: pytest.CaptureFixture[str]) -> None:
    assert flops(Net(), [2, 1, 28, 28], print_detail=True) == 106368
    output = capsys.readouterr().out
    assert "Total Flops: 106368     Total Params: 328" in output
    numbers = [line.split("|")[2:] for line in output.splitlines() if line.startswith("|")]
    assert [[cell.strip() for cell in row] for row in numbers] == [
        [cell.strip() for cell in line.split("|")[2:]] for line in DETAIL.splitlines() if line.startswith("|")
    ]


def test_flops_of_an_official_model(capsys: pytest.CaptureFixture[str]) -> None:
    """As paddle.flops of Paddle 2.6.2 says of paddle.vision.models.resnet50, whose global pooling is a layer."""
    pooling = flops(nn.AdaptiveAvgPool2D(1), [1, 2048, 7, 7])
    capsys.readouterr()
    assert flops(PaddleClas.create_model("ResNet50"), [1, 3, 224, 224]) + pooling == 4111514624
    assert "Total Params: 25610152" in capsys.readouterr().out


def test_custom_counts(capsys: pytest.CaptureFixture[str]) -> None:
    def count(layer: Any, inputs: Any, output: Any) -> None:
        layer.total_ops += 3 * output.size

    net = nn.Sequential(nn.Linear(4, 5, bias_attr=False), nn.Tanh(), nn.LeakyReLU())
    assert flops(net, [2, 4]) == 2 * 4 * 5 + 10
    assert "layers of the class Tanh count as nothing; custom_ops can count them" in capsys.readouterr().out
    assert flops(net, [2, 4], custom_ops={nn.Tanh: count}) == 2 * 4 * 5 + 10 + 30
    assert "count as nothing" not in capsys.readouterr().out and not hasattr(net[1], "total_ops")
    with pytest.raises(TypeError, match="flops takes a Layer, not int"):
        flops(3, [1])
