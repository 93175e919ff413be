"""Layers of LSTM that predict the next word: the language model of the Penn Treebank.

Zaremba et al. 2014, https://arxiv.org/abs/1409.2329. Parameter names are those of paddlenlp's ``RnnLm``
(examples/language_model/rnnlm); those of PaddlePaddle/models' ``lm_model`` (Fluid 1.x) are renamed. The states behind a
window of text are the first ones of the next window, which is what makes it a model of the whole text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

import core
from core import nn

FLUID_GATES = (0, 2, 1, 3)
"""Where the input, forget, candidate and output gates of an LSTM stand in a file of Fluid 1.x."""


class RnnLm(nn.Layer):
    """Words' vectors, layers of LSTM, and scores of the next word.

    Args:
        vocab_size: how many words there are.
        hidden_size: length of a word's vector, and of each layer's states.
        num_layers: layers of LSTM.
        init_scale: fresh weights are drawn from -init_scale to init_scale; the biases of the LSTM as Paddle draws them.
        dropout: the probability of dropping a number between layers, before the first and after the last.

    Attributes:
        state_shapes: layers and length of each state that is carried over: hidden states, memories.
    """

    def __init__(
        self,
        vocab_size: int = 10_000,
        hidden_size: int = 200,
        num_layers: int = 2,
        init_scale: float = 0.1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.vocab_size, self.hidden_size, self.num_layers = vocab_size, hidden_size, num_layers

        def drawn() -> Any:
            return nn.ParamAttr(initializer=nn.initializer.Uniform(-init_scale, init_scale))

        self.embedder = nn.Embedding(vocab_size, hidden_size, weight_attr=drawn())
        self.lstm = nn.LSTM(
            hidden_size, hidden_size, num_layers, dropout=dropout, weight_ih_attr=drawn(), weight_hh_attr=drawn()
        )
        self.fc = nn.Linear(hidden_size, vocab_size, weight_attr=drawn(), bias_attr=drawn())
        self.dropout = nn.Dropout(dropout)
        self.state_shapes = [(num_layers, hidden_size)] * 2

    def forward(self, input_ids: Any, hidden: Optional[Any] = None, cell: Optional[Any] = None) -> tuple[Any, Any, Any]:
        """Return the scores of the next words, and the states behind the last one.

        Args:
            input_ids: int64 (N, L).
            hidden: the hidden states before the first word, float32 (num_layers, N, hidden_size); None: zeros.
            cell: the memories, of the same shape.

        Returns:
            float32 (N, L, vocab_size), and twice (num_layers, N, hidden_size).
        """
        states = None if hidden is None or cell is None else (hidden, cell)
        outputs, (hidden, cell) = self.lstm(self.dropout(self.embedder(input_ids)), states)
        return self.fc(self.dropout(outputs)), hidden, cell

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with that of its layer here."""
        layers = range(self.num_layers)
        return {
            "embedding_para": "embedder.weight",
            **{f"fc_weight1_{i}": f"lstm.weight_{i}" for i in layers},
            **{f"fc_bias1_{i}": f"lstm.bias_{i}" for i in layers},
            "softmax_weight": "fc.weight",
            "softmax_bias": "fc.bias",
        }

    def renamed(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return entries of a file of any age under the names here.

        Fluid has one weight of a layer, (2 hidden_size, 4 hidden_size), for inputs and states, and one bias; the
        second bias here is then zero.

        Args:
            values: name to array, as in the file.
        """
        found = {}
        for name, value in values.items():
            new = self.official_names().get(name, name)
            kind, _, layer = new[len("lstm.") :].rpartition("_") if new.startswith("lstm.") else ("", "", "")
            if new == name or not kind:
                found[new] = value
            elif kind == "weight":
                rows = _gates(value.T, 0)
                size = value.shape[0] // 2
                found[f"lstm.weight_ih_l{layer}"], found[f"lstm.weight_hh_l{layer}"] = rows[:, :size], rows[:, size:]
            else:
                found[f"lstm.bias_ih_l{layer}"] = _gates(value, 0)
                found[f"lstm.bias_hh_l{layer}"] = np.zeros_like(value)
        return found


class CarriedStates(nn.Layer):
    """States of a recurrent network that one batch leaves for the next one; a checkpoint holds them.

    Args:
        shapes: layers and length of each state.
        rows: how many texts a batch has.
    """

    def __init__(self, shapes: list[tuple[int, int]], rows: int) -> None:
        super().__init__()
        self.count = len(shapes)
        for number, (layers, size) in enumerate(shapes):
            self.register_buffer(f"state_{number}", core.zeros([layers, rows, size]))

    def read(self, carried: Any) -> list[Any]:
        """Return the states, zeros where a text begins.

        Args:
            carried: float32 (rows,), 1 where a text goes on, 0 where it begins.
        """
        return [getattr(self, f"state_{number}") * carried.reshape([1, -1, 1]) for number in range(self.count)]

    def write(self, states: list[Any]) -> None:
        """Keep states for the next batch, without their gradients."""
        for number, state in enumerate(states):
            getattr(self, f"state_{number}").update(state.detach())


def _gates(value: np.ndarray, axis: int) -> np.ndarray:
    """Return a weight whose gates stand in Paddle's order: input, forget, candidate, output."""
    parts = np.split(value, 4, axis)
    return np.concatenate([parts[place] for place in FLUID_GATES], axis)
