"""A small translator's decoder; run in either environment. As a program it writes decode.npz with the official answers.

Run in an environment with paddlepaddle 2.6.2: ``python tests/core/nn/decode_cases.py`` from the repository's root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parent / "decode.npz"
WORDS, SIZE, BATCH, BEAMS = 7, 5, 3, 4
CASES: dict[str, dict[str, Any]] = {
    "plain": {"max_step_num": 6},
    "time first": {"max_step_num": 9, "output_time_major": True},
    "imputed": {"max_step_num": 12, "impute_finished": True},
}


def run(paddle: Any, kind: str, options: dict[str, Any]) -> list[np.ndarray]:
    """Return tokens, lengths, log-probabilities and the cell's states of a beam search.

    Args:
        paddle: The package.
        kind: "GRU" or "LSTM".
        options: For ``dynamic_decode``.
    """
    generator = np.random.default_rng(11)
    embedding, output = paddle.nn.Embedding(WORDS, SIZE), paddle.nn.Linear(SIZE, WORDS)
    cell = getattr(paddle.nn, f"{kind}Cell")(SIZE, SIZE)
    for layer in (embedding, output, cell):
        for parameter in layer.parameters():
            parameter.set_value(generator.normal(size=parameter.shape).astype("float32"))
    decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, BEAMS, embedding, output)
    states = [paddle.to_tensor(generator.normal(size=(BATCH, SIZE)).astype("float32")) for _ in range(2)]
    first = states[0] if kind == "GRU" else tuple(states)
    tokens, last, lengths = paddle.nn.dynamic_decode(decoder, first, return_length=True, **options)
    cells = last.cell_states if isinstance(last.cell_states, (list, tuple)) else [last.cell_states]
    return [item.numpy() for item in (tokens, lengths, last.lengths, last.log_probs, *cells)]


if __name__ == "__main__":
    import zlib  # noqa: F401  # must be loaded before paddle

    import paddle as official

    arrays = {}
    for name, options in CASES.items():
        for kind in ("GRU", "LSTM"):
            for i, array in enumerate(run(official, kind, options)):
                arrays[f"{kind} {name}/{i}"] = array
    np.savez_compressed(STORED, **arrays)
