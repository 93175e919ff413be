"""Products of matrices, embeddings, attention, recurrent layers."""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.static import InputSpec
from tests.frozen.exported_cases.cases import Case, double, filled, simple, spec, whole
from tests.frozen.exported_cases.convolutions import in_a_row


def transposed(x: Any, y: Any) -> dict[str, Any]:
    """Return the products of x (m, k) and y (k, n) with every way to lay them out."""
    return {
        "plain": core.matmul(x, y),
        "first": core.matmul(x.t(), y, transpose_x=True),
        "second": core.matmul(x, y.t(), transpose_y=True),
        "both": core.matmul(x.t(), y.t(), True, True),
        "vector_first": core.matmul(x[0], y),
        "vector_second": core.matmul(x, y[:, 0]),
        "vectors": core.matmul(x[0], y[:, 1]),
        "added": core.addmm(core.ones([1]), x, y, beta=0.5, alpha=2.0),
        "outer": core.outer(x[0], y[0]),
        "sums": core.einsum("ij,jk->ki", x, y),
    }


def batched(x: Any, y: Any) -> dict[str, Any]:
    """Return products of batches of matrices."""
    return {
        "batches": core.bmm(x, y),
        "first": core.matmul(x.transpose([0, 2, 1]), y, transpose_x=True),
        "second": core.matmul(x, y.transpose([0, 2, 1]), transpose_y=True),
        "one": core.matmul(x, y[0]),
        "one_transposed": core.matmul(x, y[0].t(), transpose_y=True),
        "one_first": core.matmul(x[0], y),
        "broadcast": core.matmul(x.unsqueeze(1), y.unsqueeze(0)),
        "vector": core.matmul(x, y[0, :, 0]),
    }


class Perceptron(nn.Layer):
    """Linear layers after a reshape."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(*sizes[:2]), nn.Linear(*sizes[1:], bias_attr=False)

    def forward(self, x: Any) -> Any:
        """Return rows."""
        x = x.reshape([x.shape[0], -1, self.first.weight.shape[0]])
        return self.second(F.gelu(self.first(x)))


class Reader(nn.Layer):
    """Embedding, an encoder of two layers, scores and probabilities of words."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(40, 16), nn.Embedding(64, 16)
        self.norm = nn.LayerNorm(16)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, activation="gelu"), 2)
        self.head = nn.Linear(16, 40)

    def forward(self, tokens: Any, mask: Any) -> Any:
        """Return scores and probabilities."""
        x = self.words(tokens) + self.places(core.arange(tokens.shape[1]))
        x = self.encoder(self.norm(x), (mask.unsqueeze([1, 2]) - 1.0) * 1e4)
        scores = self.head(x)
        return scores, F.softmax(scores), F.log_softmax(scores, axis=-1), core.tanh(x[:, 0])


class Decoder(nn.Layer):
    """A layer of a Transformer's decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(16, 2, 32, normalize_before=True)

    def forward(self, x: Any, memory: Any) -> Any:
        """Return sequences."""
        mask = core.triu(core.full([x.shape[1], x.shape[1]], -1e4), 1)
        return self.layer(x, memory, mask)


def attended(q: Any, k: Any, v: Any) -> list[Any]:
    """Return attention, also where a word sees none behind it."""
    return [F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, is_causal=True)]


def recurrent(kind: Any, **more: Any) -> Case:
    """Return a case of a recurrent layer."""
    return simple(lambda: filled(kind(6, 8, **more)), (None, 5, 6), (1, 5, 6), (4, 5, 6), learns=True)


_SEQUENCES = [spec([None, None, 16], name) for name in ("x", "memory")]
_HEADS = [InputSpec([2, 6, 4, 8], name=name) for name in "qkv"]

CASES = {
    "products": {
        "small": simple(lambda: in_a_row(nn.Linear(6, 5)), (None, 6), (1, 6), (4, 6), learns=True),
        "large": simple(lambda: in_a_row(nn.Linear(256, 256), nn.Sigmoid()), (512, 256), learns=True, mixed=True),
        "large_open": simple(lambda: in_a_row(nn.Linear(256, 256), nn.Swish()), (None, 256), (2, 256), (512, 256)),
        "without_bias": simple(lambda: in_a_row(nn.Linear(64, 48, bias_attr=False)), (None, 7, 64), (3, 7, 64)),
        "reshaped": simple(lambda: filled(Perceptron(16, 64, 16)), (None, 4, 32), (1, 4, 32), (9, 4, 32), learns=True),
        "flattened": simple(
            lambda: in_a_row(nn.Flatten(), nn.Linear(96, 32), nn.ReLU6(), nn.Linear(32, 4)), (None, 6, 4, 4),
            (1, 6, 4, 4), (8, 6, 4, 4), learns=True, mixed=True,
        ),
        "transposed": Case(
            lambda: transposed, [InputSpec([6, 9], name="x"), InputSpec([9, 7], name="y")], [[(6, 9), (9, 7)]],
            learns=True,
        ),
        "transposed_large": Case(
            lambda: transposed, [InputSpec([256, 300], name="x"), InputSpec([300, 270], name="y")],
            [[(256, 300), (300, 270)]], learns=True,
        ),
        "batched": Case(
            lambda: batched, [spec([3, None, 8], "x"), InputSpec([3, 8, 6], name="y")],
            [[(3, 5, 8), (3, 8, 6)], [(3, 30, 8), (3, 8, 6)]], learns=True,
        ),
        "whole_numbers": Case(
            lambda: core.matmul, [InputSpec([4, 5], "int64", "x"), InputSpec([5, 3], "int64", "y")],
            [[whole((4, 5), 50), whole((5, 3), 90)]],
        ),
        "float64": Case(
            lambda: transposed, [InputSpec([6, 9], "float64", "x"), InputSpec([9, 7], "float64", "y")],
            [[double((6, 9)), double((9, 7), 1)]], learns=True,
        ),
        "float64_layers": Case(
            lambda: in_a_row(nn.Linear(8, 6), nn.GELU(), nn.Linear(6, 3)).to(dtype="float64"),
            [spec([None, 8], "x", "float64")], [[double((5, 8))]], learns=True,
        ),
        "bfloat16": simple(
            lambda: in_a_row(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 8)).to(dtype="bfloat16"), (None, 32),
            (5, 32), dtype="bfloat16",
        ),
    },
    "sequences": {
        "reader": Case(
            lambda: filled(Reader()), [spec([None, None], "tokens", "int64"), spec([None, None], "mask")],
            [
                [whole((1, 5), 40), whole((1, 5), 1, "float32") + 1],
                [whole((3, 30), 40), whole((3, 30), 2, "float32")],
            ],
            learns=True, mixed=True,
        ),
        "decoder": Case(
            lambda: filled(Decoder()), _SEQUENCES, [[(2, 5, 16), (2, 7, 16)], [(3, 20, 16), (3, 9, 16)]], learns=True
        ),
        "encoder_wide": simple(
            lambda: filled(nn.TransformerEncoderLayer(64, 4, 128)), (2, 40, 64), learns=True, mixed=True
        ),
        "attended": Case(lambda: attended, _HEADS, [[(2, 6, 4, 8)] * 3], learns=True),
        "lstm": recurrent(nn.LSTM, num_layers=2),
        "lstm_both_ways": recurrent(nn.LSTM, direction="bidirect"),
        "gru": recurrent(nn.GRU),
        "simple": recurrent(nn.SimpleRNN),
    },
}  # fmt: skip
