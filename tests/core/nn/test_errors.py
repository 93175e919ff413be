"""Wrong arguments are one clear line, at construction where they can be."""

from __future__ import annotations

from typing import Any, Callable

import pytest

import core
from core import nn


def ones(*shape: int) -> Any:
    return core.ones(list(shape))


CASES: dict[str, Callable[[], Any]] = {
    "Conv2D: in_channels=3 must be divisible by groups=2": lambda: nn.Conv2D(3, 4, 3, groups=2),
    "Conv2D: out_channels=3 must be divisible by groups=2": lambda: nn.Conv2D(4, 3, 3, groups=2),
    "Conv2D: padding_mode must be one of 'zeros', 'reflect', 'replicate', 'circular', but got 'x'": (
        lambda: nn.Conv2D(4, 3, 3, padding_mode="x")
    ),
    "Conv2D: in_channels must be a positive integer, but got 0": lambda: nn.Conv2D(0, 3, 3),
    "Conv3D: kernel_size needs 3 value(s), but got [3, 3]": lambda: nn.Conv3D(1, 3, [3, 3]),
    "Conv2D: stride must be a positive integer, but got 0": lambda: nn.Conv2D(1, 3, 3, stride=0),
    "Conv1D: data_format must be one of 'NCL', 'NLC', but got 'NCHW'": lambda: nn.Conv1D(1, 1, 1, data_format="NCHW"),
    "Conv2D: padding must be one of 'SAME', 'VALID', but got 'HALF'": lambda: nn.Conv2D(1, 1, 1, padding="half"),
    "Conv2D: weight_attr cannot be False": lambda: nn.Conv2D(1, 1, 1, weight_attr=False),
    "Conv2D: padding is an integer, 2 integers, 4 integers": (
        lambda: nn.Conv2D(1, 1, 1, padding=[1, 2, 3], padding_mode="reflect")
    ),
    "Linear: in_features must be a positive integer, but got 0": lambda: nn.Linear(0, 1),
    "Linear: weight_attr cannot be False": lambda: nn.Linear(1, 1, weight_attr=False),
    "Embedding: num_embeddings must be a positive integer, but got 0": lambda: nn.Embedding(0, 1),
    "Embedding: padding_idx must be within [-4, 4)": lambda: nn.Embedding(4, 1, padding_idx=4),
    "Unflatten: an axis of size 4 cannot become [3, 2]": lambda: nn.Unflatten(1, [3, 2])(ones(1, 4)),
    "Unflatten: axis=2 is outside an input of 2 dimensions": lambda: nn.Unflatten(2, [3, 2])(ones(1, 4)),
    "GroupNorm: num_channels=4 must be divisible by num_groups=3": lambda: nn.GroupNorm(3, 4),
    "BatchNorm2D: expected 4D input (got 2D input)": lambda: nn.BatchNorm2D(3)(ones(1, 3)),
    "BatchNorm1D: expected 2D or 3D input (got 4D input)": lambda: nn.BatchNorm1D(3)(ones(1, 3, 2, 2)),
    "BatchNorm2D: data_format must be one of 'NCHW', 'NHWC', but got 'X'": lambda: nn.BatchNorm2D(3, data_format="X"),
    "BatchNorm: core.nn.functional has no function 'bend' to use as act": lambda: nn.BatchNorm(3, act="bend"),
    "InstanceNorm2D: expected 4D input (got 2D input)": lambda: nn.InstanceNorm2D(3)(ones(1, 3)),
    "InstanceNorm2D: weight_attr and bias_attr must be set to False at the same time": (
        lambda: nn.InstanceNorm2D(3, weight_attr=False)
    ),
    "LayerNorm: normalized_shape must be a positive integer, but got 'a'": lambda: nn.LayerNorm("a"),
    "SpectralNorm: dim must be one of 0, 1, but got 2": lambda: nn.SpectralNorm([2, 3], dim=2),
    "spectral_norm: ReLU has no parameter 'weight'": lambda: nn.utils.spectral_norm(nn.ReLU()),
    "spectral_norm: n_power_iterations must be positive, but got 0": (
        lambda: nn.utils.spectral_norm(nn.Linear(1, 1), n_power_iterations=0)
    ),
    "weight_norm: ReLU has no parameter 'weight'": lambda: nn.utils.weight_norm(nn.ReLU()),
    "weight_norm: dim=2 is outside a weight of 2 dimensions": lambda: nn.utils.weight_norm(nn.Linear(1, 1), dim=2),
    "MultiHeadAttention: embed_dim=10 must be divisible by num_heads=3": lambda: nn.MultiHeadAttention(10, 3),
    "LSTM: direction must be one of 'forward', 'bidirect', 'bidirectional', but got 'x'": (
        lambda: nn.LSTM(2, 3, direction="x")
    ),
    "SimpleRNNCell: activation must be one of 'tanh', 'relu', but got 'x'": lambda: nn.SimpleRNN(2, 3, activation="x"),
    "GRU: dropout must be a number between 0 and 1, but got 2": lambda: nn.GRU(2, 3, dropout=2),
    "LSTMCell: hidden_size must be a positive integer, but got 0": lambda: nn.LSTMCell(2, 0),
    "LSTM: inputs have the shape (batch, time, input_size=2), but got [1, 4, 3]": lambda: nn.LSTM(2, 3)(ones(1, 4, 3)),
    "LSTM: initial_states need 2 tensor(s) of shape [1, 1, 3], but have [[1, 2, 3]]": (
        lambda: nn.LSTM(2, 3)(ones(1, 4, 2), ones(1, 2, 3))
    ),
    "GRUCell: input_size is 2, but the input has shape [1, 3]": lambda: nn.GRUCell(2, 3)(ones(1, 3)),
    "RNN: inputs have the axes (batch, time, size)": lambda: nn.RNN(nn.GRUCell(2, 3))(ones(1, 2)),
    "RNN: the sequences have no steps": lambda: nn.RNN(nn.GRUCell(2, 3))(ones(1, 0, 2)),
    "BiRNN: both cells need one input_size, but they have 2 and 3": lambda: nn.BiRNN(
        nn.GRUCell(2, 3), nn.GRUCell(3, 3)
    ),
    "BiRNN: initial_states is a pair": lambda: nn.BiRNN(nn.GRUCell(2, 3), nn.GRUCell(2, 3))(ones(1, 4, 2), [None]),
    "TransformerEncoderLayer: nhead must be a positive integer, but got 0": (
        lambda: nn.TransformerEncoderLayer(8, 0, 8)
    ),
    "TransformerEncoderLayer: core.nn.functional has no function 'bend' to use as activation": (
        lambda: nn.TransformerEncoderLayer(8, 2, 8, activation="bend")
    ),
    "a list of parameter attributes has one for each of the 3 parts, not 2": (
        lambda: nn.TransformerDecoderLayer(8, 2, 8, weight_attr=[None, None])
    ),
    "Transformer: bias_attr is one attribute or a list of one to three, not of 4": (
        lambda: nn.Transformer(8, 2, bias_attr=[None] * 4)
    ),
    "TransformerEncoder: num_layers must be a positive integer, but got 0": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8), 0)
    ),
    "Dropout: p must be a number between 0 and 1, but got 1.5": lambda: nn.Dropout(1.5),
    "Dropout: mode must be one of 'upscale_in_train', 'downscale_in_infer', but got 'x'": lambda: nn.Dropout(mode="x"),
    "Dropout2D: p must be a number between 0 and 1, but got 'a'": lambda: nn.Dropout2D("a"),
    "Pad2D: padding is one integer or 4 of them": lambda: nn.Pad2D([1, 2]),
    "Pad1D: mode must be one of 'constant', 'reflect', 'replicate', 'circular', but got 'x'": lambda: nn.Pad1D(1, "x"),
    "PixelShuffle: upscale_factor must be a positive integer, but got 1.5": lambda: nn.PixelShuffle(1.5),
    "PixelUnshuffle: data_format must be one of 'NCHW', 'NHWC', but got 'x'": lambda: nn.PixelUnshuffle(2, "x"),
    "AdaptiveAvgPool2D: output_size holds positive integers (or None), but got 0": lambda: nn.AdaptiveAvgPool2D(0),
    "MaxPool2D: kernel_size needs 2 value(s), but got [2, 2, 2]": lambda: nn.MaxPool2D([2, 2, 2]),
    "MaxUnPool2D: data_format must be one of 'NCHW', but got 'NHWC'": lambda: nn.MaxUnPool2D(2, data_format="NHWC"),
    "Softmax2D requires a 3D or 4D tensor as input. Received: 2D.": lambda: nn.Softmax2D()(ones(2, 2)),
    "Maxout: groups must be a positive integer, but got 0": lambda: nn.Maxout(0),
    "MSELoss: reduction must be one of 'mean', 'sum', 'none', but got 'x'": lambda: nn.MSELoss("x"),
    "KLDivLoss: reduction must be one of 'mean', 'sum', 'none', 'batchmean', but got 'x'": lambda: nn.KLDivLoss("x"),
    "HSigmoidLoss: num_classes must be at least 2 without a custom tree, not 1": lambda: nn.HSigmoidLoss(3, 1),
}


@pytest.mark.parametrize("message", CASES)
def test_message(message: str) -> None:
    with pytest.raises(ValueError) as caught:
        CASES[message]()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
