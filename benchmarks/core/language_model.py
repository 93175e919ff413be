"""A language model of 2 LSTM layers of 650, batch 20, length 35, 10,000 words: ours against PyTorch's nn.LSTM.

    python -m benchmarks.core.language_model --peers PYTHON [--rounds 5] [--threads 2]

The model is the medium one of Zaremba et al. 2014 (arXiv:1409.2329), without dropout. A step is the loss, its gradient,
clipping by the global norm and gradient descent. Each side has a process of its own and they take turns; a ratio is the
median of the rounds' ratios, above 1 where the first one is faster.

Besides the layer, the same LSTM is measured written out as a loop over time in sigmoid, tanh, products and slices, at
this size and at a small one: what compilation does for code of small operators.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable

from benchmarks.core.sides import written_out_lstm
from benchmarks.side import Side, Steps, compare, require

WORDS, SIZE, LAYERS, BATCH, LENGTH = 10_000, 650, 2, 20, 35
SMALL = 32


def our_steps() -> Steps:
    """Return our steps, eager and compiled."""
    import numpy as np

    import core
    from core import nn
    from core.kernels.engine.engine import wait_all
    from core.nn import functional as F

    core.seed(0)
    generator = np.random.default_rng(0)
    words = core.to_tensor(generator.integers(0, WORDS, (LENGTH, BATCH)))
    labels = core.to_tensor(generator.integers(0, WORDS, (LENGTH, BATCH)))

    class Model(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, SIZE)
            self.lstm = nn.LSTM(SIZE, SIZE, LAYERS, time_major=True)
            self.head = nn.Linear(SIZE, WORDS)

        def forward(self, words: Any, labels: Any) -> Any:
            hidden, _ = self.lstm(self.embedding(words))
            return F.cross_entropy(self.head(hidden).reshape([-1, WORDS]), labels.reshape([-1]))

    model = Model()
    clip = nn.ClipGradByGlobalNorm(5.0)
    optimizer = core.optimizer.SGD(0.1, parameters=model.parameters(), grad_clip=clip)

    def whole(function: Callable[..., Any]) -> Callable[[], None]:
        def step() -> None:
            loss = function(words, labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            loss.item()
            wait_all()

        return step

    def forward(function: Callable[..., Any], x: Any) -> Callable[[], None]:
        def step() -> None:
            with core.no_grad():
                function(x).numpy()

        return step

    def training(function: Callable[..., Any], x: Any, parameters: Any) -> Callable[[], None]:
        def step() -> None:
            function(x).sum().backward()
            for tensor in (x, *parameters):
                tensor.clear_gradient(set_to_zero=False)
            wait_all()

        return step

    x, small = (
        core.to_tensor(generator.standard_normal((LENGTH, BATCH, size), dtype="float32"), stop_gradient=False)
        for size in (SIZE, SMALL)
    )
    compiled = core.jit.to_static
    steps = {"step, eager": whole(model), "step, compiled": whole(compiled(lambda words, labels: model(words, labels)))}
    layer = model.lstm
    for kind, function in (("eager", lambda x: layer(x)[0]), ("compiled", compiled(lambda x: layer(x)[0]))):
        steps[f"LSTM forward, {kind}"] = forward(function, x)
        steps[f"LSTM training, {kind}"] = training(function, x, layer.parameters())
    for name, size, inputs in (("written out", SIZE, x), ("small, written out", SMALL, small)):
        function, weights = written_out_lstm.ours(size, LAYERS, generator)
        steps[f"{name}, eager"] = training(function, inputs, weights)
        steps[f"{name}, compiled"] = training(compiled(function), inputs, weights)
    return steps


def torch_steps(threads: int) -> Steps:
    """Return PyTorch's steps."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    words = torch.randint(0, WORDS, (LENGTH, BATCH))
    labels = torch.randint(0, WORDS, (LENGTH, BATCH))
    embedding, head = torch.nn.Embedding(WORDS, SIZE), torch.nn.Linear(SIZE, WORDS)
    lstm = torch.nn.LSTM(SIZE, SIZE, LAYERS)
    parameters = [*embedding.parameters(), *lstm.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, 0.1)

    def whole() -> None:
        optimizer.zero_grad()
        hidden, _ = lstm(embedding(words))
        torch.nn.functional.cross_entropy(head(hidden).reshape(-1, WORDS), labels.reshape(-1)).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 5.0)
        optimizer.step()

    x, small = (torch.randn(LENGTH, BATCH, size, requires_grad=True) for size in (SIZE, SMALL))

    def forward() -> None:
        with torch.inference_mode():
            lstm(x)

    def training() -> None:
        lstm(x)[0].sum().backward()
        lstm.zero_grad()
        x.grad = None

    return {
        "step": whole,
        "LSTM forward": forward,
        "LSTM training": training,
        "written out": written_out_lstm.pytorch(x, LAYERS),
        "small, written out": written_out_lstm.pytorch(small, LAYERS),
    }


def main() -> None:
    """Print one row per comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="alternating rounds (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch")
    arguments = parser.parse_args()
    require("torch", python=arguments.peers)
    ours = Side("core", our_steps, threads=arguments.threads)
    threads = arguments.threads
    theirs = Side("PyTorch", torch_steps, (threads,), threads=threads, python=arguments.peers)
    print(f"{'':28} {'first ms':>10} {'second ms':>10} {'ratio':>7}")
    for name in theirs.steps:
        eager, compiled = f"{name}, eager", f"{name}, compiled"
        for title, first, second in (
            (f"{name}: compiled, eager", (ours, compiled), (ours, eager)),
            (f"{name}: compiled, PyTorch", (ours, compiled), (theirs, name)),
            (f"{name}: eager, PyTorch", (ours, eager), (theirs, name)),
        ):
            mine, other, ratio = compare(first, second, arguments.rounds)
            print(f"{title:38} {1e3 * mine:10.1f} {1e3 * other:10.1f} {ratio:7.2f}", flush=True)


if __name__ == "__main__":
    main()
