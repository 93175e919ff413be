"""bfloat16 against float32: a forward pass and a training step of ResNet-50 and of an encoder of BERT-base's size.

    python -m benchmarks.core.mixed_precision [--rounds 12] [--threads 2] [--batch 8] [--rows resnet50,encoder]

The encoder is nn.TransformerEncoder: 12 layers of width 768 with 12 heads, on sequences of 128 vectors. Each precision
runs in a process of its own, compiled, with the same number of threads; the two take turns, and a ratio is the median
of the rounds' ratios, because machines are noisy. A ratio above 1 says that bfloat16 is faster.
"""

from __future__ import annotations

import argparse
from typing import Any, Callable

from benchmarks.side import Side, compare, settled

ROWS = ("resnet50", "encoder")
Steps = dict[str, Callable[[], None]]


def resnet50(batch: int, mixed: bool) -> Steps:
    """Return ResNet-50's forward pass and training step on images of 224 x 224."""
    import core
    import PaddleClas
    from benchmarks.PaddleClas.resnet50_sides import data

    images, labels = (core.to_tensor(array) for array in data(batch))
    model = PaddleClas.create_model("ResNet50")
    optimizer = core.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
    return _steps(model, optimizer, images, lambda output: core.nn.functional.cross_entropy(output, labels), mixed)


def encoder(batch: int, mixed: bool) -> Steps:
    """Return the forward pass and training step of an encoder of BERT-base's size, without dropout."""
    import core
    from core import nn

    layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, activation="gelu")
    model = nn.TransformerEncoder(layer, 12)
    optimizer = core.optimizer.AdamW(1e-4, parameters=model.parameters())
    inputs = core.randn([batch, 128, 768])
    return _steps(model, optimizer, inputs, lambda output: (output.astype("float32") ** 2.0).mean(), mixed)


def _steps(model: Any, optimizer: Any, inputs: Any, judge: Callable[[Any], Any], mixed: bool) -> Steps:
    import core

    forward_pass = core.jit.to_static(lambda x: model(x))
    loss = core.jit.to_static(lambda x: judge(model(x)))

    def forward() -> None:
        model.eval()
        with core.no_grad(), core.amp.auto_cast(mixed, dtype="bfloat16"):
            forward_pass(inputs).numpy()

    def training() -> None:
        model.train()
        with core.amp.auto_cast(mixed, dtype="bfloat16"):
            value = loss(inputs)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        value.item()
        core.kernels.engine.engine.wait_all()

    return {"forward": settled(forward), "training": training}


def main() -> None:
    """Print one row per model and step, in samples per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12, help="rounds in which the sides take turns (default 12)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--batch", type=int, default=8, help="samples per step (default 8)")
    parser.add_argument("--rows", default=",".join(ROWS), help="which models, separated by commas (default all)")
    arguments = parser.parse_args()
    wanted = arguments.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    print(f"{'samples/s':20} {'float32':>9} {'bfloat16':>9} {'ratio':>7}")
    for name in wanted:
        build = {"resnet50": resnet50, "encoder": encoder}[name]
        low = Side("bfloat16", build, (arguments.batch, True), arguments.threads)
        wide = Side("float32", build, (arguments.batch, False), arguments.threads)
        for step in ("forward", "training"):
            mine, theirs, ratio = compare((low, step), (wide, step), arguments.rounds, case=name)
            print(
                f"{name + ', ' + step:20} {arguments.batch / theirs:9.1f} {arguments.batch / mine:9.1f} {ratio:7.2f}",
                flush=True,
            )
        low.close()
        wide.close()


if __name__ == "__main__":
    main()
